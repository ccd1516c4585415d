// The sign-up form of a list: its settings, and what a visitor sees of it. Read by the key in its URL with a single
// statement, since anyone may request it at any rate.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../../base/context.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import { languageFor, listed, text } from '../../locales/text.ts';
import type { Field } from '../model/field.ts';
import type { StoredForm } from '../model/list.ts';
import { readerName } from '../model/reader-name.ts';
import { fillTags, type ListTextName, type OwnText, textsFrom, withChanges } from './texts.ts';

export type FormSettings = {
  enabled: boolean;
  /** Tags of the fields shown; when empty, all public fields. */
  fields: string[];
  /** Tags of fields that are not public and take a value all the same. */
  hiddenFields: string[];
  /** A page shown instead of the thanks, or ''. */
  redirect: string;
  /** Origins of other sites whose pages may send the form inline. */
  origins: string[];
  /** Whether a visitor must agree to the consent text. */
  consent: boolean;
  sendWelcome: boolean;
  sendGoodbye: boolean;
  /** Days after which a pending contact is reminded once to confirm; 0 = never. */
  remindAfterDays: number;
  /** Whether a visitor chooses among the lists; otherwise it signs up to all of them. */
  choose: boolean;
  /** Whether the domain of an address must be able to receive email. */
  checkDomain: boolean;
  /** The URL of a stored picture on the hosted page, or '', and its alternative text. */
  picture: string;
  pictureAlt: string;
};

export type Form = {
  accountId: number;
  listId: number;
  key: string;
  settings: FormSettings;
  /** The fields shown, in their order. */
  fields: Field[];
  /** Other public fields, and those named as hidden: a site may give them a value in a hidden input, or in the address of the form. */
  hidden: Field[];
  language: string;
  list: string;
  /** The lists it signs up to: its own, then the further ones. */
  lists: { id: number; name: string }[];
  /** The organisation that sends, and its postal address: those of the list, or of the account. Its brand as it is stored. */
  sender: { name: string; address: string; brand: unknown };
  text(name: ListTextName): string;
};

export const readSettings = (stored: StoredForm): FormSettings => ({
  enabled: stored.enabled ?? true,
  fields: stored.fields ?? [],
  hiddenFields: stored.hidden_fields ?? [],
  redirect: stored.redirect_url ?? '',
  origins: stored.origins ?? [],
  consent: stored.ask_consent ?? true,
  sendWelcome: stored.send_welcome ?? false,
  sendGoodbye: stored.send_goodbye ?? false,
  remindAfterDays: stored.remind_after_days ?? 0,
  choose: (stored.list_choice ?? 'choose') === 'choose',
  checkDomain: stored.check_domain ?? false,
  picture: stored.picture_url ?? '',
  pictureAlt: stored.picture_alt ?? '',
});

/** The form of a key, in the requested language or the list's; undefined when there is none. */
export async function formByKey(db: Queries, key: string, wanted?: string): Promise<Form | undefined> {
  return /^[0-9a-f]{32}$/.test(key) ? readForm(db, sql`l.form_key = ${key}`, wanted) : undefined;
}

export async function formOfList(
  db: Queries,
  accountId: number,
  listId: number,
  wanted?: string,
  changes?: FormChanges,
): Promise<Form | undefined> {
  return readForm(db, sql`l.account_id = ${accountId} and l.id = ${listId}`, wanted, changes);
}

type FormRow = {
  accountId: number;
  listId: number;
  key: string;
  form: StoredForm;
  name: string;
  company: string;
  address: string;
  url: string;
  accountName: string;
  accountAddress: string;
  brand: unknown;
  language: string;
  active: boolean;
  further: { id: number; name: string }[];
  fields: Field[];
  texts: OwnText[];
};

/** What is changed and not saved. */
export type FormChanges = { form: StoredForm; texts: readonly OwnText[] };

const unchanged: FormChanges = { form: {}, texts: [] };

