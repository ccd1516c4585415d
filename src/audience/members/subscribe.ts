// Subscribes a contact to a list: immediately, or pending until it confirms. Writes the consent log, the webhook event and
// the jobs for messages in the caller's transaction.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { onWhole } from '../../db/narrowed/narrow.ts';
import type { EventSource } from '../../events/types.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Address } from '../address.ts';
import { type ConfirmedHow, countConfirmation } from '../confirmation/confirmation-count.ts';
import { forgetAsked, mayAskToConfirm } from '../confirmation/confirmation-limit.ts';
import { passOnJoining, presentValues } from '../model/account-values.ts';
import { logConsent } from '../model/consent-log.ts';
import { isOnOtherLists } from '../model/contact.ts';
import { checkRequired, type Field, type MergeVars, valuesAfter } from '../model/field.ts';
import type { SpecialValues } from '../model/special-vars.ts';
import type { Status } from '../model/subscription-status.ts';
import { liftUnsubscribe, needUnsuppressed } from '../model/suppression.ts';
import { emitContactEvent, eventSource } from './event.ts';
import { noteForOwner } from './owner-notice.ts';
import { autoMessagesOf, findSubscription, lockSharing, needAddress } from './subscription.ts';
import { updateSubscription } from './update.ts';

export type SubscribeInput = {
  listId: number;
  fields: readonly Field[];
  email: string;
  vars: MergeVars;
  emailType?: 'html' | 'text' | undefined;
  /** True: pending until the contact confirms by mail. */
  doubleOptin: boolean;
  /** Of a pending subscription: its link also confirms these lists, or the link of another list confirms it. */
  confirmation?: { further: readonly number[] } | 'with another';
  /** True: a subscribed contact is updated instead of refused. */
  updateExisting: boolean;
  sendWelcome: boolean;
  source: EventSource | 'import';
  ip: string;
  /** What the contact saw and agreed to, for the consent log. */
  agreed?: Record<string, unknown>;
};

/**
 * Subscribes an address. Nothing is written when it throws.
 * @throws Fault ADDRESS_INVALID, FIELD_REQUIRED, ALREADY_SUBSCRIBED
 */
export async function subscribe(
  context: Context,
  input: SubscribeInput,
): Promise<'subscribed' | 'pending' | 'updated'> {
  const { tx, account } = context;
  const address = needAddress(input.email);
  await lockSharing(context, input.fields, input.email);
  const before = await findSubscription(context, input.listId, input.email);
  const present =
    before?.status !== 'subscribed' && input.fields.some(({ ofAccount }) => ofAccount)
      ? await presentValues(context, input.listId, address.key)
      : {};
  const base = { ...(before?.fields ?? {}), ...(input.doubleOptin ? {} : present) };
  const typed = valuesAfter(base, input.vars, input.fields);
  const isShared = await isOnOtherLists(context, sql`c.email_key = ${address.key}`);
  // Of a contact that is on lists which the caller does not have, the values of fields of the account stay, and are not shown.
  const given = isShared ? withValuesOfAccount(typed, base, input.fields) : typed;
  const kept = isShared ? present : untyped(present, input.vars);
  // A form reveals nothing of what the account knows.
  checkRequired(input.fields, input.source === 'subscriber' ? typed : { ...typed, ...kept });
  if (before?.status === 'subscribed') {
    if (!input.updateExisting) throw fault('ALREADY_SUBSCRIBED', 'member.subscribed_already', { email: address.email });
    await updateSubscription(context, before, input.fields, input.vars, input.emailType, input.source);
    return 'updated';
  }
  // Not checked for forms: the owner of the mailbox may come back, and a form reveals nothing to strangers.
  if (input.source !== 'subscriber') await needUnsuppressed(context, address);
  const contactId = await saveContact(context, address, isShared ? {} : input.vars.special);
  const status: Status = input.doubleOptin ? 'pending' : 'subscribed';
  const optin = optinOf(input.vars.special, input.ip, context.now);
  const values = valuesToWrite(given, kept, status);
  const written = await saveSubscription(context, input, contactId, status, values, optin);
  // Another call subscribed the address in the meantime; the second pass sees it.
  if (!written) return subscribe(context, input);
  if (status === 'subscribed')
    await passOnJoining(
      context,
      { contactId, listId: input.listId },
      eventSource(input.source),
      isShared ? [] : Object.keys(input.vars.values),
    );
  await logConsent(context, {
    contactId,
    listId: input.listId,
    kind: status === 'pending' ? 'signup' : 'subscribe',
    source: input.source,
    ip: optin.ip,
    detail: input.agreed,
  });
  const after = (await findSubscription(context, input.listId, address.email))!;
  const ids = { account_id: account.id, list_id: input.listId, contact_id: contactId };
  if (status === 'pending') {
    const { confirmation = { further: [] } } = input;
    if (
      confirmation !== 'with another' &&
      (await mayAskToConfirm(context, input.listId, address.key, confirmation.further))
    )
      await enqueue(tx, 'sendConfirmation', { ...ids, further: [...confirmation.further] });
    return 'pending';
  }
  if (input.source === 'subscriber') await liftUnsubscribe(context, address.key);
  await emitContactEvent(context, 'contact.subscribe', after, input.source);
  await noteForOwner(context, 'subscribe', after, input.source);
  if (input.sendWelcome) await enqueue(tx, 'sendWelcome', ids);
  return 'subscribed';
}

