// The options of a list: their names in the API, their columns, their limits, and writing one.

import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import { isZone } from '../../base/zones.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { isWebAddress, readLine } from '../../method/params.ts';
import { needSender } from '../../senders/senders/sender.ts';
import { parseAddress } from '../address.ts';

/** Option name → column and maximum length. */
export const listOptions = {
  title: ['name', 200],
  name: ['name', 200],
  default_from_name: ['default_from_name', 200],
  default_from_email: ['default_from_email', 320],
  sender: ['sender_id', 8],
  default_subject: ['default_subject', 1_000],
  default_language: ['default_language', 20],
  email_type_option: ['email_type_option', 5],
  company: ['company', 300],
  address: ['postal_address', 1_000],
  website: ['website', 1_000],
  timezone: ['time_zone', 60],
  notify_to: ['notify_to', 1_000],
  subscription_notify: ['subscription_notify', 5],
  unsubscription_notify: ['unsubscription_notify', 5],
  permission_reminder: ['permission_reminder', 10_000],
  public: ['is_public', 5],
  public_title: ['public_title', 1_000],
  public_description: ['public_description', 2_000],
  public_group: ['public_group', 200],
  hidden: ['is_hidden', 5],
} as const satisfies Record<string, readonly [column: string, maxLength: number]>;

export type ListOption = keyof typeof listOptions;

/** Options of one line, which may be a header of a message. */
const lines: ReadonlySet<string> = new Set([
  ...['title', 'name', 'default_from_name', 'default_subject', 'company', 'public_title', 'public_group'],
]);

/** Options that are on or off. */
const switches: ReadonlySet<string> = new Set([
  ...['email_type_option', 'subscription_notify', 'unsubscription_notify', 'public', 'hidden'],
]);

/** Addresses that get the notices of a list. */
export const maxNotified = 5;

/** The option of a name. @throws Fault LIST_OPTION_INVALID */
export function optionOf(name: string): ListOption {
  const lower = name.toLowerCase();
  if (lower === 'has_email_type_option') return 'email_type_option';
  if (Object.hasOwn(listOptions, lower)) return lower as ListOption;
  throw fault('LIST_OPTION_INVALID', 'list.option_unknown', {
    member: 'name',
    name: name.slice(0, 40),
    choices: Object.keys(listOptions).join(', '),
  });
}

/** Reads the name and the value of an option, as listUpdate gets them. @throws Fault LIST_OPTION_INVALID */
export function readOption(name: string, value: string): { option: ListOption; value: string | boolean } {
  const option = optionOf(name);
  if (switches.has(option)) return { option, value: readBoolean(option, value) };
  return { option, value: lines.has(option) ? readLine(value, option) : value };
}

/**
 * @param member the option's path in the call, for faults
 * @throws Fault LIST_OPTION_INVALID, SENDER_UNKNOWN
 */
export async function setOption(
  context: Context,
  listId: number,
  option: ListOption,
  value: string | boolean,
  member: string,
): Promise<void> {
  if (option === 'sender') return setSender(context, listId, String(value), member);
  const problem = typeof value === 'string' ? problemOf(option, value, member) : undefined;
  if (problem) throw new Fault('LIST_OPTION_INVALID', problem);
  await context.tx.run(sql`
    update list
    set ${assignment(option, value)}
    where account_id = ${context.account.id}
      and id = ${listId}`);
}

/** Sets the sender, which also becomes the default name and reply address. @throws Fault SENDER_UNKNOWN */
async function setSender(context: Context, listId: number, named: string, member: string): Promise<void> {
  const { tx, account } = context;
  if (named === '') {
    await tx.run(sql`update list set sender_id = null where account_id = ${account.id} and id = ${listId}`);
    return;
  }
  const sender = await needSender(context, named, member);
  await tx.run(sql`
    update list
    set sender_id = ${sender.id}, default_from_name = ${sender.name}, default_from_email = ${sender.email}
    where account_id = ${account.id}
      and id = ${listId}`);
}

function problemOf(option: ListOption, value: string, member: string): Message | undefined {
  const [, maxLength] = listOptions[option];
  if (value.length > maxLength) return message('parameter.too_long', { member, count: maxLength });
  if ((option === 'title' || option === 'name') && value.trim() === '') return message('parameter.empty', { member });
  if (option === 'default_from_email' && value !== '' && !parseAddress(value).ok)
    return message('address.not_an_address', { member, value: value.slice(0, 80) });
  if (option === 'notify_to') return notifiedProblem(value, member);
  if (option === 'website' && value !== '' && !isWebAddress(value)) return message('account.website', { member });
  if (option === 'timezone' && value !== '' && !isZone(value))
    return message('list.time_zone', { member, value: value.slice(0, 60) });
  return undefined;
}

function readBoolean(member: string, value: string): boolean {
  if (['1', 'true', 'yes'].includes(value.toLowerCase())) return true;
  if (['', '0', 'false', 'no'].includes(value.toLowerCase())) return false;
  throw fault('LIST_OPTION_INVALID', 'parameter.not_a_boolean', { member });
}

/** Addresses from a text of one or several. */
export const notifiedOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');

function notifiedProblem(value: string, member: string): Message | undefined {
  const addresses = notifiedOf(value);
  const wrong = addresses.find((address) => !parseAddress(address).ok);
  if (wrong !== undefined) return message('address.not_an_address', { member, value: wrong.slice(0, 80) });
  if (addresses.length > maxNotified) return message('list.notify_to', { member, count: maxNotified });
  return undefined;
}

/** Written out by column, so that no text from outside becomes part of a statement. */
function assignment(option: Exclude<ListOption, 'sender'>, value: string | boolean): Sql {
  switch (listOptions[option][0]) {
    case 'name':
      return sql`name = ${value}`;
    case 'default_from_name':
      return sql`default_from_name = ${value}`;
    case 'default_from_email':
      return sql`default_from_email = ${value}`;
    case 'default_subject':
      return sql`default_subject = ${value}`;
    case 'default_language':
      return sql`default_language = ${value}`;
    case 'email_type_option':
      return sql`email_type_option = ${value}`;
    case 'company':
      return sql`company = ${value}`;
    case 'postal_address':
      return sql`postal_address = ${value}`;
    case 'website':
      return sql`website = ${value}`;
    case 'time_zone':
      return sql`time_zone = ${value}`;
    case 'notify_to':
      return sql`notify_to = ${value}`;
    case 'subscription_notify':
      return sql`subscription_notify = ${value}`;
    case 'unsubscription_notify':
      return sql`unsubscription_notify = ${value}`;
    case 'permission_reminder':
      return sql`permission_reminder = ${value}`;
    case 'is_public':
      return sql`is_public = ${value}`;
    case 'is_hidden':
      return sql`is_hidden = ${value}`;
    case 'public_title':
      return sql`public_title = ${value}`;
    case 'public_description':
      return sql`public_description = ${value}`;
    case 'public_group':
      return sql`public_group = ${value}`;
  }
}
