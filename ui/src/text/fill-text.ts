// Fills in a text: {name} is replaced by a value, numbers are formatted for the language, and a text with the forms
// `one` and `other` is chosen by the value `count`.

import { appName } from '../api/installation.ts';

/** A text: a single form, or one form for each plural category (Unicode CLDR) that its language distinguishes. */
export type TextForms = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { other: string });
export type Values = Record<string, string | number>;

export function fillText(text: TextForms, values: Values, language: string): string {
  const form = typeof text === 'string' ? text : (text[pluralCategory(values.count, language)] ?? text.other);
  return named(form).replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
  });
}

/** Texts call the application Postrider; an installation may have another name. */
const named = (text: string): string => (appName === 'Postrider' ? text : text.replaceAll('Postrider', appName));

function pluralCategory(count: string | number | undefined, language: string): Intl.LDMLPluralRule {
  return new Intl.PluralRules(language).select(Number(count ?? 0));
}
