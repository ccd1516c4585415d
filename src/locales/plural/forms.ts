// A text in the plural forms of its language, and the choice among them by a number.

/** One text, or its plural forms by the categories of the language (Unicode CLDR); `other` is always there. */
export type Forms = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { other: string });

/** The form for the value `count`, or for the only other number among the values. */
export function formOf(text: Forms, language: string, values: Readonly<Record<string, unknown>>): string {
  if (typeof text === 'string') return text;
  const isNumber = (value: unknown) => typeof value === 'number';
  const count = [values.count, ...Object.values(values)].find(isNumber);
  return (count !== undefined && text[new Intl.PluralRules(language).select(count)]) || text.other;
}
