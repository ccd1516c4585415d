// The placeholder user of the first account, until its owner signs in: whether there is one, and the address of the page on
// which the owner takes its place (first-run.ts). The parent process makes that address at each start, so this file
// imports little.
import { type Database, type Queries, sql } from '../../db/connect.ts';
import { makeLinkToken } from '../access/sign-in-link.ts';

/** Records that the user of the first account is a placeholder. */
export async function awaitFirstRun(db: Queries, accountId: number, userId: number): Promise<void> {
  const value = JSON.stringify({ account_id: accountId, user_id: userId });
  await db.run(sql`insert into installation (key, value) values ('first_run', ${value}) on conflict (key) do nothing`);
}

/** Whether visitors are redirected to the first run: yes, unless other users exist (of a demo, or made by command). */
export async function firstRunNeeded(db: Queries): Promise<boolean> {
  const first = await findPlaceholder(db);
  if (!first) return false;
  return (await db.row(sql`select id from app_user where id <> ${first.user_id} limit 1`)) === undefined;
}

/** A new token for the first-run page, which replaces older ones; undefined when the first run is over. */
export async function firstRunToken(db: Database): Promise<string | undefined> {
  return db.transaction(async (tx) => ((await findPlaceholder(tx)) ? makeLinkToken(tx, 'first run') : undefined));
}

type Placeholder = { account_id: number; user_id: number };

/** While no one has signed in. */
export async function findPlaceholder(db: Queries): Promise<Placeholder | undefined> {
  const row = await db.row<{ value: Placeholder }>(sql`
    select value
    from installation
    where key = 'first_run'
      and not exists (
        select from app_user where id = (value ->> 'user_id')::int and last_login_at is not null
      )`);
  return row?.value;
}
