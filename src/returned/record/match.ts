// Finds the message that a notice of a service is about: by our signed token, else by our Message-ID (signed in campaigns,
// stored with single messages), else by the id in the relay's reply, among the messages sent to the address of the notice.
// Never by the address alone. Only messages of the account whose source received the notice are found.
import { addressKey } from '../../audience/address.ts';
import type { App } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import { formerRecipients, isAddressOf, isErased, keyOf } from '../../delivery/leaving/addressee.ts';
import { tokensOf } from '../../tracking/token-secret.ts';
import type { RecipientIds } from '../../tracking/tokens.ts';
import type { ServiceNotice } from '../parse/notice.ts';
import type { SentMail } from './record.ts';

export type Match =
  | { kind: 'recipient'; ids: RecipientIds; mail: SentMail }
  /** A message of ours, but the notice is about another address. */
  | { kind: 'other' }
  | { kind: 'none' };

/** Older messages are not searched for an id. */
const searchedDays = 30;
/** A shorter id could be part of a reply by chance. */
const minIdLength = 8;

type SentRow = SentMail & { campaign: number; seq: number };

/** @returns a match for each notice, in their order */
export async function matchNotices(
  app: App,
  tx: Queries,
  account: number,
  notices: readonly ServiceNotice[],
): Promise<Match[]> {
  const named = notices.map((notice) => namedIn(app, account, notice));
  const direct = await byIds(
    tx,
    account,
    named.filter((ids) => ids !== null),
  );
  const unnamed = notices.flatMap((notice, index) => (named[index] === null ? [{ index, notice }] : []));
  const single = await bySingleMessageId(
    tx,
    account,
    unnamed.flatMap(({ index, notice: { messageId, email } }) =>
      messageId === '' ? [] : [{ index, messageId, email }],
    ),
  );
  const rest = unnamed.filter(({ index, notice }) => !single.has(index) && notice.serviceId.length >= minIdLength);
  const searched = await byServiceId(tx, account, rest);
  const rows = notices.map((_, index) => {
    const ids = named[index]!;
    return ids ? direct.get(nameOf(ids)) : (single.get(index) ?? searched.get(index));
  });
  const same: boolean[] = [];
  // Services that return a token may leave out the address.
  for (const [index, { email }] of notices.entries())
    same.push(
      rows[index] !== undefined && (email === '' || (await isAddressOf(tx, account, email, rows[index].email))),
    );
  return notices.map((notice, index): Match => {
    const row = rows[index];
    if (!row) return { kind: 'none' };
    if (!same[index]) return { kind: 'other' };
    const { campaign, seq, ...mail } = row;
    const stated = isErased(row.email) && notice.email !== '' ? { stated: notice.email } : {};
    return { kind: 'recipient', ids: { account, campaign, seq }, mail: { ...mail, ...stated } };
  });
}

const nameOf = ({ campaign, seq }: { campaign: number; seq: number }) => `${campaign} ${seq}`;

/** What the token or the Message-ID states; null when neither is ours, or it is another account's. */
function namedIn(app: App, account: number, { token, messageId }: ServiceNotice): RecipientIds | null {
  const ids = tokensOf(app).readRecipient('bounce', token) ?? readMessageId(app, account, messageId);
  return ids?.account === account ? ids : null;
}

/** The recipient that a Message-ID of ours names: campaign, number and signature. */
export function readMessageId(app: App, account: number, messageId: string): RecipientIds | null {
  const [, campaign, seq, signature] = /^<?([0-9a-z]{1,7})\.([0-9a-z]{1,7})\.([0-9a-f]{24})@/.exec(messageId) ?? [];
  if (campaign === undefined || seq === undefined) return null;
  const ids = { account, campaign: Number.parseInt(campaign, 36), seq: Number.parseInt(seq, 36) };
  if (Math.max(ids.campaign, ids.seq) > 0x7fff_ffff) return null;
  return tokensOf(app).tokens({ ...ids, contact: 0, lists: [] }).message === signature ? ids : null;
}

async function byIds(tx: Queries, account: number, ids: readonly RecipientIds[]): Promise<Map<string, SentRow>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<SentRow>(sql`
    select d.campaign_id as campaign, d.seq, d.contact_id as contact, d.list_id as list, d.email, d.state,
      r.seq is not null as single
    from jsonb_to_recordset(${jsonb(ids)}::jsonb) as n(campaign int, seq int)
    join campaign p on p.account_id = ${account} and p.id = n.campaign
    join delivery d on d.account_id = ${account} and d.campaign_id = p.id and d.month = p.month and d.seq = n.seq
    left join message_recipient r on r.account_id = ${account} and r.campaign_id = d.campaign_id and r.seq = d.seq`);
  const found = new Map(rows.map((row) => [nameOf(row), row]));
  const rest = ids.filter((named) => !found.has(nameOf(named)));
  if (rest.length === 0) return found;
  const former = await tx.rows<SentRow>(sql`
    select r.campaign_id as campaign, r.seq, r.contact_id as contact, r.list_id as list, r.email, r.state, false as single
    from jsonb_to_recordset(${jsonb(rest)}::jsonb) as n(campaign int, seq int)
    join ${formerRecipients(account)} r on r.campaign_id = n.campaign and r.seq = n.seq`);
  for (const row of former) found.set(nameOf(row), row);
  return found;
}

