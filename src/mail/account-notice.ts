// Notices from the program to the owner of an account: a webhook was switched off, and the like. Plain text; who
// enqueues one writes it. Enqueued in the transaction of its cause, so it is sent exactly when that is committed.
import { randomBytes } from 'node:crypto';
import { accountById } from '../accounts/account.ts';
import type { App } from '../base/context.ts';
import type { Log } from '../base/log.ts';
import { needRelays } from '../delivery/pace/relay-list.ts';
import { RelayPool } from '../delivery/smtp/relay-pool.ts';
import { verdict } from '../delivery/verdict/verdict.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';
import { stuffed } from './list-mail.ts';

/** Notifies the owner of an account of something that needs attention. */
export async function sendAccountNotice({ app, log }: TaskContext, given: Payload<'sendAccountNotice'>): Promise<void> {
  const account = await accountById(app.db, given.account_id);
  if (!account?.active) return;
  await sendNotice(app, log, { from: account.email, to: account.email, subject: given.subject, text: given.text });
}

/** Gives a notice to a relay. @throws Error when that failed for the moment, so that the queue tries again */
export async function sendNotice(
  app: App,
  log: Log,
  given: { from: string; to: string; subject: string; text: string },
): Promise<void> {
  const domain = given.from.slice(given.from.lastIndexOf('@') + 1);
  // Loaded with the first such mail: 10 MB that a worker has no need of before.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer/index.js');
  const message = await new MailComposer({
    from: { name: 'Postrider', address: given.from },
    to: given.to,
    // One line, whatever stood in the names it was made of.
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
      message: stuffed(message),
      onDot: () => true,
    });
    const result = verdict(outcome);
    if (result.kind === 'later' || result.kind === 'withheld')
      throw new Error('the notice could not be given to the relay; it is tried again');
    if (result.kind !== 'accepted') log.warn({ reply: result.text }, 'a notice was refused');
  } finally {
    await relayPool.close();
  }
}
