// Changes the values, the format or the address of a subscription. Logs which data changed and emits the webhook event
// in the caller's transaction.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { onWhole } from '../../db/narrowed/narrow.ts';
import { emit } from '../../events/emit.ts';
import type { EventSource } from '../../events/types.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { mayAskToConfirm } from '../confirmation/confirmation-limit.ts';
import { passOnChange } from '../model/account-values.ts';
import { changedTags, logChange, logConsent } from '../model/consent-log.ts';
import { needOwnContact } from '../model/contact.ts';
import { checkRequired, type Field, type MergeVars, valuesAfter } from '../model/field.ts';
import { needUnsuppressed } from '../model/suppression.ts';
import { emitContactEvent, eventSource } from './event.ts';
import { findSubscription, idsOf, needAddress, type Subscription } from './subscription.ts';

/**
 * Changes values, format or address.
 * @param detail logged with the change
 * @throws Fault FIELD_REQUIRED, ADDRESS_INVALID, ADDRESS_ALREADY_SUBSCRIBED
 */
export async function updateSubscription(
  context: Context,
  before: Subscription,
  fields: readonly Field[],
  vars: MergeVars,
  emailType: 'html' | 'text' | undefined,
  source: EventSource | 'import',
  log: { ip?: string; detail?: Record<string, unknown> } = {},
): Promise<void> {
  const { tx, account } = context;
  const values = valuesAfter(before.fields, vars, fields);
  checkRequired(fields, values);
  if (vars.email && needAddress(vars.email, 'merge_vars.EMAIL').key !== needAddress(before.email).key)
    await changeAddress(context, before, vars.email, source);
  await tx.run(sql`
    update subscription
    set fields = ${JSON.stringify(values)}, email_type = ${emailType ?? before.emailType}, changed_at = now()
    where account_id = ${account.id}
      and list_id = ${before.listId}
      and contact_id = ${before.contactId}`);
  const { LANGUAGE, TIMEZONE } = vars.special;
  if ((LANGUAGE ?? before.language) !== before.language || (TIMEZONE ?? before.timeZone) !== before.timeZone)
    await needOwnContact(context, before.contactId, 'merge_vars');
  if (LANGUAGE || TIMEZONE) {
    await tx.run(sql`
      update contact
      set language = ${LANGUAGE ?? before.language}, time_zone = ${TIMEZONE ?? before.timeZone}, changed_at = now()
      where account_id = ${account.id}
        and id = ${before.contactId}`);
  }
  const changedValues = changedTags(before.fields, values);
  await passOnChange(context, idsOf(before), changedValues, eventSource(source));
  const changed = [
    ...changedValues,
    ...(emailType && emailType !== before.emailType ? ['EMAIL_TYPE'] : []),
    ...(LANGUAGE && LANGUAGE !== before.language ? ['LANGUAGE'] : []),
    ...(TIMEZONE && TIMEZONE !== before.timeZone ? ['TIMEZONE'] : []),
  ];
  await logChange(context, changed, { ...idsOf(before), source, ...log });
  const after = (await findSubscription(context, before.listId, formatId(before.contactId)))!;
  await emitContactEvent(context, 'contact.update', after, source);
}

/** @throws Fault ADDRESS_INVALID, ADDRESS_ALREADY_SUBSCRIBED */
async function changeAddress(
  context: Context,
  before: Subscription,
  newEmail: string,
  source: EventSource | 'import',
): Promise<void> {
  const { tx, account } = context;
  const address = needAddress(newEmail, 'merge_vars.EMAIL');
  await needOwnContact(context, before.contactId, 'merge_vars.EMAIL');
  const owner = await onWhole(tx, (whole) =>
    whole.row(sql`select from contact where account_id = ${account.id} and email_key = ${address.key}`),
  );
  if (owner)
    throw fault('ADDRESS_ALREADY_SUBSCRIBED', 'member.address_taken', {
      member: 'merge_vars.EMAIL',
      email: address.email,
    });
  await needUnsuppressed(context, address, 'merge_vars.EMAIL');
  await tx.run(sql`
    update contact
    set email = ${address.email}, email_key = ${address.key}, domain = ${address.domain}, changed_at = now()
    where account_id = ${account.id}
      and id = ${before.contactId}`);
  await logConsent(context, {
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
  await askAgain(context, before.contactId, address.key);
}

/** Asks at a contact's new address: what was asked at the former one confirms nothing any more. */
export async function askAgain(context: Context, contactId: number, emailKey: string): Promise<void> {
  const { tx, account } = context;
  const pending = await tx.rows<{ list: number }>(sql`
    select list_id as list
    from subscription
    where account_id = ${account.id}
      and contact_id = ${contactId}
      and status = 'pending'
    order by list_id`);
  for (const { list } of pending)
    if (await mayAskToConfirm(context, list, emailKey))
      await enqueue(tx, 'sendConfirmation', { account_id: account.id, list_id: list, contact_id: contactId });
}
