// The messages with a link: to set a new password, and invitations. The link's token is made in the transaction that queues the
// message, which is sealed until it is sent. Plain text in the user's language; the log shows the subject in the account's, so
// that it reveals nothing about the recipient. After its link has expired or its invitation has ended, a message is not sent.

import { linkMinutes } from '../accounts/access/link-minutes.ts';
import { linkAddress, makeLinkToken } from '../accounts/access/sign-in-link.ts';
import { onBehalf } from '../accounts/account/system-context.ts';
import { makeInvitationToken } from '../accounts/people/invitation.ts';
import { loginKey } from '../accounts/people/user.ts';
import { sql } from '../db/connect.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';
import { text } from '../locales/text.ts';
import { queueMessage } from '../messages/program-message.ts';
import { answersTo, oneLine, senderFor } from './send-account-notice.ts';

/** Sends a user a link to set a new password, if there is such a user. */
export async function sendSignInLink({ app, job }: TaskContext, given: Payload<'sendSignInLink'>): Promise<void> {
  const user = await app.db.row<UserToMail>(sql`
    select app_user.id, app_user.email, app_user.language, account.id as "accountId"
    from app_user
    join membership on membership.user_id = app_user.id
    join account on account.id = membership.account_id
    where app_user.email_key = ${loginKey(given.email)}
      and account.active
    order by membership.created_at, account.id
    limit 1`);
  if (!user) return;
  await onBehalf(app, user.accountId, '', async (context) => {
    const { account, now, tx } = context;
    const lateAt = new Date(now.getTime() + linkMinutes.reset * 60_000);
    const message = { purpose: 'reset', job, from: senderFor(context), to: user.email, lateAt } as const;
    await queueMessage(context, message, async () => {
      const token = await makeLinkToken(tx, 'reset', user.id);
      const values = {
        account: account.name,
        email: user.email,
        link: linkAddress(app.baseUrl, 'reset', token),
        minutes: linkMinutes.reset,
        app: app.config.appName,
      };
      return {
        subject: oneLine(text(user.language, 'sign_in.reset.subject', values)),
        loggedSubject: oneLine(text(account.language, 'sign_in.reset.subject', values)),
        text: text(user.language, 'sign_in.reset.text', values),
        ...answersTo(context),
      };
    });
  });
}

type Invited = { email: string; language: string; signsIn: boolean; inviter: string; lateAt: Date };

/** Sends an invitation to its address: with a link to set a password, unless the address has one to sign in with. */
export async function sendInvitation({ app, job }: TaskContext, given: Payload<'sendInvitation'>): Promise<void> {
  await onBehalf(app, given.account_id, '', async (context) => {
    const { account, tx } = context;
    const invited = await tx.row<Invited>(sql`
      select invitation.email, coalesce(app_user.language, ${account.language}) as language,
        coalesce(app_user.address_proven, false)
          and exists (select from membership where membership.user_id = app_user.id) as "signsIn",
        invitation.invited_by as inviter, invitation.expires_at as "lateAt"
      from invitation
      left join app_user on app_user.email_key = invitation.email_key
      where invitation.account_id = ${account.id}
        and invitation.id = ${given.invitation_id}
        and invitation.expires_at > now()`);
    if (!invited || !account.active) return;
    const { email: to, lateAt } = invited;
    const message = { purpose: 'invite', job, from: senderFor(context), to, lateAt } as const;
    await queueMessage(context, message, async () => {
      const named = { accountId: account.id, id: given.invitation_id };
      const link = invited.signsIn
        ? `${app.baseUrl}/app/`
        : linkAddress(app.baseUrl, 'invite', await makeInvitationToken(tx, named, { mailed: true }));
      const values = {
        account: account.name,
        inviter: oneLine(invited.inviter),
        email: invited.email,
        link,
        days: Math.round(linkMinutes.invite / 1440),
        app: app.config.appName,
      };
      return {
        subject: oneLine(text(invited.language, 'sign_in.invite.subject', values)),
        loggedSubject: oneLine(text(account.language, 'sign_in.invite.subject', values)),
        text: [
          invited.inviter === '' ? 'sign_in.invite.from' : 'sign_in.invite.by',
          invited.signsIn ? 'sign_in.join.text' : 'sign_in.invite.text',
        ]
          .map((key) => text(invited.language, key, values))
          .join('\n\n'),
        ...answersTo(context),
      };
    });
  });
}

type UserToMail = { id: number; email: string; language: string; accountId: number };
