// Acts on returned messages. Identifies the recipient only by our signed tokens, never by what the message states.
// A forged notice changes nothing, the same notice twice counts once, and all its effects are in one transaction.
// Parsing messages is left to bounce.ts, receiving them to listener.ts.
import { onBehalf } from '../../accounts/account/system-context.ts';
import type { App, Context } from '../../base/context.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { prepared, type Queries, sql } from '../../db/connect.ts';
import { states } from '../../db/states.ts';
import { formerRecipients, isAddressOf, isErased } from '../../delivery/leaving/addressee.ts';
import { leaveByLink } from '../../delivery/leaving/leave.ts';
import { messageIdOf } from '../../delivery/message/header.ts';
import { allParts, field, fieldsOf, readMail, textOf } from '../../delivery/message/mime-tree.ts';
import { tokenField } from '../../delivery/message/notice-fields.ts';
import { type ReturnAddress, readReturnAddress } from '../../delivery/message/return-path.ts';
import { replyWith } from '../../delivery/outcomes/unanswered.ts';
import { tokensOf } from '../../tracking/token-secret.ts';
import type { RecipientIds, SubscriptionIds } from '../../tracking/tokens.ts';
import { attachedMails, type Incoming, readIncoming } from '../parse/bounce.ts';
import { type BouncedRecipient, refusalOf, replyCodeOf } from '../parse/class.ts';
import { confirmationLink } from '../parse/ses.ts';
import { takeDmarcReport } from './dmarc.ts';
import { bySingleMessageId, readMessageId } from './match.ts';
import { passOn } from './operator-mail.ts';
import { isComplaint, recordBounces, recordComplaint, recordUnsubscribe, type SentMail } from './record.ts';
import type { Taken } from './taken.ts';

/** Whether the token of a return path is that of a recipient that exists. */
export async function isOurs(app: App, token: string): Promise<boolean> {
  const ids = tokensOf(app).readRecipient('bounce', token);
  if (!ids) return false;
  const row = await app.db.row(
    prepared(sql`
    select seq
    from delivery
    where account_id = ${ids.account}
      and campaign_id = ${ids.campaign}
      and month = ${monthOf(ids)}
      and seq = ${ids.seq}`),
  );
  return row !== undefined || (await formerMail(app.db, ids)) !== undefined;
}

/** The recipient of a campaign that is deleted. */
function formerMail(db: Queries, ids: RecipientIds): Promise<SentMail | undefined> {
  return db.row<SentMail>(sql`
    select contact_id as contact, list_id as list, email, state, false as single
    from ${formerRecipients(ids.account)} r
    where campaign_id = ${ids.campaign}
      and seq = ${ids.seq}`);
}

/** Processes a message sent to an address of the bounce domain; its effects are committed when this returns. */
export async function takeReturned(app: App, to: ReturnAddress, raw: Buffer, ip: string): Promise<Taken> {
  const tokens = tokensOf(app);
  if (to.kind === 'unsubscribe') return takeLeave(app, raw, ip);
  if (to.kind === 'dmarc') return takeDmarcReport(app, raw);
  const incoming = readIncoming(raw);
  if (to.kind === 'bounce') {
    const ids = tokens.readRecipient('bounce', to.token);
    return ids
      ? takeNotice(app, ids, provenBy(ids, unsubscribeToken(app, raw), incoming), ip)
      : { kind: 'refused', why: 'the address is not one of ours' };
  }
  const isReport = incoming.kind === 'arf' || (incoming.kind === 'dsn' && incoming.isFromProvider);
  if (to.kind === 'operator') {
    if (incoming.kind === 'dsn' && !isReport) return { kind: 'nothing', why: 'it is a notice' };
    const taken = isReport ? await takeComplaint(app, incoming, raw, ip) : undefined;
    return taken && taken.kind !== 'refused' ? taken : passOn(app, to.name, raw);
  }
  if (isReport) return takeComplaint(app, incoming, raw, ip);
  if (incoming.kind === 'dsn') return onlyComplaints;
  // The provider of a feedback loop writes to the address that is registered there.
  return takeConfirmation(app, raw) ?? (isForProgram(raw) ? onlyComplaints : passOn(app, to.kind, raw));
}

