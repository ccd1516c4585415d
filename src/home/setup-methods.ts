// The methods of the setup screens: what is set up and what is missing, and the public URL of the installation.
import { z } from 'zod';
import { publicUrl, setPublicUrl } from '../accounts/installation/public-url.ts';
import { isThisMachine } from '../base/client-network.ts';
import type { Context } from '../base/context.ts';
import { sql } from '../db/connect.ts';
import { whyNothingIsSent } from '../delivery/progress/worker-status.ts';
import { method } from '../method/method.ts';
import { filledLine, params } from '../method/params.ts';
import { stepsDone, stepsRecord } from './steps.ts';

export const setupMethods = [
  method({
    name: 'setupGet',
    group: 'account',
    summary: 'Returns what is set up, and what is missing, until this account can send.',
    params: params({}),
    returns: z.object({
      base_url: z.string().meta({ description: 'The public URL that all links begin with.' }),
      base_url_source: z.string().meta({
        description:
          'operator: set in BASE_URL, cannot be changed here; application: set with setupUpdate(); default: the address the web process listens on.',
      }),
      base_url_local: z.boolean().meta({ description: 'Whether only this machine can open it.' }),
      steps: stepsRecord,
      problem: z.string().meta({ description: 'Why nothing is sent at the moment; empty if messages go out.' }),
    }),
    faults: [],
    scope: 'read',
    reads: true,
    primary: true,
    example: { params: {} },
    run: setupGet,
  }),
  method({
    name: 'setupUpdate',
    group: 'account',
    summary: 'Sets the public URL of the installation, and returns it.',
    description:
      'It must lead to this installation from everywhere: links, images and unsubscribe addresses in messages begin with it. Not possible where the operator has set BASE_URL. Processes take it over within seconds; messages that are being sent keep the URL they began with. With https, the cookies of sessions are sent over TLS only, so other people sign in again.',
    params: params({ url: filledLine('The URL, such as https://mail.example.com.', 300) }),
    returns: z.string(),
    faults: ['NOT_ALLOWED'],
    scope: 'admin',
    permission: 'account:write',
    operator: true,
    example: { params: { url: 'http://127.0.0.1:8080' } },
    confirm: () => true,
    run: (context, { url }) => setPublicUrl(context, url),
  }),
];

async function setupGet(context: Context) {
  const { app, tx, account } = context;
  const { url, source } = await publicUrl(tx, app.config);
  // The default depends on the port that the web process really has.
  const baseUrl = source === 'default' ? app.baseUrl : url;
  const { members } = (await tx.row<{ members: number }>(sql`
    select exists (select from subscription where account_id = ${account.id} and status = 'subscribed')::int as members`))!;
  return {
    base_url: baseUrl,
    base_url_source: source,
    base_url_local: isThisMachine(new URL(baseUrl).hostname),
    steps: { ...(await stepsDone(context, members)), address: !isThisMachine(new URL(baseUrl).hostname) },
    problem: await whyNothingIsSent(context),
  };
}
