// How long an account keeps details as opposed to totals: single opens and clicks, caught messages, attempts of webhooks,
// the audit log. Each night older rows are deleted, a few thousand at a time. The counts of reports, and what each
// recipient opened and clicked at first and last, are kept apart (engagement) and stay as they are.
import { type Database, type Sql, sql } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';

/**
 * Days that rows are kept unless the account sets another value; 0 keeps them permanently. Opens, clicks and audit entries have
 * IP addresses, which are personal data: they are kept for a year, enough to compare a campaign with the one a year ago.
 */
export const retentionDays = {
  keep_hits_days: 365,
  keep_inbox_days: 0,
  keep_webhook_attempts_days: 30,
  keep_audit_days: 365,
  keep_message_content_days: 30,
  keep_messages_days: 365,
} as const;
export type RetentionSetting = keyof typeof retentionDays;

const atOnce = 2_000;

/** SQL of the days an account keeps something; refers to the table `account`. */
export function keptDays(setting: RetentionSetting): Sql {
  return sql`coalesce((account.settings ->> ${setting}::text)::int, ${retentionDays[setting]})`;
}

/** Deletes opens, clicks, inbox messages and audit entries older than their account keeps them. */
export async function purgeExpired({ app, signal }: TaskContext): Promise<void> {
  for (const { id, days } of await accountsThatForget(app.db, 'keep_hits_days'))
    for (const campaign of await campaignsWithOldHits(app.db, id, days)) await purgeHits(campaign);
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

  async function purgeHits({ accountId, campaignId, days }: OldHits): Promise<void> {
    await inPortions(signal, () =>
      app.db.run(sql`
        delete from hit
        where ${oldest(
          sql`hit`,
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

type OldHits = { accountId: number; campaignId: number; days: number };

/** Found by the first hit of each campaign: one index lookup, however many hits there are. */
async function campaignsWithOldHits(db: Database, accountId: number, days: number): Promise<OldHits[]> {
  const rows = await db.rows<{ id: number }>(sql`
    select c.id
    from campaign c
    cross join lateral (
      select at
      from hit
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