/**
 * The recipients of single messages by Message-ID and address, by index. Without an address, the only recipient. A program
 * that submits messages may use a Message-ID twice: the newest message counts.
 */
export async function bySingleMessageId(
  db: Queries,
  account: number,
  searched: readonly { index: number; messageId: string; email: string }[],
): Promise<Map<number, SentRow>> {
  if (searched.length === 0) return new Map();
  const wanted = searched.map(({ index, messageId, email }) => ({
    index,
    id: `<${messageId.replace(/^<|>$/g, '')}>`,
    key: email === '' ? null : keyOf(email),
  }));
  const rows = await db.rows<SentRow & { index: number }>(sql`
    select distinct on (n.index) n.index, d.campaign_id as campaign, d.seq, d.contact_id as contact, d.list_id as list, d.email,
      d.state, true as single
    from jsonb_to_recordset(${jsonb(wanted)}::jsonb) as n(index int, id text, key text)
    join message m on m.account_id = ${account} and m.message_id = n.id
    join message_recipient r
      on r.account_id = ${account}
      and r.campaign_id = m.campaign_id
      and r.no = m.no
      and (
        r.email_key = n.key
        or n.key is null
          and not exists (
            select from message_recipient o
            where o.account_id = ${account}
              and o.campaign_id = m.campaign_id
              and o.no = m.no
              and o.seq <> r.seq
          )
      )
    join campaign p on p.account_id = ${account} and p.id = r.campaign_id
    join delivery d on d.account_id = ${account} and d.campaign_id = p.id and d.month = p.month and d.seq = r.seq
    order by n.index, m.created_at desc, r.seq`);
  return new Map(rows.map(({ index, ...row }) => [index, row]));
}

/** A reply has no index, so that deliveries are updated within their page: the messages of one contact are few. */
async function byServiceId(
  tx: Queries,
  account: number,
  searched: readonly { index: number; notice: ServiceNotice }[],
): Promise<Map<number, SentRow>> {
  const wanted = searched.flatMap(({ index, notice }) => {
    const key = addressKey(notice.email);
    return key === null || key === undefined ? [] : [{ index, key, id: notice.serviceId }];
  });
  if (wanted.length === 0) return new Map();
  const contactsOfKey = sql`
    join lateral (
      select id from contact where account_id = ${account} and email_key = n.key
      union all
      select id from former_contact where account_id = ${account} and email_key = n.key
    ) c on true`;
  const rows = await tx.rows<SentRow & { index: number; reply: string; id: string }>(sql`
    select n.index, n.id, d.reply, d.campaign_id as campaign, d.seq, d.contact_id as contact, d.list_id as list, d.email, d.state,
      d.occasion <> '' and exists (
        select from message_recipient r
        where r.account_id = ${account} and r.campaign_id = d.campaign_id and r.seq = d.seq
      ) as single
    from jsonb_to_recordset(${jsonb(wanted)}::jsonb) as n(index int, key text, id text)
    ${contactsOfKey}
    join delivery d
      on d.account_id = ${account}
      and d.contact_id = c.id
      and d.first_at > now() - make_interval(days => ${searchedDays}::int)
      and position(n.id in d.reply) > 0
    union all
    select n.index, n.id, d.reply, d.campaign_id, d.seq, d.contact_id, d.list_id, d.email, d.state, false
    from jsonb_to_recordset(${jsonb(wanted)}::jsonb) as n(index int, key text, id text)
    ${contactsOfKey}
    join former_recipient d
      on d.account_id = ${account}
      and d.contact_id = c.id
      and d.first_at > now() - make_interval(days => ${searchedDays}::int)
      and position(n.id in d.reply) > 0
    union all
    select n.index, n.id, d.reply, d.campaign_id, d.seq, d.contact_id, d.list_id, d.email, d.state, true
    from jsonb_to_recordset(${jsonb(wanted)}::jsonb) as n(index int, key text, id text)
    join message_recipient r
      on r.account_id = ${account}
      and r.email_key = n.key
      and r.created_at > now() - make_interval(days => ${searchedDays}::int)
    join campaign p on p.account_id = ${account} and p.id = r.campaign_id
    join delivery d
      on d.account_id = ${account}
      and d.campaign_id = p.id
      and d.month = p.month
      and d.seq = r.seq
      and position(n.id in d.reply) > 0`);
  return new Map(
    rows.filter(({ reply, id }) => isWholeId(reply, id)).map(({ index, reply: _, id: __, ...row }) => [index, row]),
  );
}

/** Not only a part of a longer id. */
function isWholeId(reply: string, id: string): boolean {
  const at = reply.indexOf(id);
  const isPart = (character: string | undefined) => character !== undefined && /[A-Za-z0-9]/.test(character);
  return at >= 0 && !isPart(reply[at - 1]) && !isPart(reply[at + id.length]);
}
