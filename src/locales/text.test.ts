// The locale files agree: the same keys, the same {names}, and a code of the API for each language.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { footerOf, headerOf } from '../campaigns/compile/footer.ts';
import { isRightToLeft, languageAliases, languageCodes, languages } from './languages.ts';
import { languageFor, listed, text, timeInZone } from './text.ts';

const read = (language: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${language}.json`), 'utf8')) as Record<string, Text>;
type Text = string | Record<string, string>;
const formsOf = (line: Text) => (typeof line === 'string' ? [line] : Object.values(line));
const names = (line: string) => [...new Set(line.match(/\{\w+\}/g) ?? [])].sort();
const english = read('en') as Record<string, string>;

test('there is a file for each language, and no other', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.json'));
  assert.deepEqual(
    files.sort(),
    languages.map((language) => `${language}.json`),
  );
});

test('the API has one code for each language, and every alias is one of them', () => {
  assert.deepEqual(Object.values(languageCodes).sort(), languages);
  for (const alias of Object.keys(languageAliases)) assert.ok(alias in languageCodes, alias);
});

for (const language of languages) {
  test(`${language} has every key of English and no other, with the same names in each text`, () => {
    const own = read(language);
    assert.deepEqual(Object.keys(own), Object.keys(english));
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    for (const [key, text] of Object.entries(own)) {
      if (typeof text !== 'string') assert.deepEqual(Object.keys(text).toSorted(), categories, key);
      for (const line of formsOf(text)) {
        assert.deepEqual(names(line), names(english[key]!), key);
        assert.ok(line.trim() !== '' && line === line.trim(), key);
        assert.equal(line.split('\n').length, english[key]!.split('\n').length, key);
      }
    }
  });
}

test('no language leaves sentences in English', () => {
  for (const language of languages.filter((language) => language !== 'en')) {
    const own = read(language);
    const same = Object.keys(own).filter((key) => own[key] === english[key]);
    assert.deepEqual(
      // Spanish and Italian say no too, and several say link.
      same.filter(
        (key) => !['profile.format', 'archives.feed', 'value.no', 'report.link', 'report.links'].includes(key),
      ),
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
    en: ['eo', '', 'x', 'constructor', '__proto__', 'toString', '*', '../de', 'fa', 'ko'],
    he: ['iw', 'he-IL', 'heb'],
    ar: ['ar-EG', 'ara', 'arz'],
    nl: ['nl-BE', 'af'],
  };
  for (const [language, codes] of Object.entries(table))
    for (const code of codes) assert.equal(languageFor(code), language, code);
  assert.equal(languageFor('nn', 'en'), 'nb');
  assert.equal(languageFor('*', 'nn'), 'nb');
});

test('small languages fall back to the one that their readers know best', () => {
  const table: Record<string, string> = {
    nb: 'nn no',
    da: 'fo kl',
    de: 'gsw nds bar lb rm',
    es: 'ca gl eu ast an',
    pt: 'mwl',
    fr: 'oc br wa co',
    it: 'fur sc scn vec lld',
    et: 'vro',
    lv: 'ltg',
    lt: 'sgs',
    pl: 'csb szl',
    zh: 'yue wuu nan hak',
    cs: 'sk',
    uk: 'rue',
    nl: 'af fy li',
    tr: 'gag crh',
    ar: 'arz ary arq aeb apc ajp acm afb ars',
  };
  for (const [language, near] of Object.entries(table))
    for (const code of near.split(' '))
      assert.equal(languageFor(code), languages.includes(language) ? language : 'en', code);
});

test('lists and times are written as in the language', () => {
  assert.equal(listed(['Letters', 'Offers', 'Events'], 'en'), 'Letters, Offers, and Events');
  assert.equal(listed(['Briefe', 'Angebote'], 'de'), 'Briefe und Angebote');
  const at = new Date('2026-11-09T06:05:00Z');
  assert.match(timeInZone(at, 'de', 'Europe/Berlin'), /^9\. November 2026 um 07:05 MEZ$/);
  assert.match(timeInZone(at, 'en', 'America/New_York'), /^November 9, 2026 at 1:05\sAM EST$/);
});

test('a text that is missing is an error that names its key, and a value that is missing is empty', () => {
  assert.throws(() => text('en', 'no.such'), /There is no text "no\.such"/);
  const [key, line] = Object.entries(english).find(([, line]) => /\{\w+\}/.test(line))!;
  assert.equal(text('en', key), line.replace(/\{\w+\}/g, ''));
});

test('the number of a text selects its plural form, in each category of the language', () => {
  const days = (language: string, days: number) =>
    text(language, 'sign_in.join.text', { days, account: 'A', email: 'b@example.com', app: 'C', link: 'D' });
  for (const [count, words] of [
    [1, 'يوم واحد'],
    [2, 'يومين'],
    [7, 'أيام'],
    [11, 'يومًا'],
    [100, 'يوم:'],
  ] as const)
    assert.ok(days('ar', count).includes(words), `${count}`);
  assert.match(days('uk', 21), /21 дня/);
  assert.match(days('uk', 7), /7 днів/);
  assert.match(days('he', 2), /יומיים/);
});

test('languages written from right to left isolate what is filled in, but for addresses that are lines of their own', () => {
  assert.ok(['ar', 'ar-EG', 'he', 'fa', 'ur-PK', 'az-Arab'].every(isRightToLeft));
  assert.ok(!['en', 'tr', 'uk', 'ar-Latn', 'az', ''].some(isRightToLeft));
  assert.equal(text('en', 'address.now', { email: 'a@example.com' }), 'Emails go to a@example.com.');
  assert.equal(text('he', 'address.now', { email: 'a@example.com' }), 'ההודעות נשלחות אל \u2068a@example.com\u2069.');
  assert.ok(
    text('ar', 'welcome.mail', { list: 'A', url: 'https://example.com/u' }).endsWith('\nhttps://example.com/u'),
  );
});
