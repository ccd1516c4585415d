// Explains in a few sentences why an address did or did not get a campaign.
import { parseAddress } from '../../audience/address.ts';
import { placeholderOf } from '../../audience/erase/erase.ts';
import { hashOf } from '../../audience/model/suppression.ts';
import { excludedConditions } from '../../audience/segments/audience.ts';
import type { Context } from '../../base/context.ts';
import { erasedDomain } from '../../base/erasure.ts';
import { fault } from '../../base/faults.ts';
import { isMessageKey, type Message, message, renderMessage } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { stateNames, states } from '../../db/states.ts';
import { formatDate } from '../../method/date.ts';
import { heldUntil } from '../control/held-recipients.ts';
import { whyNoOccasion } from '../launch/occasion-explained.ts';
import { type Campaign, needCampaign } from './campaign.ts';
import { nameOf, type RecipientRow, recipientColumns, recordOf } from './recipients.ts';
import { whyQueued } from './waiting.ts';

/** @throws Fault CAMPAIGN_UNKNOWN, ADDRESS_INVALID */
export async function explainRecipient(context: Context, { cid, email }: { cid: string; email: string }) {
  const { tx, account, language } = context;
  const campaign = await needCampaign(context, cid);
  const address = parseAddress(email);
  if (!address.ok)
    throw fault('ADDRESS_INVALID', 'delivery.address_invalid', { member: 'email', email: email.slice(0, 80) });
  const rows = await tx.rows<RecipientRow>(sql`
      select ${recipientColumns({ account: account.id, campaign: campaign.id })}
      from delivery
      where account_id = ${account.id}
        and campaign_id = ${campaign.id}
        and month = ${campaign.month}
        and (
          contact_id = (select id from contact where account_id = ${account.id} and email_key = ${address.key})
          or lower(email) = ${address.key}
          or email = ${placeholderOf(account.id, sql`${address.key}::text`)}
        )
      order by seq`);
  const last = rows.at(-1);
  const waits =
    last?.state === states.queued
      ? await whyQueued(tx, { account: account.id, campaign: campaign.id, status: campaign.status }, last.seq)
      : undefined;
  if (last && waits) last.nextAt = waits.until;
  const until =
    last?.state === states.unclear
      ? await heldUntil(tx, { account: account.id, campaign: campaign.id }, last.seq)
      : undefined;
  const [outcome, explanation] = waits
    ? (['queued', [waits.explanation]] as const)
    : last
      ? explainDelivery(last)
      : await explainAbsence(context, campaign, address);
  return {
    email: address.email,
    outcome,
    explanation: [...explanation, ...(until ? [message('explain.held_until', { time: formatDate(until) })] : [])]
      .map((sentence) => renderMessage(sentence, language))
      .join(' '),
    deliveries: rows.map(recordOf),
  };
}

/** What became of the address: the state of the recipient, unless the message came back; or why there is no recipient. */
export const outcomes = [...stateNames, 'returned', 'not sent', 'not due', 'forgotten', 'excluded'] as const;
type Outcome = (typeof outcomes)[number];

/** Its sentences are joined by spaces. */
type Explained = readonly [outcome: Outcome, explanation: readonly Message[]];

function explainDelivery(row: RecipientRow): Explained {
  const [outcome, explanation] = explainRow(row);
  if (!row.email.endsWith(`@${erasedDomain}`)) return [outcome, explanation];
  return [outcome, [...explanation, message('explain.erased_since')]];
}

function explainRow(row: RecipientRow): Explained {
  const again = row.resent > 0 ? [message('explain.resent', { count: row.resent })] : [];
  // The outcome of a copy reveals nothing about the message before it.
  const before = row.resent > 0 ? [message('explain.may_be_sent')] : [];
  const reply = row.reply ? [message('explain.reply', { reply: row.reply })] : [];
  const name = nameOf(row.state);
  switch (name) {
    case 'queued':
      return [name, [message('explain.queued'), ...before]];
    case 'trying':
      return [name, [message('explain.trying')]];
    case 'accepted': {
      const accepted = message('explain.accepted', { time: formatDate(row.doneAt) });
      if (row.returned === null) return [name, [accepted, ...again, ...reply]];
      return ['returned', [accepted, ...again, message('explain.returned', { reply: row.returned })]];
    }
    case 'later': {
      const values = { time: formatDate(row.nextAt) };
      if (row.reason === 'rate') return [name, [message('explain.later_rate', values), ...before]];
      const deferred = message(row.reason === 'spared' ? 'explain.later_spared' : 'explain.later', values);
      return [name, [deferred, ...before, ...reply]];
    }
    case 'failed':
      if (row.reason === 'unclear') return [name, [message('explain.failed_unclear')]];
      return [name, [message('explain.failed', { reason: row.reason ?? '' }), ...before, ...reply]];
    case 'skipped':
      if (row.reason === 'stopped') return [name, [message('explain.skipped_stopped')]];
      if (row.reason === 'capped') return [name, [message('explain.skipped_capped')]];
      if (row.reason === 'left_segment') return [name, [message('explain.skipped_left_segment')]];
      if (row.reason === 'address_changed') return [name, [message('explain.skipped_address_changed')]];
      if (row.reason === 'late') return [name, [message('explain.skipped_late')]];
      return [name, [message('explain.skipped', { state: stateMessage(row.reason ?? '') })]];
    case 'unclear': {
      const copy = row.nextAt ? [message('explain.copy_planned', { time: formatDate(row.nextAt) })] : [];
      return [name, [message('explain.unclear'), ...again, ...copy]];
    }
  }
}

