// The first steps of an account, and which of them are done. Derived from what is set up, so a step that is undone later
// shows as missing again.
import { z } from 'zod';
import { isThisMachine } from '../base/client-network.ts';
import type { Context } from '../base/context.ts';
import { hasRelay } from '../base/relay/has-relay.ts';
import { sql } from '../db/connect.ts';
import { states } from '../db/states.ts';
import { named } from '../method/named.ts';

export const stepsRecord = named(
  'SetupSteps',
  z.object({
    address: z.boolean().meta({ description: 'Public links begin with a URL that is not only of this machine.' }),
    organisation: z.boolean().meta({ description: 'The account has an organisation and a postal address.' }),
    sender: z.boolean().meta({ description: 'There is a sender.' }),
    relay: z.boolean().meta({ description: 'The installation has a relay.' }),
    domain: z.boolean().meta({ description: 'A sender domain is active.' }),
    test: z.boolean().meta({
      description:
        'A test of a campaign was sent, a message with the tag setup-test was accepted, or a campaign was sent.',
    }),
    list: z.boolean().meta({ description: 'There is a list.' }),
    contacts: z.boolean().meta({ description: 'A list has members.' }),
    campaign: z.boolean().meta({ description: 'A campaign was sent or is being sent.' }),
  }),
);

export async function stepsDone({ tx, account, app }: Context, members: number): Promise<z.infer<typeof stepsRecord>> {
  const row = (await tx.row<Record<'sender' | 'list' | 'campaign' | 'test' | 'domain', boolean>>(sql`
    select exists (select from sender where account_id = ${account.id}) as sender,
      exists (select from list where account_id = ${account.id}) as list,
      exists (select from campaign where account_id = ${account.id} and send_at is not null) as campaign,
      exists (
        select from audit_entry where account_id = ${account.id} and lower(method) = 'campaignsendtest'
      ) or exists (
        select from campaign where account_id = ${account.id} and send_at is not null
      ) or exists (
        select from message m
        join message_recipient r on r.account_id = m.account_id and r.campaign_id = m.campaign_id and r.no = m.no
        join campaign p on p.account_id = r.account_id and p.id = r.campaign_id
        join delivery d on d.account_id = p.account_id and d.campaign_id = p.id and d.month = p.month and d.seq = r.seq
        where m.account_id = ${account.id}
          and m.tags @> '{setup-test}'
          and d.state = ${states.accepted}
      ) as test,
      exists (select from sender_domain where account_id = ${account.id} and active) as domain`))!;
  return {
    address: !isThisMachine(new URL(app.baseUrl).hostname),
    organisation: account.company !== '' && account.postalAddress !== '',
    relay: await hasRelay(app.config, tx),
    contacts: members > 0,
    ...row,
  };
}
