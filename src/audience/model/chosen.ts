// Values of the field types yes_no and multiple_choice: reads what forms, exports and programs write, and writes the one form
// that is stored (docs/flows.md). What was stored reads as itself, whatever the names of the choices contain. Pure.
import { languages } from '../../locales/languages.ts';
import { text } from '../../locales/text.ts';
import { chosenIn, escapedName, joinedNames } from './choice-names.ts';

/** Characters of all choices of a field, as they are stored: so any set of them fits where values of fields go. */
export const maxChoicesLength = 2_000;

const words = (key: string, others: string): ReadonlySet<string> =>
  new Set([...languages.map((language) => fold(text(language, key))), ...others.split(' ')]);
const fold = (word: string) => word.trim().normalize('NFC').toLowerCase();

const yesWords = words('value.yes', 'yes y true t 1 on x checked ✓ ✔ ☑ ja j wahr oui si sim');
const noWords = words('value.no', 'no n false f 0 off unchecked ✗ ✘ ☐ nein falsch non não nao');

/** What a yes or a no is stored as; undefined for other words. */
export function yesOrNo(written: string): 'yes' | 'no' | undefined {
  const word = fold(written);
  if (yesWords.has(word)) return 'yes';
  return noWords.has(word) ? 'no' : undefined;
}

/** The value of a check box: what is between others when several boxes of a form are joined by commas. */
export const boxValue = (name: string): string => {
  // A lone 0 before others is the hidden input of a box (form-body.ts).
  return name === '0' ? '0,' : escapedName(name);
};

/** A value as people read it. */
export const chosenInWords = (stored: string): string => chosenIn(stored).join(', ');

/** A value of a field of any type as people read it. */
export function valueInWords(type: string, stored: string, language: string): string {
  if (type === 'multiple_choice') return chosenInWords(stored);
  if (type !== 'yes_no' || !/^(?:yes|no)$/.test(stored)) return stored;
  return text(language, `value.${stored}`);
}

/** The stored form of these choices: in the order of the field, each once. */
export function storedChoices(chosen: Iterable<string>, choices: readonly string[]): string {
  const set = new Set(chosen);
  return joinedNames(choices.filter((choice) => set.has(choice)));
}

/** Choices as a field keeps them: each name once, in whatever case it is written. */
export function distinctChoices(names: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const name of names) {
    const tidy = name.trim().replace(/\s+/g, ' ').normalize('NFC');
    if (tidy !== '' && !byKey.has(choiceKey(tidy))) byKey.set(choiceKey(tidy), tidy);
  }
  return [...byKey.values()];
}

/** By which names are the same choice. */
export const choiceKey = (name: string): string =>
  name.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase().normalize('NFC');

export type ChoicesReading = { ok: true; value: string } | { ok: false; unknown: string };

/** Reads a set of the choices from a text, or from names that are apart already. */
export function readChoices(written: string | readonly string[], choices: readonly string[]): ChoicesReading {
  const byKey = new Map(choices.map((choice) => [choiceKey(choice), choice]));
  const named = (names: readonly string[]) => names.map((name) => byKey.get(choiceKey(name)));
  const stored = (names: readonly (string | undefined)[]): ChoicesReading => ({
    ok: true,
    value: storedChoices(names as string[], choices),
  });
  if (typeof written !== 'string') {
    const found = new Set<string>();
    for (const item of written) {
      // A check box posts names as they are stored.
      const names = [named([item]), named(chosenIn(item))].find((each) => !each.includes(undefined));
      if (!names) return { ok: false, unknown: item.trim() };
      for (const name of names) found.add(name!);
    }
    return stored([...found]);
  }
  const ways = [chosenIn(written), [written], jsonNames(written), namesAmong(written, byKey)];
  const names = ways.map((way) => way && named(way)).find((way) => way && !way.includes(undefined));
  if (names) return stored(names);
  const unknown = written.split(separator).find((part) => part.trim() !== '' && !byKey.has(choiceKey(part)));
  return { ok: false, unknown: (unknown ?? written).trim() };
}

/** The choices that a form shows as ticked for a text, also for one that names others too. */
export function tickedChoices(written: string, choices: readonly string[]): ReadonlySet<string> {
  const reading = readChoices(written, choices);
  if (reading.ok) return new Set(chosenIn(reading.value));
  const keys = new Set(chosenIn(written).map(choiceKey));
  return new Set(choices.filter((choice) => keys.has(choiceKey(choice))));
}

const separator = /[,;|\n\r]/;

/** The names of an array in JSON; undefined for other texts. */
function jsonNames(written: string): string[] | undefined {
  if (!/^\s*\[.*\]\s*$/s.test(written)) return undefined;
  try {
    const items: unknown = JSON.parse(written);
    return Array.isArray(items) && items.every((item) => typeof item === 'string') ? items : undefined;
  } catch {
    return undefined;
  }
}

/** Names between separators, where a name may contain separators itself; undefined if what is left over is none. */
function namesAmong(written: string, byKey: ReadonlyMap<string, string>): string[] | undefined {
  const parts = written.split(/([,;|\n\r])/);
  // The names that begin with a part, the longest first; all names together are short, see maxChoicesLength.
  const byFirst = Map.groupBy(
    [...byKey.keys()].map((key) => ({ key, count: key.split(separator).length })).sort((a, b) => b.count - a.count),
    ({ key }) => key.split(separator)[0]!.trim(),
  );
  // What the parts from here on are, from right to left.
  const from: (string[] | undefined)[] = Array.from({ length: parts.length + 2 });
  from[parts.length + 1] = [];
  for (let i = parts.length - 1; i >= 0; i -= 2) {
    if (parts[i]!.trim() === '') from[i] = from[i + 2];
    const fitting = byFirst.get(choiceKey(parts[i]!))?.find(({ key, count }) => {
      const rest = from[i + 2 * count];
      return rest !== undefined && choiceKey(parts.slice(i, i + 2 * count - 1).join('')) === key;
    });
    if (fitting && !from[i]) from[i] = [fitting.key, ...from[i + 2 * fitting.count]!];
  }
  return from[0];
}
