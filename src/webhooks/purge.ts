// The end of the log of attempts: what is older than its account keeps it goes, a few rows at a time, once a day.
import { z } from 'zod';
import { keptDays } from '../accounts/retention.ts';
import { sql } from '../db/connect.ts';
import { task } from '../jobs/tasks.ts';

const atOnce = 2_000;

export const purgeWebhookAttempts = task({
  name: 'purgeWebhookAttempts',
  summary: 'Deletes attempts of webhooks that are older than their account keeps them: 30 days, or as it says.',
  payload: z.object({}),
  attempts: 3,
  cron: '17 3 * * *',
  async run({ app, signal }) {
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
  },
});
