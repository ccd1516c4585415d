// Records what came back for recipients of campaigns and single messages, with all its effects, in the caller's transaction:
// the notice, the suppression, the subscriptions, the events. What was recorded before has no effect again, no matter where
// it comes from. Verifying the author of a notice is left to the callers.
import { addressKey } from '../../audience/address.ts';
import { erasedDomain } from '../../audience/contacts/erase.ts';
import { findSubscription } from '../../audience/members/subscription.ts';
import { unsubscribe } from '../../audience/members/unsubscribe.ts';
import { emitSuppressed, type Suppressed } from '../../audience/suppression/suppression.ts';
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { cut, jsonb } from '../../db/jsonb.ts';
import { emit } from '../../events/emit.ts';
import { formatDate } from '../../method/date.ts';
import type { RecipientIds } from '../../tracking/tokens.ts';
import type { BounceClass } from '../verdict/rules.ts';
import { applyBounces, endSoftBouncers } from './effects.ts';
import { applyMessageBounces, complainOfMessage, singleMessages } from './single-messages.ts';

/** The row of a recipient that a message was sent to. */
export type SentMail = {
  contact: number;
  list: number;
  email: string;
  state: number;
  /** Of a single message, or one of the program; otherwise of a campaign. */
  single: boolean;
};

export type RecordedBounce = { ids: RecipientIds; mail: SentMail; class: BounceClass; code: number; reply: string };

/** @param bounces of the account of the context; @returns how many were new, or hard where an earlier one was not */
export async function recordBounces(context: Context, bounces: readonly RecordedBounce[]): Promise<number> {
  const { tx, account, app, now } = context;
  const named = new Map<string, RecordedBounce>();
  for (const bounce of bounces) {
    const name = nameOf(bounce.ids.campaign, bounce.ids.seq);
    if (named.get(name)?.class !== 'hard') named.set(name, bounce);
  }
  if (named.size === 0) return 0;
  const rows = [...named.values()].map(({ ids, mail, class: found, code, reply }) => ({
    campaign: ids.campaign,
    seq: ids.seq,
    contact: mail.contact,
    list: mail.list,
    email: mail.email,
    class: found,
    code,
    reply: replyFor(mail, reply),
  }));
  const written = await tx.rows<{ campaign: number; seq: number }>(sql`
    insert into notice (account_id, campaign_id, seq, kind, contact_id, list_id, email, class, code, reply)
    select ${account.id}::int, campaign, seq, 'bounce', contact, list, email, class, code, reply
    from jsonb_to_recordset(${jsonb(rows)}::jsonb)
      as n(campaign int, seq int, contact int, list int, email text, class text, code int, reply text)
    order by campaign, seq
    on conflict (account_id, campaign_id, seq, kind) do update
    set class = excluded.class, code = excluded.code, reply = excluded.reply, at = now()
    where notice.class <> 'hard'
      and excluded.class = 'hard'
    returning campaign_id as campaign, seq`);
  const fresh = written.map(({ campaign, seq }) => named.get(nameOf(campaign, seq))!);
  for (const [campaign, group] of Map.groupBy(fresh, (bounce) => bounce.ids.campaign)) {
    const bounces = group.map(({ ids, mail, class: found, code, reply }) => ({
      seq: ids.seq,
      contact: mail.contact,
      list: mail.list,
      email: mail.email,
      bounce: found,
      suppress: found === 'hard',
      code,
      reply: replyFor(mail, reply),
    }));
    // The day of single messages has no others.
    if (group.some(({ mail }) => mail.single))
      await applyMessageBounces(tx, { account: account.id, campaign }, now, bounces);
    else await applyBounces(tx, account.id, campaign, now, bounces);
  }
  const soft = fresh.filter((bounce) => bounce.class === 'soft').map((bounce) => bounce.mail.contact);
  await endSoftBouncers(tx, app.config, account.id, soft);
  return fresh.length;
}

const nameOf = (campaign: number, seq: number) => `${campaign} ${seq}`;

/** A server's reply may name a person who was erased since. */
function replyFor(mail: SentMail, reply: string): string {
  return mail.email.endsWith(`@${erasedDomain}`) ? '' : cut(reply, 500);
}

