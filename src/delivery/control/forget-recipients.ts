// Deletes the recipients of campaigns that are older than their account keeps them, by the month in which they were sent;
// the sums of their reports are kept first. They and what they did go with the month's partition if no campaign of any
// account needs it, otherwise in portions. A campaign that is not finished needs its month. Those of autoresponders and automations
// go by their own age (fold-recipients.ts).

import { accountsThatForget } from '../../accounts/account/retention.ts';
import { type Database, raw, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { dropPartitions, hasRows, type IsNeeded, partitionsOf } from '../../db/partitions.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { forgetConverted } from '../../tracking/conversions.ts';
import { keepReport } from '../../tracking/reports/kept.ts';
import { summaryTables } from '../../tracking/summaries.ts';
import { foldRecipients } from './fold-recipients.ts';

/** How many rows one statement deletes. */
const portion = 20_000;
/** The report of a campaign to millions takes a while to sum up. */
const reportMs = 600_000;

type Campaign = CampaignKey & { month: string };

export async function forgetRecipients({ app: { db, config }, signal }: TaskContext): Promise<void> {
  for (const { id, days } of await accountsThatForget(db, 'keep_recipients_days', config.keepRecipientsDays)) {
    await forgetFormer(db, signal, id, days);
    await foldRecipients(db, signal, { id, days });
    for (const due of await dueCampaigns(db, id, days)) {
      if (signal.aborted) return;
      await keepSums(db, due);
    }
  }
  for (const table of summaryTables) await deleteOfKept(db, raw(table));
  for (const table of ['delivery', 'engagement', 'link_engagement'] as const) {
    const { past, needed } = await months(db);
    const partitions = (await partitionsOf(db, table)).filter(({ from }) => from < past);
    const unneeded = partitions.filter(({ from }) => !needed.has(from));
    await dropPartitions(db, table, unneeded, isMonthNeeded);
    for (const kept of await keptWithRows(db, raw(table), sql`r.month = c.month`))
      if (!unneeded.some(({ from }) => from === kept.month))
        await deleteRows(db, signal, raw(table), kept, sql`month = ${kept.month}`);
    await dropPartitions(
      db,
      table,
      partitions.filter(({ from }) => needed.has(from)),
      hasRows,
    );
  }
}

/** Recipients of campaigns that were deleted so many days ago. */
async function forgetFormer(db: Database, signal: AbortSignal, accountId: number, days: number): Promise<void> {
  for (let gone = 1; gone > 0 && !signal.aborted; )
    gone = await db.run(sql`
      delete from former_recipient
      where ctid = any (
        array(
          select ctid
          from former_recipient
          where account_id = ${accountId}
            and gone_at < now() - make_interval(days => ${days})
          limit ${portion}
        )
      )`);
}

/** Campaigns of months that ended so many days ago, whose sums are not kept yet. */
function dueCampaigns(db: Database, accountId: number, days: number): Promise<Campaign[]> {
  return db.rows<Campaign>(sql`
    select account_id as account, id as campaign, month::text as month
    from campaign c
    where account_id = ${accountId}
      and type in ('html', 'plain')
      and status = 'sent'
      and not stopping
      and month + interval '1 month' <= (now() at time zone 'UTC') - make_interval(days => ${days})
      and not exists (select from kept_report k where k.account_id = c.account_id and k.campaign_id = c.id)
    order by month, id`);
}

async function keepSums(db: Database, { account, campaign, month }: Campaign): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`select set_config('statement_timeout', ${String(reportMs)}, true)`);
    await keepReport(tx, { account, campaign, cid: formatId(campaign), month });
    await forgetConverted(tx, { account, campaign });
  }, reportMs + 5_000);
}

/** Deletes the rows of a small table about campaigns whose sums are kept. */
export async function deleteOfKept(db: Database, table: Sql): Promise<void> {
  for (const { account, campaign } of await keptWithRows(db, table, sql`true`))
    await db.run(sql`delete from ${table} where account_id = ${account} and campaign_id = ${campaign}`);
}

/** Campaigns with kept sums that still have rows in a table. @param place which rows r, for the month of campaign c */
function keptWithRows(db: Database, table: Sql, place: Sql): Promise<Campaign[]> {
  return db.rows<Campaign>(sql`
    select c.account_id as account, c.id as campaign, c.month::text as month
    from kept_report k
    join campaign c on c.account_id = k.account_id and c.id = k.campaign_id
    -- A look into the month of each campaign, where "exists" might read the whole table.
    cross join lateral (
      select from ${table} r where r.account_id = c.account_id and r.campaign_id = c.id and ${place} limit 1
    ) as first
    order by c.month, c.id`);
}

/** The months of campaigns that need their recipients; months before `past` have ended. */
async function months(db: Database): Promise<{ past: string; needed: Set<string> }> {
  const row = await db.row<{ past: string }>(
    sql`select date_trunc('month', now() at time zone 'UTC')::date::text as past`,
  );
  const rows = await db.rows<{ month: string }>(sql`
    select distinct month::text as month
    from campaign c
    where ${needsRecipients}`);
  return { past: row!.past, needed: new Set(rows.map(({ month }) => month)) };
}

/** Asked under the lock too: a launch that began before the end of the month may have been committed since. */
export const isMonthNeeded: IsNeeded = (db, { from }) =>
  db.row(sql`select from campaign c where month = ${from} and ${needsRecipients} limit 1`);

/** A condition on campaign c. */
const needsRecipients = sql`
  type <> 'auto'
  and status not in ('draft', 'scheduled')
  and not exists (select from kept_report k where k.account_id = c.account_id and k.campaign_id = c.id)`;

/** A portion in each transaction, until there is nothing more or the process ends: the next run continues. */
async function deleteRows(
  db: Database,
  signal: AbortSignal,
  table: Sql,
  { account, campaign }: Campaign,
  place: Sql,
): Promise<void> {
  const rows = sql`account_id = ${account} and campaign_id = ${campaign} and ${place}`;
  for (let gone = 1; gone > 0 && !signal.aborted; )
    gone = await db.run(sql`
      delete from ${table}
      where ${rows}
        and seq <= (select max(seq) from (select seq from ${table} where ${rows} order by seq limit ${portion}) as first)`);
}
