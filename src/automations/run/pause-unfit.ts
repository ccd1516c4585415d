// Pauses an automation that cannot continue, because something that it refers to is gone, and emails the owner. Contacts stay on
// their steps until it is started again.
import { noticeToAccount } from '../../accounts/notices/account-notice.ts';
import { type Message, message, packMessage } from '../../base/messages.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { AutomationKey } from './runs.ts';

export async function pauseUnfit(tx: Tx, of: AutomationKey, reason: Message): Promise<void> {
  const paused = await tx.row<{ title: string }>(sql`
    update automation
    set status = 'paused', status_reason = ${packMessage(reason)}, changed_at = now()
    where account_id = ${of.account}
      and id = ${of.automation}
      and status = 'active'
    returning title`);
  if (!paused) return;
  const { title } = paused;
  await noticeToAccount(tx, of.account, {
    subject: message('account_notice.automation_paused', { title }),
    paragraphs: [
      message('account_notice.automation_paused_text', { title, id: formatId(of.automation) }),
      message('account_notice.reason', { reason }),
      message('account_notice.automation_paused_next'),
    ],
  });
}
