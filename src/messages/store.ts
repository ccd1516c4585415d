// Stores messages and queues their recipients, in the transaction of the call: once it is committed, the ledger of the
// delivery keeps each recipient until it has a final state. A message is stored under the hidden owner of its day.
import { randomInt } from 'node:crypto';
import { countMessages, lockQuota } from '../accounts/account/monthly-quota.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { monthOf } from '../campaigns/model/month.ts';
import { needOwnDomain } from '../campaigns/model/requirements.ts';
import { type Sql, sql } from '../db/connect.ts';
import { formatId, maxId } from '../db/ids.ts';
import { states } from '../db/states.ts';
import { ownerTitle } from '../delivery/ledger/message-owner.ts';
import type { Mailbox } from '../delivery/message/single-head.ts';
import { chunkChannel, ofLists } from '../jobs/channels.ts';
import { keepSentPictures } from './sent-pictures.ts';

export const kinds = ['to', 'cc', 'bcc'] as const;
export type Kind = (typeof kinds)[number];
export type MessageRecipient = { kind: Kind; email: string; key: string; domain: string };
export const purposes = ['message', 'confirm', 'welcome', 'goodbye', 'notice', 'reset', 'invite', 'test'] as const;
export type Purpose = (typeof purposes)[number];

export const vias = ['api', 'smtp', 'system'] as const;
export type Via = (typeof vias)[number];

/** A message as it is stored. */
export type Composed = {
  via: Via;
  purpose?: Purpose;
  /** The job that writes it. */
  job?: string | undefined;
  lateAt?: Date | undefined;
  /** When it is sent; undefined for at once. */
  sendAt?: Date | undefined;
  /** It stays in the built-in inbox. */
  test?: boolean;
  /** Of a list's message: the membership it is about. */
  member?: { contact: number; list: number } | undefined;
  /** A message of a list or about it. */
  ofList?: boolean;
  recipients: MessageRecipient[];
  from: Mailbox;
  subject: string;
  messageId: string;
  /** The public id of the message that it repeats. */
  copyOf?: string | undefined;
  tags: string[];
  templateId: number | null;
  content: Buffer;
  /** Where the tokens of a recipient go. */
  clickAt: number[];
  openAt: number[];
  links: { no: number; target: string }[];
};

/** A chunk that waits takes up further messages until it has this many recipients. */
const maxChunkSize = 50;
/** Larger messages get a chunk of their own: a chunk keeps its contents in memory. */
const maxSharedBytes = 200_000;

/** The public id of a message: the id of its day's owner and the seq of its first recipient. */
export const formatMessageId = (owner: number, no: number): string =>
  formatId(owner) + no.toString(16).padStart(8, '0');

/** @returns the public ids, in order. @throws Fault SENDING_NOT_ALLOWED, QUOTA_USED, CAMPAIGN_OPTION_INVALID */
export async function storeMessages(context: Context, messages: readonly Composed[]): Promise<string[]> {
  const { account } = context;
  if (!account.maySend) throw fault('SENDING_NOT_ALLOWED', 'campaign.sending_not_allowed');
  for (const sender of new Set(messages.map(({ from }) => from.email)))
    await needOwnDomain(context, sender === account.email ? '' : sender);
  const isTest = account.isTest || (context.caller.kind === 'key' && context.caller.isTest === true);
  // Before anything that a worker may wait for while it holds the quota.
  if (!isTest) await takeFromQuota(context, messages);
  await keepSentPictures(
    context.tx,
    account.id,
    messages.map(({ content }) => content),
  );
  return insertMessages(context, isTest ? messages.map((message) => ({ ...message, test: true })) : messages);
}

/** A single message counts when it is taken, whatever becomes of it: its caller learns at once that it does not fit. */
async function takeFromQuota({ tx, account }: Context, messages: readonly Composed[]): Promise<void> {
  await lockQuota(tx, account.id);
  await countMessages(
    tx,
    account.id,
    messages.reduce((sum, { recipients }) => sum + recipients.length, 0),
  );
}

