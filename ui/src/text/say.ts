// Fills a text with its values: {name} stands for a value, numbers are written the way of the language, and a text with
// the forms `one` and `other` is chosen by the value `count`.

/** A text: one form, or one for each plural category (Unicode CLDR) the language tells apart here. */
export type Words = string | { one: string; other: string };
export type Values = Record<string, string | number>;

export function say(words: Words, values: Values, language: string): string {
  const form = typeof words === 'string' ? words : words[pluralOf(values.count, language)];
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
  });
}

function pluralOf(count: string | number | undefined, language: string): 'one' | 'other' {
  return new Intl.PluralRules(language).select(Number(count ?? 0)) === 'one' ? 'one' : 'other';
}