/** Values, those of fields of the account as they were. */
const withValuesOfAccount = (
  values: Record<string, string>,
  before: Record<string, string>,
  fields: readonly Field[],
): Record<string, string> => {
  const tags = new Set(fields.filter(({ ofAccount }) => ofAccount).map(({ tag }) => tag));
  const own = Object.entries(values).filter(([tag]) => !tags.has(tag));
  return Object.fromEntries([...own, ...Object.entries(before).filter(([tag]) => tags.has(tag))]);
};

/** The values of a contact on its other lists, of the fields for which none is given. */
const untyped = (present: Record<string, string>, { values }: MergeVars): Record<string, string> =>
  Object.fromEntries(Object.entries(present).filter(([tag]) => !values[tag]));

/**
 * A contact that subscribes gets what it has on other lists. A pending subscription has only what was given for it: the rest may
 * have changed when it is confirmed.
 */
function valuesToWrite(
  given: Record<string, string>,
  elsewhere: Record<string, string>,
  status: Status,
): Record<string, string> {
  if (status === 'subscribed') return { ...given, ...elsewhere };
  return Object.fromEntries(Object.entries(given).filter(([tag]) => elsewhere[tag] === undefined));
}

/** Turns a pending subscription into a subscribed one; false when it is not pending. */
export async function confirm(
  context: Context,
  listId: number,
  contactId: number,
  { ip, how }: { ip: string; how: ConfirmedHow },
): Promise<boolean> {
  const { tx, account } = context;
  const count = await tx.run(sql`
    update subscription
    set status = 'subscribed', confirm_ip = ${ip}, confirm_at = now(), status_at = now(), changed_at = now()
    where account_id = ${account.id}
      and list_id = ${listId}
      and contact_id = ${contactId}
      and status = 'pending'`);
  if (count === 0) return false;
  await passOnJoining(context, { contactId, listId }, 'subscriber');
  await logConsent(context, { contactId, listId, kind: 'confirm', source: 'subscriber', ip, detail: { how } });
  await countConfirmation(context, listId, how);
  const after = (await findSubscription(context, listId, formatId(contactId)))!;
  const { key } = needAddress(after.email);
  await liftUnsubscribe(context, key);
  await forgetAsked(context, listId, key);
  await emitContactEvent(context, 'contact.subscribe', after, 'subscriber');
  await noteForOwner(context, 'subscribe', after, 'subscriber');
  if ((await autoMessagesOf(context, listId)).welcome)
    await enqueue(tx, 'sendWelcome', { account_id: account.id, list_id: listId, contact_id: contactId });
  return true;
}

/** Creates the contact, or updates its language and time zone. Returns its id. */
async function saveContact(context: Context, address: Address, special: SpecialValues): Promise<number> {
  const row = await onWhole(context.tx, (whole) =>
    whole.row<{ id: number }>(sql`
      insert into contact (account_id, email, email_key, domain, language, time_zone)
      values (${context.account.id}, ${address.email}, ${address.key}, ${address.domain}, ${special.LANGUAGE ?? ''}, ${special.TIMEZONE ?? ''})
      on conflict (account_id, email_key) do update
      set language = case when excluded.language = '' then contact.language else excluded.language end,
        time_zone = case when excluded.time_zone = '' then contact.time_zone else excluded.time_zone end,
        changed_at = case
          when excluded.language not in ('', contact.language) or excluded.time_zone not in ('', contact.time_zone) then now()
          else contact.changed_at
        end
      returning id`),
  );
  return row!.id;
}

type Optin = { ip: string; at: Date };

function optinOf(special: SpecialValues, ip: string, now: Date): Optin {
  return { ip: special.OPTINIP ?? ip, at: special.OPTINTIME ? new Date(special.OPTINTIME) : now };
}

/** False when the contact has become subscribed in the meantime. */
async function saveSubscription(
  { tx, account, now }: Context,
  { listId, emailType = 'html', source, ip }: SubscribeInput,
  contactId: number,
  status: Status,
  values: Record<string, string>,
  optin: Optin,
): Promise<boolean> {
  const confirmed = status === 'subscribed';
  const written = await tx.run(sql`
    insert into subscription (account_id, list_id, contact_id, status, email_type, fields, source, signup_ip, signup_at,
      optin_ip, optin_at, confirm_ip, confirm_at)
    values (${account.id}, ${listId}, ${contactId}, ${status}, ${emailType}, ${JSON.stringify(values)},
      ${source}, ${ip}, ${now}, ${optin.ip}, ${optin.at}, ${confirmed ? optin.ip : ''}, ${confirmed ? optin.at : null})
    on conflict (account_id, list_id, contact_id) do update
    set status = excluded.status, email_type = excluded.email_type, fields = excluded.fields, source = excluded.source,
      signup_ip = excluded.signup_ip, signup_at = excluded.signup_at, optin_ip = excluded.optin_ip, optin_at = excluded.optin_at,
      confirm_ip = excluded.confirm_ip, confirm_at = excluded.confirm_at, unsubscribe_at = null, unsubscribe_ip = '',
      unsubscribe_campaign_id = null, unsubscribe_reason = '', status_at = now(), changed_at = now()
    where subscription.status <> 'subscribed'`);
  return written > 0;
}
