// Notices to the owner of an account or to a user, such as a webhook that was switched off. Plain text, written by the code that
// enqueues it, in the transaction of its cause, so it is sent exactly when that commits.
import { onBehalf } from '../accounts/account/system-context.ts';
import type { Context } from '../base/context.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';
import { queueMessage } from '../messages/program-message.ts';

/** Notifies the owner of an account, or a user, of something that needs attention. */
export async function sendAccountNotice({ app, job }: TaskContext, given: Payload<'sendAccountNotice'>): Promise<void> {
  await onBehalf(app, given.account_id, '', async (context) => {
    const { account } = context;
    if (!account.active) return;
    const message = { purpose: 'notice', job, from: senderFor(context), to: given.to ?? account.email } as const;
    await queueMessage(context, message, () => ({
      ...{ subject: oneLine(given.subject), text: given.text },
      ...answersTo(context),
    }));
  });
}

/** The sender of what the program writes to users. */
export const senderFor = ({ account, app }: Context) => ({ name: app.config.appName, email: account.email });

/** Where answers to it go: to the operator, or to the account. */
export const answersTo = ({ app }: Context): { replyTo?: string } =>
  app.config.supportEmail === '' ? {} : { replyTo: app.config.supportEmail };

/** Whatever the names in it contain. */
export const oneLine = (subject: string): string => subject.replace(/\s+/g, ' ');
