// What the program tells in English (faults, reasons, explanations), in another language. The API's own texts stay as they
// are for programs; here a text is recognised by its English form, with {names} where something is filled in, as
// gettext does. A text that is not known stays English. A test holds every form against the texts of the program.

export type Told = {
  /** English form → form in the language; both with the same {names}. */
  forms: Record<string, string>;
  /** Single words that are filled in, such as states. */
  words: Record<string, string>;
};

/** @returns the translator; what it does not know it gives back as it is */
export function translator({ forms, words }: Told): (text: string) => string {
  const known = Object.entries(forms).map(([english, own]) => ({ ...recognise(english), own }));
  // Those with more words of their own first: "x: there is no list" before "x: {anything}".
  known.sort((a, b) => b.fixed - a.fixed);
  const fill = (own: string, names: string[], values: string[]) =>
    own.replace(/\{(\w+)\}/g, (_all, name: string) => word(values[names.indexOf(name)] ?? ''));
  const word = (value: string): string => words[value] ?? forms[value] ?? value;
  const translate = (text: string): string => {
    if (words[text] !== undefined) return words[text];
    for (const { whole, names, own } of known) {
      const [, ...values] = whole.exec(text) ?? [];
      if (values.length === names.length && whole.test(text)) return fill(own, names, values);
    }
    // Several sentences: the first that is known, and then the others.
    for (const { first, names, own } of known) {
      const found = first?.exec(text);
      if (!found) continue;
      const values = found.slice(1, -1);
      return `${fill(own, names, values)} ${translate(found.at(-1)!)}`;
    }
    return text;
  };
  return translate;
}

function recognise(english: string): { whole: RegExp; first: RegExp | undefined; names: string[]; fixed: number } {
  const names: string[] = [];
  const pattern = english
    .split(/(\{\w+\})/)
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
      names.push(name);
      // The path of a parameter.
      return name === 'member' ? '([a-z][\\w.-]*)' : '(.+?)';
    })
    .join('');
  return {
    whole: new RegExp(`^${pattern}$`, 's'),
    first: english.endsWith('.') ? new RegExp(`^${pattern} (.+)$`, 's') : undefined,
    names,
    fixed: english.replace(/\{\w+\}/g, '').length,
  };
}
