// A contact changes its own address: asked for on the preference page, confirmed by the link in an email to the new one. The contact stays
// the same, with its subscriptions, consent log, pause and tags. The former address is suppressed, so that no import adds it again; what
// suppressed it for a reason of the person or the owner suppresses the new one too.
import type { Context } from '../../base/context.ts';
import { type Database, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { emit } from '../../events/emit.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { type Address, parseAddress } from '../address.ts';
import { mayAskToConfirm } from '../confirmation/confirmation-limit.ts';
import { logConsent } from '../model/consent-log.ts';
import { emitSuppressed, liftUnsubscribe, rememberSuppressed, suppressionFor } from '../model/suppression.ts';
import { emitContactEvent } from './event.ts';
import { findSubscription } from './subscription.ts';
import { askAgain } from './update.ts';

/** How long the link is good. */
export const addressLinkDays = 7;

/** Requests of a contact in a day. */
const maxRequestsPerDay = 5;

type Asked = { contactId: number; listId: number; address: Address };

/**
 * Asks at a new address. What is returned says nothing about the address: one that may not be written to gets no email (mail/address-mail.ts),
 * one that is a contact already does, and its owner learns from the link that nothing can be changed.
 * @returns false after too many requests
 */
export async function askForAddress(context: Context, { contactId, listId, address }: Asked): Promise<boolean> {
  const { tx, account } = context;
  const row = await tx.row<{ count: number }>(sql`
    insert into address_change as a (account_id, contact_id, email, list_id)
    values (${account.id}, ${contactId}, ${address.email}, ${listId})
    on conflict (account_id, contact_id) do update
    set email = excluded.email, list_id = excluded.list_id, asked_at = now(),
      count = case when a.first_at < now() - interval '1 day' then 1 else a.count + 1 end,
      first_at = case when a.first_at < now() - interval '1 day' then now() else a.first_at end
    where a.count < ${maxRequestsPerDay} or a.first_at < now() - interval '1 day'
    returning count`);
  if (!row) return false;
  if (await mayAskToConfirm(context, listId, address.key))
    await enqueue(tx, 'sendAddressLink', { account_id: account.id, contact_id: contactId });
  return true;
}

/** What only an unsubscribe or an erasure suppresses, the owner of the mailbox may lift. */
const isLifted = ({ kind, reason }: { kind: string; reason: string }) => kind !== 'domain' && reason === 'unsubscribe';

export type AddressRequest = { email: string; listId: number; askedAt: Date };

/** The request of a contact; undefined when there is none, or its link has expired. */
export async function addressRequestOf(
  { tx, account }: Pick<Context, 'tx' | 'account'>,
  contactId: number,
): Promise<AddressRequest | undefined> {
  return tx.row<AddressRequest>(sql`
    select email, list_id as "listId", asked_at as "askedAt"
    from address_change
    where account_id = ${account.id}
      and contact_id = ${contactId}
      and asked_at > now() - make_interval(days => ${addressLinkDays}::int)
    for update`);
}

/** Gives a contact the address that it asked for. @returns false when that belongs to another contact or may not be written to */
export async function moveContact(
  context: Context,
  contactId: number,
  to: string,
  log: { ip: string; detail: Record<string, unknown> },
): Promise<boolean> {
  const { tx, account, now } = context;
  const address = parseAddress(to);
  const before = await tx.row<{ email: string; key: string; domain: string }>(sql`
    select email, email_key as key, domain from contact where account_id = ${account.id} and id = ${contactId} for update`);
  if (!address.ok || !before) return false;
  const taken = await tx.row(sql`
    select from contact where account_id = ${account.id} and email_key = ${address.key} and id <> ${contactId}`);
  const suppression = await suppressionFor(context, address);
  if (taken || (suppression && !isLifted(suppression))) return false;
  await liftUnsubscribe(context, address.key);
  await tx.run(sql`
    update contact
    set email = ${address.email}, email_key = ${address.key}, domain = ${address.domain}, changed_at = now()
    where account_id = ${account.id}
      and id = ${contactId}`);
  const detail = { ...log.detail, old: before.email, new: address.email };
  await logConsent(context, { contactId, listId: null, kind: 'address', source: 'subscriber', ip: log.ip, detail });
  if (before.key !== address.key) {
    await carrySuppression(context, before.key, address.key);
    await rememberSuppressed(tx, account.id, now, 'unsubscribe', [
      { kind: 'address', value: before.key, detail: 'address changed' },
    ]);
  }
  await tx.run(sql`delete from address_change where account_id = ${account.id} and contact_id = ${contactId}`);
  await emitChange(context, contactId, before.email, address.email);
  await bringBack(context, contactId, log);
  await askAgain(context, contactId, address.key);
  await enqueue(tx, 'sendMovedNotice', { account_id: account.id, contact_id: contactId });
  return true;
}

/** What suppressed the former address suppresses the new one, but for its bounces: those are of the mailbox. */
async function carrySuppression({ tx, account, now }: Context, from: string, to: string): Promise<void> {
  const rows = await tx.rows<{ kind: 'address'; value: string; reason: 'manual'; detail: string }>(sql`
    insert into suppression (account_id, kind, value, reason, campaign_id, detail)
    select account_id, kind, ${to}, reason, campaign_id, detail
    from suppression
    where account_id = ${account.id}
      and kind = 'address'
      and value = ${from}
      and reason <> 'bounce'
    on conflict (account_id, kind, value) do nothing
    returning kind, value, reason, detail`);
  await emitSuppressed(tx, account.id, now, rows);
}

/** Of each list that the contact is on: a program that copies it follows. */
async function emitChange(context: Context, contactId: number, old: string, email: string): Promise<void> {
  const { tx, account, now } = context;
  const lists = await tx.rows<{ list: number }>(sql`
    select list_id as list from subscription where account_id = ${account.id} and contact_id = ${contactId} order by list_id`);
  await emit(
    tx,
    account.id,
    lists.map(({ list }) => ({
      type: 'email.change' as const,
      source: 'subscriber' as const,
      listId: list,
      data: {
        contact: formatId(contactId),
        list: formatId(list),
        email,
        old_email: old,
        new_email: email,
        source: 'subscriber' as const,
        ts: formatDate(now),
      },
    })),
  );
}

/** Subscriptions that ended because the former mailbox was dead continue at the new one. */
async function bringBack(
  context: Context,
  contactId: number,
  { ip, detail }: { ip: string; detail: Record<string, unknown> },
): Promise<void> {
  const { tx, account } = context;
  const lists = await tx.rows<{ list: number }>(sql`
    update subscription
    set status = 'subscribed', status_at = now(), changed_at = now()
    where account_id = ${account.id}
      and contact_id = ${contactId}
      and status = 'bounced'
    returning list_id as list`);
  for (const { list } of lists) {
    await logConsent(context, { contactId, listId: list, kind: 'subscribe', source: 'subscriber', ip, detail });
    const after = await findSubscription(context, list, formatId(contactId));
    if (after) await emitContactEvent(context, 'contact.subscribe', after, 'subscriber');
  }
}

/** Deletes requests whose links have expired. */
export async function purgeAddressChanges(db: Database): Promise<void> {
  await db.run(sql`
    delete from address_change where asked_at < now() - make_interval(days => ${addressLinkDays}::int)`);
}