async function takeComplaint(app: App, incoming: Report, raw: Buffer, ip: string): Promise<Taken> {
  const tokens = tokensOf(app);
  const subscription = unsubscribeToken(app, raw);
  for (const address of incoming.returnPaths) {
    const back = readReturnAddress(app.config, address);
    if (back?.kind !== 'bounce') continue;
    const ids = tokens.readRecipient('bounce', back.token);
    if (ids) return takeNotice(app, ids, provenBy(ids, subscription, incoming), ip);
  }
  const ids = subscription && (await mailTo(app, subscription));
  return ids
    ? takeNotice(app, ids, provenBy(ids, subscription, incoming), ip)
    : { kind: 'refused', why: 'it does not name a message of ours' };
}

/** Without its Message-ID, which services replace, if the unsubscribe token of the message proves which one a complaint is about. */
function provenBy(ids: RecipientIds, subscription: SubscriptionIds | null, incoming: Incoming): Incoming {
  const isProven =
    incoming.kind === 'arf' &&
    subscription?.account === ids.account &&
    (subscription.campaign === ids.campaign || subscription.campaign === 0);
  return isProven ? { ...incoming, originalMessageId: null } : incoming;
}

const onlyComplaints: Taken = { kind: 'refused', why: 'only complaints are accepted' };

