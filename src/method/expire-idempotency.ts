// Deletes, every hour, the answers kept for calls that may be made again under an idempotency key (kept-answer.ts) once
// they are a day old: from then on the same key makes something new.
import { z } from 'zod';
import { sql } from '../db/connect.ts';
import { task } from '../jobs/tasks.ts';

export const forgetAnswers = task({
  name: 'forgetAnswers',
  summary: 'Deletes answers kept for calls that are made again, a day after the first.',
  payload: z.object({}),
  attempts: 3,
  cron: '41 * * * *',
  async run({ app }) {
    await app.db.run(sql`delete from kept_answer where at < now() - interval '1 day'`);
  },
});
