// How long automation runs are kept. The last run of each contact is kept without its steps: it decides whether the contact
// may enter again. The figures of the steps are counted apart and stay.
import { accountsThatForget } from '../accounts/account/retention.ts';
import { sql } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';

const atOnce = 2_000;

/** Deletes ended runs that are older than their account keeps them, a portion at a time. */
export async function purgeAutomationRuns({ app: { db }, signal }: TaskContext): Promise<void> {
  for (const { id, days } of await accountsThatForget(db, 'keep_automation_runs_days')) {
    const old = sql`
      r.account_id = ${id}
      and r.ended_at < now() - make_interval(days => ${days})`;
    const isLatest = sql`
      not exists (
        select
        from automation_run later
        where later.account_id = r.account_id
          and later.contact_id = r.contact_id
          and later.automation_id = r.automation_id
          and (later.entered_at, later.no) > (r.entered_at, r.no)
      )`;
    for (let count = atOnce; count === atOnce && !signal.aborted; )
      count = await db.run(sql`
        delete from automation_run
        where account_id = ${id}
          and (automation_id, no) in (
            select r.automation_id, r.no
            from automation_run r
            where ${old}
              and not ${isLatest}
            limit ${atOnce}
          )`);
    for (let count = atOnce; count === atOnce && !signal.aborted; )
      count = await db.run(sql`
        update automation_run
        set trail = '[]'
        where account_id = ${id}
          and (automation_id, no) in (
            select r.automation_id, r.no
            from automation_run r
            where ${old}
              and r.trail <> '[]'
              and ${isLatest}
            limit ${atOnce}
          )`);
  }
}

/** Ended runs lose the event that let them in when the account would have deleted it. */
export async function purgeRunEvents({ app: { db }, signal }: TaskContext): Promise<void> {
  for (const { id, days } of await accountsThatForget(db, 'keep_events_days'))
    for (let count = atOnce; count === atOnce && !signal.aborted; )
      count = await db.run(sql`
        update automation_run
        set event = null
        where account_id = ${id}
          and (automation_id, no) in (
            select automation_id, no
            from automation_run
            where account_id = ${id}
              and event is not null
              and ended_at < now() - make_interval(days => ${days})
            limit ${atOnce}
          )`);
}

/** The last request of each incoming webhook is shown for a week, to map it. */
export async function purgeReceivedBodies({ app: { db } }: TaskContext): Promise<void> {
  await db.run(sql`
    update incoming_webhook
    set last_body = null
    where last_body is not null
      and last_at < now() - interval '7 days'`);
}