/** JSON, such as a request to confirm that Amazon SNS did not send. */
const isForProgram = (raw: Buffer): boolean =>
  allParts(readMail(raw)).some((part) => part.parts.length === 0 && /^\s*\{\s*"/.test(textOf(part)));

/** Amazon SNS sends no notification before a person has opened this link. */
function takeConfirmation(app: App, raw: Buffer): Taken | undefined {
  const text = allParts(readMail(raw)).find((part) => part.parts.length === 0 && part.type === 'text/plain');
  const link = text && confirmationLink(textOf(text));
  if (!link) return undefined;
  app.log.info(
    { link },
    'Amazon SNS asks to confirm a subscription of the complaint address; open the link if it is yours',
  );
  return { kind: 'nothing', why: 'Amazon SNS asks to confirm a subscription; the link is in the log' };
}

/** @property messageId that of a single message */
type Mail = SentMail & { fromEmail: string | null; messageId: string | null };

/**
 * Processes a message in a mailbox of an account that anyone can write to: a notice that contains X-Postrider-ID or the return
 * path of a message of the account, or its Message-ID and the address of its recipient. Anything else is refused.
 */
export async function takeFromMailbox(app: App, account: number, raw: Buffer): Promise<Taken> {
  const tokens = tokensOf(app);
  const incoming = readIncoming(raw);
  if (incoming.kind === 'auto-reply' || incoming.kind === 'none') return { kind: 'nothing', why: 'it is not a notice' };
  // A service may have replaced the Message-ID; a token is proof enough.
  const named = { ...incoming, originalMessageId: null };
  const returned = incoming.returnPaths.flatMap((address) => {
    const back = readReturnAddress(app.config, address);
    return back?.kind === 'bounce' ? [back.token] : [];
  });
  for (const token of [...noticeTokens(raw), ...returned]) {
    const ids = tokens.readRecipient('bounce', token);
    if (ids?.account === account) return takeNotice(app, ids, named, '');
  }
  // Anyone who gets a copy or a reply sees a Message-ID; the notice must name the recipient too.
  const ids =
    readMessageId(app, account, incoming.originalMessageId ?? '') ?? (await singleMessageOf(app, account, incoming));
  return ids
    ? takeNotice(app, ids, incoming, '', true)
    : { kind: 'refused', why: 'it does not name a message of ours' };
}

/** The values of X-Postrider-ID in the message that a notice returns, or in its headers as text. */
function noticeTokens(raw: Buffer): string[] {
  const field = new RegExp(`^[ \\t>|]*${tokenField}:[ \\t]*([0-9a-f]{48})\\b`, 'gim');
  const mail = readMail(raw);
  return [mail, ...attachedMails(mail)]
    .flatMap(allParts)
    .filter((part) => part.parts.length === 0)
    .flatMap((part) => [...textOf(part).matchAll(field)].map((match) => match[1]!))
    .slice(0, 5);
}

/** The single message of the Message-ID, to a recipient that the notice names. */
async function singleMessageOf(app: App, account: number, incoming: Report): Promise<RecipientIds | null> {
  const messageId = incoming.originalMessageId;
  if (messageId === null) return null;
  const wanted = addressesIn(incoming).map((email, index) => ({ index, messageId, email }));
  const [found] = (await bySingleMessageId(app.db, account, wanted)).values();
  return found ? { account, campaign: found.campaign, seq: found.seq } : null;
}

/** @param needsAddress whether the notice counts only if it names the recipient */
async function takeNotice(
  app: App,
  ids: RecipientIds,
  incoming: Incoming,
  ip: string,
  needsAddress = false,
): Promise<Taken> {
  if (incoming.kind === 'auto-reply' || incoming.kind === 'none')
    return { kind: 'nothing', why: incoming.kind === 'none' ? 'it is not a notice' : 'it is an automatic reply' };
  const taken = await onBehalf(app, ids.account, ip, async (context): Promise<Taken> => {
    const present = await context.tx.row<Mail>(
      prepared(sql`
      select d.contact_id as contact, d.list_id as list, d.email, d.state, r.seq is not null as single, f.compiled ->> 'fromEmail' as "fromEmail",
        m.message_id as "messageId"
      from delivery d
      -- All variants have the same From address.
      left join frozen_content f on f.account_id = d.account_id and f.campaign_id = d.campaign_id and f.variant = 0
      left join message_recipient r on r.account_id = d.account_id and r.campaign_id = d.campaign_id and r.seq = d.seq
      left join message m on m.account_id = r.account_id and m.campaign_id = r.campaign_id and m.no = r.no
      where d.account_id = ${ids.account}
        and d.campaign_id = ${ids.campaign}
        and d.month = ${monthOf(ids)}
        and d.seq = ${ids.seq}`),
    );
    const mail = present ?? (await formerMailOf(context.tx, ids));
    if (!mail) return { kind: 'refused', why: 'there is no such mail (any more)' };
    if (incoming.originalMessageId !== null && incoming.originalMessageId !== messageIdFor(app, ids, mail))
      return { kind: 'nothing', why: 'it is about another message than the one its address names' };
    const stated = await statedIn(context, incoming, mail.email);
    if (needsAddress && stated === undefined)
      return { kind: 'refused', why: 'it does not name the recipient of the message' };
    const about = { ...mail, ...(isErased(mail.email) && stated !== undefined ? { stated } : {}) };
    return incoming.kind === 'dsn'
      ? bounced(context, ids, about, incoming.recipients)
      : complained(context, ids, about, incoming.feedbackType, ip);
  });
  return taken ?? { kind: 'refused', why: 'there is no such account' };
}

type Report = Exclude<Incoming, { kind: 'auto-reply' | 'none' }>;

/** The recipients that a notice names. */
function addressesIn(incoming: Report): string[] {
  return incoming.kind === 'dsn'
    ? incoming.recipients.flatMap(({ finalRecipient, originalRecipient }) =>
        [finalRecipient, originalRecipient].filter((address) => address !== ''),
      )
    : incoming.recipients;
}

/** The address of the recipient, as a notice spells it; undefined if the notice names others, or none. */
async function statedIn({ tx, account }: Context, incoming: Report, email: string): Promise<string | undefined> {
  for (const address of addressesIn(incoming)) if (await isAddressOf(tx, account.id, address, email)) return address;
  return undefined;
}

/** As `formerMail`, with what its Message-ID is made of. */
async function formerMailOf(db: Queries, ids: RecipientIds): Promise<Mail | undefined> {
  const mail = await formerMail(db, ids);
  if (!mail) return undefined;
  const frozen = await db.row<{ fromEmail: string | null }>(sql`
    select compiled ->> 'fromEmail' as "fromEmail"
    from frozen_content
    where account_id = ${ids.account}
      and campaign_id = ${ids.campaign}
      and variant = 0`);
  return { ...mail, fromEmail: frozen?.fromEmail ?? null, messageId: null };
}

function messageIdFor(app: App, ids: RecipientIds, mail: Mail): string {
  if (mail.messageId !== null) return mail.messageId;
  const { message } = tokensOf(app).tokens({ ...ids, contact: mail.contact, lists: [] });
  const from = mail.fromEmail ?? '';
  return messageIdOf(ids, ids.seq, message, from.slice(from.lastIndexOf('@') + 1));
}

async function bounced(
  context: Context,
  ids: RecipientIds,
  mail: SentMail,
  recipients: readonly BouncedRecipient[],
): Promise<Taken> {
  const refusal = refusalOf(recipients, mail.email);
  if (!refusal) return { kind: 'nothing', why: 'no recipient was permanently refused' };
  if (mail.state === states.failed) return { kind: 'nothing', why: 'the mail was refused before', counted: true };
  const reply = replyWith(refusal.status, refusal.diagnostic);
  const bounce = { ids, mail, class: refusal.class, code: replyCodeOf(refusal.diagnostic), reply };
  const counted = await recordBounces(context, [bounce]);
  return counted === 1
    ? { kind: 'bounce', class: refusal.class }
    : { kind: 'nothing', why: 'it was counted before', counted: true };
}

async function complained(
  context: Context,
  ids: RecipientIds,
  mail: SentMail,
  feedbackType: string,
  ip: string,
): Promise<Taken> {
  if (/^opt-out/.test(feedbackType)) {
    await recordUnsubscribe(context, ids, mail, ip);
    return { kind: 'unsubscribed' };
  }
  if (!isComplaint(feedbackType)) return { kind: 'nothing', why: `feedback of type ${feedbackType} is no complaint` };
  const isNew = await recordComplaint(context, ids, mail, feedbackType, ip);
  return isNew ? { kind: 'complaint' } : { kind: 'nothing', why: 'it was counted before', counted: true };
}

/** A message to the address of List-Unsubscribe; its subject is the token. */
async function takeLeave(app: App, raw: Buffer, ip: string): Promise<Taken> {
  const mail = readMail(raw);
  const incoming = readIncoming(raw);
  if (incoming.kind === 'dsn' || incoming.kind === 'arf') return { kind: 'nothing', why: 'it is a notice' };
  const subject = field(mail, 'subject').trim();
  // Apple Mail unsubscribes with Auto-Submitted: auto-replied. The reply of a program quotes the subject: "Re: TOKEN".
  const requested = /^[\w-]+$/.test(subject) || field(mail, 'x-apple-unsubscribe') !== '';
  if (!requested && /^\s*auto-replied/i.test(field(mail, 'auto-submitted')))
    return { kind: 'nothing', why: 'it is an automatic reply' };
  const ids = firstSubscription(app, subject);
  if (!ids) return { kind: 'refused', why: 'its subject names no subscription' };
  const how = { ip, ...(ids.campaign > 0 ? { campaignId: ids.campaign } : {}) };
  const left = await onBehalf(app, ids.account, ip, (context) => leaveByLink(context, ids, how, false));
  if (!left?.known) return { kind: 'nothing', why: 'neither the contact nor its address is known any more' };
  return left.done ? { kind: 'unsubscribed' } : { kind: 'nothing', why: 'the contact is not subscribed' };
}

/** The token in List-Unsubscribe of a message attached to a complaint. */
function unsubscribeToken(app: App, raw: Buffer): SubscriptionIds | null {
  for (const mail of attachedMails(readMail(raw)))
    for (const value of fieldsOf(mail, 'list-unsubscribe')) {
      const ids = firstSubscription(app, value);
      if (ids) return ids;
    }
  return null;
}

function firstSubscription(app: App, text: string): SubscriptionIds | null {
  for (const word of text.slice(0, 4_000).match(/[A-Za-z0-9_-]{38,200}/g) ?? []) {
    const ids = tokensOf(app).readSubscription('unsubscribe', word);
    if (ids) return ids;
  }
  return null;
}

/** The mail of a campaign that a contact got last; without a campaign, the last welcome of the lists. */
async function mailTo(app: App, of: SubscriptionIds): Promise<RecipientIds | null> {
  if (of.campaign === 0) return welcomeTo(app, of);
  const row = await app.db.row<{ seq: number }>(sql`
    select seq
    from delivery
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and month = ${monthOf(of)}
      and contact_id = ${of.contact}
    order by seq desc
    limit 1`);
  const found =
    row ??
    (await app.db.row<{ seq: number }>(sql`
      select seq
      from (
        select seq from former_recipient where account_id = ${of.account} and contact_id = ${of.contact} and campaign_id = ${of.campaign}
        union all
        -- Of a campaign that was deleted a moment ago.
        select seq from delivery where account_id = ${of.account} and contact_id = ${of.contact} and campaign_id = ${of.campaign}
      ) r
      order by seq desc
      limit 1`));
  return found ? { account: of.account, campaign: of.campaign, seq: found.seq } : null;
}

/** Of a list's messages, only a welcome has List-Unsubscribe. */
async function welcomeTo(app: App, { account, contact, lists }: SubscriptionIds): Promise<RecipientIds | null> {
  const row = await app.db.row<{ campaign: number; seq: number }>(sql`
    select d.campaign_id as campaign, d.seq
    from delivery d
    join message m on m.account_id = d.account_id and m.campaign_id = d.campaign_id and m.no = d.seq
    where d.account_id = ${account}
      and d.contact_id = ${contact}
      and d.list_id = any (${[...lists]}::int[])
      and m.purpose = 'welcome'
    order by m.created_at desc
    limit 1`);
  return row ? { account, ...row } : null;
}
