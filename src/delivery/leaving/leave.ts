// Leaving: what an unsubscribe, a complaint or a dead address does to the contacts that a message concerns
// (addressee.ts). Where no contact is left, the address is remembered, so that adding it again does not undo it.
import { autoMessagesOf, findSubscription, type Subscription } from '../../audience/members/subscription.ts';
import { unsubscribe } from '../../audience/members/unsubscribe.ts';
import { rememberSuppressed } from '../../audience/model/suppression.ts';
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { SubscriptionIds } from '../../tracking/tokens.ts';
import { type Concerned, concernedBy, emailsOf } from './addressee.ts';

export type How = {
  ip: string;
  /** The campaign of the message; none for a message of a list. */
  campaignId?: number;
  reason?: string;
};

/** The contacts that the message of a link concerns. */
export async function concernedByLink({ tx }: Pick<Context, 'tx'>, ids: SubscriptionIds): Promise<Concerned> {
  return concernedBy(tx, { account: ids.account, contact: ids.contact, emails: await emailsOf(tx, ids) });
}

/** The subscriptions to the lists of a link, of the contacts that it concerns; locked. */
export async function subscriptionsOf(
  context: Context,
  { contacts }: Concerned,
  lists: readonly number[],
): Promise<Subscription[]> {
  const found: Subscription[] = [];
  for (const { id } of contacts)
    for (const list of lists) {
      const subscription = await findSubscription(context, list, formatId(id));
      if (subscription) found.push(subscription);
    }
  return found;
}

export type Left = {
  /** Subscriptions were ended, or an address remembered. */
  done: boolean;
  /** false: nothing is known of the contact or its address, so nothing was done. */
  known: boolean;
  /** The subscriptions to the lists of the link that were ended. */
  ended: Subscription[];
};

/**
 * Leaves by a link or a message to unsubscribe: the lists of the link that the contact is on; if it is on none of them, all
 * lists of the account; if there is no contact with the address, the address is remembered.
 */
export async function leaveByLink(context: Context, ids: SubscriptionIds, how: How, goodbye: boolean): Promise<Left> {
  const concerned = await concernedByLink(context, ids);
  const ended: Subscription[] = [];
  let count = 0;
  for (const contact of concerned.contacts) {
    const named = await subscriptionsOf(context, { ...concerned, contacts: [contact] }, ids.lists);
    if (named.length === 0) count += await leaveAll(context, [contact.id], how, goodbye);
    for (const subscription of named) {
      const sendGoodbye = goodbye && (await autoMessagesOf(context, subscription.listId)).goodbye;
      if (await unsubscribe(context, subscription, { source: 'subscriber', ...how, sendGoodbye }))
        ended.push(subscription);
    }
  }
  const isGone = concerned.contacts.length === 0;
  if (isGone) await remember(context, concerned, 'unsubscribe', how.campaignId);
  const known = !isGone || concerned.addresses.length > 0;
  return { done: count + ended.length > 0 || (isGone && known), known, ended };
}

/**
 * Leaves all lists of the account by a link, and suppresses the address, so that no import subscribes it to another list. One message
 * of farewell at most.
 * @returns whether anything is known of the contact or its address
 */
export async function leaveEverything(context: Context, ids: SubscriptionIds, how: How): Promise<boolean> {
  const concerned = await concernedByLink(context, ids);
  await leaveAll(
    context,
    concerned.contacts.map(({ id }) => id),
    how,
    true,
  );
  // What the message went to, and what the contact has now.
  const present = concerned.contacts.map(({ key }) => ({ kind: 'address' as const, value: key }));
  const all = new Map([...concerned.addresses, ...present].map((address) => [address.value, address]));
  await remember(context, { ...concerned, addresses: [...all.values()] }, 'unsubscribe', how.campaignId);
  return all.size > 0;
}

/** Ends the subscriptions of contacts, whatever lists they are to. @param goodbye sends one message at most */
export async function leaveAll(
  context: Context,
  contacts: readonly number[],
  how: How,
  goodbye = false,
): Promise<number> {
  const rows = await context.tx.rows<{ list: number; contact: number }>(sql`
    select list_id as list, contact_id as contact
    from subscription
    where account_id = ${context.account.id}
      and contact_id = any (${[...contacts]}::int[])
      and status in ('subscribed', 'pending')
    order by contact_id, list_id`);
  let count = 0;
  let said = !goodbye;
  for (const { list, contact } of rows) {
    const subscription = await findSubscription(context, list, formatId(contact));
    if (!subscription) continue;
    const sendGoodbye = !said && (await autoMessagesOf(context, list)).goodbye;
    said ||= sendGoodbye;
    if (await unsubscribe(context, subscription, { source: 'subscriber', ...how, sendGoodbye })) count += 1;
  }
  return count;
}

/** Suppresses the addresses that got a message. */
export async function remember(
  { tx, account, now }: Pick<Context, 'tx' | 'account' | 'now'>,
  { addresses }: Concerned,
  reason: 'unsubscribe' | 'complaint' | 'bounce',
  campaignId?: number,
): Promise<void> {
  await rememberSuppressed(
    tx,
    account.id,
    now,
    reason,
    addresses.map((address) => ({ ...address, detail: '' })),
    campaignId,
  );
}
