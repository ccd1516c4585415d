// Notices to the owner of an account, such as a webhook that was switched off. Plain text, written by the code that
// enqueues it, in the transaction of its cause, so it is sent exactly when that commits.
import { randomBytes } from 'node:crypto';
import { accountById } from '../accounts/account.ts';
import type { App } from '../base/context.ts';
import type { Log } from '../base/log.ts';
import { needRelays } from '../delivery/pace/relay-list.ts';
import { RelayPool } from '../delivery/smtp/relay-pool.ts';
import { verdict } from '../delivery/verdict/verdict.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';
import { dotStuffed } from './list-mail.ts';

/** Notifies the owner of an account of something that needs attention. */
export async function sendAccountNotice({ app, log }: TaskContext, given: Payload<'sendAccountNotice'>): Promise<void> {
  const account = await accountById(app.db, given.account_id);
  if (!account?.active) return;
  await sendNotice(app, log, { from: account.email, to: account.email, subject: given.subject, text: given.text });
}

/** Sends a notice. @throws Error on a temporary failure, so that the queue retries */
export async function sendNotice(
  app: App,
  log: Log,
  given: { from: string; to: string; subject: string; text: string },
): Promise<void> {
  const domain = given.from.slice(given.from.lastIndexOf('@') + 1);
  // Loaded on first use: it takes 10 MB.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer/index.js');
  const message = await new MailComposer({
    from: { name: 'Postrider', address: given.from },
    to: given.to,
    // One line, whatever the names in it contain.
    subject: given.subject.replace(/\s+/g, ' '),
    text: given.text,
    messageId: `<notice.${randomBytes(12).toString('hex')}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    textEncoding: 'quoted-printable',
  })
    .compile()
    .build();
  const relayPool = new RelayPool(needRelays(app), { ehloName: '[127.0.0.1]', log, maxConnections: 1 });
  try {
    const outcome = await relayPool.send({
      mailFrom: given.from,
      rcptTo: given.to,
      message: dotStuffed(message),
      onDot: () => true,
    });
    const result = verdict(outcome);
    if (result.kind === 'later' || result.kind === 'notSent') throw new Error('no relay took the notice; retrying');
    if (result.kind !== 'accepted') log.warn({ reply: result.text }, 'a notice was refused');
  } finally {
    await relayPool.close();
  }
}
