// What comes of a form that a visitor sent. Promises that nothing is written for an address that is subscribed,
// suppressed, bounced or was asked enough, that a mailbox is on a list once however its address is spelled, and that
// the caller learns nothing of all that: whoever sent the form is told the same.
import { isIPv6 } from 'node:net';
import { onBehalf } from '../../accounts/system-context.ts';
import type { App, Context } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { mailboxOf, parseAddress } from '../address.ts';
import { type Field, readValue } from '../fields/field.ts';
import { subscribe } from '../members/subscribe.ts';
import { suppressed } from '../suppression/suppression.ts';
import { mailboxHash, oneAtATime, wasAskedEnough } from './confirmation-limit.ts';
import type { Form } from './form.ts';

/** Forms a network may send in an hour: an office behind one address, not a flood. */
export const maxPerHour = 30;

export type Problem =
  | 'form.field-required'
  | 'form.email-bad'
  | 'form.field-date'
  | 'form.field-number'
  | 'form.field-website'
  | 'form.field-bad'
  | 'form.consent-missing';

export type Filled = {
  email: string;
  values: Record<string, string>;
  consent: boolean;
  /** What is wrong, by field tag; CONSENT is the consent. */
  problems: Record<string, Problem>;
};

/** Reads what was typed; every wrong field is told, not the first only. */
export function readFilled(form: Form, given: Readonly<Record<string, string>>): Filled {
  const values: Record<string, string> = {};
  const problems: Record<string, Problem> = {};
  for (const field of form.fields) {
    const raw = given[field.tag] ?? '';
    if (field.tag === 'EMAIL') {
      if (raw.trim() === '') problems.EMAIL = 'form.field-required';
      else if (!parseAddress(raw).ok) problems.EMAIL = 'form.email-bad';
      continue;
    }
    try {
      values[field.tag] = readValue(field, raw);
    } catch {
      problems[field.tag] = problemOf(field);
    }
    if (field.required && !field.defaultValue && raw.trim() === '') problems[field.tag] = 'form.field-required';
  }
  const consent = given.CONSENT !== undefined;
  if (form.settings.consent && !consent) problems.CONSENT = 'form.consent-missing';
  return { email: given.EMAIL ?? '', values, consent, problems };
}

function problemOf(field: Field): Problem {
  switch (field.type) {
    case 'email':
      return 'form.email-bad';
    case 'date':
      return 'form.field-date';
    case 'number':
      return 'form.field-number';
    case 'website':
    case 'image':
      return 'form.field-website';
    default:
      return 'form.field-bad';
  }
}

export type Outcome = 'asked' | 'nothing';

/** Takes a form without problems; a mail asks the visitor to confirm when everything allows it. */
export async function signUp(
  app: App,
  form: Form,
  filled: Filled,
  visitor: { ip: string; language: string | undefined },
): Promise<Outcome> {
  const address = parseAddress(filled.email);
  if (!address.ok) return 'nothing';
  // A flood ends here, at one look without a lock.
  if (await wasAskedEnough(app.db, mailboxHash(app, address.key), form.accountId, form.listId)) return 'nothing';
  const outcome = await onBehalf(app, form.accountId, visitor.ip, async (context): Promise<Outcome> => {
    await oneAtATime(context, address.key);
    if (await wasAskedEnough(context.tx, mailboxHash(app, address.key), form.accountId, form.listId)) return 'nothing';
    const known = await whatIsKnown(context, form, address);
    if (known.stays) return 'nothing';
    await subscribe(context, {
      listId: form.listId,
      fields: form.fields,
      email: filled.email,
      vars: {
        values: filled.values,
        email: undefined,
        // A stranger does not change the language of somebody who is known.
        special: visitor.language !== undefined && !known.contact ? { LANGUAGE: visitor.language } : {},
      },
      doubleOptin: true,
      updateExisting: false,
      sendWelcome: false,
      source: 'subscriber',
      ip: visitor.ip,
      agreed: {
        form: form.key,
        language: form.language,
        ...(form.settings.consent ? { consent: form.text('form.consent') } : {}),
        shown: `${form.text('form.title')}\n${form.text('form.intro')}`.slice(0, 2_000),
      },
    });
    return 'asked';
  });
  return outcome ?? 'nothing';
}

/** Whether everything stays as it is: on the list already in any spelling, given up, or not to be written to. */
async function whatIsKnown(
  { tx, account }: Context,
  form: Form,
  address: { key: string; domain: string },
): Promise<{ stays: boolean; contact: boolean }> {
  const row = await tx.row<{ stays: boolean; contact: boolean }>(sql`
    select ${suppressed(account.id, sql`${address.key}::text`, sql`${address.domain}::text`)}
      or exists (
        select from contact c
        join subscription s on s.account_id = c.account_id and s.contact_id = c.id and s.list_id = ${form.listId}
        where c.account_id = ${account.id}
          and c.email_key = ${address.key}
          and s.status in ('subscribed', 'bounced', 'inactive')
      )
      or exists (
        select from contact c
        join subscription s on s.account_id = c.account_id and s.contact_id = c.id and s.list_id = ${form.listId}
        where c.account_id = ${account.id}
          and c.email_key <> ${address.key}
          and (
            c.email_key = ${mailboxOf(address.key)}
            or (
              (c.domain in ('gmail.com', 'googlemail.com') or c.email_key like '%+%')
              and mailbox_of(c.email_key) = ${mailboxOf(address.key)}
            )
          )
          and s.status in ('subscribed', 'pending', 'bounced')
      ) as stays,
      exists (select from contact c where c.account_id = ${account.id} and c.email_key = ${address.key}) as contact`);
  return row!;
}

/** Counts a form that was sent; false when the network has sent too many in this hour. */
export async function countSent(db: Queries, ip: string): Promise<boolean> {
  const row = await db.row<{ count: number }>(sql`
    insert into signup_count as t (network, hour, count)
    values (${networkOf(ip)}, date_trunc('hour', now()), 1)
    on conflict (network, hour) do update
    set count = t.count + 1
    returning count`);
  return row!.count <= maxPerHour;
}

/** Whom an address belongs to: itself, or for IPv6 the /64 that one customer gets at least. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped) return mapped[1]!;
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('%')[0]!.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined ? left : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