/** Stores messages, all of lists or none, without checking who may send. @returns their public ids */
export async function insertMessages(context: Context, messages: readonly Composed[]): Promise<string[]> {
  const { tx, now } = context;
  const isOfLists = messages[0]?.ofList === true;
  const ids = new Map<Composed, string>();
  const byDay = Map.groupBy(messages, ({ sendAt }) => dayOf(sendAt ?? now));
  // In the order of the days, so that two calls that make their owners do not wait for each other.
  for (const day of [...byDay.keys()].sort()) {
    const ofDay = byDay.get(day)!;
    const owner = await ownerOf(context, day, isOfLists);
    const numbered = await numberRecipients(context, ofDay);
    for (const { message, seqs } of numbered) await insertMessage(context, owner, message, seqs[0]!);
    await insertLinks(context, owner, ofDay);
    await insertRecipients(context, owner, numbered);
    for (const { message, seqs } of numbered) await queue(context, owner, seqs, message);
    for (const { message, seqs } of numbered) ids.set(message, formatMessageId(owner, seqs[0]!));
  }
  await tx.run(sql`select pg_notify(${chunkChannel}, ${isOfLists ? ofLists : ''})`);
  return messages.map((message) => ids.get(message)!);
}

type Numbered = { message: Composed; seqs: number[] };

/**
 * The hidden campaign under which messages of a day are sent, today or later. Those of lists, and the notices about them, have one of their
 * own, which takes turns with the other: a link to set a password must not wait for the confirmations of an import.
 */
async function ownerOf({ tx, account, now }: Context, day: string, isOfLists: boolean): Promise<number> {
  const title = ownerTitle(day, isOfLists);
  const find = (): Promise<{ id: number; status: string } | undefined> =>
    tx.row(sql`
      select id, status
      from campaign
      where account_id = ${account.id}
        and type = 'message'
        and title = ${title}`);
  const known = await find();
  // Ended when the database's clock was days ahead for a while.
  if (known?.status === 'sent')
    await tx.run(sql`
      update campaign
      set status = 'sending', finished_at = null
      where account_id = ${account.id}
        and id = ${known.id}`);
  if (known) return known.id;
  await tx.run(sql`
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, send_at)
    values (${account.id}, 'message', 'sending', ${title}, '', '', '',
      -- A later day gives its recipients their month.
      ${day > dayOf(now) ? new Date(`${day}T00:00:00Z`) : null}::timestamptz)
    on conflict do nothing`);
  return (await find())!.id;
}

/** In UTC. */
const dayOf = (at: Date) => at.toISOString().slice(0, 10);

async function numberRecipients({ tx }: Context, messages: readonly Composed[]): Promise<Numbered[]> {
  const count = messages.reduce((sum, { recipients }) => sum + recipients.length, 0);
  const rows = await tx.rows<{ seq: number }>(
    sql`select nextval('message_seq')::int as seq from generate_series(1, ${count}::int)`,
  );
  const seqs = rows.map(({ seq }) => seq);
  return messages.map((message) => ({ message, seqs: seqs.splice(0, message.recipients.length) }));
}

async function insertMessage({ tx, account }: Context, owner: number, message: Composed, no: number): Promise<void> {
  await tx.run(sql`
    insert into message (account_id, campaign_id, no, via, purpose, job, late_at, from_email, from_name, subject, message_id, copy_of,
      tags, template_id, content, size, click_at, open_at, send_at, test)
    values (${account.id}, ${owner}, ${no}, ${message.via}, ${message.purpose ?? 'message'}, ${message.job ?? null},
      ${message.lateAt ?? null}::timestamptz, ${message.from.email}, ${message.from.name.slice(0, 200)},
      ${message.subject.slice(0, 1_000)}, ${message.messageId}, ${message.copyOf ?? ''}, ${message.tags}::text[], ${message.templateId},
      ${message.content},
      ${message.via === 'system' ? 0 : message.content.length}, ${message.clickAt}::int[], ${message.openAt}::int[],
      ${message.sendAt ?? null}::timestamptz, ${message.test ?? false})`);
}

