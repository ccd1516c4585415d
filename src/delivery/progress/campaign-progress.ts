// How far a campaign is: its recipients by state, the rate, the forecast, and what the rest waits for.
import type { Context } from '../../base/context.ts';
import { message, packedPrefix, renderMessage, renderPacked } from '../../base/messages.ts';
import { senderOf } from '../../base/relay/message-sender.ts';
import { pictureFindings } from '../../campaigns/check/check-mail.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { cut } from '../../db/jsonb.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { StateName } from '../../db/states.ts';
import { liveWorkers } from '../../jobs/worker-presence.ts';
import { formatDate } from '../../method/date.ts';
import { heldOf } from '../control/held-recipients.ts';
import { sendingRate } from '../ledger/tally.ts';
import { isRefusedAlike, waitingReplies } from '../outcomes/refused-replies.ts';
import { type Campaign, needCampaign } from './campaign.ts';
import { whatWaits } from './waiting.ts';
import { whyNothingIsSent } from './worker-status.ts';

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function showProgress(context: Context, { cid }: { cid: string }) {
  const { tx, account, now, language } = context;
  const campaign = await needCampaign(context, cid);
  const of = { account: account.id, campaign: campaign.id };
  const sums = (await tx.row<Record<StateName | 'recipients' | 'resent', number>>(sql`
      select coalesce(sum(recipients), 0)::int as recipients, coalesce(sum(queued), 0)::int as queued,
        coalesce(sum(trying), 0)::int as trying, coalesce(sum(accepted), 0)::int as accepted, coalesce(sum(later), 0)::int as later,
        coalesce(sum(failed), 0)::int as failed, coalesce(sum(skipped), 0)::int as skipped, coalesce(sum(unclear), 0)::int as unclear,
        coalesce(sum(resent), 0)::int as resent
      from tally
      where account_id = ${account.id}
        and campaign_id = ${campaign.id}`))!;
  const excluded = await tx.rows<{ reason: string; count: number }>(sql`
      select reason, count from exclusion where account_id = ${account.id} and campaign_id = ${campaign.id} order by reason`);
  const { held, waiting, rate, finishAt } = await forecastOf(tx, of, { ...campaign, ...sums }, now);
  return {
    ...sums,
    recipients_complete: !campaign.isFreezing,
    recipients_kept: await areKept(tx, of),
    rate,
    finish_at: formatDate(finishAt),
    waits_for: waiting?.for ?? ('' as const),
    next_time: formatDate(waiting?.nextAt ?? null),
    late_by: campaign.lateSeconds,
    warnings: pictureFindings(campaign.picturesLeftOut).map(({ code, message, found = [] }) => ({
      code,
      message: renderMessage(message, language),
      found,
    })),
    held: held?.count ?? 0,
    held_until: formatDate(held?.firstEndsAt ?? null),
    refused_alike: campaign.status === 'paused' && (await isRefusedAlike(tx, of)),
    too_many: campaign.status === 'paused' ? tooMany(campaign.reason) : '',
    delivery_status: campaign.status,
    status_reason:
      renderPacked(campaign.reason, language) ||
      (isInProgress(campaign, sums.queued + sums.trying + sums.unclear)
        ? await whyCampaignWaits(context, campaign)
        : '') ||
      (held ? renderMessage(message('delivery.held_recipients', { count: held.count }), language) : '') ||
      (waiting?.for === 'retry' ? await whyRefused(context, campaign) : ''),
    excluded: Object.fromEntries(excluded.map(({ reason, count }) => [reason, count])),
  };
}

/** Whether no recipient was deleted by age: what is left of those is in sums. */
async function areKept(tx: Queries, { account, campaign }: CampaignKey): Promise<boolean> {
  const row = await tx.row(sql`
    select from kept_report where account_id = ${account} and campaign_id = ${campaign}
    union all
    select from folded_report where account_id = ${account} and campaign_id = ${campaign}
    limit 1`);
  return row === undefined;
}

type Sums = Record<'queued' | 'trying' | 'later' | 'unclear', number>;

/** How fast a campaign is being sent, what its rest waits for, and when it will end, as far as that is known. */
export async function forecastOf(
  tx: Queries,
  of: CampaignKey,
  { type, status, isFreezing, ...sums }: Sums & Pick<Campaign, 'type' | 'status' | 'isFreezing'>,
  now: Date,
) {
  const left = sums.queued + sums.trying;
  const open = left + sums.later + sums.unclear;
  const rate = status === 'sending' && left > 0 ? await sendingRate(tx, of) : 0;
  const isLeft = status === 'sending' && type !== 'auto' && open > 0;
  const held = sums.unclear > 0 ? await heldOf(tx, of) : undefined;
  const waiting = isLeft ? await whatWaits(tx, of, { trying: sums.trying, left: open, undecided: held }) : undefined;
  const forecast = rate > 0 && !isFreezing ? new Date(now.getTime() + (left / rate) * 1_000) : null;
  return { rate, held, waiting, finishAt: waiting ? waiting.lastAt : forecast };
}

/** What a campaign was paused for by the watch of its hard bounces and complaints; '' for another reason. */
function tooMany(reason: string): 'bounces' | 'complaints' | '' {
  if (reason.startsWith(packedPrefix('pause.hard_bounces'))) return 'bounces';
  return reason.startsWith(packedPrefix('pause.complaints')) ? 'complaints' : '';
}

/** What recipients that are asked again were refused with, when it may be about us. */
async function whyRefused({ tx, account, language }: Context, { id }: Campaign): Promise<string> {
  const [last] = await waitingReplies(tx, { account: account.id, campaign: id }, 1);
  if (!last) return '';
  return renderMessage(message('delivery.asked_again', { reply: cut(`${last.code} ${last.text}`, 300) }), language);
}

/** As whyNothingIsSent, and also when there is no worker at all. */
async function whyCampaignWaits(context: Context, { id }: Campaign): Promise<string> {
  const { tx, account } = context;
  const row = await tx.row<{ sender: string }>(sql`
    select sender from campaign where account_id = ${account.id} and id = ${id}`);
  const why = await whyNothingIsSent(context, senderOf(account.id, row?.sender || account.email));
  if (why !== '' || (await liveWorkers(context.tx)) > 0) return why;
  return renderMessage(message('delivery.no_worker'), context.language);
}

/** Whether some of its messages could leave now or soon. */
const isInProgress = ({ status, type }: Campaign, left: number) =>
  status === 'launching' || status === 'scheduled' || (status === 'sending' && (left > 0 || type === 'auto'));
