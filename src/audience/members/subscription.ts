// The subscription of a contact to a list: its type and how it is found. subscribe.ts, update.ts and unsubscribe.ts are
// the only places that change one, besides imports.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { addressProblem, parseAddress } from '../address.ts';
import type { Field } from '../model/field.ts';
import type { EmailType, Status } from '../model/subscription-status.ts';

export type Subscription = {
  contactId: number;
  listId: number;
  email: string;
  status: Status;
  emailType: EmailType;
  fields: Record<string, string>;
  signupIp: string;
  signupAt: Date;
  optinIp: string;
  optinAt: Date | null;
  confirmIp: string;
  confirmAt: Date | null;
  unsubscribeIp: string;
  unsubscribeAt: Date | null;
  statusAt: Date;
  changedAt: Date;
  language: string;
  timeZone: string;
};

const columns = sql`
  s.contact_id as "contactId", s.list_id as "listId", c.email, s.status, s.email_type as "emailType", s.fields,
  s.signup_ip as "signupIp", s.signup_at as "signupAt", s.optin_ip as "optinIp", s.optin_at as "optinAt",
  s.confirm_ip as "confirmIp", s.confirm_at as "confirmAt", s.unsubscribe_ip as "unsubscribeIp",
  s.unsubscribe_at as "unsubscribeAt", s.status_at as "statusAt", s.changed_at as "changedAt", c.language,
  c.time_zone as "timeZone"`;

/** The subscription of an address, or of a contact's public id, locked for a change. */
export const findSubscription = (context: Context, listId: number, named: string): Promise<Subscription | undefined> =>
  subscriptionNamed(context, listId, named, sql`for update of s`);

function subscriptionNamed(
  { tx, account }: Context,
  listId: number,
  named: string,
  lock: Sql,
): Promise<Subscription | undefined> {
  const address = parseAddress(named);
  return tx.row<Subscription>(sql`
    select ${columns}
    from contact c
    join subscription s on s.account_id = c.account_id and s.contact_id = c.id
    where c.account_id = ${account.id}
      and s.list_id = ${listId}
      and ${address.ok ? sql`c.email_key = ${address.key}` : sql`c.id = ${parseId(named)}`}
    ${lock}`);
}

/**
 * Locks the contact before its subscription, where a write is passed on to other subscriptions: two writes through two lists
 * then wait for each other in one order.
 */
export async function lockSharing(context: Context, fields: readonly Field[], named: string): Promise<void> {
  if (!fields.some(({ ofAccount }) => ofAccount)) return;
  const address = parseAddress(named);
  await context.tx.run(sql`
    select
    from contact c
    where c.account_id = ${context.account.id}
      and ${address.ok ? sql`c.email_key = ${address.key}` : sql`c.id = ${parseId(named)}`}
    for no key update`);
}

/** Locked for a change. @throws Fault ADDRESS_UNKNOWN */
export const needSubscription = async (context: Context, listId: number, named: string, member = 'email_address') =>
  isOnList(await findSubscription(context, listId, named), named, member);

/** For a method that only reads. @throws Fault ADDRESS_UNKNOWN */
export const readSubscription = async (context: Context, listId: number, named: string, member = 'email_address') =>
  isOnList(await subscriptionNamed(context, listId, named, sql``), named, member);

function isOnList(subscription: Subscription | undefined, named: string, member: string): Subscription {
  if (!subscription) throw fault('ADDRESS_UNKNOWN', 'member.not_on_list', { member, value: named.slice(0, 80) });
  return subscription;
}

/** @throws Fault ADDRESS_INVALID naming the member and the reason */
export function needAddress(text: string, member = 'email_address') {
  const address = parseAddress(text);
  if (!address.ok)
    throw fault('ADDRESS_INVALID', 'address.invalid', {
      member,
      value: text.slice(0, 80),
      problem: addressProblem(address.reason),
    });
  return address;
}

export const idsOf = ({ contactId, listId }: Subscription) => ({ contactId, listId });

/** Which automatic messages a list sends when contacts confirm or unsubscribe on its own pages. */
export async function autoMessagesOf(
  context: Context,
  listId: number,
): Promise<{ welcome: boolean; goodbye: boolean }> {
  const row = await context.tx.row<{ welcome: boolean; goodbye: boolean }>(sql`
    select coalesce((form ->> 'send_welcome')::boolean, false) as welcome,
      coalesce((form ->> 'send_goodbye')::boolean, false) as goodbye
    from list
    where account_id = ${context.account.id}
      and id = ${listId}`);
  return row ?? { welcome: false, goodbye: false };
}
