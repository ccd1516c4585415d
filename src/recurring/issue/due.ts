// The clock of recurring campaigns: begins issues that are due, moves on to the next occurrence, and tries again what failed. The
// states of an issue are in docs/flows.md. An issue is due until it is recorded, so that a task that dies is begun again.
import { isWorking } from '../../accounts/account/moves.ts';
import { onBehalf } from '../../accounts/account/system-context.ts';
import type { App, Context } from '../../base/context.ts';
import { type Message, message, packMessage, readMessage } from '../../base/messages.ts';
import { endQuestion } from '../../campaigns/review/ask.ts';
import { type Database, sql } from '../../db/connect.ts';
import { addJob } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { type Fetched, fetchFeed, fetchPage } from '../feed/fetch.ts';
import { type Recurring, type RecurringKey, recurringColumns } from '../schedule/recurring.ts';
import { nextAfter } from '../schedule/schedule.ts';
import { makeIssue } from './make.ts';
import { noticeFailed } from './notices.ts';

/** A task that makes no progress within this time is begun again. */
const claimedMinutes = 10;
/** Pauses after a source could not be read: 5, 10, 20, 40, 60, 60 … minutes, until the next occurrence. */
const pauseMinutes = (attempts: number) => Math.min(60, 5 * 2 ** (attempts - 1));
/** The owner is notified after so many attempts without success, or when the next occurrence comes. */
const noticeAfter = 3;
/** Occurrences passed over in one transaction, after a long time in which nothing ran. */
const maxMissed = 200;

export async function beginIssues({ app }: TaskContext): Promise<void> {
  await beginDue(app.db);
}

/** Adds a task for each recurring campaign whose issue is due, and claims it. @returns how many */
export function beginDue(db: Database, clock?: Date): Promise<number> {
  const now = sql`coalesce(${clock ?? null}::timestamptz, now())`;
  return db.run(sql`
    with due as (
      select account_id, id
      from recurring
      where status = 'active'
        and try_at <= ${now}
        and ${isWorking(sql`account_id`)}
      order by try_at
      limit 500
      for update skip locked
    ), claimed as (
      update recurring r
      set try_at = ${now} + make_interval(mins => ${claimedMinutes})
      from due
      where r.account_id = due.account_id
        and r.id = due.id
      returning r.account_id, r.id
    )
    select ${addJob('makeIssue', { account_id: sql`account_id`, recurring_id: sql`id` })}
    from claimed`);
}

export async function makeDueIssue(
  { app }: Pick<TaskContext, 'app'>,
  { account_id, recurring_id }: Payload<'makeIssue'>,
): Promise<void> {
  await runDue(app, { account: account_id, recurring: recurring_id });
}

/** Makes the issue that is due, if there is one. Safe to run twice, also at the same time. */
export async function runDue(app: App, key: RecurringKey, clock?: Date): Promise<void> {
  const due = await onBehalf(app, key.account, '', (context) => catchUp(at(context, clock), key.recurring));
  if (!due) return;
  const occurrence = due.nextAt!;
  const fetched = await fetchSource(app, due);
  await onBehalf(app, key.account, '', async (given) => {
    const context = at(given, clock);
    const recurring = await lockDue(context, key.recurring);
    // Another task was faster, or it was paused or changed.
    if (recurring?.nextAt?.getTime() !== occurrence.getTime()) return;
    if (recurring.sourceUrl !== due.sourceUrl || recurring.source !== due.source) return;
    if (fetched.got === 'nothing') {
      app.log.info(
        { account: key.account, detail: fetched.detail },
        'the source of a recurring campaign could not be read',
      );
      await tryLater(context, recurring, occurrence, fetched.reason);
      return;
    }
    await makeIssue(
      context,
      recurring,
      { at: occurrence, byHand: false, lateMs: tooLateMs(context, occurrence) },
      fetched,
    );
    await moveOn(context, recurring, nextAfter(recurring.schedule, recurring.timeZone, occurrence));
  });
}

/** @returns how long an occurrence has been due, if that is longer than MAX_LATENESS */
function tooLateMs({ app, now }: Context, occurrence: Date): number | undefined {
  const lateMs = now.getTime() - occurrence.getTime();
  return lateMs > app.config.maxLateness * 3_600_000 ? lateMs : undefined;
}

/** What an issue is made from. @param fresh asks for everything, although nothing may have changed */
export async function fetchSource(app: Pick<App, 'outbound'>, recurring: Recurring, fresh = false): Promise<Fetched> {
  if (recurring.source === 'page') return fetchPage(app, recurring.sourceUrl);
  return fetchFeed(app, recurring.sourceUrl, fresh ? undefined : recurring);
}

const at = (context: Context, clock: Date | undefined): Context => (clock ? { ...context, now: clock } : context);

/** The recurring campaign, locked, if an issue of it is due. */
function lockDue({ tx, account, now }: Context, id: number): Promise<Recurring | undefined> {
  return tx.row<Recurring>(sql`
    select ${recurringColumns}
    from recurring r
    where r.account_id = ${account.id}
      and r.id = ${id}
      and r.status = 'active'
      and r.next_at <= ${now}
    for update`);
}

