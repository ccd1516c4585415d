// The methods about a delivery under way or done: how far it is, who got it and who did not and why, pause and resume.
import { z } from 'zod';
import { parseAddress } from '../../audience/address.ts';
import { paging } from '../../audience/lists/methods.ts';
import { excludedConditions } from '../../audience/segments/exclusion.ts';
import { hashOf } from '../../audience/suppression/suppression.ts';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { unknownCampaign } from '../../campaigns/campaign.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, params, text, word } from '../../method/params.ts';
import { pauseCampaign, resumeCampaign } from '../control/pause.ts';
import { dropUnclear, resendUnclear } from '../control/resolve.ts';
import { whyNoOccasion } from '../launch/occasion-explained.ts';
import { type StateName, stateNames, states } from '../sending/states.ts';
import { paceOf } from '../sending/tally.ts';
import { liveWorkers } from './metrics.ts';
import { whatWaits, whyQueued } from './waiting.ts';
import { whyStanding } from './worker-status.ts';

const recipientRecord = z.object({
  email: z.string(),
  list_id: z.string(),
  state: z.string(),
  attempts: z.int(),
  resent: z.int().meta({ description: 'Copies sent again after an unclear outcome.' }),
  first_time: z.string(),
  next_time: z.string(),
  done_time: z.string(),
  reply_code: z.int(),
  reply: z.string(),
  reason: z.string(),
  occasion: z.string(),
});

