// Notices to the owner of an account, such as a webhook that was switched off. Plain text, written by the code that
// enqueues it, in the transaction of its cause, so it is sent exactly when that commits.
import { accountById } from '../accounts/account.ts';
import { formatId } from '../db/ids.ts';
import { feedbackId } from '../delivery/message/header.ts';
import type { Payload } from '../jobs/tasks.ts';
import { type MailContext, type SendContext, sendMessage } from './send-message.ts';

/** Notifies the owner of an account of something that needs attention. */
export async function sendAccountNotice(context: MailContext, given: Payload<'sendAccountNotice'>): Promise<void> {
  const account = await accountById(context.app.db, given.account_id);
  if (!account?.active) return;
  await sendNotice(context, {
    account: account.id,
    from: account.email,
    to: given.to ?? account.email,
    subject: given.subject,
    text: given.text,
    job: context.job,
  });
}

/** Sends a notice. @throws Error on a temporary failure, so that the queue retries */
export async function sendNotice(
  context: SendContext,
  given: { account: number; from: string; to: string; subject: string; text: string; job?: string | undefined },
): Promise<void> {
  await sendMessage(context, {
    account: given.account,
    kind: 'notice',
    from: { name: 'Postrider', address: given.from },
    to: given.to,
    // One line, whatever the names in it contain.
    subject: given.subject.replace(/\s+/g, ' '),
    text: given.text,
    job: given.job,
    headers: {
      'Feedback-ID': feedbackId({
        campaign: '0',
        account: formatId(given.account),
        kind: 'notice',
        fromEmail: given.from,
        // A link to set a password must not show in the inbox of the account, where a viewer could open it.
        namesAccount: false,
      }),
    },
  });
}
