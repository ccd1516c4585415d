// The copy of an account, by PostgreSQL's own logical replication: a publication with row filters in the old database, a subscription in the
// new one. Each function may be repeated.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, type Queries, raw, sql } from '../db/connect.ts';
import { type Accounts, type Installations, slotOf } from './installations.ts';
import { replicatedTables } from './plan.ts';

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
/** The URL as libpq reads it, within the string of CREATE SUBSCRIPTION. */
const connectionOf = (url: string) => quoted(url).replaceAll('\\', '\\\\');

export async function beginCopy({ source, target, sourceUrl }: Installations, accounts: Accounts): Promise<void> {
  const name = slotOf(accounts);
  const filter = `account_id in (${accounts.all.join(', ')})`;
  if (!(await hasPublication(source, name))) {
    const tables = await replicatedTables(source);
    await source.run(
      sql`${raw(`create publication ${name} for table ${tables.map((table) => `"${table.name}" where (${filter})`).join(', ')}
        with (publish_via_partition_root = true)`)}`,
    );
  }
  // Before the subscription: two databases on one server would wait for each other otherwise.
  if (!(await hasSlot(source, name)))
    await source.run(sql`select pg_create_logical_replication_slot(${name}, 'pgoutput')`);
  if ((await subscriptionOf(target, name)) === undefined)
    await target.run(
      sql`${raw(`create subscription ${name} connection ${connectionOf(sourceUrl)} publication ${name}
        with (create_slot = false, slot_name = ${quoted(name)}, copy_data = true)`)}`,
    );
}

/** Whether the new server has begun to copy. */
export const isCopying = async ({ target }: Installations, accounts: Accounts): Promise<boolean> =>
  (await subscriptionOf(target, slotOf(accounts))) !== undefined;

/** Tables that are not copied yet, and why the new server does not get on. */
export async function copyProgress(
  target: Queries,
  accounts: Accounts,
): Promise<{ tables: number; waiting: number; isRunning: boolean }> {
  const row = await target.row<{ tables: number; waiting: number; isRunning: boolean }>(sql`
    select (select count(*)::int from pg_subscription_rel r where r.srsubid = s.oid) as tables,
      (select count(*)::int from pg_subscription_rel r where r.srsubid = s.oid and r.srsubstate <> 'r') as waiting,
      exists (select from pg_stat_subscription w where w.subid = s.oid and w.pid is not null) as "isRunning"
    from pg_subscription s
    where s.subname = ${slotOf(accounts)}
      and s.subdbid = (select oid from pg_database where datname = current_database())`);
  return row ?? { tables: 0, waiting: 1, isRunning: false };
}

/** Whether the new database has everything that the old one had committed at this position of its log. */
export async function hasArrived(source: Queries, accounts: Accounts, lsn: string): Promise<boolean> {
  const row = await source.row<{ arrived: boolean }>(sql`
    select confirmed_flush_lsn >= ${lsn}::pg_lsn as arrived
    from pg_replication_slots
    where slot_name = ${slotOf(accounts)}`);
  if (!row) throw new Error('The replication slot of the move is gone. Cancel the move and begin again.');
  return row.arrived;
}

/** The present end of the log. */
export async function endOfLog(source: Queries): Promise<string> {
  const row = await source.row<{ lsn: string }>(sql`select pg_current_wal_insert_lsn()::text as lsn`);
  return row!.lsn;
}

/** Ends the replication. From then on nothing that happens in the old database reaches the new one. */
export async function endCopy({ source, target }: Installations, accounts: Accounts): Promise<void> {
  const name = slotOf(accounts);
  const subscription = await subscriptionOf(target, name);
  if (subscription !== undefined) {
    await target.run(sql`${raw(`alter subscription ${name} disable`)}`);
    await target.run(sql`${raw(`alter subscription ${name} set (slot_name = none)`)}`);
  }
  // The subscription goes after its slots: it names them.
  await dropSlots(source, name, subscription);
  if (subscription !== undefined) await target.run(sql`${raw(`drop subscription ${name}`)}`);
  await source.run(sql`${raw(`drop publication if exists ${name}`)}`);
}

/** Also those that tables were copied by, if the copy was not complete. */
async function dropSlots(source: Database, name: string, subscription: Subscription | undefined): Promise<void> {
  const ofTables = subscription ? `pg_${subscription.oid}_sync_%_${subscription.system}` : '';
  for (let left = 1; left > 0; ) {
    // A walsender that is still ending holds its slot.
    const slots = await source.rows<{ name: string; pid: number | null }>(sql`
      select slot_name as name, active_pid as pid
      from pg_replication_slots
      where slot_name = ${name}
        or slot_name like ${ofTables}`);
    for (const slot of slots.filter(({ pid }) => pid === null))
      await source.run(sql`
        select pg_drop_replication_slot(slot_name)
        from pg_replication_slots
        where slot_name = ${slot.name}
          and active_pid is null`);
    for (const { pid } of slots) if (pid !== null) await source.run(sql`select pg_terminate_backend(${pid})`);
    left = slots.length;
    if (left > 0) await sleep(50);
  }
}

type Subscription = { oid: string; system: string };

async function subscriptionOf(target: Queries, name: string): Promise<Subscription | undefined> {
  return target.row<Subscription>(sql`
    select oid::text as oid, (select system_identifier::text from pg_control_system()) as system
    from pg_subscription
    where subname = ${name}
      and subdbid = (select oid from pg_database where datname = current_database())`);
}

const hasPublication = async (db: Queries, name: string): Promise<boolean> =>
  (await db.row(sql`select from pg_publication where pubname = ${name}`)) !== undefined;

export const hasSlot = async (db: Queries, name: string): Promise<boolean> =>
  (await db.row(sql`select from pg_replication_slots where slot_name = ${name}`)) !== undefined;
