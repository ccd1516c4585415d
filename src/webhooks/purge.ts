// The end of the log of attempts: rows older than 30 days go, a few at a time, once a day.
import { z } from 'zod';
import { sql } from '../db/connect.ts';
import { task } from '../jobs/tasks.ts';

const keptDays = 30;
const atOnce = 2_000;

export const purgeWebhookAttempts = task({
  name: 'purgeWebhookAttempts',
  summary: `Deletes attempts of webhooks that are older than ${keptDays} days.`,
  payload: z.object({}),
  attempts: 3,
  cron: '17 3 * * *',
  async run({ app, signal }) {
    for (let gone = atOnce; gone === atOnce && !signal.aborted; ) {
      gone = await app.db.run(sql`
        delete from webhook_attempt a
        using (
          select account_id, webhook_id, id
          from webhook_attempt
          where at < now() - ${keptDays} * interval '1 day'
          order by at
          limit ${atOnce}
        ) as old
        where a.account_id = old.account_id
          and a.webhook_id = old.webhook_id
          and a.id = old.id`);
    }
  },
});
