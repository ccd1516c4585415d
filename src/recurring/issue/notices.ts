// The emails that the owner gets about issues: one that waits for approval, and one that failed.
import { noticeToAccount } from '../../accounts/notices/account-notice.ts';
import type { Context } from '../../base/context.ts';
import { type Message, message } from '../../base/messages.ts';
import { formatId } from '../../db/ids.ts';
import type { Recurring } from '../schedule/recurring.ts';

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
  const { title } = recurring;
  await noticeToAccount(of.tx, of.account.id, {
    subject: message('account_notice.issue_waits', { title }),
    paragraphs: [
      message('account_notice.issue_waits_text', { title }),
      subject,
      ...(reason === null ? [] : [message('account_notice.issue_unsent', { reason })]),
      message('account_notice.issue_waits_next'),
      message('account_notice.issue_waits_links', {
        url: addressOf(of, recurring),
        campaign: `${of.app.baseUrl}/app/campaigns/${formatId(campaignId)}`,
      }),
    ],
  });
}

export async function noticeFailed(of: Of, recurring: Recurring, reason: Message, next: Message): Promise<void> {
  const { title, sourceUrl: source } = recurring;
  await noticeToAccount(of.tx, of.account.id, {
    subject: message('account_notice.issue_failed', { title }),
    paragraphs: [
      message('account_notice.issue_failed_text', { title }),
      message('account_notice.issue_failed_reason', { reason, source }),
      next,
      addressOf(of, recurring),
    ],
  });
}