/** Passes over occurrences whose successor is due as well, and returns what is due then. */
async function catchUp(context: Context, id: number): Promise<Recurring | undefined> {
  const recurring = await lockDue(context, id);
  if (!recurring || !context.account.active) return undefined;
  const first = recurring.nextAt!;
  let due = first;
  await expireWaiting(context, recurring, due);
  let passed = 0;
  for (; passed < maxMissed; passed++) {
    const following = nextAfter(recurring.schedule, recurring.timeZone, due);
    if (!following || following > context.now) break;
    await giveUp(context, recurring, due);
    due = following;
  }
  if (passed > 0) {
    await expireWaiting(context, recurring, due);
    await context.tx.run(sql`
      update recurring
      set next_at = ${due}, try_at = case when ${passed === maxMissed} then ${due} else try_at end
      where account_id = ${context.account.id}
        and id = ${id}`);
  }
  // The rest is passed over by the next task.
  return passed === maxMissed ? undefined : { ...recurring, nextAt: due };
}

/** Ends an occurrence that has no issue: its source could not be read until the next one, or nothing ran. */
async function giveUp(context: Context, recurring: Recurring, occurrence: Date): Promise<void> {
  const { tx, account } = context;
  await tx.run(sql`
    insert into recurring_issue (account_id, recurring_id, occurrence_at, state, reason)
    values (${account.id}, ${recurring.id}, ${occurrence}, 'failed', ${packMessage(message('recurring.missed'))})
    on conflict do nothing`);
  const failed = await tx.row<{ reason: string }>(sql`
    update recurring_issue
    set notified = true
    where account_id = ${account.id}
      and recurring_id = ${recurring.id}
      and occurrence_at = ${occurrence}
      and attempts > 0
      and not notified
    returning reason`);
  const reason = failed && readMessage(failed.reason);
  if (reason) await noticeFailed(context, recurring, reason, message('account_notice.issue_given_up'));
}

/** Records that the source could not be read, and when it is tried next. */
async function tryLater(context: Context, recurring: Recurring, occurrence: Date, reason: Message): Promise<void> {
  const { tx, account, now } = context;
  const issue = await tx.row<{ attempts: number; notified: boolean }>(sql`
    insert into recurring_issue (account_id, recurring_id, occurrence_at, state, reason, attempts)
    values (${account.id}, ${recurring.id}, ${occurrence}, 'failed', ${packMessage(reason)}, 1)
    on conflict (account_id, recurring_id, occurrence_at) do update
    set reason = excluded.reason, attempts = recurring_issue.attempts + 1, changed_at = now()
    returning attempts, notified`);
  const { attempts, notified } = issue!;
  if (attempts >= noticeAfter && !notified) {
    await noticeFailed(context, recurring, reason, message('account_notice.issue_again'));
    await tx.run(sql`
      update recurring_issue
      set notified = true
      where account_id = ${account.id}
        and recurring_id = ${recurring.id}
        and occurrence_at = ${occurrence}`);
  }
  await tx.run(sql`
    update recurring
    set try_at = ${new Date(now.getTime() + pauseMinutes(attempts) * 60_000)}
    where account_id = ${account.id}
      and id = ${recurring.id}`);
}

/** Without a next occurrence it is paused. */
async function moveOn({ tx, account }: Context, { id }: Recurring, next: Date | null): Promise<void> {
  await tx.run(sql`
    update recurring
    set next_at = ${next}, try_at = ${next}, status = case when ${next}::timestamptz is null then 'paused' else status end
    where account_id = ${account.id}
      and id = ${id}`);
}

/** Ends the waiting of earlier issues. One that was sent from its own screen counts as sent. */
async function expireWaiting(context: Context, { id }: Recurring, before: Date): Promise<void> {
  const { tx, account } = context;
  const ended = await tx.rows<{ campaign: number | null }>(sql`
    update recurring_issue i
    set state = ended.state, reason = ended.reason, changed_at = now()
    from (
      select w.occurrence_at,
        case when c.id is null then 'skipped' when c.status = 'draft' then 'expired' else 'sent' end as state,
        case
          when c.id is null then ${packMessage(message('recurring.campaign_deleted'))}
          when c.status = 'draft' then ${packMessage(message('recurring.not_approved'))}
          else ''
        end as reason
      from recurring_issue w
      left join campaign c on c.account_id = w.account_id and c.id = w.campaign_id
      where w.account_id = ${account.id}
        and w.recurring_id = ${id}
        and w.state = 'waiting'
        and w.occurrence_at < ${before}
    ) as ended
    where i.account_id = ${account.id}
      and i.recurring_id = ${id}
      and i.occurrence_at = ended.occurrence_at
    returning i.campaign_id as campaign`);
  for (const { campaign } of ended)
    if (campaign !== null)
      await endQuestion(context, { account: account.id, campaign }, message('approval.issue_over'));
}
