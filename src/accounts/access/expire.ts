// Deletes what has expired: sessions, links, sign-ins at identity providers, invitations, and old counts of sign-in attempts.
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { isLive } from './session.ts';

/** Deletes expired sessions, links and invitations, and counts of sign-in attempts that are a day old. */
export async function purgeSignIns({ app }: TaskContext): Promise<void> {
  await app.db.run(sql`delete from session where not ${isLive(app)}`);
  await app.db.run(sql`delete from sign_in_link where expires_at < now()`);
  await app.db.run(sql`delete from provider_attempt where expires_at < now()`);
  await app.db.run(sql`delete from passkey_challenge where expires_at < now()`);
  await app.db.run(sql`delete from invitation where expires_at < now()`);
  await app.db.run(sql`delete from sign_in_try where since < now() - interval '1 day'`);
}

/** Sign-ins in each of the tables that have begun and not ended. */
export const maxBegun = { rows: 10_000 };

export const begunTables = {
  provider: { table: sql`provider_attempt`, key: sql`state_hash` },
  passkey: { table: sql`passkey_challenge`, key: sql`challenge_hash` },
} satisfies Record<string, BegunTable>;

type BegunTable = { table: Sql; key: Sql };

/** Before a sign-in begins: deletes those that are over, and the oldest tenth where there are too many. */
export async function makeRoom(db: Queries, { table, key }: BegunTable): Promise<void> {
  await db.run(sql`delete from ${table} where expires_at < now()`);
  const { count } = (await db.row<{ count: number }>(sql`select count(*)::int as count from ${table}`))!;
  if (count < maxBegun.rows) return;
  await db.run(sql`
    delete from ${table}
    where ${key} in (
      select ${key}
      from ${table}
      order by expires_at
      limit ${count - maxBegun.rows + Math.ceil(maxBegun.rows / 10)})`);
}
