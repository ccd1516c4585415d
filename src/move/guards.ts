// The triggers that keep the rows of an account as they are once its move is fenced, and while it arrives (account_move_guard). They exist
// only while it moves. Making one waits for the transactions that write to the table, and makes others wait meanwhile: only briefly.
import { type Database, sql } from '../db/connect.ts';
import { retryBlocked } from '../db/locks.ts';
import type { Accounts } from './installations.ts';
import { copiedAtTheSwitch, replicatedTables } from './plan.ts';

const limits = { waitMs: 1_000, maxAttempts: 30, pauseMs: 100 };

const guardOf = (account: number, on: 'in' | 'out') => `move_guard_${on}_${account}`;

export async function addGuards(db: Database, { all }: Accounts): Promise<void> {
  const present = await guardedTables(db);
  for (const { table, column } of await tablesToGuard(db))
    for (const account of all) {
      if (present.has(`${table}.${guardOf(account, 'out')}`)) continue;
      await inBrief(db, [
        `create or replace trigger ${guardOf(account, 'in')} before insert or update on ${table}
         for each row when (new.${column} = ${account}) execute function account_move_guard('${account}')`,
        `create or replace trigger ${guardOf(account, 'out')} before delete on ${table}
         for each row when (old.${column} = ${account}) execute function account_move_guard('${account}')`,
      ]);
    }
}

export async function removeGuards(db: Database, { all }: Accounts): Promise<void> {
  const present = await guardedTables(db);
  for (const { table } of await tablesToGuard(db))
    for (const account of all) {
      const names = (['in', 'out'] as const).map((on) => guardOf(account, on));
      if (!names.some((name) => present.has(`${table}.${name}`))) continue;
      await inBrief(
        db,
        names.map((name) => `drop trigger if exists ${name} on ${table}`),
      );
    }
}

async function tablesToGuard(db: Database): Promise<{ table: string; column: string }[]> {
  const names = [...(await replicatedTables(db)).map(({ name }) => name), ...copiedAtTheSwitch];
  return names.map((table) => ({ table: `"${table}"`, column: table === 'account' ? 'id' : 'account_id' }));
}

async function guardedTables(db: Database): Promise<Set<string>> {
  const rows = await db.rows<{ name: string }>(sql`
    select '"' || c.relname || '".' || t.tgname as name
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where t.tgfoid = 'account_move_guard'::regproc
      and t.tgparentid = 0`);
  return new Set(rows.map(({ name }) => name));
}

/** In one round trip and one transaction: everyone who writes to the table waits while the lock is waited for. */
async function inBrief(db: Database, statements: readonly string[]): Promise<void> {
  const limit = `select set_config('lock_timeout', '${limits.waitMs}ms', true)`;
  await retryBlocked(limits, async () => void (await db.pool.query([limit, ...statements].join(';\n'))));
}
