// Processes a submitted sign-up form. Writes nothing for an address that is subscribed, suppressed, bounced or has
// reached the limit of confirmation messages. A mailbox is on a list only once, however its address is spelled. The
// visitor gets the same answer in every case, so the form reveals nothing about an address.

import { onBehalf } from '../../accounts/account/system-context.ts';
import { noticeToAccount } from '../../accounts/notices/account-notice.ts';
import { networkOf } from '../../base/client-network.ts';
import type { App, Context } from '../../base/context.ts';
import { message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { listed } from '../../locales/text.ts';
import { mailboxOf, parseAddress, readUntidyMailbox } from '../address.ts';
import { isLimitReached, lockMailbox, mailboxHash } from '../confirmation/confirmation-limit.ts';
import { takesMail } from '../confirmation/mail-domain.ts';
import { subscribe } from '../members/subscribe.ts';
import { type Field, readFieldText, readValue } from '../model/field.ts';
import { suppressed } from '../model/suppression.ts';
import { boxName, chosenLists, valuesFor } from './chosen-lists.ts';
import type { Form } from './form.ts';
import { increment } from './sign-up-count.ts';

/** Forms accepted from one network in an hour: enough for an office behind one address, too few for a flood. */
export const maxPerHour = 30;

/** Confirmation messages that one form sends in an hour: many networks together could make it write to many strangers. */
export const formLimits = { askedPerHour: 1_000 };

export type FormProblem =
  | 'form.field-required'
  | 'form.email-bad'
  | 'form.field-date'
  | 'form.field-number'
  | 'form.field-website'
  | 'form.field-bad'
  | 'form.consent-missing'
  | 'form.lists-missing'
  | 'form.domain-bad';

export type Submission = {
  email: string;
  values: Record<string, string>;
  consent: boolean;
  /** The lists that were asked for. */
  lists: number[];
  /** What is wrong, by field tag; CONSENT is the consent box, LIST.… the first box of a list. */
  problems: Record<string, FormProblem>;
};

/** Reads what the visitor typed, with the problems of all fields. */
export function readSubmission(form: Form, given: Readonly<Record<string, string>>): Submission {
  const values: Record<string, string> = {};
  const problems: Record<string, FormProblem> = {};
  const address = readUntidyMailbox(given.EMAIL ?? '');
  for (const field of form.fields) {
    const raw = given[field.tag] ?? '';
    if (field.tag === 'EMAIL') {
      if (raw.trim() === '') problems.EMAIL = 'form.field-required';
      else if (!address.ok) problems.EMAIL = 'form.email-bad';
      continue;
    }
    try {
      values[field.tag] = readValue(field, raw);
    } catch {
      problems[field.tag] = problemOf(field);
    }
    if (field.required && !field.defaultValue && raw.trim() === '') problems[field.tag] = 'form.field-required';
  }
  // No one can correct what is not shown: a value that does not fit is left out.
  for (const field of form.hidden) {
    const reading = readFieldText(field, given[field.tag] ?? '');
    if (reading.ok && reading.value !== '') values[field.tag] = reading.value;
  }
  const consent = given.CONSENT !== undefined;
  if (form.settings.consent && !consent) problems.CONSENT = 'form.consent-missing';
  const lists = chosenLists(form, given);
  if (lists.length === 0) problems[boxName(form.listId)] = 'form.lists-missing';
  return { email: address.ok ? address.email : (given.EMAIL ?? ''), values, consent, lists, problems };
}

/** What is wrong with an address that only its name servers know. Asks them where the form says so. */
export async function domainProblem(app: App, form: Form, { email }: Submission): Promise<FormProblem | undefined> {
  const address = form.settings.checkDomain ? parseAddress(email) : undefined;
  return address?.ok && !(await takesMail(app, address.domain)) ? 'form.domain-bad' : undefined;
}

/** What a visitor reads about a value that the field does not take. */
export function problemOf(field: Field): FormProblem {
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

export type SignUpOutcome = 'asked' | 'nothing';

/** Processes a submission without problems: sends a confirmation message if the address may get one. */
export async function signUp(
  app: App,
  form: Form,
  submission: Submission,
  visitor: { ip: string; language: string | undefined },
): Promise<SignUpOutcome> {
  const address = parseAddress(submission.email);
  if (!address.ok) return 'nothing';
  const mailbox = mailboxHash(app, address.key);
  // Cheap check without a lock, to stop a flood here.
  if ((await firstToAsk(app.db, form, mailbox, submission.lists)) === undefined) return 'nothing';
  const outcome = await onBehalf(app, form.accountId, visitor.ip, async (context): Promise<SignUpOutcome> => {
    await lockMailbox(context, address.key);
    const open: number[] = [];
    let isKnown = false;
    for (const listId of submission.lists) {
      const state = await stateOf(context, listId, address);
      isKnown ||= state.hasContact;
      if (!state.isFinal) open.push(listId);
    }
    const first = await firstToAsk(context.tx, form, mailbox, open);
    if (first === undefined) return 'nothing';
    // A stranger must not change the language of an existing contact.
    const special = visitor.language !== undefined && !isKnown ? { LANGUAGE: visitor.language } : {};
    const further = open.filter((listId) => listId !== first);
    // The list that the confirmation is counted for comes last: its job names the others.
    for (const listId of [...further, first]) {
      const { fields, values } = await valuesFor(context, form, listId, submission.values);
      await subscribe(context, {
        listId,
        fields,
        email: submission.email,
        vars: { values, email: undefined, special },
        doubleOptin: true,
        confirmation: listId === first ? { further } : 'with another',
        updateExisting: false,
        sendWelcome: false,
        source: 'subscriber',
        ip: visitor.ip,
        agreed: agreedTo(form, submission),
      });
    }
    return 'asked';
  });
  if (outcome === 'asked') await countAsked(app, form);
  return outcome ?? 'nothing';
}

/** The first of the lists that may ask this mailbox to confirm now; undefined when none may. */
async function firstToAsk(
  db: Queries,
  { accountId }: Form,
  mailbox: string,
  lists: readonly number[],
): Promise<number | undefined> {
  for (const listId of lists) if (!(await isLimitReached(db, mailbox, accountId, listId))) return listId;
  return undefined;
}

/** What the visitor saw, and what it agreed to and chose. */
const agreedTo = (form: Form, { lists }: Submission): Record<string, unknown> => ({
  form: form.key,
  language: form.language,
  ...(form.settings.consent ? { consent: form.text('form.consent') } : {}),
  ...(form.lists.length > 1 && { lists: namesOf(form, lists) }),
  shown: `${form.text('form.title')}\n${form.text('form.intro')}`.slice(0, 2_000),
});

const namesOf = (form: Form, lists: readonly number[]): string => {
  const chosen = form.lists.filter(({ id }) => lists.includes(id));
  return listed(
    chosen.map(({ name }) => name),
    form.language,
  );
};

/** Whether the form has sent as many confirmation messages in this hour as it may. */
export async function hasReachedCap(db: Queries, form: Form): Promise<boolean> {
  const row = await db.row<{ count: number }>(sql`
    select count
    from signup_count
    where counter = ${countName(form)}
      and hour = date_trunc('hour', now())`);
  return row !== undefined && row.count >= formLimits.askedPerHour;
}

/** Counts a confirmation message; the last one of an hour notifies the account, once a day. */
async function countAsked(app: App, form: Form): Promise<void> {
  await app.db.transaction(async (tx) => {
    const { askedPerHour } = formLimits;
    const { count } = await increment(tx, countName(form));
    if (count !== askedPerHour) return;
    const earlier = await tx.row(sql`
      select from signup_count
      where counter = ${countName(form)}
        and hour < date_trunc('hour', now())
        and count >= ${askedPerHour}
      limit 1`);
    if (earlier) return;
    await noticeToAccount(tx, form.accountId, {
      subject: message('form.cap_reached', { list: form.list }),
      paragraphs: [message('form.cap_about', { count: askedPerHour })],
    });
  });
}

const countName = ({ accountId, listId }: Form) => `form ${accountId}.${listId}`;

/**
 * Whether the address stays as it is: on this list in any spelling, bounced, inactive or suppressed. Confirming lifts the
 * suppression of an unsubscribe, so that may be asked for.
 */
async function stateOf(
  { tx, account }: Context,
  listId: number,
  address: { key: string; domain: string },
): Promise<{ isFinal: boolean; hasContact: boolean }> {
  const row = await tx.row<{ isFinal: boolean; hasContact: boolean }>(sql`
    select ${suppressed(account.id, sql`${address.key}::text`, sql`${address.domain}::text`, 'unsubscribe')}
      or exists (
        select from contact c
        join subscription s on s.account_id = c.account_id and s.contact_id = c.id and s.list_id = ${listId}
        where c.account_id = ${account.id}
          and c.email_key = ${address.key}
          and s.status in ('subscribed', 'bounced', 'inactive')
      )
      or exists (
        select from contact c
        join subscription s on s.account_id = c.account_id and s.contact_id = c.id and s.list_id = ${listId}
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
      ) as "isFinal",
      exists (select from contact c where c.account_id = ${account.id} and c.email_key = ${address.key}) as "hasContact"`);
  return row!;
}

/** Counts a submission; false when its network has sent too many in this hour. */
export async function countSubmission(db: Queries, ip: string): Promise<boolean> {
  return (await increment(db, networkOf(ip))).count <= maxPerHour;
}
