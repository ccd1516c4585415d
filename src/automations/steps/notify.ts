// Sends an email to the owner: one about all contacts that are due together.
import { z } from 'zod';
import { message } from '../../base/messages.ts';
import { enqueue } from '../../jobs/queue.ts';
import { line, text } from '../../method/params.ts';
import { done, stepKind } from './kind.ts';

export const notify = stepKind({
  type: 'notify',
  about: '(an email to the owner)',
  members: { subject: z.string(), text: z.string() },
  settings: {
    subject: line('notify: the subject.', 200).optional(),
    text: text('notify: the text; the addresses of the contacts follow it.', 5_000).optional(),
  },
  read: ({ subject = '', text = '' }) => ({ subject: subject.trim(), text }),
  problem: (_context, _draft, { subject }) => (subject === '' ? message('automation.subject_missing') : undefined),
  isContactwise: true,
  async carryOut({ tx, account }, _of, { subject, text }, due) {
    const addresses = due.map(({ email }) => email).join('\n');
    await enqueue(tx, 'sendAccountNotice', { account_id: account.id, subject, text: `${text}\n\n${addresses}\n` });
    return done;
  },
});
