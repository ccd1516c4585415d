// Records what came back for recipients of campaigns and single messages, with all its effects, in the caller's transaction:
// the notice, the suppression, the subscriptions, the events. What was recorded before has no effect again, no matter where
// it comes from. Verifying the author of a notice is left to the callers.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId, maxId } from '../../db/ids.ts';
import { cut, jsonb } from '../../db/jsonb.ts';
import { states } from '../../db/states.ts';
import { type Concerned, concernedBy, isErased } from '../../delivery/leaving/addressee.ts';
import { leaveAll, remember } from '../../delivery/leaving/leave.ts';
import { singleMessages } from '../../delivery/ledger/end-messages.ts';
import { countSendingDay, domainOf } from '../../delivery/ledger/sending-day.ts';
import { applyBounces, countsAsSoft, endSoftBouncers } from '../../delivery/outcomes/bounce-effects.ts';
import { applyMessageBounces, emitMessageComplaint } from '../../delivery/outcomes/message-bounces.ts';
import { watchCampaign } from '../../delivery/outcomes/watch.ts';
import { emit } from '../../events/emit.ts';
import { formatDate } from '../../method/date.ts';
import type { BounceClass } from '../../relays/verdict/rules.ts';
import type { RecipientIds } from '../../tracking/tokens.ts';

/** The row of a recipient that a message was sent to. */
export type SentMail = {
  contact: number;
  list: number;
  email: string;
  state: number;
  /** Of a single message, or one of the program; otherwise of a campaign. */
  single: boolean;
  /** The address that the notice states, where that of an erased recipient is not stored any more. */
  stated?: string;
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
    else await applyBounces(tx, { account: account.id, campaign }, now, bounces);
  }
  const soft = fresh.filter((bounce) => countsAsSoft(bounce.class, bounce.reply)).map((bounce) => bounce.mail.contact);
  await endSoftBouncers(tx, app.config, account.id, soft);
  await countReturned(context, fresh);
  return fresh.length;
}

/** Hard bounces of messages that a relay had accepted; those that it refused are counted. */
async function countReturned({ tx, account }: Context, fresh: readonly RecordedBounce[]): Promise<void> {
  const hard = fresh.filter(({ class: found, mail }) => found === 'hard' && mail.state !== states.failed);
  // Always in the same order, so that two processes never wait for each other.
  const byCampaign = [...Map.groupBy(hard, ({ ids }) => ids.campaign)].sort(([a], [b]) => a - b);
  for (const [campaign, group] of byCampaign)
    if (!group[0]!.mail.single) await watchCampaign(tx, { account: account.id, campaign }, { returned: group.length });
  for (const [campaign, group] of byCampaign) {
    const counted = group.map(({ ids, mail }) => ({ ...placeOf(ids, mail), returned: 1 }));
    await countSendingDay(tx, { account: account.id, campaign }, counted, group[0]!.mail.single);
  }
}

const placeOf = ({ seq }: RecipientIds, { list, email }: SentMail) => ({ seq, list, domain: domainOf(email) });

const nameOf = (campaign: number, seq: number) => `${campaign} ${seq}`;

/** A server's reply may name a person who was erased since. */
function replyFor(mail: SentMail, reply: string): string {
  return isErased(mail.email) ? '' : cut(reply, 500);
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
  const { tx, now } = context;
  if (!(await isNew(context, ids, mail, 'complaint', feedbackType || 'abuse'))) return false;
  const type = feedbackType || 'abuse';
  const message = mail.single ? (await singleMessages(tx, ids, [ids.seq])).get(ids.seq) : undefined;
  if (message?.isToUser) return true;
  const campaignId = mail.single ? undefined : ids.campaign;
  const concerned = await concernedBy(tx, sentTo(ids, mail));
  // The person complained, not the mailbox: the present address of the contact is suppressed too.
  const present = concerned.contacts.map(({ key }) => ({ kind: 'address' as const, value: key }));
  await remember(context, { ...concerned, addresses: [...concerned.addresses, ...present] }, 'complaint', campaignId);
  // Webhooks are not notified about recipients that were erased.
  if (message) await emitMessageComplaint(tx, ids, now, { message, type });
  else if (!mail.single && !isErased(mail.email)) await emitComplaint(context, ids, mail, type);
  if (isOfList(mail))
    await leaveAll(context, idsOf(concerned), {
      ip,
      reason: 'complaint',
      ...(campaignId === undefined ? {} : { campaignId }),
    });
  if (!mail.single) await watchCampaign(tx, ids, { complaints: 1 });
  await countSendingDay(tx, ids, [{ ...placeOf(ids, mail), complaints: 1 }], mail.single);
  return true;
}

/** Whether it is about subscriptions: a campaign, or a message of a list. Others only concern the address. */
const isOfList = ({ single, contact }: SentMail): boolean => !single || contact <= maxId;

const idsOf = ({ contacts }: Concerned): number[] => contacts.map(({ id }) => id);

async function emitComplaint({ tx, account, now }: Context, ids: RecipientIds, mail: SentMail, type: string) {
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
        feedback_type: type,
        ts: formatDate(now),
      },
    },
  ]);
}

const sentTo = ({ account }: RecipientIds, { contact, email, stated }: SentMail) => ({
  account,
  contact,
  emails: [email],
  ...(stated ? { stated } : {}),
});

/**
 * Ends all subscriptions of the contacts that a message of a list concerns; false when the message led to that before. Single
 * messages go on: they are not about a subscription.
 */
export async function recordUnsubscribe(
  context: Context,
  ids: RecipientIds,
  mail: SentMail,
  ip: string,
): Promise<boolean> {
  if (!(await isNew(context, ids, mail, 'unsubscribe', ''))) return false;
  if (!isOfList(mail)) return true;
  const campaign = mail.single ? {} : { campaignId: ids.campaign };
  const concerned = await concernedBy(context.tx, sentTo(ids, mail));
  await leaveAll(context, idsOf(concerned), { ip, reason: 'opt-out', ...campaign });
  if (concerned.contacts.length === 0) await remember(context, concerned, 'unsubscribe', campaign.campaignId);
  return true;
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
