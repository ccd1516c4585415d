// The secrets of the tokens in messages, in the table `installation`. The newest signs, all verify, so links in messages that
// were sent earlier go on working. A new one signs only after some minutes: by then every running process knows it.
import { randomBytes } from 'node:crypto';
import type { Log } from '../../base/log.ts';
import { type Database, isUnavailable, type Queries, sql, type Tx } from '../../db/connect.ts';

/** The one that signs first, the oldest one last. A new array whenever they change. */
export type TokenSecrets = () => readonly string[];

/** How often a process re-reads them. */
const readEveryMs = 60_000;
const signsAfter = sql`interval '5 minutes'`;

/** @param first the installation's secret, which is the only one until there are others */
export async function readTokenSecrets(db: Queries, first: string): Promise<string[]> {
  const rows = await db.rows<{ secret: string; signs: boolean }>(sql`
    select s ->> 'secret' as secret, (s ->> 'signs_at')::timestamptz <= now() as signs
    from installation
    cross join jsonb_array_elements(value) with ordinality as e (s, no)
    where key = 'token_secrets'
    order by no desc`);
  if (rows.length === 0) return [first];
  const signing = rows.find(({ signs }) => signs) ?? rows.at(-1)!;
  return [signing, ...rows.filter((row) => row !== signing)].map(({ secret }) => secret);
}

/** Reads them now and then every minute, until the connections of the database are closed. */
export async function watchTokenSecrets(db: Database, log: Log, first: string): Promise<TokenSecrets> {
  let secrets = await readTokenSecrets(db, first);
  const timer = setInterval(async () => {
    if (db.pool.ending) return clearInterval(timer);
    try {
      const read = await readTokenSecrets(db, first);
      if (read.join() !== secrets.join()) secrets = read;
    } catch (error) {
      if (!isUnavailable(error)) log.error({ err: error }, 'the secrets of tokens cannot be read; retrying');
    }
  }, readEveryMs);
  timer.unref();
  return () => secrets;
}

/** Adds a secret, which signs in five minutes. */
export async function addTokenSecret(tx: Tx, first: string): Promise<void> {
  const added = randomBytes(32).toString('hex');
  await tx.run(sql`
    insert into installation (key, value)
    values ('token_secrets', jsonb_build_array(jsonb_build_object('secret', ${first}::text, 'signs_at', now())))
    on conflict (key) do nothing`);
  await tx.run(sql`
    update installation
    set value = value || jsonb_build_object('secret', ${added}::text, 'signs_at', now() + ${signsAfter})
    where key = 'token_secrets'`);
}

/** Removes all but the newest from the links; Message-IDs keep the first. @returns how many; 0 also while the newest does not sign yet */
export async function revokeOldSecrets(tx: Tx): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`
    with old as (
      select jsonb_array_length(value) as count
      from installation
      where key = 'token_secrets'
        and (value -> -1 ->> 'signs_at')::timestamptz <= now()
      for update
    )
    update installation
    set value = jsonb_build_array(value -> -1)
    from old
    where key = 'token_secrets'
    returning old.count - 1 as count`);
  return row?.count ?? 0;
}
