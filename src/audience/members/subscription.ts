// The one place where a contact's subscription to a list changes: subscribe, update, unsubscribe, delete.
// Each change writes its evidence and its webhook event in the caller's transaction.

import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { emit } from '../../events/emit.ts';
import type { EventData, EventSource } from '../../events/types.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { addressProblemText, parseAddress } from '../address.ts';
import { changedTags, keepChange, keepEvidence } from '../contacts/consent.ts';
import type { Evidence } from '../contacts/consent-evidence.ts';
import { checkRequired, type Field, type MergeVars } from '../fields/field.ts';
import { mayAskToConfirm } from '../signup/confirmation-limit.ts';
import { needUnsuppressed } from '../suppression/suppression.ts';

export type Status = 'pending' | 'subscribed' | 'unsubscribed' | 'inactive' | 'bounced';

export type Subscription = {
  contactId: number;
  listId: number;
  email: string;
  status: Status;
  emailType: 'html' | 'text';
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

/** @throws Fault ADDRESS_INVALID naming the member and the reason */
export function needAddress(text: string, member = 'email_address') {
  const address = parseAddress(text);
  if (!address.ok)
    throw new Fault('ADDRESS_INVALID', `${member}: "${text.slice(0, 80)}" ${addressProblemText[address.reason]}`);
  return address;
}

/** The subscription of an address, or of a contact's public id, locked for a change. */
export async function findSubscription(
  context: Context,
  listId: number,
  named: string,
): Promise<Subscription | undefined> {
  const address = parseAddress(named);
  return context.tx.row<Subscription>(sql`
    select ${columns}
    from contact c
    join subscription s on s.account_id = c.account_id and s.contact_id = c.id
    where c.account_id = ${context.account.id}
      and s.list_id = ${listId}
      and ${address.ok ? sql`c.email_key = ${address.key}` : sql`c.id = ${parseId(named)}`}
    for update of s`);
}

/** @throws Fault ADDRESS_UNKNOWN */
export async function needSubscription(
  context: Context,
  listId: number,
  named: string,
  member = 'email_address',
): Promise<Subscription> {
  const found = await findSubscription(context, listId, named);
  if (!found) throw new Fault('ADDRESS_UNKNOWN', `${member}: "${named.slice(0, 80)}" is not on this list`);
  return found;
}

export type SubscribeInput = {
  listId: number;
  fields: readonly Field[];
  email: string;
  vars: MergeVars;
  emailType?: 'html' | 'text' | undefined;
  /** True: pending until the contact confirms by mail. */
  doubleOptin: boolean;
  /** True: a subscribed contact is updated instead of refused. */
  updateExisting: boolean;
  sendWelcome: boolean;
  source: EventSource | 'import';
  ip: string;
  /** What the contact saw and agreed to, for the evidence. */
  agreed?: Record<string, unknown>;
};

/**
 * Subscribes an address. Nothing is written when it throws.
 * @returns what came of it
 * @throws Fault ADDRESS_INVALID, FIELD_REQUIRED, ALREADY_SUBSCRIBED
 */
export async function subscribe(
  context: Context,
  input: SubscribeInput,
): Promise<'subscribed' | 'pending' | 'updated'> {
  const { tx, account } = context;
  const address = needAddress(input.email);
  const before = await findSubscription(context, input.listId, input.email);
  const values = { ...(before?.fields ?? {}), ...input.vars.values };
  checkRequired(input.fields, values);
  if (before?.status === 'subscribed') {
    if (!input.updateExisting)
      throw new Fault('ALREADY_SUBSCRIBED', `${address.email} is subscribed to this list already`);
    await update(context, before, input.fields, input.vars, input.emailType, input.source);
    return 'updated';
  }
  // By hand and by programs as by imports. Who holds the mail of the contact may come back; a form tells strangers nothing.
  if (input.source !== 'subscriber') await needUnsuppressed(context, address);
  const contactId = await keepContact(context, address, input.vars.evidence);
  const status: Status = input.doubleOptin ? 'pending' : 'subscribed';
  const optin = evidenceOf(input.vars.evidence, input.ip, context.now);
  const confirmed = status === 'subscribed';
  const written = await tx.run(sql`
    insert into subscription (account_id, list_id, contact_id, status, email_type, fields, source, signup_ip, signup_at,
      optin_ip, optin_at, confirm_ip, confirm_at)
    values (${account.id}, ${input.listId}, ${contactId}, ${status}, ${input.emailType ?? 'html'}, ${JSON.stringify(values)},
      ${input.source}, ${input.ip}, ${context.now}, ${optin.ip}, ${optin.at}, ${confirmed ? optin.ip : ''}, ${confirmed ? optin.at : null})
    on conflict (account_id, list_id, contact_id) do update
    set status = excluded.status, email_type = excluded.email_type, fields = excluded.fields, source = excluded.source,
      signup_ip = excluded.signup_ip, signup_at = excluded.signup_at, optin_ip = excluded.optin_ip, optin_at = excluded.optin_at,
      confirm_ip = excluded.confirm_ip, confirm_at = excluded.confirm_at, unsubscribe_at = null, unsubscribe_ip = '',
      unsubscribe_campaign_id = null, unsubscribe_reason = '', status_at = now(), changed_at = now()
    where subscription.status <> 'subscribed'`);
  // Another call subscribed it between the look and the write: by now it is seen.
  if (written === 0) return subscribe(context, input);
  await keepEvidence(context, {
    contactId,
    listId: input.listId,
    kind: status === 'pending' ? 'signup' : 'subscribe',
    source: input.source,
    ip: optin.ip,
    detail: input.agreed,
  });
  const after = (await findSubscription(context, input.listId, address.email))!;
  if (status === 'pending') {
    if (await mayAskToConfirm(context, input.listId, address.key))
      await enqueue(tx, 'sendConfirmation', {
        account_id: account.id,
        list_id: input.listId,
        contact_id: contactId,
      });
    return 'pending';
  }
  await emitContact(context, 'contact.subscribe', after, input.source);
  if (input.sendWelcome)
    await enqueue(tx, 'sendWelcome', { account_id: account.id, list_id: input.listId, contact_id: contactId });
  return 'subscribed';
}

/** Turns a pending subscription into a subscribed one; false when it was not pending (any more). */
export async function confirm(context: Context, listId: number, contactId: number, ip: string): Promise<boolean> {
  const { tx, account } = context;
  const count = await tx.run(sql`
    update subscription
    set status = 'subscribed', confirm_ip = ${ip}, confirm_at = now(), status_at = now(), changed_at = now()
    where account_id = ${account.id}
      and list_id = ${listId}
      and contact_id = ${contactId}
      and status = 'pending'`);
  if (count === 0) return false;
  await keepEvidence(context, { contactId, listId, kind: 'confirm', source: 'subscriber', ip });
  await emitContact(
    context,
    'contact.subscribe',
    (await findSubscription(context, listId, formatId(contactId)))!,
    'subscriber',
  );
  if ((await mailsOf(context, listId)).welcome)
    await enqueue(tx, 'sendWelcome', { account_id: account.id, list_id: listId, contact_id: contactId });
  return true;
}

/** Changes fields, format or address of a subscription. @throws Fault FIELD_REQUIRED, ADDRESS_INVALID, ADDRESS_ALREADY_SUBSCRIBED */
export async function update(
  context: Context,
  before: Subscription,
  fields: readonly Field[],
  vars: MergeVars,
  emailType: 'html' | 'text' | undefined,
  source: EventSource | 'import',
  by: { ip?: string; detail?: Record<string, unknown> } = {},
): Promise<void> {
  const { tx, account } = context;
  const values = { ...before.fields, ...vars.values };
  checkRequired(fields, values);
  if (vars.email && needAddress(vars.email, 'merge_vars.EMAIL').key !== needAddress(before.email).key)
    await changeAddress(context, before, vars.email, source);
  await tx.run(sql`
    update subscription
    set fields = ${JSON.stringify(values)}, email_type = ${emailType ?? before.emailType}, changed_at = now()
    where account_id = ${account.id}
      and list_id = ${before.listId}
      and contact_id = ${before.contactId}`);
  const { LANGUAGE, TIMEZONE } = vars.evidence;
  if (LANGUAGE || TIMEZONE) {
    await tx.run(sql`
      update contact
      set language = ${LANGUAGE ?? before.language}, time_zone = ${TIMEZONE ?? before.timeZone}, changed_at = now()
      where account_id = ${account.id}
        and id = ${before.contactId}`);
  }
  const changed = [
    ...changedTags(before.fields, values),
    ...(emailType && emailType !== before.emailType ? ['EMAIL_TYPE'] : []),
    ...(LANGUAGE && LANGUAGE !== before.language ? ['LANGUAGE'] : []),
    ...(TIMEZONE && TIMEZONE !== before.timeZone ? ['TIMEZONE'] : []),
  ];
  await keepChange(context, changed, { ...idsOf(before), source, ...by });
  await emitContact(
    context,
    'contact.update',
    (await findSubscription(context, before.listId, formatId(before.contactId)))!,
    source,
  );
}

/** Gives a contact a new address. @throws Fault ADDRESS_INVALID, ADDRESS_ALREADY_SUBSCRIBED */
async function changeAddress(context: Context, before: Subscription, to: string, source: EventSource | 'import') {
  const { tx, account } = context;
  const address = needAddress(to, 'merge_vars.EMAIL');
  const taken = await tx.row<{ id: number }>(sql`
    select id from contact where account_id = ${account.id} and email_key = ${address.key}`);
  if (taken)
    throw new Fault('ADDRESS_ALREADY_SUBSCRIBED', `merge_vars.EMAIL: ${address.email} belongs to another contact`);
  await needUnsuppressed(context, address, 'merge_vars.EMAIL');
  await tx.run(sql`
    update contact
    set email = ${address.email}, email_key = ${address.key}, domain = ${address.domain}, changed_at = now()
    where account_id = ${account.id}
      and id = ${before.contactId}`);
  await keepEvidence(context, {
    ...idsOf(before),
    kind: 'address',
    source,
    detail: { old: before.email, new: address.email },
  });
  await emit(tx, account.id, [
    {
      type: 'email.change',
      source: eventSource(source),
      listId: before.listId,
      data: {
        contact: formatId(before.contactId),
        list: formatId(before.listId),
        email: address.email,
        old_email: before.email,
        new_email: address.email,
        source: eventSource(source),
        ts: formatDate(context.now),
      },
    },
  ]);
}

export type UnsubscribeInput = {
  source: EventSource;
  ip: string;
  campaignId?: number;
  reason?: string;
  sendGoodbye?: boolean;
  /** Whether the owner of the account is told by mail. */
  sendNotify?: boolean;
};

/** Ends a subscription; false when it was ended already. */
export async function unsubscribe(context: Context, before: Subscription, input: UnsubscribeInput): Promise<boolean> {
  const { tx, account } = context;
  if (before.status === 'unsubscribed') return false;
  await tx.run(sql`
    update subscription
    set status = 'unsubscribed', unsubscribe_ip = ${input.ip}, unsubscribe_at = now(),
      unsubscribe_campaign_id = ${input.campaignId ?? null}, unsubscribe_reason = ${input.reason ?? ''},
      status_at = now(), changed_at = now()
    where account_id = ${account.id}
      and list_id = ${before.listId}
      and contact_id = ${before.contactId}`);
  await keepEvidence(context, {
    ...idsOf(before),
    kind: 'unsubscribe',
    source: input.source,
    ip: input.ip,
    detail: {
      ...(input.reason ? { reason: input.reason } : {}),
      ...(input.campaignId === undefined ? {} : { campaign: formatId(input.campaignId) }),
    },
  });
  const after = (await findSubscription(context, before.listId, formatId(before.contactId)))!;
  await emit(tx, account.id, [
    {
      type: 'contact.unsubscribe',
      source: input.source,
      listId: after.listId,
      data: {
        ...contactData(after, input.source),
        unsubscribe_ip: input.ip,
        unsubscribe_ts: formatDate(context.now),
        campaign: input.campaignId === undefined ? '' : formatId(input.campaignId),
        reason: input.reason ?? '',
      },
    },
  ]);
  if (input.sendGoodbye) {
    await enqueue(tx, 'sendGoodbye', {
      account_id: account.id,
      list_id: before.listId,
      contact_id: before.contactId,
    });
  }
  if (input.sendNotify) {
    await enqueue(tx, 'sendUnsubscribeNotice', {
      account_id: account.id,
      list_id: before.listId,
      contact_id: before.contactId,
    });
  }
  return true;
}

/** Takes a contact off a list without trace on the list; the contact goes too when this was its last list. */
export async function deleteSubscription(context: Context, before: Subscription, source: EventSource): Promise<void> {
  const { tx, account } = context;
  await emitContact(context, 'contact.delete', before, source);
  await keepEvidence(context, { ...idsOf(before), kind: 'delete', source });
  await tx.run(sql`
    delete from subscription
    where account_id = ${account.id}
      and list_id = ${before.listId}
      and contact_id = ${before.contactId}`);
  await tx.run(sql`
    delete from contact c
    where account_id = ${account.id}
      and id = ${before.contactId}
      and not exists (select from subscription s where s.account_id = c.account_id and s.contact_id = c.id)`);
}

async function emitContact(
  { tx, account }: Context,
  type: 'contact.subscribe' | 'contact.update' | 'contact.delete',
  subscription: Subscription,
  from: EventSource | 'import',
) {
  const source = eventSource(from);
  await emit(tx, account.id, [{ type, source, listId: subscription.listId, data: contactData(subscription, source) }]);
}

/** The `data` that all contact events share; src/audience/import/write.ts selects the same by SQL. */
function contactData(subscription: Subscription, source: EventSource): EventData<'contact.subscribe'> {
  return {
    contact: formatId(subscription.contactId),
    list: formatId(subscription.listId),
    email: subscription.email,
    email_type: subscription.emailType,
    fields: { EMAIL: subscription.email, ...subscription.fields },
    subscribe_ip: subscription.signupIp,
    subscribe_ts: formatDate(subscription.signupAt),
    confirm_ip: subscription.confirmIp,
    confirm_ts: formatDate(subscription.confirmAt),
    optin_ip: subscription.optinIp,
    optin_ts: formatDate(subscription.optinAt),
    source,
  };
}

const eventSource = (source: EventSource | 'import'): EventSource => (source === 'import' ? 'admin' : source);

async function keepContact(
  context: Context,
  address: { email: string; key: string; domain: string },
  evidence: Evidence,
): Promise<number> {
  const row = await context.tx.row<{ id: number }>(sql`
    insert into contact (account_id, email, email_key, domain, language, time_zone)
    values (${context.account.id}, ${address.email}, ${address.key}, ${address.domain}, ${evidence.LANGUAGE ?? ''}, ${evidence.TIMEZONE ?? ''})
    on conflict (account_id, email_key) do update
    set language = case when excluded.language = '' then contact.language else excluded.language end,
      time_zone = case when excluded.time_zone = '' then contact.time_zone else excluded.time_zone end,
      changed_at = now()
    returning id`);
  return row!.id;
}

/** Which mails a list sends of itself when its contacts come and go by its own pages. */
export async function mailsOf(context: Context, listId: number): Promise<{ welcome: boolean; goodbye: boolean }> {
  const row = await context.tx.row<{ welcome: boolean; goodbye: boolean }>(sql`
    select coalesce((form ->> 'send_welcome')::boolean, false) as welcome,
      coalesce((form ->> 'send_goodbye')::boolean, false) as goodbye
    from list
    where account_id = ${context.account.id}
      and id = ${listId}`);
  return row ?? { welcome: false, goodbye: false };
}

const idsOf = ({ contactId, listId }: Subscription) => ({ contactId, listId });

function evidenceOf(evidence: Evidence, ip: string, now: Date): { ip: string; at: Date } {
  return { ip: evidence.OPTINIP ?? ip, at: evidence.OPTINTIME ? new Date(evidence.OPTINTIME) : now };
}
