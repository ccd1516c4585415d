// `npm run locales`: what is wrong with the texts of each language, compared with English. `npm run locales -- fr` lists one language in
// full, with the texts that equal English, which may be right. Ends with 1 when something is wrong. Public pages and emails must be
// complete; a screen without a text in a language shows the English one.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { languages } from '../src/locales/languages.ts';
import { messages } from '../src/locales/messages/index.ts';
import { translated } from '../src/locales/messages/translated.ts';

type Text = string | Record<string, string>;
type Texts = Record<string, Text>;
type Report = {
  language: string;
  part: string;
  all: number;
  missing: string[];
  leftOver: string[];
  wrong: string[];
  equal: string[];
};

const root = join(import.meta.dirname, '..');
const screens = join(root, 'ui/src/locales');
const pages = join(root, 'src/locales');

const read = (path: string): Texts => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
const formsOf = (text: Text): string[] => (typeof text === 'string' ? [text] : Object.values(text));
/** The names in braces of each form, once each. */
const namesOf = (text: Text): string[] =>
  formsOf(text).map((form) => [...new Set(form.match(/\{\w+\}/g) ?? [])].sort().join(' '));

/** What is wrong with one text; undefined when nothing is. @param mayOmit whether it may leave names out */
function problemOf(language: string, own: Text, english: Text, mayOmit: boolean): string | undefined {
  if (formsOf(own).some((form) => form === '')) return 'is empty';
  if (typeof own !== 'string') {
    const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    const missing = wanted.filter((category) => own[category] === undefined);
    // Only millions and fractions are of the category "many" there.
    const needed = missing.filter((category) => !(category === 'many' && ['es', 'fr', 'it', 'pt'].includes(language)));
    if (needed.length > 0) return `lacks the plural forms ${needed.join(', ')}`;
  }
  // A form may name the number in words: one, where English has it as a digit.
  const all = [...new Set(formsOf(english).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();
  const allowed = [...namesOf(english), all.join(' ')];
  const isRight = (names: string) =>
    mayOmit ? names.split(' ').every((name) => name === '' || all.includes(name)) : allowed.includes(names);
  const other = namesOf(own).find((names) => !isRight(names));
  return other === undefined ? undefined : `has ${other || 'no names'} instead of ${all.join(' ') || 'none'}`;
}

function compare(language: string, part: string, own: Texts, english: Texts): Report {
  const keys = Object.keys(english);
  const shared = keys.filter((key) => own[key] !== undefined);
  return {
    language,
    part,
    all: keys.length,
    missing: keys.filter((key) => own[key] === undefined),
    leftOver: Object.keys(own).filter((key) => english[key] === undefined),
    wrong: shared.flatMap((key) => {
      const problem = problemOf(language, own[key]!, english[key]!, part === 'messages');
      return problem ? [`${key} ${problem}`] : [];
    }),
    equal: shared.filter((key) => JSON.stringify(own[key]) === JSON.stringify(english[key])),
  };
}

/** Languages that the web application has texts in. */
export const screenLanguages = readdirSync(screens, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

const areas = globSync('*.json', { cwd: join(screens, 'en') })
  .map((file) => basename(file, '.json'))
  .sort();

/** Public pages and emails, in every language but English. */
export const pageReports = (): Report[] =>
  languages
    .filter((language) => language !== 'en')
    .map((language) =>
      compare(language, 'pages and emails', read(join(pages, `${language}.json`)), read(join(pages, 'en.json'))),
    );

/** The web application: its screens, and what the server says on them. */
export function screenReports(): Report[] {
  const said = (language: string): Texts =>
    translated[language] ??
    Object.fromEntries(
      Object.entries(messages).map(([key, texts]) => [key, texts[language === 'de' ? 'de' : 'en']] as const),
    );
  return screenLanguages
    .filter((language) => language !== 'en')
    .flatMap((language) => [
      ...areas.map((area) =>
        compare(
          language,
          `screens: ${area}`,
          read(join(screens, language, `${area}.json`)),
          read(join(screens, 'en', `${area}.json`)),
        ),
      ),
      compare(language, 'messages', said(language), said('en')),
    ]);
}

/** Texts that are there and cannot stay as they are. */
export const faultsOf = ({ language, part, leftOver, wrong }: Report): string[] => [
  ...leftOver.map((key) => `${language}, ${part}: ${key} is not in English`),
  ...wrong.map((problem) => `${language}, ${part}: ${problem}`),
];

function print(reports: readonly Report[], inFull: boolean): void {
  for (const report of reports) {
    const { language, part, all, missing, leftOver, wrong, equal } = report;
    process.stdout.write(
      `${language.padEnd(3)} ${part.padEnd(22)} ${String(all - missing.length).padStart(4)} of ${all}, ${missing.length} missing, ${leftOver.length} left over, ${wrong.length} wrong, ${equal.length} equal to English\n`,
    );
    for (const fault of faultsOf(report)) process.stdout.write(`    ${fault}\n`);
    if (!inFull) continue;
    for (const key of missing) process.stdout.write(`    missing: ${key}\n`);
    for (const key of equal) process.stdout.write(`    equal: ${key}\n`);
  }
}

if (import.meta.main) {
  const wanted = process.argv[2];
  const reports = [...pageReports(), ...screenReports()].filter(({ language }) => !wanted || language === wanted);
  print(reports, wanted !== undefined);
  const lacking = pageReports().some(({ missing }) => missing.length > 0);
  process.exitCode = lacking || reports.some((report) => faultsOf(report).length > 0) ? 1 : 0;
}
