// The messages with a link: to set a new password, and invitations. The link's token is created with the message, so that no
// queue contains it. Plain text in the user's language. Not over the worker's relay pool: a person waits for them, also
// while campaigns use up the rate and the warm-up.
import { makeInvitationToken } from '../accounts/people/invitation.ts';
import { loginKey } from '../accounts/people/user.ts';
import { linkAddress, linkMinutes, makeLinkToken } from '../accounts/sign-in/sign-in-link.ts';
import { sql } from '../db/connect.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';
import { text } from '../locales/text.ts';
import { sendNotice } from './account-notice.ts';

/** Sends a user a link to set a new password, if there is such a user. */
export async function sendSignInLink(
  { app, log, signal }: TaskContext,
  given: Payload<'sendSignInLink'>,
): Promise<void> {
  const user = await app.db.row<UserToMail>(sql`
    select app_user.id, app_user.email, app_user.language, account.id as "accountId", account.name as account,
      account.email as "from"
    from app_user
    join membership on membership.user_id = app_user.id
    join account on account.id = membership.account_id
    where app_user.email_key = ${loginKey(given.email)}
      and account.active
    order by membership.created_at, account.id
    limit 1`);
  if (!user) return;
  const token = await app.db.transaction((tx) => makeLinkToken(tx, 'reset', user.id));
  const values = {
    account: user.account,
    email: user.email,
    link: linkAddress(app.baseUrl, 'reset', token),
    minutes: linkMinutes.reset,
  };
  await sendNotice(
    { app, log, signal },
    {
      account: user.accountId,
      from: user.from,
      to: user.email,
      subject: text(user.language, 'sign_in.reset.subject', values),
      text: text(user.language, 'sign_in.reset.text', values),
    },
  );
}

type Invited = { email: string; account: string; from: string; language: string; signsIn: boolean };

/** Sends an invitation to its address: with a link to set a password, unless the address has one to sign in with. */
export async function sendInvitation(
  { app, log, signal }: TaskContext,
  given: Payload<'sendInvitation'>,
): Promise<void> {
  const invited = await app.db.row<Invited>(sql`
    select invitation.email, account.name as account, account.email as "from",
      coalesce(app_user.language, account.language) as language,
      coalesce(app_user.address_proven, false)
        and exists (select from membership where membership.user_id = app_user.id) as "signsIn"
    from invitation
    join account on account.id = invitation.account_id
    left join app_user on app_user.email_key = invitation.email_key
    where invitation.account_id = ${given.account_id}
      and invitation.id = ${given.invitation_id}
      and invitation.expires_at > now()
      and account.active`);
  if (!invited) return;
  const named = { accountId: given.account_id, id: given.invitation_id };
  const link = invited.signsIn
    ? `${app.baseUrl}/app/`
    : linkAddress(app.baseUrl, 'invite', await makeInvitationToken(app.db, named, { mailed: true }));
  const values = {
    account: invited.account,
    email: invited.email,
    link,
    days: Math.round(linkMinutes.invite / 1440),
  };
  await sendNotice(
    { app, log, signal },
    {
      account: given.account_id,
      from: invited.from,
      to: invited.email,
      subject: text(invited.language, 'sign_in.invite.subject', values),
      text: text(invited.language, invited.signsIn ? 'sign_in.join.text' : 'sign_in.invite.text', values),
    },
  );
}

type UserToMail = {
  id: number;
  email: string;
  language: string;
  accountId: number;
  account: string;
  from: string;
};
