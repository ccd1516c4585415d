// The use cases behind the methods that change members of a list, one at a time or in batches.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { sourceOf } from '../contacts/consent-log.ts';
import { isIp } from '../contacts/special-vars.ts';
import { fieldsOf, readMergeVars } from '../fields/field.ts';
import { needList } from '../lists/list.ts';
import { eachAddress, eachContact } from './batch.ts';
import { subscribe } from './subscribe.ts';
import { needSubscription } from './subscription.ts';
import { deleteSubscription, unsubscribe } from './unsubscribe.ts';
import { updateSubscription } from './update.ts';

type EmailType = 'html' | 'text';

export async function subscribeMember(
  context: Context,
  given: {
    id: string;
    email_address: string;
    merge_vars: Record<string, unknown>;
    email_type: EmailType;
    double_optin: boolean;
    update_existing: boolean;
    send_welcome: boolean;
    ip_signup: string;
  },
): Promise<true> {
  const list = await needList(context, given.id);
  const fields = await fieldsOf(context, list.id);
  await subscribe(context, {
    listId: list.id,
    fields,
    email: given.email_address,
    vars: readMergeVars(fields, given.merge_vars),
    emailType: given.email_type,
    doubleOptin: given.double_optin,
    updateExisting: given.update_existing,
    sendWelcome: given.send_welcome,
    source: sourceOf(context.caller),
    ip: readIp(given.ip_signup),
  });
  return true;
}

export async function subscribeBatch(
  context: Context,
  {
    id,
    batch,
    double_optin,
    update_existing,
  }: { id: string; batch: unknown[]; double_optin: boolean; update_existing: boolean },
) {
  const list = await needList(context, id);
  const fields = await fieldsOf(context, list.id);
  return eachContact(batch, 'batch', async ({ EMAIL, EMAIL_TYPE, ...vars }) => {
    await subscribe(context, {
      listId: list.id,
      fields,
      email: typeof EMAIL === 'string' ? EMAIL : '',
      vars: readMergeVars(fields, vars),
      emailType: readEmailType(EMAIL_TYPE),
      doubleOptin: double_optin,
      updateExisting: update_existing,
      sendWelcome: false,
      source: sourceOf(context.caller),
      ip: '',
    });
  });
}

export type UnsubscribeOptions = { delete_member: boolean; send_goodbye: boolean; send_notify: boolean };

export async function unsubscribeMember(
  context: Context,
  { id, email_address, ...options }: { id: string; email_address: string } & UnsubscribeOptions,
): Promise<true> {
  const list = await needList(context, id);
  await unsubscribeAddress(context, list.id, email_address, options);
  return true;
}

export async function unsubscribeBatch(
  context: Context,
  { id, emails, ...options }: { id: string; emails: unknown[] } & UnsubscribeOptions,
) {
  const list = await needList(context, id);
  return eachAddress(emails, 'emails', (email) => unsubscribeAddress(context, list.id, email, options));
}

export async function updateMember(
  context: Context,
  given: {
    id: string;
    email_address: string;
    merge_vars: Record<string, unknown>;
    email_type?: EmailType | undefined;
  },
): Promise<true> {
  const list = await needList(context, given.id);
  const fields = await fieldsOf(context, list.id);
  const vars = readMergeVars(fields, given.merge_vars);
  const member = await needSubscription(context, list.id, given.email_address);
  await updateSubscription(context, member, fields, vars, given.email_type, sourceOf(context.caller));
  return true;
}

export async function deleteMember(
  context: Context,
  { id, email_address }: { id: string; email_address: string },
): Promise<true> {
  const list = await needList(context, id);
  const member = await needSubscription(context, list.id, email_address);
  await deleteSubscription(context, member, sourceOf(context.caller));
  return true;
}

async function unsubscribeAddress(
  context: Context,
  listId: number,
  email: string,
  options: UnsubscribeOptions,
): Promise<void> {
  const member = await needSubscription(context, listId, email);
  if (options.delete_member) return deleteSubscription(context, member, sourceOf(context.caller));
  if (member.status === 'unsubscribed')
    throw fault('ADDRESS_UNSUBSCRIBED', 'member.unsubscribed_already', { email: member.email });
  if (member.status !== 'subscribed')
    throw fault('NOT_SUBSCRIBED', 'member.not_subscribed', {
      email: member.email,
      status: message(`member.status.${member.status}`),
    });
  await unsubscribe(context, member, {
    source: sourceOf(context.caller),
    ip: '',
    sendGoodbye: options.send_goodbye,
    sendNotify: options.send_notify,
  });
}

/** @throws Fault INVALID_PARAMETER */
function readIp(given: string): string {
  const ip = given.trim();
  if (ip !== '' && !isIp(ip)) throw fault('INVALID_PARAMETER', 'member.ip_signup', { member: 'ip_signup' });
  return ip;
}

/** @throws Fault FIELD_INVALID */
function readEmailType(given: unknown): EmailType {
  const text = typeof given === 'string' ? given.toLowerCase() : '';
  if (text === '' || text === 'html') return 'html';
  if (['text', 'plain', 'mobile'].includes(text)) return 'text';
  throw fault('FIELD_INVALID', 'member.email_type', { member: 'EMAIL_TYPE', value: text.slice(0, 40) });
}
