// The end of the log of attempts: what is older than its account keeps it goes, a few rows at a time, once a day.
import { keptDays } from '../accounts/retention.ts';
import { sql } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';

const atOnce = 2_000;

/** Deletes webhook attempts older than their account keeps them. */
export async function purgeWebhookAttempts({ app, signal }: TaskContext): Promise<void> {
  for (let gone = atOnce; gone === atOnce && !signal.aborted; ) {
    gone = await app.db.run(sql`
      delete from webhook_attempt a
      using (
        select a.account_id, a.webhook_id, a.id
        from account
        join webhook_attempt a on a.account_id = account.id
        where ${keptDays('keep_webhook_attempts_days')} > 0
          and a.at < now() - make_interval(days => ${keptDays('keep_webhook_attempts_days')})
        order by a.at
        limit ${atOnce}
      ) as old
      where a.account_id = old.account_id
        and a.webhook_id = old.webhook_id
        and a.id = old.id`);
  }
}
