// Lists, campaigns and launches with every member overridable, made through the methods that users call.
import { type Database, sql } from '../../../src/db/connect.ts';
import { parseId } from '../../../src/db/ids.ts';
import { launch } from '../../../src/delivery/launch/launch.ts';
import type { TestApp } from '../installation/app.ts';
import { until } from '../run/until.ts';

type Caller = Pick<TestApp, 'call'>;
type Members = Record<string, unknown>;

/** HTML that passes every check: it has text, and a link to unsubscribe. */
export const plainHtml = '<p>News</p><p><a href="*|UNSUB|*">Leave</a></p>';

/**
 * A list with these addresses as subscribed members; a member may also have merge fields. Many plain addresses are written without
 * a call: that takes 2 ms for each. Returns its id.
 */
export async function listOf(app: Lister, members: readonly (string | Members)[], title = 'List'): Promise<string> {
  const list = await app.call<string>('listCreate', { title });
  const plain = members.filter((member) => typeof member === 'string' && /^[a-z0-9.+-]+@[a-z0-9.-]+$/.test(member));
  if (app.app && app.account && members.length > 20 && plain.length === members.length) {
    await addMembers(app.app.db, app.account.id, parseId(list), plain as string[]);
    return list;
  }
  const batch = members.map((member) => (typeof member === 'string' ? { EMAIL: member } : member));
  for (let from = 0; from < batch.length; from += 2_000)
    await app.call('listBatchSubscribe', { id: list, batch: batch.slice(from, from + 2_000), double_optin: false });
  return list;
}

type Lister = Caller & Partial<Pick<TestApp, 'app' | 'account'>>;

async function addMembers(db: Database, account: number, list: number, emails: string[]): Promise<void> {
  await db.run(sql`
    insert into contact (account_id, email, email_key, domain)
    select ${account}, email, email, split_part(email, '@', 2)
    from unnest(${emails}::text[]) with ordinality as given (email, n)
    order by n
    on conflict do nothing`);
  await db.run(sql`
    insert into subscription (account_id, contact_id, list_id, status, optin_at)
    select account_id, id, ${list}, 'subscribed', now()
    from contact
    where account_id = ${account}
      and email_key = any (${emails}::text[])`);
}

/** A draft. @param to a list, or addresses for a new one. Returns its id. */
export async function aCampaign(
  app: Lister,
  { to, html = plainHtml, content = { html }, type = 'HTML', type_opts, ...options }: CampaignParts,
): Promise<string> {
  return app.call<string>('campaignCreate', {
    type,
    options: {
      list_id: typeof to === 'string' ? to : await listOf(app, to),
      subject: 'News',
      from_email: 'editors@example.com',
      from_name: 'The editors',
      ...('html' in content ? { generate_text: true } : {}),
      ...options,
    },
    content,
    ...(type_opts === undefined ? {} : { type_opts }),
  });
}

export type CampaignParts = {
  to: string | readonly (string | Members)[];
  type?: 'HTML' | 'plain' | 'auto';
  html?: string;
  content?: Members;
  type_opts?: Members;
  /** Any option of campaignCreate. */
  [option: string]: unknown;
};

/** Makes a campaign to a whole list and launches it without a worker. Returns its id in the database. */
export async function launchedTo(
  app: Pick<TestApp, 'app' | 'account' | 'call'>,
  list: string,
  html = plainHtml,
  options: Members = {},
): Promise<number> {
  const id = parseId(await aCampaign(app, { to: list, html, ...options }));
  await launchDraft(app, id);
  return id;
}

/** Launches a draft without a worker. @param id in the database */
export async function launchDraft({ app, account }: Pick<TestApp, 'app' | 'account'>, id: number): Promise<void> {
  await app.db.run(sql`update campaign set status = 'launching', send_at = now() where id = ${id}`);
  await launch(app, { account: account.id, campaign: id });
}

/** Waits until a campaign is sent. @param id in the database */
export async function untilSent({ app }: Pick<TestApp, 'app'>, id: number): Promise<void> {
  await until(`campaign ${id} is sent`, async () => {
    const row = await app.db.row<{ status: string }>(sql`select status from campaign where id = ${id}`);
    return row!.status === 'sent';
  });
}
