// Reads single messages: what was sent, to whom, and what became of it. The states come from the ledger (delivery), opens
// and clicks from tracking, bounces and complaints that came back later from notice.
import { mayDo } from '../accounts/keys/permissions.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { type Sql, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { stateNames, states } from '../db/states.ts';
import { numberOfMessage } from '../delivery/message/single-content.ts';
import { formatDate } from '../method/date.ts';
import type { Kind, Purpose, Via } from './store.ts';
import { formatMessageId } from './store.ts';

export type MessageKeys = { campaign: number; no: number };

/** The stored keys of a public id. */
export function parseMessageId(id: string): MessageKeys | undefined {
  return /^[abcdf][0-9a-f]{7}[0-7][0-9a-f]{7}$/.test(id)
    ? { campaign: parseId(id.slice(0, 8)), no: numberOfMessage(id) }
    : undefined;
}

type Row = {
  campaign: number;
  no: number;
  via: Via;
  purpose: Purpose;
  from_email: string;
  from_name: string;
  subject: string;
  message_id: string;
  copy_of: string;
  tags: string[];
  templateId: number | null;
  size: number;
  has_content: boolean;
  createdAt: Date;
  sendAt: Date | null;
  test: boolean;
};

type RecipientRow = MessageKeys & {
  email: string;
  type: Kind;
  state: number;
  reason: string | null;
  attempts: number;
  resent: number;
  code: number | null;
  reply: string | null;
  doneAt: Date | null;
  nextAt: Date | null;
  opens: number;
  clicks: number;
  lastOpenAt: Date | null;
  lastClickAt: Date | null;
  bounce: string | null;
  complained: boolean;
  unsubscribed: boolean;
};

/** @throws Fault MESSAGE_UNKNOWN */
export async function needMessage(context: Context, id: string): Promise<ReturnType<typeof recordOf>> {
  const keys = parseMessageId(id);
  const [found] = keys ? await readMessages(context, [keys]) : [];
  if (!found) throw fault('MESSAGE_UNKNOWN', 'message.unknown', { member: 'id', id: id.slice(0, 40) });
  return found;
}

/** SQL: whether a message m is shown: notices to users, invitations and links to set a password to administrators only. */
export const isShownTo = (caller: Context['caller']): Sql =>
  mayDo(caller, 'account:admin') ? sql`true` : sql`m.purpose not in ('notice', 'reset', 'invite')`;

/** The records of messages, in the order given; those that do not exist are left out. */
export async function readMessages({ tx, account, caller }: Context, keys: readonly MessageKeys[]) {
  if (keys.length === 0) return [];
  const named = sql`jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k(campaign int, no int)`;
  const messages = await tx.rows<Row>(sql`
    select m.campaign_id as campaign, m.no, via, purpose, from_email, from_name, subject, message_id, copy_of, tags,
      template_id as "templateId", size, via <> 'system' and content is not null as has_content, created_at as "createdAt", send_at as "sendAt", test
    from ${named}
    join message m on m.account_id = ${account.id} and m.campaign_id = k.campaign and m.no = k.no and ${isShownTo(caller)}`);
  const recipients = await tx.rows<RecipientRow>(sql`
    select r.campaign_id as campaign, r.no, d.email, r.kind as type, d.state, d.reason, d.attempts, d.resent, d.reply_code as code,
      d.reply, d.done_at as "doneAt", case when d.state = ${states.queued} and d.due_at > now() then d.due_at else d.next_at end as "nextAt", coalesce(e.opens, 0) as opens, coalesce(e.clicks, 0) as clicks,
      e.last_open_at as "lastOpenAt", e.last_click_at as "lastClickAt",
      case when d.state = ${states.failed} and d.reason is distinct from 'unclear' then d.reason else n.class end as bounce,
      exists (
        select from notice c
        where c.account_id = ${account.id} and c.campaign_id = r.campaign_id and c.seq = r.seq and c.kind = 'complaint'
      ) as complained,
      exists (
        select from notice c
        where c.account_id = ${account.id} and c.campaign_id = r.campaign_id and c.seq = r.seq and c.kind = 'unsubscribe'
      ) as unsubscribed
    from ${named}
    join message_recipient r on r.account_id = ${account.id} and r.campaign_id = k.campaign and r.no = k.no
    join campaign p on p.account_id = ${account.id} and p.id = r.campaign_id
    join delivery d on d.account_id = ${account.id} and d.campaign_id = p.id and d.month = p.month and d.seq = r.seq
    -- "offset 0": one look into the partition of the month.
    left join lateral (
      select opens, clicks, last_open_at, last_click_at
      from engagement
      where account_id = ${account.id} and campaign_id = r.campaign_id and seq = r.seq and month = p.month
      offset 0
    ) e on true
    left join notice n
      on n.account_id = ${account.id} and n.campaign_id = r.campaign_id and n.seq = r.seq and n.kind = 'bounce'
    order by r.seq`);
  const idOf = ({ campaign, no }: MessageKeys) => formatMessageId(campaign, no);
  const messageOf = new Map(messages.map((row) => [idOf(row), row]));
  const recipientsOf = Map.groupBy(recipients, idOf);
  return keys.flatMap((key) => {
    const row = messageOf.get(idOf(key));
    return row ? [recordOf(row, recipientsOf.get(idOf(key)) ?? [])] : [];
  });
}

function recordOf(row: Row, recipients: readonly RecipientRow[]) {
  const { campaign, no, templateId, createdAt, sendAt, ...message } = row;
  return {
    id: formatMessageId(campaign, no),
    ...message,
    template_id: templateId === null ? '' : formatId(templateId),
    created_at: formatDate(createdAt),
    send_at: formatDate(sendAt),
    recipients: recipients.map((recipient) => ({
      email: recipient.email,
      type: recipient.type,
      state: stateNames[recipient.state]!,
      reason: recipient.reason ?? '',
      attempts: recipient.attempts,
      resent: recipient.resent,
      code: recipient.code ?? 0,
      reply: recipient.reply ?? '',
      done_at: formatDate(recipient.doneAt),
      next_at: formatDate(recipient.nextAt),
      opens: recipient.opens,
      last_open: formatDate(recipient.lastOpenAt),
      clicks: recipient.clicks,
      last_click: formatDate(recipient.lastClickAt),
      bounce: recipient.bounce ?? '',
      complained: recipient.complained,
      unsubscribed: recipient.unsubscribed,
    })),
  };
}
