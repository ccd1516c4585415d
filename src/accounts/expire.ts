// Forgets what is over: sessions and links that have expired, and old counts of tries.
import { z } from 'zod';
import { sql } from '../db/connect.ts';
import { task } from '../jobs/tasks.ts';

export const forgetSignIns = task({
  name: 'forgetSignIns',
  summary: 'Deletes expired sessions and links, and counts of tries that are a day old.',
  payload: z.object({}),
  attempts: 3,
  cron: '17 3 * * *',
  async run({ app }) {
    await app.db.run(sql`delete from session where expires_at < now()`);
    await app.db.run(sql`delete from sign_in_link where expires_at < now()`);
    await app.db.run(sql`delete from sign_in_try where since < now() - interval '1 day'`);
  },
});
