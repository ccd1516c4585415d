// Pauses an automation that cannot continue, because something that it refers to is gone, and emails the owner. Contacts stay on
// their steps until it is started again.
import { type Message, packMessage, renderMessage } from '../../base/messages.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';
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
  await enqueue(tx, 'sendAccountNotice', {
    account_id: of.account,
    subject: `The automation "${paused.title}" was paused`,
    text: `Postrider has paused the automation "${paused.title}" (${formatId(of.automation)}).

Reason: ${renderMessage(reason)}

Its contacts stay on their steps. Fix the cause, then start the automation again.
`,
  });
}
