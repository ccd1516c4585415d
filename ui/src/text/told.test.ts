// What the program tells, in German: every form is one that the program has, and texts come out whole.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addressProblemText } from '../../../src/audience/address.ts';
import { translator } from './told.ts';

const root = join(import.meta.dirname, '../../..');
const read = (name: string) =>
  JSON.parse(readFileSync(join(root, `ui/src/locales/told/${name}.json`), 'utf8')) as Record<string, string>;
const forms = read('de');
const german = translator({ forms, words: read('words') });

test('every English form stands in the program: who changes a text there changes it here', () => {
  const program = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
    .replaceAll("\\'", "'");
  const missing = Object.keys(forms).flatMap((english) =>
    english
      .split(/\{\w+\}/)
      .map((part) => part.replace(/^[\s.:;,"]+|[\s.:;,"]+$/g, ''))
      .filter((part) => !program.includes(part))
      .map((part) => `"${part}" of "${english}"`),
  );
  assert.deepEqual(missing, []);
});

test('both forms have the same values, and a path stays in front for the field it is shown beside', () => {
  const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
  for (const [english, own] of Object.entries(forms)) {
    assert.notEqual(own, english);
    for (const name of names(own)) assert.ok(names(english).includes(name), own);
    if (english.startsWith('{member}')) assert.ok(own.startsWith('{member}'), own);
  }
});

test('texts are recognised with what is filled in', () => {
  for (const [english, own] of [
    ['options.subject is required', 'options.subject wird gebraucht'],
    ['value is not a web address', 'value ist keine Web-Adresse'],
    ['email: there is no contact "a@b.example"', 'email: Es gibt keinen Kontakt „a@b.example“'],
    [
      'The campaign is a draft; only a scheduled campaign can be unscheduled',
      'Die Kampagne ist ein Entwurf; nur eine eingeplante Kampagne lässt sich herausnehmen',
    ],
    ['"31.31.2026" is not a date (YYYY-MM-DD)', '„31.31.2026“ ist kein Datum (JJJJ-MM-TT)'],
    [
      'email_address: a@b.example is at a domain on the suppression list (manual); take the domain off there first',
      'email_address: Die Domain von a@b.example steht auf der Sperrliste (von Hand); nehmen Sie die Domain zuerst dort heraus',
    ],
    ['the address has no @', 'die Adresse hat kein @'],
    [
      'The receiving server took it at 2026-01-01 10:00:00 GMT. The server said: 250 2.0.0 OK. Queued.',
      'Der Server des Empfängers hat sie um 2026-01-01 10:00:00 GMT angenommen. Der Server sagte: 250 2.0.0 OK. Queued.',
    ],
    [
      'The contact is unsubscribed on "Readers. All" since 2026-01-01 10:00:00 GMT.',
      'Der Kontakt ist auf „Readers. All“ seit 2026-01-01 10:00:00 GMT abgemeldet.',
    ],
    ['Nobody has ever heard of this', 'Nobody has ever heard of this'],
  ] as const)
    assert.equal(german(english), own);
});

test('every problem of an address has German words', () => {
  for (const words of Object.values(addressProblemText)) {
    const english = `the address ${words}`;
    const own = german(english);
    assert.ok(own.startsWith('die Adresse ') && !own.includes(words), own);
  }
});