/** The state of a contact, or a value without a message as it is. */
function stateMessage(state: string): Message | string {
  const key = `contact.state.${state}`;
  return isMessageKey(key) ? { key, values: {} } : state;
}

async function explainAbsence(
  context: Context,
  campaign: Campaign,
  address: { key: string; domain: string },
): Promise<Explained> {
  if (!campaign.launched) return ['not sent', [message('explain.not_sent')]];
  const forgotten = await context.tx.row(sql`
    select from kept_report where account_id = ${context.account.id} and campaign_id = ${campaign.id}`);
  if (forgotten) return ['forgotten', [message('explain.forgotten')]];
  const suppressed = await explainSuppression(context, address);
  if (suppressed) return ['excluded', [suppressed]];
  const { tx, account } = context;
  const rows = await tx.rows<{ status: string; name: string; statusAt: Date; pausedUntil: Date | null }>(sql`
    select s.status, l.name, s.status_at as "statusAt",
      case when c.paused_until > now() then c.paused_until end as "pausedUntil"
    from campaign_list cl
    join list l on l.account_id = cl.account_id and l.id = cl.list_id
    join subscription s on s.account_id = cl.account_id and s.list_id = cl.list_id
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where cl.account_id = ${account.id}
      and cl.campaign_id = ${campaign.id}
      and c.email_key = ${address.key}`);
  const [row] = rows;
  if (!row) return excluded(message('explain.on_no_list'));
  if (row.status !== 'subscribed')
    return excluded(
      message('explain.not_subscribed', {
        state: stateMessage(row.status),
        list: row.name,
        time: formatDate(row.statusAt),
      }),
    );
  if (row.pausedUntil !== null) return excluded(message('explain.on_break', { time: formatDate(row.pausedUntil) }));
  const { byList, bySegment } = await excludedConditions(tx, { account: account.id, campaign: campaign.id }, sql`p.id`);
  const left = await tx.row<{ by_list: boolean; by_segment: boolean }>(sql`
    select ${byList} as by_list, ${bySegment} as by_segment
    from contact p
    where p.account_id = ${account.id}
      and p.email_key = ${address.key}`);
  if (left?.by_list) return excluded(message('explain.excluded_list'));
  if (left?.by_segment) return excluded(message('explain.excluded_segment'));
  const past = await tx.row(sql`
    select from past_occasion o
    join contact c on c.account_id = o.account_id and c.id = o.contact_id
    where o.account_id = ${account.id}
      and o.campaign_id = ${campaign.id}
      and c.email_key = ${address.key}`);
  if (past) return ['forgotten', [message('explain.forgotten')]];
  if (campaign.type === 'auto') return whyNoOccasion(tx, { account: account.id, campaign: campaign.id }, address.key);
  if (campaign.isFreezing) return ['not sent', [message('explain.audience_incomplete')]];
  return excluded(message('explain.not_in_audience', { list: row.name }));
}

const excluded = (sentence: Message): Explained => ['excluded', [sentence]];

async function explainSuppression(
  { tx, account }: Context,
  address: { key: string; domain: string },
): Promise<Message | undefined> {
  const suppressed = await tx.row<{ reason: SuppressionReason; kind: 'address' | 'domain' | 'hash' }>(sql`
    select reason, kind
    from suppression
    where account_id = ${account.id}
      and (
        (kind = 'address' and value = ${address.key})
        or (kind = 'domain' and value = ${address.domain})
        or (kind = 'hash' and value = ${hashOf(account.id, sql`${address.key}::text`)})
      )`);
  if (!suppressed) return undefined;
  if (suppressed.kind === 'hash') return message('explain.erased');
  return message(suppressed.kind === 'address' ? 'explain.suppressed_address' : 'explain.suppressed_domain', {
    reason: message(`explain.suppression.${suppressed.reason}`),
  });
}

type SuppressionReason = 'manual' | 'bounce' | 'complaint' | 'unsubscribe' | 'erased' | 'api';