export const deliveryMethods = [
  method({
    name: 'campaignProgress',
    group: 'campaigns',
    summary: 'Tells how many recipients of a campaign are in which state, how fast it goes and when it will be done.',
    description:
      'recipients is at every moment the sum of the seven states queued, trying, accepted, later, failed, skipped and unclear. resent counts the copies sent again after an unclear outcome. rate is in mails a second over the last ten seconds; finish_at is a forecast, "" when none can be given; when all that is left waits for a later time, it is the last of these times. waits_for says what all that is left waits for: local_time, due_time, retry (the receiving servers put them off), quota (the account has sent what its warm_up allows today), or "" when something can go now; next_time is then when the next go. late_by is by how many seconds a scheduled campaign was started after its time, 0 when it was in time.',
    params: params({ cid: id('The campaign.') }),
    returns: z.object({
      recipients: z.int(),
      queued: z.int(),
      trying: z.int(),
      accepted: z.int(),
      later: z.int(),
      failed: z.int(),
      skipped: z.int(),
      unclear: z.int(),
      resent: z.int(),
      rate: z.number(),
      finish_at: z.string(),
      waits_for: z.enum(['', 'local_time', 'due_time', 'retry', 'quota']),
      next_time: z.string(),
      late_by: z.int(),
      delivery_status: z.string(),
      status_reason: z.string(),
      excluded: z.record(z.string(), z.int()),
    }),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, { cid }) {
      const { tx, account, now } = context;
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
      const left = sums.queued + sums.trying;
      const ratePerSecond = campaign.status === 'sending' && left > 0 ? await paceOf(tx, of) : 0;
      const open = left + sums.later + sums.unclear;
      const isLeft = campaign.status === 'sending' && campaign.type !== 'auto' && open > 0;
      const waiting = isLeft ? await whatWaits(tx, of, { trying: sums.trying, left: open }) : undefined;
      const finishAt =
        waiting?.lastAt ?? (ratePerSecond > 0 ? new Date(now.getTime() + (left / ratePerSecond) * 1_000) : null);
      return {
        ...sums,
        rate: ratePerSecond,
        finish_at: formatDate(finishAt),
        waits_for: waiting?.for ?? ('' as const),
        next_time: formatDate(waiting?.nextAt ?? null),
        late_by: campaign.lateSeconds,
        delivery_status: campaign.status,
        status_reason:
          campaign.reason || (isOnItsWay(campaign, left + sums.unclear) ? await whyNothingLeaves(context) : ''),
        excluded: Object.fromEntries(excluded.map((one) => [one.reason, one.count])),
      };
    },
  }),
  method({
    name: 'campaignRecipients',
    group: 'campaigns',
    summary: 'Lists the recipients of a campaign with state, attempts, replies and times.',
    params: params({
      cid: id('The campaign.'),
      filter: word('Which state; default all.', ['all', ...stateNames, 'resent']).default('all'),
      ...paging(100, 15_000),
    }),
    returns: z.object({ total: z.int(), data: z.array(recipientRecord) }),
    faults: ['CAMPAIGN_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}', filter: 'failed' } },
    async run(context, { cid, filter, start, limit }) {
      const { tx, account } = context;
      const campaign = await needCampaign(context, cid);
      const which =
        filter === 'all'
          ? sql`true`
          : filter === 'resent'
            ? sql`resent > 0`
            : sql`state = ${states[filter as StateName]}`;
      const counted = await tx.row<{ total: number }>(sql`
        select count(*)::int as total
        from delivery
        where account_id = ${account.id}
          and campaign_id = ${campaign.id}
          and ${which}`);
      const rows = await tx.rows<Row>(sql`
        select ${columns}
        from delivery
        where account_id = ${account.id}
          and campaign_id = ${campaign.id}
          and ${which}
        order by seq
        limit ${limit}
        offset ${start * limit}`);
      return { total: counted!.total, data: rows.map(recordOf) };
    },
  }),
  method({
    name: 'campaignExplain',
    group: 'campaigns',
    summary: 'Tells why an address did, or did not, get a campaign.',
    params: params({ cid: id('The campaign.'), email: text('The address.', 320) }),
    returns: z.object({
      email: z.string(),
      outcome: z.string(),
      explanation: z.string(),
      deliveries: z.array(recipientRecord),
    }),
    faults: ['CAMPAIGN_UNKNOWN', 'ADDRESS_INVALID'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}', email: '{{email}}' } },
    async run(context, { cid, email }) {
      const { tx, account } = context;
      const campaign = await needCampaign(context, cid);
      const address = parseAddress(email);
      if (!address.ok) throw new Fault('ADDRESS_INVALID', `email: "${email.slice(0, 80)}" is not an e-mail address`);
      const rows = await tx.rows<Row>(sql`
        select ${columns}
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
        ? ['queued', waits.told]
        : last
          ? ofRow(last)
          : await whyAbsent(context, campaign, address);
      return { email: address.email, outcome, explanation, deliveries: rows.map(recordOf) };
    },
  }),
  method({
    name: 'campaignPause',
    group: 'campaigns',
    summary: 'Pauses a running campaign; what is on the wire at this moment still goes out, nothing else.',
    params: params({ cid: id('The campaign.') }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'send',
    example: { params: { cid: '{{running}}' } },
    async run(context, { cid }) {
      await pauseCampaign(context, (await needCampaign(context, cid)).id, 'paused by request');
      return true;
    },
  }),
  method({
    name: 'campaignResume',
    group: 'campaigns',
    summary: 'Resumes a paused campaign; it goes on with exactly those who have not got it.',
    params: params({ cid: id('The campaign.') }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'send',
    example: { params: { cid: '{{paused}}' } },
    async run(context, { cid }) {
      await resumeCampaign(context, (await needCampaign(context, cid)).id);
      return true;
    },
  }),
  method({
    name: 'campaignResolve',
    group: 'campaigns',
    summary: 'Decides what becomes of recipients whose mail may or may not have gone out.',
    description:
      'For accounts whose setting unclear is "hold": recipients in the state unclear (campaignRecipients lists them) are held until this call, and so long the campaign is not sent. action "resend" sends each a copy with the same Message-ID, which campaignRecipients marks, while the campaign is sending or when it is resumed (CAMPAIGN_STATE_CONFLICT otherwise); "drop" ends them as failed with the reason unclear. email names one of them; without it all are meant.',
    params: params({
      cid: id('The campaign.'),
      action: word('What to do.', ['resend', 'drop']),
      email: text('Only this recipient.', 320).optional(),
    }),
    returns: z.object({ resolved: z.int().meta({ description: 'How many recipients this call decided about.' }) }),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'ADDRESS_INVALID', 'ADDRESS_UNKNOWN'],
    scope: 'send',
    example: { params: { cid: '{{paused}}', action: 'resend' } },
    async run(context, { cid, action, email }) {
      const campaign = await needCampaign(context, cid);
      const address = email === undefined ? undefined : parseAddress(email);
      if (address && !address.ok)
        throw new Fault('ADDRESS_INVALID', `email: "${email!.slice(0, 80)}" is not an e-mail address`);
      const of = { account: context.account.id, campaign: campaign.id };
      const key = address?.ok ? address.key : undefined;
      if (key !== undefined && !(await isRecipient(context, campaign.id, key)))
        throw new Fault('ADDRESS_UNKNOWN', `email: "${email!.slice(0, 80)}" is no recipient of this campaign`);
      return {
        resolved: action === 'drop' ? await dropUnclear(context.tx, of, key) : await resendUnclear(context.tx, of, key),
      };
    },
  }),
];

type Row = {
  seq: number;
  email: string;
  listId: number;
  state: number;
  attempts: number;
  resent: number;
  firstAt: Date | null;
  nextAt: Date | null;
  doneAt: Date | null;
  replyCode: number | null;
  reply: string | null;
  reason: string | null;
  occasion: string;
  /** What came back after it had been accepted. */
  returned: string | null;
};

const columns = sql`
  seq, email, list_id as "listId", state, attempts, resent, first_at as "firstAt",
  case when state = ${states.queued} and due_at > now() then due_at else next_at end as "nextAt", done_at as "doneAt",
  reply_code as "replyCode", reply, reason, occasion,
  (
    select concat_ws(': ', n.class, nullif(n.reply, ''))
    from notice n
    where n.account_id = delivery.account_id
      and n.campaign_id = delivery.campaign_id
      and n.seq = delivery.seq
      and n.kind = 'bounce'
  ) as returned`;

const nameOf = (state: number): StateName => stateNames.find((name) => states[name] === state)!;

function recordOf(row: Row) {
  return {
    email: row.email,
    list_id: formatId(row.listId),
    state: nameOf(row.state),
    attempts: row.attempts,
    resent: row.resent,
    first_time: formatDate(row.firstAt),
    next_time: formatDate(row.nextAt),
    done_time: formatDate(row.doneAt),
    reply_code: row.replyCode ?? 0,
    reply: row.reply ?? '',
    reason: row.reason ?? '',
    occasion: row.occasion,
  };
}

/** As whyStanding; and that there is no worker at all, which a campaign under way is worth asking for. */
async function whyNothingLeaves({ app, tx }: Context): Promise<string> {
  const why = await whyStanding(tx, app.config);
  return why || (await liveWorkers(tx)) > 0 ? why : 'no worker is running: "postrider work" starts one';
}

/** Something of it could leave now or soon. */
const isOnItsWay = ({ status, type }: Campaign, left: number) =>
  status === 'launching' || status === 'scheduled' || (status === 'sending' && (left > 0 || type === 'auto'));

type Campaign = {
  id: number;
  type: string;
  status: string;
  reason: string;
  launched: boolean;
  lateSeconds: number;
};

async function needCampaign(context: Context, cid: string): Promise<Campaign> {
  const row = await context.tx.row<Campaign>(sql`
    select id, type, status, status_reason as reason, send_at is not null as launched, late_seconds as "lateSeconds"
    from campaign
    where account_id = ${context.account.id}
      and id = ${parseId(cid)}`);
  if (!row) throw unknownCampaign(cid);
  return row;
}

async function isRecipient({ tx, account }: Context, campaignId: number, key: string): Promise<boolean> {
  const row = await tx.row(sql`
    select 1 as found
    from delivery
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and lower(email) = ${key}
    limit 1`);
  return row !== undefined;
}

function ofRow(row: Row): [outcome: string, explanation: string] {
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
