// Deletes what has expired: sessions, links, sign-ins at identity providers, invitations, and old counts of sign-in attempts.
import { sql } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';
import { isLive } from './sign-in/session.ts';

/** Deletes expired sessions, links and invitations, and counts of sign-in attempts that are a day old. */
export async function purgeSignIns({ app }: TaskContext): Promise<void> {
  await app.db.run(sql`delete from session where not ${isLive(app)}`);
  await app.db.run(sql`delete from sign_in_link where expires_at < now()`);
  await app.db.run(sql`delete from provider_attempt where expires_at < now()`);
  await app.db.run(sql`delete from passkey_challenge where expires_at < now()`);
  await app.db.run(sql`delete from invitation where expires_at < now()`);
  await app.db.run(sql`delete from sign_in_try where since < now() - interval '1 day'`);
}
