// Pauses a campaign in the caller's transaction, on request or because it cannot continue. A notification sent with the commit reaches
// the workers; messages on the wire at that moment still go out, nothing else does.
import { noticeToAccount } from '../../accounts/notices/account-notice.ts';
import { type Message, message, packMessage, renderMessage } from '../../base/messages.ts';
import { emitCampaignEvent } from '../../campaigns/model/events.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { EventSource } from '../../events/types.ts';
import { stopChannel } from '../../jobs/channels.ts';

/** Pauses a campaign that cannot continue, and emails its owner. @returns false if it is no longer being sent */
export async function pauseAutomatically(tx: Tx, of: CampaignKey, reason: Message): Promise<boolean> {
  const paused = await pauseSending(tx, of, reason);
  if (!paused) return false;
  const { title } = paused;
  await noticeToAccount(tx, of.account, {
    subject: message('account_notice.campaign_paused', { title }),
    paragraphs: [
      message('account_notice.campaign_paused_text', { title, id: formatId(of.campaign) }),
      message('account_notice.reason', { reason }),
      message('account_notice.campaign_paused_next'),
    ],
  });
  return true;
}

/** Stops the sending of a campaign. @returns undefined if it is not being sent */
export async function pauseSending(
  tx: Tx,
  of: CampaignKey,
  reason: Message,
  source?: EventSource,
): Promise<{ title: string } | undefined> {
  const paused = await tx.row<{ title: string; now: Date }>(sql`
    update campaign
    set paused_from = status, status = 'paused', status_reason = ${packMessage(reason)}, changed_at = now()
    where account_id = ${of.account}
      and id = ${of.campaign}
      and status in ('launching', 'sending')
    returning title, now() as now`);
  if (!paused) return undefined;
  await tx.run(sql`select pg_notify(${stopChannel}, ${`${of.account} ${of.campaign}`})`);
  await emitCampaignEvent(tx, of, 'campaign.paused', {
    title: paused.title,
    at: paused.now,
    ...(source && { source }),
    reason: renderMessage(reason),
  });
  return paused;
}
