// Checks the texts of the web application: every language has the same areas, keys, forms and placeholders.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { methods } from '../../../src/doors/registry.ts';
import { fillText, type TextForms } from './fill-text.ts';
import { completeLanguages, languages } from './languages.ts';

const locales = join(import.meta.dirname, '../locales');
const areasOf = (language: string) =>
  globSync('*.json', { cwd: join(locales, language) })
    .map((file) => basename(file, '.json'))
    .sort();
const textsOf = (language: string, area: string) =>
  JSON.parse(readFileSync(join(locales, language, `${area}.json`), 'utf8')) as Record<string, TextForms>;
const areas = areasOf('en');

test('German has the same areas as English, and each is listed', () => {
  assert.deepEqual(areasOf('de'), areas);
  const list = readFileSync(join(import.meta.dirname, 'areas.ts'), 'utf8');
  assert.ok(areas.length >= 4);
  for (const area of areas) assert.ok(list.includes(`/en/${area}.json`), `${area} is missing from text/areas.ts`);
});

for (const area of areas) {
  test(`the texts of ${area} have the same keys, forms and placeholders in both languages`, () => {
    const english = textsOf('en', area);
    const german = textsOf('de', area);
    assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort());
    for (const [key, words] of Object.entries(english)) {
      assert.deepEqual(placeholders(german[key]!), placeholders(words), key);
      assert.equal(typeof german[key], typeof words, key);
    }
  });

  test(`no text of ${area} is empty or left in English by mistake`, () => {
    const english = textsOf('en', area);
    const german = textsOf('de', area);
    for (const [key, words] of Object.entries(german)) {
      for (const form of formsOf(words)) assert.notEqual(form.trim(), '', key);
      // A sentence that reads the same in both languages has not been translated.
      const [first] = formsOf(words);
      if (first!.split(' ').length > 3) assert.notDeepEqual(words, english[key], key);
    }
  });
}

test('the audit log has words for every method that changes something', () => {
  const written = Object.keys(textsOf('en', 'audit'));
  const unwritten = methods.filter(({ name, reads }) => !reads && !written.includes(`did.${name}`));
  assert.deepEqual(
    unwritten.map(({ name }) => name),
    [],
  );
});

test('the API reference has words for every group of methods', () => {
  const written = Object.keys(textsOf('en', 'api'));
  const groups = new Set(methods.map(({ group }) => group));
  assert.deepEqual(
    [...groups].filter((group) => !written.includes(`group.${group}`)),
    [],
  );
});

test('placeholders are replaced, and numbers formatted for the language', () => {
  assert.equal(fillText('{from} of {total}', { from: 1, total: 12_408 }, 'en'), '1 of 12,408');
  assert.equal(fillText('{from} von {total}', { from: 1, total: 12_408 }, 'de'), '1 von 12.408');
  assert.equal(fillText('to {name}', { name: '{count}' }, 'en'), 'to {count}');
  assert.equal(fillText('{missing}', {}, 'en'), '{missing}');
});

test('every language of the application has its folder and its texts of the first screen, and those without gaps are complete', () => {
  const folders = globSync('*/', { cwd: locales }).map((path) => path.replace(/\/$/, ''));
  assert.deepEqual(folders.sort(), Object.keys(languages).sort());
  for (const language of Object.keys(languages))
    assert.match(readFileSync(join(locales, `${language}-first.ts`), 'utf8'), new RegExp(`'\\./${language}/\\{shell,`));
  for (const language of completeLanguages)
    for (const area of areas)
      for (const key of Object.keys(textsOf('en', area)))
        assert.ok(key in textsOf(language, area), `${language} ${key}`);
});

test('a language has the plural forms that it distinguishes, and one that a text lacks is the general one', () => {
  const polish = { one: '{count} lista', few: '{count} listy', many: '{count} list', other: '{count} listy' };
  assert.deepEqual(
    [1, 3, 5, 22, 1.5].map((count) => fillText(polish, { count }, 'pl')),
    ['1 lista', '3 listy', '5 list', '22 listy', '1,5 listy'],
  );
  const french = { one: '{count} liste', other: '{count} listes' };
  assert.deepEqual(
    [0, 1, 2, 1_000_000].map((count) => fillText(french, { count }, 'fr').replaceAll(/\s/g, ' ')),
    ['0 liste', '1 liste', '2 listes', '1 000 000 listes'],
  );
});

test('what a screen ends with a full stop has none itself', () => {
  for (const language of Object.keys(languages))
    for (const [area, key] of [
      ['settings', 'rechecks'],
      ['setup', 'domainRechecks'],
    ] as const)
      assert.doesNotMatch(String(textsOf(language, area)[key]), /\.$/, `${language} ${key}`);
});

test('what an empty field does is a sentence, as in "Leave empty to …"', () => {
  const clipped =
    /(^|[.!?”»“] )(Empty( for|:)|Leer( für|:)|Vide( pour|\s:)|Vacío( |:)|Vuoto( |:)|Vazio( |:)|Leeg( |:))/;
  const found = Object.keys(languages).flatMap((language) =>
    areas.flatMap((area) =>
      Object.values(textsOf(language, area))
        .flatMap(formsOf)
        .filter((text) => clipped.test(text)),
    ),
  );
  assert.deepEqual(found, []);
});

test('the count selects the plural form', () => {
  const text = { one: '{count} email', other: '{count} emails' };
  assert.equal(fillText(text, { count: 1 }, 'en'), '1 email');
  assert.equal(fillText(text, { count: 0 }, 'en'), '0 emails');
  assert.equal(fillText(text, { count: 2_000 }, 'de'), '2.000 emails');
});

const formsOf = (text: TextForms): string[] => (typeof text === 'string' ? [text] : Object.values(text));

function placeholders(text: TextForms): string[] {
  return formsOf(text).map((form) =>
    [...form.matchAll(/\{(\w+)\}/g)]
      .map(([, name]) => name)
      .sort()
      .join(' '),
  );
}