async function readForm(
  db: Queries,
  where: Sql,
  wanted: string | undefined,
  changes = unchanged,
): Promise<Form | undefined> {
  const further = changes.form.further_lists;
  const row = await db.row<FormRow>(sql`
    select l.account_id as "accountId", l.id as "listId", l.form_key as key, l.form, ${readerName(sql`l`)} as name, l.company,
      l.postal_address as address, l.website as url, coalesce(nullif(a.company, ''), a.name) as "accountName",
      a.postal_address as "accountAddress", a.settings -> 'brand' as brand, l.default_language as language, a.active and a.may_send as active,
      (
        select coalesce(json_agg(json_build_object('id', o.id, 'name', ${readerName(sql`o`)}) order by f.position), '[]')
        from jsonb_array_elements_text(coalesce(${further ? JSON.stringify(further) : null}::jsonb, l.form -> 'further_lists', '[]')) with ordinality f(id, position)
        join list o on o.account_id = l.account_id and o.id = f.id::int and o.id <> l.id
      ) as further,
      (
        select coalesce(json_agg(json_build_object('tag', f.tag, 'mergeNo', f.merge_no, 'name', f.name, 'type', f.field_type,
          'required', f.required, 'shown', f.shown, 'position', f.position, 'defaultValue', f.default_value,
          'choices', f.choices) order by f.position, f.merge_no), '[]')
        from field f
        where f.account_id = l.account_id
          and f.list_id = l.id
      ) as fields,
      (
        select coalesce(json_agg(json_build_object('name', t.name, 'language', t.language, 'value', t.value)), '[]')
        from list_text t
        where t.account_id = l.account_id
          and t.list_id = l.id
          and t.name like 'form.%'
      ) as texts
    from list l
    join account a on a.id = l.account_id
    where ${where}`);
  if (!row) return undefined;
  const settings = readSettings({ ...row.form, ...changes.form });
  const language = languageFor(wanted, row.language);
  const texts = textsFrom(withChanges(row.texts, changes.texts), language);
  const lists = [{ id: row.listId, name: row.name }, ...row.further];
  const names = lists.map(({ name }) => name);
  const values = {
    // What a visitor agrees to covers every list that the form can lead to.
    'LIST:NAME': listed(names, language),
    'LIST:COMPANY': row.company || row.accountName,
    'LIST:ADDRESS': row.address || row.accountAddress,
    'LIST:URL': row.url,
  };
  const shown = shownFields(row.fields, settings.fields);
  return {
    accountId: row.accountId,
    listId: row.listId,
    key: row.key,
    settings: { ...settings, enabled: settings.enabled && row.active },
    fields: shown.map((field) => localized(field, language)),
    hidden: row.fields.filter(
      (field) => !shown.includes(field) && (field.shown || settings.hiddenFields.includes(field.tag)),
    ),
    language,
    list: row.name,
    lists,
    sender: { name: row.company || row.accountName, address: row.address || row.accountAddress, brand: row.brand },
    text: (name) => fillTags(texts(name), values, 'plain'),
  };
}

/** The address, the chosen fields, and every required field, without which no one could subscribe. */
function shownFields(fields: readonly Field[], chosen: readonly string[]): Field[] {
  return fields.filter(
    (field) =>
      field.tag === 'EMAIL' ||
      (field.shown && (chosen.length === 0 || chosen.includes(field.tag) || (field.required && !field.defaultValue))),
  );
}

/** The fields every list starts with are named in the visitor's language until they are renamed. */
export function localized(field: Field, language: string): Field {
  const key = { 'Email Address': 'form.email', 'First Name': 'form.first-name', 'Last Name': 'form.last-name' }[
    field.name
  ];
  return key === undefined ? field : { ...field, name: text(language, key) };
}

/** A form is open for at least this long before it is sent: people need the time, programs do not take it. */
const minOpenMs = 1_500;
const maxOpenMs = 24 * 3_600_000;

/** The time a form was opened, signed, so that a program must request the form before it can submit it. */
export function openedToken(app: App, formKey: string, at: number): string {
  const time = at.toString(36);
  return `${time}.${macOf(app, formKey, time)}`;
}

export type OpenedReading = { kind: 'fine' } | { kind: 'too soon'; at: number } | { kind: 'none' };

export function readOpenedToken(app: App, formKey: string, token: string, now: number): OpenedReading {
  const [time = '', mac = ''] = token.split('.');
  if (!/^[0-9a-z]{1,10}$/.test(time) || mac.length !== 22) return { kind: 'none' };
  const expected = Buffer.from(macOf(app, formKey, time));
  const given = Buffer.from(mac);
  if (given.length !== expected.length || !timingSafeEqual(expected, given)) return { kind: 'none' };
  const at = Number.parseInt(time, 36);
  const age = now - at;
  if (age > maxOpenMs || age < -60_000) return { kind: 'none' };
  return age < minOpenMs ? { kind: 'too soon', at } : { kind: 'fine' };
}

const macOf = (app: App, formKey: string, time: string) =>
  createHmac('sha256', app.secret).update(`sign-up look ${formKey} ${time}`).digest('base64url').slice(0, 22);
