// Single messages that have got their final state, in the caller's transaction: webhooks of the caller's messages are notified, and
// the contents of the program's own are deleted.
import { erasedDomain } from '../../base/erasure.ts';
import { constantMonth, monthOf } from '../../campaigns/model/month.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { stateNames, states } from '../../db/states.ts';
import { type Event, emit } from '../../events/emit.ts';
import { formatDate } from '../../method/date.ts';

/** The owner of a day. */
export type Of = CampaignKey & { month?: string };

export type SingleMessage = {
  seq: number;
  /** The public id. */
  id: string;
  via: 'api' | 'smtp' | 'system';
  /** Of a list's message; null for others. */
  member: { contact: number; list: number } | null;
  isToUser: boolean;
  email: string;
  state: number;
  reason: string | null;
  code: number | null;
  reply: string | null;
};

const monthIn = ({ month, ...of }: Of): Sql => (month === undefined ? monthOf(of) : constantMonth({ month }));

/** The messages of recipients, by seq; without those whose address was erased, which is not stored again. */
export async function singleMessages(
  tx: Queries,
  of: Of,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, SingleMessage>> {
  const rows = await tx.rows<Omit<SingleMessage, 'member'> & { contact: number; list: number }>(sql`
    select d.seq, d.occasion as id, m.via, m.purpose in ('notice', 'reset', 'invite', 'test') as "isToUser",
      d.contact_id as contact, d.list_id as list, d.email, d.state, d.reason, d.reply_code as code, d.reply
    from delivery d
    join message_recipient r on r.account_id = d.account_id and r.campaign_id = d.campaign_id and r.seq = d.seq
    join message m on m.account_id = r.account_id and m.campaign_id = r.campaign_id and m.no = r.no
    where d.account_id = ${of.account}
      and d.campaign_id = ${of.campaign}
      and d.month = ${monthIn(of)}
      and d.seq = any (${seqs}::int[])
      and d.domain <> ${erasedDomain}`);
  return new Map(
    rows.map(({ contact, list, ...row }) => [row.seq, { ...row, member: list === 0 ? null : { contact, list } }]),
  );
}

/** After some recipients may have got a final state: notifies webhooks of callers' messages, and deletes the contents of the program's. */
export async function endMessages(tx: Tx, of: Of, now: Date, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  await tx.run(sql`
    update message m
    set content = null
    from delivery d
    where d.account_id = ${of.account}
      and d.campaign_id = ${of.campaign}
      and d.month = ${monthIn(of)}
      and d.seq = any (${seqs}::int[])
      and d.state in (${states.accepted}, ${states.failed}, ${states.skipped})
      and m.account_id = d.account_id
      and m.campaign_id = d.campaign_id
      -- It has one recipient, whose number is its own.
      and m.no = d.seq
      and m.via = 'system'
      and m.content is not null`);
  const messages = await singleMessages(tx, of, seqs);
  await emit(
    tx,
    of.account,
    [...messages.values()].filter(({ via }) => via !== 'system').flatMap((message) => endOf(message, now)),
  );
}

function endOf(message: SingleMessage, now: Date): Event[] {
  const data = {
    campaign: '',
    list: '',
    contact: '',
    message: message.id,
    email: message.email,
    code: message.code ?? 0,
    reply: message.reply ?? '',
    ts: formatDate(now),
  };
  switch (stateNames[message.state]) {
    case 'accepted':
      return [{ type: 'message.accepted', source: 'api', data }];
    case 'failed':
    case 'skipped':
      return [{ type: 'message.failed', source: 'api', data: { ...data, reason: message.reason ?? 'generic' } }];
    default:
      return [];
  }
}