async function insertLinks({ tx, account }: Context, owner: number, messages: readonly Composed[]): Promise<void> {
  const links = messages.flatMap((message) => message.links);
  if (links.length === 0) return;
  await tx.run(sql`
    insert into link (account_id, campaign_id, no, target)
    select ${account.id}::int, ${owner}::int, no, target
    from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as l(no int, target text)
    -- A copy has the links of its original, under the same numbers.
    on conflict do nothing`);
}

async function insertRecipients({ tx, account }: Context, owner: number, numbered: readonly Numbered[]): Promise<void> {
  const rows = numbered.flatMap(({ message, seqs }) =>
    message.recipients.map((recipient, i) => ({
      ...recipient,
      seq: seqs[i],
      no: seqs[0],
      message: formatMessageId(owner, seqs[0]!),
      // Finds the row after a fail-over; above the ids of contacts, where the recipient need not be one.
      contact: message.member?.contact ?? randomInt(maxId + 1, 2 ** 31),
      list: message.member?.list ?? 0,
      due: message.sendAt ?? null,
    })),
  );
  await tx.run(sql`
    with given as (
      select *
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as g(seq int, no int, kind text, email text, key text, domain text, message text, contact int, list int, due timestamptz)
    ), named as (
      insert into message_recipient (account_id, campaign_id, seq, no, kind, email_key)
      select ${account.id}::int, ${owner}::int, seq, no, kind, key
      from given
    ), queued as (
      insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, occasion, email, domain, state, due_at)
      select ${account.id}::int, ${owner}::int, seq, ${monthOf({ account: account.id, campaign: owner })}, contact, list, message,
        email, domain, ${states.queued}::smallint, coalesce(due, now())
      from given
    )
    insert into tally as t (account_id, campaign_id, shard, recipients, queued)
    -- Calls at the same time rarely share a shard, so that they do not wait for each other's commit.
    select ${account.id}::int, ${owner}::int, (pg_backend_pid() % 16)::smallint, ${rows.length}::int, ${rows.length}::int
    on conflict (account_id, campaign_id, shard) do update
    set recipients = t.recipients + excluded.recipients, queued = t.queued + excluded.queued`);
}

/** Adds the recipients to a chunk that waits, or cuts one for them. */
async function queue(
  { tx, account }: Context,
  owner: number,
  seqs: readonly number[],
  { content, sendAt }: Composed,
): Promise<void> {
  const shared: Sql =
    content.length > maxSharedBytes
      ? sql`select null::bigint as no where false`
      : sql`
          select no
          from chunk
          where account_id = ${account.id}
            and campaign_id = ${owner}
            and state = 'waiting'
            and kind = 'first'
            and crashes = 0
            and ${sendAt ? sql`due_at = ${sendAt}::timestamptz` : sql`due_at <= now()`}
            and cardinality(seqs) + ${seqs.length}::int <= ${maxChunkSize}::int
          order by no
          limit 1
          -- One that a worker is taking, or another call, is not waited for.
          for update skip locked`;
  await tx.run(sql`
    with shared as (
      ${shared}
    ), extended as (
      update chunk k
      set seqs = k.seqs || ${seqs}::int[]
      from shared
      where k.account_id = ${account.id}
        and k.campaign_id = ${owner}
        and k.no = shared.no
      returning k.no
    )
    insert into chunk (account_id, campaign_id, kind, seqs, due_at)
    select ${account.id}::int, ${owner}::int, 'first', ${seqs}::int[], coalesce(${sendAt ?? null}::timestamptz, now())
    where not exists (select from extended)`);
}
