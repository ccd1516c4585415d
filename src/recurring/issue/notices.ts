// The emails that the owner gets about issues: one that waits for approval, and one that failed.
import type { Context } from '../../base/context.ts';
import { type Message, renderMessage } from '../../base/messages.ts';
import { formatId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Recurring } from '../recurring.ts';

type Of = Pick<Context, 'tx' | 'account' | 'app'>;

const addressOf = ({ app }: Of, { id }: Recurring) => `${app.baseUrl}/app/recurring/${formatId(id)}`;

/** @param reason why it waits although the recurring campaign needs no approval */
export async function noticeWaiting(
  of: Of,
  recurring: Recurring,
  subject: string,
  campaignId: number,
  reason: Message | null,
): Promise<void> {
  await enqueue(of.tx, 'sendAccountNotice', {
    account_id: of.account.id,
    subject: `"${recurring.title}" waits for your approval`,
    text: `A new issue of the recurring campaign "${recurring.title}" is ready:

${subject}
${reason === null ? '' : `\nWhy it was not sent: ${renderMessage(reason)}\n`}
It is sent when you approve it. If the next issue is due before that, it stays a draft.

Approve or skip it: ${addressOf(of, recurring)}
Look at it: ${of.app.baseUrl}/app/campaigns/${formatId(campaignId)}
`,
  });
}

export async function noticeFailed(of: Of, recurring: Recurring, reason: Message, next: string): Promise<void> {
  await enqueue(of.tx, 'sendAccountNotice', {
    account_id: of.account.id,
    subject: `An issue of "${recurring.title}" could not be sent`,
    text: `Postrider could not send the latest issue of the recurring campaign "${recurring.title}".

Reason: ${renderMessage(reason)}
Source: ${recurring.sourceUrl}

${next}

${addressOf(of, recurring)}
`,
  });
}
