// What is decided when sending is released after a restore: whether recipients that were waiting in the backup, or
// at the moment the database was set back to, may have been sent to since.
import type { App } from '../base/context.ts';
import { message, packMessage, readMessage } from '../base/messages.ts';
import { type Database, type Queries, sql, type Tx } from '../db/connect.ts';
import { doubtDue } from '../delivery/recovery/failover.ts';
import { predictHold } from '../jobs/sending-guard.ts';
import { formatDate } from '../method/date.ts';

export type Waiting = { recipients: number; campaigns: number };

/**
 * As of when this database is, while sending is held because it was restored, set back or copied: since then, others may have sent what
 * waits in it. That of its backup, or of its last heartbeat.
 */
export async function restoredFrom({ db, config }: Pick<App, 'db' | 'config'>): Promise<string | undefined> {
  const row = await db.row<{ held: string; beatAt: Date }>(sql`select held, beat_at as "beatAt" from heartbeat`);
  if (!row) return undefined;
  const reason = readMessage(row.held);
  if (reason?.key === 'hold.restored') return String(reason.values['date']);
  return (await predictHold(db, config.dataDir)) === '' ? undefined : formatDate(row.beatAt);
}

/**
 * Holds sending as `postrider restore` does, for a database that other programs have set back.
 * @returns as of when it is; undefined when it never sent or is held already, and nothing has changed
 */
export async function holdSending(db: Database, note: (tx: Tx) => Promise<void>): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    const row = await tx.row<{ beatAt: Date }>(
      sql`select beat_at as "beatAt" from heartbeat where held = '' for update`,
    );
    if (!row) return undefined;
    const date = formatDate(row.beatAt);
    await tx.run(sql`update heartbeat set held = ${packMessage(message('hold.restored', { date }))}`);
    await note(tx);
    return date;
  });
}

/** Recipients that would be sent to now, and campaigns and automations that would start now or go on. */
export async function waitingSince(db: Queries): Promise<Waiting> {
  const row = await db.row<Waiting>(sql`
    select
      coalesce((
        select sum(t.queued + t.trying + t.later)
        from tally t
        join campaign p on p.account_id = t.account_id and p.id = t.campaign_id
        where p.status in ('launching', 'sending', 'paused')
      ), 0) as recipients,
      (select count(*) from campaign where ${mayHaveStarted}) + (select count(*) from automation where status = 'active') as campaigns`);
  return row!;
}

/**
 * Treats what waited in the backup as possibly sent since: recipients become unclear, campaigns that were to start are paused.
 * May be cut short and run again.
 */
export async function doubtWaiting(app: App, madeAt: string): Promise<Waiting> {
  const recipients = await doubtDue(app, 0, sql`interval '100 years'`);
  const campaigns = await app.db.run(sql`
    update campaign
    set paused_from = status, status = 'paused', changed_at = now(), undo_until = null,
      status_reason = ${packMessage(message('pause.restored', { date: madeAt }))}
    where ${mayHaveStarted}`);
  // Its contacts may have taken their next steps since.
  const automations = await app.db.run(sql`
    update automation
    set status = 'paused', changed_at = now(), status_reason = ${packMessage(message('pause.restored', { date: madeAt }))}
    where status = 'active'`);
  return { recipients, campaigns: campaigns + automations };
}

/**
 * SQL: scheduled for a time that has passed, being launched, with an audience that is not complete, an autoresponder, whose occasions may have been sent, or held for the
 * result of an A/B test, which may have ended.
 */
const mayHaveStarted = sql`(
  (status = 'scheduled' and schedule_at <= now())
  or status = 'launching'
  or (
    status = 'sending'
    and exists (
      select from freezing f
      where f.account_id = campaign.account_id and f.campaign_id = campaign.id
    )
  )
  or (status = 'sending' and type = 'auto')
  or (
    status = 'sending'
    and exists (
      select from campaign_test t
      where t.account_id = campaign.account_id and t.campaign_id = campaign.id and t.test_size is not null and t.chosen is null
    )
  )
)`;