/** RFC 5965 3.5 and the registry: not-spam and auth-failure are no complaints about the mail. */
export function isComplaint(feedbackType: string): boolean {
  return ['', 'abuse', 'fraud', 'virus', 'other', 'complaint', 'miscategorized'].includes(feedbackType);
}

/** False when there was a complaint about the message before. */
export async function recordComplaint(
  context: Context,
  ids: RecipientIds,
  mail: SentMail,
  feedbackType: string,
  ip: string,
): Promise<boolean> {
  const { tx, account, now } = context;
  if (!(await isNew(context, ids, mail, 'complaint', feedbackType || 'abuse'))) return false;
  if (mail.single) {
    const message = await messageOf(context, ids);
    if (!message || message.isToUser) return true;
    await complainOfMessage(tx, ids, now, { message, type: feedbackType || 'abuse' });
    if (message.member) await leaveAll(context, message.member.contact, { ip, reason: 'complaint' });
    return true;
  }
  // The person complained, not the mailbox: the present address of the contact is suppressed too.
  const suppressed = await tx.rows<Suppressed>(sql`
    insert into suppression (account_id, kind, value, reason, campaign_id, detail)
    select ${account.id}::int, 'address', a.key, 'complaint', ${ids.campaign}::int, ''
    from contact c
    cross join lateral (
      select c.email_key as key
      union
      select ${addressKey(mail.email) ?? mail.email.toLowerCase()}::text
    ) as a
    where c.account_id = ${account.id}
      and c.id = ${mail.contact}
    on conflict (account_id, kind, value) do nothing
    returning kind, value, reason, detail, campaign_id as campaign`);
  await emitSuppressed(tx, account.id, now, suppressed);
  await leaveAll(context, mail.contact, { ip, reason: 'complaint', campaignId: ids.campaign });
  await emit(tx, account.id, [
    {
      type: 'email.complaint',
      source: 'subscriber',
      listId: mail.list,
      data: {
        campaign: formatId(ids.campaign),
        list: formatId(mail.list),
        contact: formatId(mail.contact),
        email: mail.email,
        feedback_type: feedbackType || 'abuse',
        ts: formatDate(now),
      },
    },
  ]);
  return true;
}

/** Undefined when its recipient was erased. */
async function messageOf({ tx }: Context, ids: RecipientIds) {
  return (await singleMessages(tx, ids, [ids.seq])).get(ids.seq);
}

/**
 * Ends all subscriptions of the contact; false when the message led to that before. Single messages go on: they are not about
 * a subscription.
 */
export async function recordUnsubscribe(
  context: Context,
  ids: RecipientIds,
  mail: SentMail,
  ip: string,
): Promise<boolean> {
  if (!(await isNew(context, ids, mail, 'unsubscribe', ''))) return false;
  const campaign = mail.single ? {} : { campaignId: ids.campaign };
  await leaveAll(context, mail.contact, { ip, reason: 'opt-out', ...campaign });
  return true;
}

/** Ends the subscriptions of a contact, whatever lists they are to. */
async function leaveAll(
  context: Context,
  contact: number,
  how: { ip: string; reason: string; campaignId?: number },
): Promise<void> {
  const lists = await context.tx.rows<{ id: number }>(sql`
    select list_id as id
    from subscription
    where account_id = ${context.account.id}
      and contact_id = ${contact}
      and status in ('subscribed', 'pending')
    order by list_id`);
  for (const { id } of lists) {
    const subscription = await findSubscription(context, id, formatId(contact));
    if (subscription) await unsubscribe(context, subscription, { source: 'subscriber', ...how });
  }
}

/** Records a complaint or an unsubscribe; false when there is one of the kind for this message already. */
async function isNew(
  { tx }: Context,
  ids: RecipientIds,
  mail: SentMail,
  kind: 'complaint' | 'unsubscribe',
  feedbackType: string,
): Promise<boolean> {
  const written = await tx.run(sql`
    insert into notice (account_id, campaign_id, seq, kind, contact_id, list_id, email, class)
    values (${ids.account}, ${ids.campaign}, ${ids.seq}, ${kind}, ${mail.contact}, ${mail.list}, ${mail.email},
      ${feedbackType.slice(0, 40)})
    on conflict do nothing`);
  return written > 0;
}
