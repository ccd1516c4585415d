// Why an address did, or did not, get a campaign, in a sentence or two.
import { parseAddress } from '../../audience/address.ts';
import { excludedConditions } from '../../audience/segments/audience.ts';
import { hashOf } from '../../audience/suppression/suppression.ts';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { whyNoOccasion } from '../launch/occasion-explained.ts';
import { states } from '../sending/states.ts';
import { type Campaign, needCampaign } from './campaign.ts';
import { nameOf, type RecipientRow, recipientColumns, recordOf } from './recipients.ts';
import { whyQueued } from './waiting.ts';

/** @throws Fault CAMPAIGN_UNKNOWN, ADDRESS_INVALID */
export async function explainRecipient(context: Context, { cid, email }: { cid: string; email: string }) {
  const { tx, account } = context;
  const campaign = await needCampaign(context, cid);
  const address = parseAddress(email);
  if (!address.ok) throw new Fault('ADDRESS_INVALID', `email: "${email.slice(0, 80)}" is not an e-mail address`);
  const rows = await tx.rows<RecipientRow>(sql`
      select ${recipientColumns}
      from delivery
      where account_id = ${account.id}
        and campaign_id = ${campaign.id}
        and (
          contact_id = (select id from contact where account_id = ${account.id} and email_key = ${address.key})
          or lower(email) = ${address.key}
        )
      order by seq`);
  const last = rows.at(-1);
  const waits =
    last?.state === states.queued
      ? await whyQueued(tx, { account: account.id, campaign: campaign.id, status: campaign.status }, last.seq)
      : undefined;
  if (last && waits) last.nextAt = waits.until;
  const [outcome, explanation] = waits
    ? ['queued', waits.explanation]
    : last
      ? ofRow(last)
      : await whyAbsent(context, campaign, address);
  return { email: address.email, outcome, explanation, deliveries: rows.map(recordOf) };
}

function ofRow(row: RecipientRow): [outcome: string, explanation: string] {
  const again =
    row.resent > 0
      ? ` It was sent again ${row.resent} time(s) after an unclear outcome, with the same Message-ID.`
      : '';
  // What became of a copy says nothing about the mail before it.
  const before = row.resent > 0 ? ' It may have been sent before: the outcome of an earlier try was unclear.' : '';
  const said = row.reply ? ` The server said: ${row.reply}` : '';
  switch (nameOf(row.state)) {
    case 'queued':
      return ['queued', `It is waiting for its turn.${before}`];
    case 'trying':
      return ['trying', 'It is being sent at this moment.'];
    case 'accepted':
      if (row.returned !== null)
        return [
          'returned',
          `The receiving server took it at ${formatDate(row.doneAt)} GMT.${again} It came back later (${row.returned}).`,
        ];
      return ['accepted', `The receiving server took it at ${formatDate(row.doneAt)} GMT.${again}${said}`];
    case 'later':
      if (row.reason === 'rate')
        return [
          'later',
          `Its turn has not come: no more than a set number of mails a second go to its domain. It was not tried yet; the next turn is at ${formatDate(row.nextAt)} GMT.${before}`,
        ];
      if (row.reason === 'spared')
        return [
          'later',
          `Its domain answers slowly, or has asked for less, and is being spared; no attempt was spent on it. The next turn is at ${formatDate(row.nextAt)} GMT.${before}${said}`,
        ];
      return [
        'later',
        `The receiving server asked to try later; the next try is at ${formatDate(row.nextAt)} GMT.${before}${said}`,
      ];
    case 'failed':
      if (row.reason === 'unclear')
        return ['failed', 'It may have been sent: the outcome was unclear, and no further copy is sent.'];
      return ['failed', `It was refused for good (${row.reason}).${before}${said}`];
    case 'skipped':
      if (row.reason === 'stopped')
        return ['skipped', "It was not sent: the campaign was stopped before this contact's turn."];
      if (row.reason === 'late')
        return [
          'skipped',
          'It was not sent: the occasion had passed by more than the lateness allowed when it was found.',
        ];
      return [
        'skipped',
        `It was not sent: between the start of the campaign and this contact's turn the contact became ${row.reason}.`,
      ];
    case 'unclear':
      return [
        'unclear',
        `It may have been sent: the connection or the program ended between the last byte and the answer.${again}${row.nextAt ? ` A copy goes at ${formatDate(row.nextAt)} GMT.` : ''}`,
      ];
  }
}

async function whyAbsent(
  { tx, account }: Context,
  campaign: Campaign,
  address: { key: string; domain: string },
): Promise<[string, string]> {
  if (!campaign.launched) return ['not sent', 'The campaign has not been sent yet.'];
  const suppressed = await tx.row<{ reason: string; kind: string }>(sql`
    select reason, kind
    from suppression
    where account_id = ${account.id}
      and (
        (kind = 'address' and value = ${address.key})
        or (kind = 'domain' and value = ${address.domain})
        or (kind = 'hash' and value = ${hashOf(account.id, sql`${address.key}::text`)})
      )`);
  if (suppressed?.kind === 'hash') return ['excluded', 'The address was erased and gets nothing since.'];
  if (suppressed) return ['excluded', `The ${suppressed.kind} is on the suppression list (${suppressed.reason}).`];
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
  if (!row) return ['excluded', 'The address is on none of the lists of the campaign.'];
  if (row.status !== 'subscribed')
    return ['excluded', `The contact is ${row.status} on "${row.name}" since ${formatDate(row.statusAt)} GMT.`];
  if (row.pausedUntil !== null)
    return [
      'excluded',
      `The contact has taken a break from all mail until ${formatDate(row.pausedUntil)} GMT (paused).`,
    ];
  const { byList, bySegment } = await excludedConditions(tx, account.id, campaign.id, sql`p.id`);
  const left = await tx.row<{ by_list: boolean; by_segment: boolean }>(sql`
    select ${byList} as by_list, ${bySegment} as by_segment
    from contact p
    where p.account_id = ${account.id}
      and p.email_key = ${address.key}`);
  if (left?.by_list) return ['excluded', 'The contact is on a list that the campaign leaves out.'];
  if (left?.by_segment) return ['excluded', 'The contact is in a segment that the campaign leaves out.'];
  if (campaign.type === 'auto') return whyNoOccasion(tx, { account: account.id, campaign: campaign.id }, address.key);
  return [
    'excluded',
    `The contact is subscribed to "${row.name}", but was not among the recipients when the campaign started: it joined later, or is in none of the chosen segments.`,
  ];
}
