// One contact of an account: found by address or id, with its subscriptions and what suppresses it.
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { onWhole } from '../../db/narrowed/narrow.ts';
import { formatDate } from '../../method/date.ts';
import { parseAddress } from '../address.ts';
import { consentEvidence, seenEvidence } from './consent-log.ts';
import type { EmailType, Status } from './subscription-status.ts';
import { suppressionFor } from './suppression.ts';

export type Contact = {
  id: number;
  email: string;
  key: string;
  domain: string;
  language: string;
  timeZone: string;
  createdAt: Date;
  changedAt: Date;
  /** Null when the contact is not paused, or no longer. */
  pausedUntil: Date | null;
  tracked: boolean;
  tags: string[];
};

/** Finds a contact by address or id and locks it for a change. @throws Fault ADDRESS_UNKNOWN */
export const needContact = (context: Context, named: string, member = 'email'): Promise<Contact> =>
  contactNamed(context, named, member, sql`for update`);

/** Finds a contact by address or id, for a method that only reads. @throws Fault ADDRESS_UNKNOWN */
export const readContact = (context: Context, named: string, member = 'email'): Promise<Contact> =>
  contactNamed(context, named, member, sql``);

async function contactNamed({ tx, account }: Context, named: string, member: string, lock: Sql): Promise<Contact> {
  const address = parseAddress(named);
  const row = await tx.row<Contact>(sql`
    select id, email, email_key as key, domain, language, time_zone as "timeZone", created_at as "createdAt",
      changed_at as "changedAt", case when paused_until > now() then paused_until end as "pausedUntil", not untracked as tracked, tags
    from contact
    where account_id = ${account.id}
      and ${address.ok ? sql`email_key = ${address.key}` : sql`id = ${parseId(named.trim())}`}
    ${lock}`);
  if (!row) throw fault('ADDRESS_UNKNOWN', 'contact.unknown', { member, value: named.slice(0, 80) });
  return row;
}

/** Whether a contact is, or was, on a list that the caller does not see. Its own data then are not the caller's to change. */
export async function isOnOtherLists(
  { tx, account, caller }: Pick<Context, 'tx' | 'account' | 'caller'>,
  contact: Sql,
): Promise<boolean> {
  const { lists } = caller;
  if (lists === null) return false;
  const other = await onWhole(tx, (whole) =>
    whole.row(sql`
      select
      from contact c
      join subscription s on s.account_id = c.account_id and s.contact_id = c.id
      where c.account_id = ${account.id}
        and ${contact}
        and s.list_id <> all (${[...lists]}::int[])
      limit 1`),
  );
  return other !== undefined;
}

/**
 * Repeats a check of what uses something with all that the account has, for a caller with a set of lists.
 * @throws Fault CAMPAIGN_STATE_CONFLICT that names nothing of what the caller does not see
 */
export async function needNothingForeign(context: Context, check: (whole: Context) => Promise<void>): Promise<void> {
  if (context.caller.lists === null) return;
  try {
    await onWhole(context.tx, (tx) => check({ ...context, tx }));
  } catch (error) {
    if (error instanceof Fault) throw fault('CAMPAIGN_STATE_CONFLICT', 'list.used_elsewhere', { member: 'id' });
    throw error;
  }
}

/** @throws Fault NOT_ALLOWED for a caller with a set of lists, if the contact is on others too */
export async function needOwnContact(context: Context, contactId: number, member: string): Promise<void> {
  if (await isOnOtherLists(context, sql`c.id = ${contactId}`))
    throw fault('NOT_ALLOWED', 'contact.on_other_lists', { member });
}

/** The subscriptions of a contact, oldest first. */
export async function subscriptionsOf(context: Context, contactId: number) {
  const { tx, account } = context;
  const rows = await tx.rows<SubscriptionRow>(sql`
    select s.list_id, l.name, s.status, s.email_type, s.fields, s.source, s.signup_ip, s.signup_at, s.optin_ip, s.optin_at,
      s.confirm_ip, s.confirm_at, s.unsubscribe_ip, s.unsubscribe_at, s.unsubscribe_reason, s.status_at, k.detail as evidence
    from subscription s
    join list l on l.account_id = s.account_id and l.id = s.list_id
    left join lateral (
      -- What the contact was shown when this subscription began, not an earlier one that it ended.
      select detail
      from consent
      where account_id = s.account_id
        and contact_id = s.contact_id
        and list_id = s.list_id
        and kind in ('signup', 'subscribe')
        and at >= s.signup_at
      order by id
      limit 1
    ) k on true
    where s.account_id = ${account.id}
      and s.contact_id = ${contactId}
    order by s.signup_at, s.list_id`);
  const shown = await seenEvidence(
    context,
    rows.map((row) => consentEvidence(row.evidence ?? {})),
  );
  return rows.map((row, i) => ({
    list_id: formatId(row.list_id),
    list_name: row.name,
    status: row.status,
    email_type: row.email_type,
    merges: row.fields,
    source: row.source,
    signup_ip: row.signup_ip,
    signup_time: formatDate(row.signup_at),
    optin_ip: row.optin_ip,
    optin_time: formatDate(row.optin_at),
    confirm_ip: row.confirm_ip,
    confirm_time: formatDate(row.confirm_at),
    unsubscribe_ip: row.unsubscribe_ip,
    unsubscribe_time: formatDate(row.unsubscribe_at),
    unsubscribe_reason: row.unsubscribe_reason,
    status_time: formatDate(row.status_at),
    evidence: shown[i]!,
  }));
}

/** Why the contact gets no mail, as "kind: reason"; '' when it is not suppressed. */
export async function suppressionOf(context: Context, contact: Contact): Promise<string> {
  const suppression = await suppressionFor(context, contact);
  return suppression ? `${suppression.kind}: ${suppression.reason}` : '';
}

type SubscriptionRow = {
  list_id: number;
  name: string;
  status: Status;
  email_type: EmailType;
  fields: Record<string, string>;
  source: string;
  signup_ip: string;
  signup_at: Date;
  optin_ip: string;
  optin_at: Date | null;
  confirm_ip: string;
  confirm_at: Date | null;
  unsubscribe_ip: string;
  unsubscribe_at: Date | null;
  unsubscribe_reason: string;
  status_at: Date;
  evidence: Record<string, unknown> | null;
};
