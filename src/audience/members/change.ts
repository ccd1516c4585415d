// The use cases behind the methods that change members of a list, one at a time or in batches.
import type { Context, PublishedCall } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { isNothing } from '../../method/published.ts';
import { parseAddress } from '../address.ts';
import { noteIgnored } from '../fields/ignored-names.ts';
import { addressOf } from '../model/as-published.ts';
import { eachAddress, eachContact } from '../model/batch.ts';
import { sourceOf } from '../model/consent-log.ts';
import { readMergeVars } from '../model/field.ts';
import { needList } from '../model/list.ts';
import { isIp } from '../model/special-vars.ts';
import { fieldsToWrite } from '../segments/references.ts';
import { subscribe } from './subscribe.ts';
import { lockSharing, needSubscription } from './subscription.ts';
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
    add_choices: boolean;
  },
): Promise<true> {
  const list = await needList(context, given.id);
  const fields = await fieldsToWrite(context, list.id);
  await subscribe(context, {
    listId: list.id,
    fields,
    email: given.email_address,
    vars: { ...readMergeVars(fields, given.merge_vars, context.published), addsChoices: given.add_choices },
    emailType: given.email_type,
    doubleOptin: given.double_optin,
    updateExisting: given.update_existing,
    sendWelcome: given.send_welcome,
    source: sourceOf(context.caller),
    ip: readIp(context, given.ip_signup),
  });
  await noteIgnored(context, list.id);
  return true;
}

export async function subscribeBatch(
  context: Context,
  {
    id,
    batch,
    double_optin,
    update_existing,
    add_choices,
  }: { id: string; batch: unknown[]; double_optin: boolean; update_existing: boolean; add_choices: boolean },
) {
  const list = await needList(context, id);
  const fields = await fieldsToWrite(context, list.id);
  const done = new Set<string>();
  const result = await eachContact(batch, 'batch', context.published, async ({ EMAIL, EMAIL_TYPE, ...vars }) => {
    const email = typeof EMAIL === 'string' ? EMAIL : '';
    await subscribe(context, {
      listId: list.id,
      fields,
      email,
      vars: { ...readMergeVars(fields, vars, context.published), addsChoices: add_choices },
      emailType: readEmailType(EMAIL_TYPE, context.published),
      doubleOptin: double_optin,
      updateExisting: update_existing || (context.published !== undefined && done.has(addressKey(email))),
      sendWelcome: false,
      source: sourceOf(context.caller),
      ip: '',
    });
    done.add(addressKey(email));
  });
  await noteIgnored(context, list.id);
  return result;
}

/** By which the rows of a batch are the same contact; '' for what is no address. */
function addressKey(email: string): string {
  const address = parseAddress(email);
  return address.ok ? address.key : '';
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
  const done = new Set<string>();
  return eachAddress(emails, 'emails', async (email) => {
    const key = addressKey(email);
    if (context.published && key !== '' && done.has(key)) return;
    await unsubscribeAddress(context, list.id, email, options);
    done.add(key);
  });
}

export async function updateMember(
  context: Context,
  given: {
    id: string;
    email_address: string;
    merge_vars: Record<string, unknown>;
    email_type?: EmailType | undefined;
    add_choices: boolean;
  },
): Promise<true> {
  const list = await needList(context, given.id);
  const fields = await fieldsToWrite(context, list.id);
  const vars = { ...readMergeVars(fields, given.merge_vars, context.published), addsChoices: given.add_choices };
  await lockSharing(context, fields, given.email_address);
  const member = await needSubscription(context, list.id, given.email_address);
  await updateSubscription(context, member, fields, vars, given.email_type, sourceOf(context.caller));
  await noteIgnored(context, list.id);
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
  // Published clients know no pending contacts, and expect one that leaves before it confirms to have left.
  const isWaiting = context.published !== undefined && ['pending', 'inactive'].includes(member.status);
  if (member.status !== 'subscribed' && !isWaiting)
    throw fault('NOT_SUBSCRIBED', 'member.not_subscribed', {
      email: member.email,
      status: message(`member.status.${member.status}`),
    });
  await unsubscribe(context, member, {
    source: sourceOf(context.caller),
    ip: '',
    // An address that never confirmed may be another person's.
    sendGoodbye: options.send_goodbye && member.status !== 'pending',
    sendNotify: options.send_notify,
  });
}

/** What is no address is counted as ignored where a published client sends it. @throws Fault INVALID_PARAMETER */
function readIp({ published }: Context, given: string): string {
  const ip = published ? addressOf(given) : given.trim();
  if (ip === '' || isIp(ip)) return ip;
  if (!published) throw fault('INVALID_PARAMETER', 'member.ip_signup', { member: 'ip_signup' });
  published.ignored.set('ip_signup', (published.ignored.get('ip_signup') ?? 0) + 1);
  return '';
}

/** @throws Fault FIELD_INVALID */
function readEmailType(given: unknown, published: PublishedCall | undefined): EmailType {
  const text = typeof given === 'string' ? given.trim().toLowerCase() : '';
  if (published && isNothing(text)) return 'html';
  if (text === '' || text === 'html') return 'html';
  if (['text', 'plain', 'mobile'].includes(text)) return 'text';
  throw fault('FIELD_INVALID', 'member.email_type', { member: 'EMAIL_TYPE', value: text.slice(0, 40) });
}
