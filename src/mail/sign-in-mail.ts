// The messages for setting a password: a lost one, or the first one after an invitation. The link's token is created with
// the message, so that no queue contains it. Plain text in the user's language.
import { loginKey } from '../accounts/people/user.ts';
import { linkAddress, linkMinutes, makeLinkToken } from '../accounts/sign-in/sign-in-link.ts';
import { sql } from '../db/connect.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';
import { text } from '../locales/text.ts';
import { sendNotice } from './account-notice.ts';

/** Sends a user a link to set a password, if there is such a user. */
export async function sendSignInLink(
  { app, log, signal }: TaskContext,
  given: Payload<'sendSignInLink'>,
): Promise<void> {
  const user = await app.db.row<{ id: number; email: string; language: string; account: string; from: string }>(sql`
    select app_user.id, app_user.email, app_user.language, account.name as account, account.email as "from"
    from app_user
    join membership on membership.user_id = app_user.id
    join account on account.id = membership.account_id
    where app_user.email_key = ${loginKey(given.email)}
      and account.active
      and (${given.account_id ?? null}::int is null or account.id = ${given.account_id ?? null}::int)
    order by membership.created_at, account.id
    limit 1`);
  if (!user) return;
  const token = await app.db.transaction((tx) => makeLinkToken(tx, given.purpose, user.id, { mailed: true }));
  const values = {
    account: user.account,
    email: user.email,
    link: linkAddress(app.baseUrl, given.purpose, token),
    minutes: linkMinutes[given.purpose],
    days: Math.round(linkMinutes[given.purpose] / 1440),
  };
  const part = (key: string) => text(user.language, `sign_in.${given.purpose}.${key}`, values);
  // Not over the worker's relay pool: a person waits for it, also while campaigns use up the rate and the warm-up.
  await sendNotice(
    { app, log, signal },
    { from: user.from, to: user.email, subject: part('subject'), text: part('text') },
  );
}
