// How long an account keeps details as opposed to totals: single opens and clicks, caught messages, attempts of webhooks,
// the audit log. Each night older rows are deleted, a few thousand at a time; where a table has a partition a month, those of
// the accounts that keep them longest go with the partition instead. The counts of reports, and what each recipient opened
// and clicked at first and last, are kept apart (engagement) and stay as they are.
import { type Database, raw, type Sql, sql } from '../db/connect.ts';
import { dropPartitions, hasRows, type PartitionedTable, partitionsOf } from '../db/partitions.ts';
import type { TaskContext } from '../jobs/tasks.ts';

/**
 * Days that rows are kept unless the account sets another value; 0 keeps them permanently. Opens, clicks and audit entries have
 * IP addresses, which are personal data: they are kept for a year, enough to compare a campaign with the one a year ago.
 */
export const retentionDays = {
  keep_recipients_days: 0,
  keep_hits_days: 365,
  keep_inbox_days: 0,
  keep_webhook_attempts_days: 30,
  keep_audit_days: 365,
  keep_message_content_days: 30,
  keep_messages_days: 365,
  keep_automation_runs_days: 365,
} as const;
export type RetentionSetting = keyof typeof retentionDays;

const atOnce = 2_000;

/** SQL of the days an account keeps something; refers to the table `account`. */
export function keptDays(setting: RetentionSetting): Sql {
  return sql`coalesce((account.settings ->> ${setting}::text)::int, ${retentionDays[setting]})`;
}

/** Deletes opens, clicks, inbox messages, audit entries and names that are no field older than their account keeps them. */
export async function purgeExpired({ app, signal }: TaskContext): Promise<void> {
  await dropExpiredMonths(app.db, 'hit', 'keep_hits_days');
  const longest = await longestDays(app.db, 'keep_hits_days');
  for (const { id, days } of await accountsThatForget(app.db, 'keep_hits_days'))
    for (const table of await tablesWithOldHits(app.db, id, days, longest))
      for (const campaign of await campaignsWithOldHits(app.db, table, id, days)) await purgeHits(table, campaign);
  for (const { id, days } of await accountsThatForget(app.db, 'keep_inbox_days'))
    await inPortions(signal, () =>
      app.db.run(sql`
        delete from inbox_message
        where ${oldest(sql`inbox_message`, sql`account_id = ${id} and received_at < now() - make_interval(days => ${days})`)}`),
    );
  for (const { id, days } of await accountsThatForget(app.db, 'keep_audit_days'))
    await inPortions(signal, () =>
      app.db.run(sql`
        delete from audit_entry
        where ${oldest(sql`audit_entry`, sql`account_id = ${id} and at < now() - make_interval(days => ${days})`)}`),
    );

  await inPortions(signal, () =>
    app.db.run(sql`
      delete from ignored_name
      where (account_id, list_id, name) in (
        select i.account_id, i.list_id, i.name
        from ignored_name i
        join account on account.id = i.account_id
        where ${keptDays('keep_audit_days')} > 0
          and i.last_at < now() - make_interval(days => ${keptDays('keep_audit_days')})
        limit ${atOnce}
      )`),
  );

  async function purgeHits(table: Sql, { accountId, campaignId, days }: OldHits): Promise<void> {
    await inPortions(signal, () =>
      app.db.run(sql`
        delete from ${table}
        where ${oldest(
          table,
          sql`account_id = ${accountId} and campaign_id = ${campaignId} and at < now() - make_interval(days => ${days})`,
        )}`),
    );
  }
}

export async function accountsThatForget(
  db: Database,
  setting: RetentionSetting,
): Promise<{ id: number; days: number }[]> {
  const rows = await db.rows<{ id: number; days: number }>(sql`
    select id, ${keptDays(setting)} as days
    from account
    order by id`);
  return rows.filter((row) => row.days > 0);
}

/** The days of the account that keeps something longest; undefined while one keeps it permanently. */
export async function longestDays(db: Database, setting: RetentionSetting): Promise<number | undefined> {
  const row = await db.row<{ days: number | null; permanent: boolean }>(sql`
    select max(${keptDays(setting)}) as days, coalesce(bool_or(${keptDays(setting)} = 0), false) as permanent
    from account`);
  return row!.permanent ? undefined : (row!.days ?? undefined);
}

/** Drops the months of a table that no account needs any more, and past ones whose rows have all been deleted. */
export async function dropExpiredMonths(
  db: Database,
  table: PartitionedTable,
  setting: RetentionSetting,
): Promise<string[]> {
  const days = (await longestDays(db, setting)) ?? null;
  const limits = await db.row<{ needed: string | null; present: string }>(sql`
    select ((now() at time zone 'UTC')::date - ${days}::int)::text as needed,
      date_trunc('month', now() at time zone 'UTC')::date::text as present`);
  const { needed, present } = limits!;
  const past = (await partitionsOf(db, table)).filter(({ to }) => to <= present);
  const isExpired = ({ to }: { to: string }) => needed !== null && to <= needed;
  const dropped = await dropPartitions(db, table, past.filter(isExpired));
  return [
    ...dropped,
    ...(await dropPartitions(
      db,
      table,
      past.filter((month) => !isExpired(month)),
      hasRows,
    )),
  ];
}

/**
 * The partitions from which an account's hits are deleted one by one. Those of the accounts that keep them longest go with
 * the partition; only the default partition is never dropped.
 */
async function tablesWithOldHits(
  db: Database,
  accountId: number,
  days: number,
  longest: number | undefined,
): Promise<Sql[]> {
  const row = await db.row<{ limit: string }>(sql`
    select ((now() at time zone 'UTC')::date - ${days}::int)::text as limit`);
  const months = days === longest ? [] : await partitionsOf(db, 'hit');
  const old = months.filter(({ from }) => from <= row!.limit).map(({ name }) => name);
  const found: Sql[] = [];
  for (const table of [...old, 'hit_default'].map((name) => raw(name)))
    if (await db.row(sql`select from ${table} where account_id = ${accountId} limit 1`)) found.push(table);
  return found;
}

type OldHits = { accountId: number; campaignId: number; days: number };

/** Found by the first hit of each campaign: one index lookup, however many hits there are. */
async function campaignsWithOldHits(db: Database, table: Sql, accountId: number, days: number): Promise<OldHits[]> {
  const rows = await db.rows<{ id: number }>(sql`
    select c.id
    from campaign c
    cross join lateral (
      select at
      from ${table}
      where account_id = c.account_id
        and campaign_id = c.id
      order by id
      limit 1
    ) as first
    where c.account_id = ${accountId}
      and first.at < now() - make_interval(days => ${days})`);
  return rows.map(({ id }) => ({ accountId, campaignId: id, days }));
}

/**
 * SQL: the rows with the lowest ids among these, a portion. A range of ids: a list of them may be compared row by row where
 * the table has no statistics.
 */
const oldest = (table: Sql, rows: Sql): Sql =>
  sql`${rows} and id <= (select max(id) from (select id from ${table} where ${rows} order by id limit ${atOnce}) as portion)`;

/** Until there is nothing more, or the process ends: the next run continues. */
async function inPortions(signal: AbortSignal, remove: () => Promise<number>): Promise<void> {
  for (let gone = atOnce; gone === atOnce && !signal.aborted; ) gone = await remove();
}
