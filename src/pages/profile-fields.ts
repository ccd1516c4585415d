// The fields on the preference page: a field that several lists have is shown once, unless they read it differently. Which of them a
// person changed: a value counts as changed when it is not what the page showed. Pure.

import type { Subscription } from '../audience/members/subscription.ts';
import { boxValue, tickedChoices, yesOrNo } from '../audience/model/chosen.ts';
import type { Field } from '../audience/model/field.ts';
import type { Status } from '../audience/model/subscription-status.ts';
import { localized } from '../audience/signup/form.ts';
import { Html, html } from '../base/html.ts';
import { formatId } from '../db/ids.ts';

/** A subscription as the page has it; `none` of a list that is offered. */
export type OnPage = Pick<Subscription, 'listId' | 'email' | 'emailType' | 'fields'> & { status: Status | 'none' };

/** A list of the contact, with the fields that it may see. */
export type Entry = {
  subscription: OnPage;
  /** As readers read it. */
  list: string;
  description: string;
  group: string;
  /** Its name is the owner's only. */
  isInternal: boolean;
  fields: Field[];
};

type Given = Readonly<Record<string, string>>;

export type ShownField = {
  /** In the form; `was.` before it names the value that was shown. */
  name: string;
  field: Field;
  value: string;
  /** The list, where others have a field of this tag that is read differently. */
  list: string | undefined;
  /** Whose values it shows. */
  entries: Entry[];
};

/** @param entries those that the contact is on first: their values are shown */
export function shownFields(entries: readonly Entry[]): ShownField[] {
  const all = entries.flatMap((entry) => entry.fields.map((field) => ({ field, entry })));
  return [...Map.groupBy(all, ({ field }) => field.tag).values()].flatMap((ofTag) => {
    const readAlike = [...Map.groupBy(ofTag, ({ field }) => JSON.stringify([field.type, field.choices])).values()];
    return readAlike.map((alike, i): ShownField => {
      const { field, entry } = alike[0]!;
      const own = alike.map(({ entry }) => entry);
      return {
        name: i === 0 ? `field.${field.tag}` : `field.${field.tag}.${formatId(entry.subscription.listId)}`,
        field,
        value: shownValue(own, field.tag),
        list: readAlike.length > 1 ? entry.list : undefined,
        entries: own,
      };
    });
  });
}

/** The first value of a list that the contact is on; only if it is on none of them, that of a list it left. */
function shownValue(entries: readonly Entry[], tag: string): string {
  const on = entries.filter(({ subscription }) => subscription.status === 'subscribed');
  const values = (on.length > 0 ? on : entries).map((entry) => valueOn(entry, tag));
  return values.find((value) => value !== '') ?? '';
}

const valueOn = ({ subscription }: Entry, tag: string): string => subscription.fields[tag] ?? '';

/**
 * The values to write to a list, by tag.
 * @param isJoined also those that the page shows where the list has none
 */
export function changesOf(
  shown: readonly ShownField[],
  entry: Entry,
  given: Given,
  isJoined: boolean,
): Record<string, string> {
  const own = shown.filter(({ name, entries }) => given[name] !== undefined && entries.includes(entry));
  const changed = own.filter(
    ({ name, value, field }) =>
      hasFieldChanged(field, given, name, value) ||
      (isJoined &&
        valueOn(entry, field.tag) === '' &&
        given[name] !== '' &&
        !(field.type === 'yes_no' && value === '')),
  );
  return Object.fromEntries(changed.map(({ name, field }) => [field.tag, given[name]!.replaceAll('\r\n', '\n')]));
}

/** Whether a value of the form is not the one that the page showed; `now` is the present one, for a form that does not say. */
export const hasChanged = (given: Given, name: string, now: string): boolean =>
  asSent(given[name] ?? '') !== asSent(given[`was.${name}`] ?? now);

/** A box that is unticked, as it was where nothing was answered yet, is no answer. */
const hasFieldChanged = (field: Field, given: Given, name: string, now: string): boolean =>
  field.type === 'yes_no'
    ? (yesOrNo(given[name] ?? '') === 'yes') !== (yesOrNo(given[`was.${name}`] ?? now) === 'yes')
    : hasChanged(given, name, now);

/** Browsers send line breaks as CR LF. */
const asSent = (value: string): string => value.replace(/\r\n?/g, '\n').trim();

/** The name of a field on the page, with that of its list where others have a field of this name too. */
export function labelOf({ field, list }: ShownField, language: string): string {
  const own = localized(field, language).name;
  return list === undefined ? own : `${own} (${list})`;
}

/** @param typed a value that could not be saved */
export function fieldRow(shown: ShownField, language: string, typed = shown.value): Html {
  const { name, field, value } = shown;
  const label = labelOf(shown, language);
  const was = html`<input type="hidden" name="was.${name}" value="${value}">`;
  if (field.type === 'yes_no')
    return html`<input type="hidden" name="${name}" value="0"><label class="pick"><input type="checkbox" name="${name}" value="1"${ticked(yesOrNo(typed) === 'yes')}> <span>${label}</span></label>${was}`;
  if (field.type === 'multiple_choice') return html`${choicesOf(field, name, label, typed)}${was}`;
  return html`<label>${label}${inputOf(field, name, typed)}</label>${was}`;
}

const ticked = (is: boolean) => new Html(is ? ' checked' : '');

function choicesOf({ choices }: Field, name: string, label: string, value: string): Html {
  const chosen = tickedChoices(value, choices);
  return html`<fieldset><legend>${label}</legend><input type="hidden" name="${name}" value="">${choices.map(
    (choice) =>
      html`<label class="pick"><input type="checkbox" name="${name}" value="${boxValue(choice)}"${ticked(chosen.has(choice))}> <span>${choice}</span></label>`,
  )}</fieldset>`;
}

/** Shows each value so that it comes back as it is, also one that the field would not take now. Not `required`: who leaves need not fill it in. */
function inputOf(field: Field, name: string, value: string): Html {
  if (field.type === 'dropdown') {
    const choices = ['', ...field.choices, ...(value === '' || field.choices.includes(value) ? [] : [value])];
    return html` <select name="${name}">${choices.map((choice) => html`<option value="${choice}"${new Html(choice === value ? ' selected' : '')}>${choice}</option>`)}</select>`;
  }
  // A text area drops the first line break.
  if (/[\r\n]/.test(value)) return html` <textarea name="${name}" rows="4">\n${value}</textarea>`;
  const type =
    field.type === 'date' && !/^(\d{4}-\d{2}-\d{2})?$/.test(value)
      ? 'text'
      : inputTypes[field.type as keyof typeof inputTypes];
  return html` <input name="${name}" type="${type}" value="${value}">`;
}

const inputTypes: Record<Exclude<Field['type'], 'dropdown' | 'yes_no' | 'multiple_choice'>, string> = {
  number: 'text',
  email: 'email',
  date: 'date',
  phone: 'tel',
  website: 'url',
  image: 'url',
  text: 'text',
  address: 'text',
};
