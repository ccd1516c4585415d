// Keeps the outbox and the log of every webhook within limits, however long it is paused and whatever an account emits:
// the oldest rows go, a portion in each transaction. Rows are found by their place at the head of the webhook's index.
import { dropExpiredMonths, keptDays, longestDays } from '../accounts/account/retention.ts';
import { type Message, message, packMessage } from '../base/messages.ts';
import { type Database, type Sql, sql } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';
import { removeEvents } from './outcome.ts';

/**
 * What one webhook keeps. Events that wait longer are of no use to most receivers, and fill the disk of all accounts. A request
 * may have 256 KiB, so the log is limited by bytes, too: as they are stored, compressed.
 */
export const keptByWebhook = { events: 1_000_000, eventDays: 30, attempts: 200_000, attemptBytes: 2 ** 30 };

const portion = 2_000;

type Limits = typeof keptByWebhook;
type Webhook = { accountId: number; webhookId: number };

/** Deletes webhook attempts older than their account keeps them, and the oldest of a webhook that has too many. */
export async function purgeWebhookAttempts({ app, signal }: TaskContext): Promise<void> {
  await dropExpiredMonths(app.db, 'webhook_attempt', 'keep_webhook_attempts_days');
  for (const webhook of await webhooksOf(app.db)) await purgeAttempts(app.db, webhook, signal);
}

/** Deletes the oldest events of webhooks that have too many, or for too long: paused ones, usually. */
export async function dropOldWebhookEvents({ app, signal }: TaskContext): Promise<void> {
  for (const webhook of await webhooksOf(app.db)) await dropEvents(app.db, webhook, signal);
}

const webhooksOf = (db: Database): Promise<Webhook[]> =>
  db.rows<Webhook>(sql`
    select account_id as "accountId", id as "webhookId"
    from webhook
    order by account_id, id`);

export async function purgeAttempts(
  db: Database,
  { accountId, webhookId }: Webhook,
  signal: AbortSignal,
  limits: Limits = keptByWebhook,
): Promise<void> {
  const rows = sql`account_id = ${accountId} and webhook_id = ${webhookId}`;
  const days = await db.row<{ days: number }>(sql`
    select ${keptDays('keep_webhook_attempts_days')} as days
    from account
    where id = ${accountId}`);
  const lastExcess = Math.max(
    await lastBeyond(db, sql`webhook_attempt`, rows, limits.attempts),
    await lastBeyondBytes(db, rows, limits.attemptBytes),
  );
  // Those of the accounts that keep them longest go with the month's partition.
  const isLongest = days?.days === (await longestDays(db, 'keep_webhook_attempts_days'));
  const tooOld =
    days && days.days > 0
      ? sql`at < now() - make_interval(days => ${days.days}) and (not ${isLongest} or tableoid = 'webhook_attempt_default'::regclass)`
      : sql`false`;
  for (let gone = portion; gone === portion && !signal.aborted; )
    gone = await db.run(sql`
      delete from webhook_attempt
      where ${rows}
        and id <= ${endOfPortion(sql`webhook_attempt`, rows)}
        and (id <= ${lastExcess} or (${tooOld}))`);
}

export async function dropEvents(
  db: Database,
  { accountId, webhookId }: Webhook,
  signal: AbortSignal,
  limits: Limits = keptByWebhook,
): Promise<void> {
  const rows = sql`account_id = ${accountId} and webhook_id = ${webhookId}`;
  const lastExcess = await lastBeyond(db, sql`webhook_event`, rows, limits.events);
  for (let gone = portion; gone === portion && !signal.aborted; )
    gone = await db.transaction(async (tx) => {
      // The delivery row is locked first, as everywhere, to prevent deadlocks.
      await tx.run(sql`select from webhook_delivery where ${rows} for update`);
      const dropped = await removeEvents(
        tx,
        accountId,
        webhookId,
        sql`
          id <= ${endOfPortion(sql`webhook_event`, rows)}
          and (id <= ${lastExcess} or at < now() - make_interval(days => ${limits.eventDays}))`,
      );
      if (dropped === 0) return 0;
      await tx.run(sql`update webhook_delivery set dropped_events = dropped_events + ${dropped} where ${rows}`);
      // A webhook that is off or failing shows the reason for that.
      await tx.run(sql`
        update webhook
        set status_reason = ${packMessage(droppedReason(limits))}
        where account_id = ${accountId}
          and id = ${webhookId}
          and status = 'paused'
          and status_reason = ''`);
      return dropped;
    });
}

const droppedReason = ({ events, eventDays }: Limits): Message =>
  message('webhook.dropped', { events, days: eventDays });

/** SQL: the id where the oldest portion of the rows ends. */
const endOfPortion = (table: Sql, rows: Sql): Sql =>
  sql`(select max(id) from (select id from ${table} where ${rows} order by id limit ${portion}) as oldest)`;

/** The last id that is not among the newest `kept` rows; 0 when there are no more than that. */
async function lastBeyond(db: Database, table: Sql, rows: Sql, kept: number): Promise<number> {
  const row = await db.row<{ id: number }>(sql`
    select id
    from ${table}
    where ${rows}
    order by id desc
    limit 1 offset ${kept}`);
  return row?.id ?? 0;
}

/** The last attempt that does not fit into `bytes` with all newer ones; 0 when all fit. */
async function lastBeyondBytes(db: Database, rows: Sql, bytes: number): Promise<number> {
  const row = await db.row<{ id: number | null }>(sql`
    select max(id) as id
    from (
      select id, sum(coalesce(pg_column_size(body), 0) + coalesce(pg_column_size(answer), 0)) over (order by id desc) as bytes
      from webhook_attempt
      where ${rows}
    ) as newest
    where bytes > ${bytes}`);
  return row?.id ?? 0;
}
