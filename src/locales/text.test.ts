// The locale files agree: the same keys, the same {names}, and a code of the API for each language.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { footerOf, headerOf } from '../campaigns/compile/footer.ts';
import { languageCodes } from '../campaigns/model/options.ts';
import { languageAliases, languageFor, languages, text } from './text.ts';

const read = (language: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${language}.json`), 'utf8')) as Record<string, string>;
const names = (line: string) => [...new Set(line.match(/\{\w+\}/g) ?? [])].sort();
const english = read('en');

test('the API has one code for each language, and every alias is one of them', () => {
  assert.deepEqual(Object.values(languageCodes).sort(), languages);
  for (const alias of Object.keys(languageAliases)) assert.ok(alias in languageCodes, alias);
});

for (const language of languages) {
  test(`${language} has every key of English and no other, with the same names in each text`, () => {
    const own = read(language);
    assert.deepEqual(Object.keys(own), Object.keys(english));
    for (const [key, line] of Object.entries(own)) {
      assert.deepEqual(names(line), names(english[key]!), key);
      assert.ok(line.trim() !== '' && line === line.trim(), key);
      assert.equal(line.split('\n').length, english[key]!.split('\n').length, key);
    }
  });
}

test('no language leaves sentences in English', () => {
  for (const language of languages.filter((language) => language !== 'en')) {
    const own = read(language);
    const same = Object.keys(own).filter((key) => own[key] === english[key]);
    assert.deepEqual(
      same.filter((key) => key !== 'profile.format' && key !== 'archives.feed'),
      [],
      language,
    );
  }
});

test('the header and the footer are in the language of the campaign', () => {
  for (const language of languages) {
    const header = headerOf(language);
    assert.ok(header.plain.startsWith(`${text(language, 'mail.view')}: *|ARCHIVE|*`));
    assert.match(header.html, /href="\*\|ARCHIVE\|\*"/);
    assert.ok(header.html.includes(text(language, 'mail.view')));
    const footer = footerOf([], language);
    assert.ok(footer.plain.includes(text(language, 'mail.footer-why')));
    assert.match(footer.html, /href="\*\|UNSUB\|\*"/);
  }
});

test('a language without texts falls back to its base and then to English', () => {
  assert.equal(languageFor('pt-BR'), 'pt');
  assert.equal(languageFor('eo', 'sv'), 'sv');
  assert.equal(languageFor('eo', undefined), 'en');
});

test('a language is known however its code is written, and a near one is better than English', () => {
  const table: Record<string, string[]> = {
    de: ['de-AT', 'de_CH', 'DE', 'de-Latn-DE', 'deu', 'gsw', 'lb-LU'],
    nb: ['nn', 'nn-NO', 'no', 'NO_no', 'nob', 'nno', 'nb-NO'],
    pt: ['pt-BR', 'pt_br', 'por'],
    zh: ['zh-Hant-TW', 'yue', 'cmn', 'cn', 'zho'],
    es: ['ca', 'gl-ES', 'es-419'],
    da: ['dk', 'fo'],
    sv: ['sv-FI', 'se'],
    en: ['eo', '', 'x', 'constructor', '__proto__', 'toString', '*', '../de', 'uk', 'nl'],
  };
  for (const [language, codes] of Object.entries(table))
    for (const code of codes) assert.equal(languageFor(code), language, code);
  assert.equal(languageFor('nn', 'en'), 'nb');
  assert.equal(languageFor('*', 'nn'), 'nb');
});
