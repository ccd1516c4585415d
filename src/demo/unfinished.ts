// A demo is made in many transactions. One that was broken off is marked in the settings of its account, and is erased before the next
// attempt, which starts over. One process at a time makes a demo.
import pg from 'pg';
import { findAccounts } from '../accounts/account/account.ts';
import type { App } from '../base/context.ts';
import { type Queries, sql } from '../db/connect.ts';
import { target } from '../db/connection/target.ts';
import { locks } from '../db/locks.ts';
import { eraseAccount } from '../operator/erase.ts';

/** In the settings of an account whose demo is being made. */
const mark = 'demo_unfinished';

export const markUnfinished = (db: Queries, accountId: number) =>
  db.run(
    sql`update account set settings = settings || jsonb_build_object(${mark}::text, true) where id = ${accountId}`,
  );

export const markFinished = (db: Queries, accountId: number) =>
  db.run(sql`update account set settings = settings - ${mark}::text where id = ${accountId}`);

/** Erases what was left of a demo that was broken off. @returns whether there was one */
export async function eraseUnfinished(app: App, email: string): Promise<boolean> {
  const unfinished = (await findAccounts(app.db, email)).filter(({ settings }) => mark in settings);
  for (const { id } of unfinished) {
    // Nothing of it is sent any more.
    await app.db.run(sql`update account set active = false where id = ${id}`);
    await eraseAccount(app, id, new AbortController().signal);
  }
  return unfinished.length > 0;
}

/** @throws Error while another process makes a demo */
export async function alone<T>(app: App, work: () => Promise<T>): Promise<T> {
  const lock = new pg.Client({ ...target(app.db.url), application_name: 'postrider demo' });
  // Without its session the lock is gone: at worst a second demo erases this one.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    const { rows } = await lock.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [locks.demo]);
    if (!rows[0]!.taken) throw new Error('Another process is making the demo account at this moment.');
    return await work();
  } finally {
    await lock.end();
  }
}
