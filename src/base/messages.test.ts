// Messages by key: filled with values, nested, stored in a column, in both languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../locales/messages/index.ts';
import { translated } from '../locales/messages/translated.ts';
import type { Forms } from '../locales/plural/forms.ts';
import { languageOf, message, packMessage, readMessage, renderMessage, renderPacked } from './messages.ts';

const named = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))].sort();

test('both languages of a message use the same values, and a parameter is named at the beginning', () => {
  for (const [key, { en, de }] of Object.entries(messages)) {
    assert.match(key, /^[a-z_]+(\.[a-z0-9_-]+)+$/);
    assert.notEqual(en, '', key);
    assert.doesNotMatch(en, /^[a-z_.]+: /, `${key}: the name of the parameter is the value {member}`);
    for (const name of named(de)) assert.ok(named(en).includes(name), `${key}: {${name}} is not in the English text`);
    if (en.includes('{member}')) {
      assert.ok(en.startsWith('{member}'), key);
      assert.ok(de.startsWith('{member}'), key);
    }
  }
});

test('a message is filled with its values in the language asked for', () => {
  const text = message('parameter.too_long', { member: 'title', count: 100 });
  assert.equal(renderMessage(text), 'title is longer than 100 characters');
  assert.equal(renderMessage(text, 'de'), 'title ist länger als 100 Zeichen');
});

test('a value may be a message, and braces in a value stay as they are', () => {
  const inner = message('call.database_unreachable');
  const text = message('field.value_invalid', { member: '{problem}', problem: inner });
  assert.equal(renderMessage(text, 'de'), '{problem}: Die Datenbank ist gerade nicht nutzbar; versuchen Sie es wieder');
  const several = message('field.value_invalid', {
    member: 'title',
    problem: [inner, message('call.internal', { id: 1 })],
  });
  assert.match(
    renderMessage(several, 'de'),
    /: Die Datenbank ist gerade nicht nutzbar; versuchen Sie es wieder; Interner Fehler \(Anfrage 1\)$/,
  );
});

test('a packed message is read back; other text is left alone', () => {
  const text = message('call.internal', { id: 'r1' });
  assert.deepEqual(readMessage(packMessage(text)), text);
  assert.equal(renderPacked(packMessage(text), 'de'), 'Interner Fehler (Anfrage r1)');
  assert.equal(renderPacked(packMessage(text)), renderMessage(text, 'en'));
  assert.equal(readMessage('550 5.1.1 no such user'), undefined);
  assert.equal(renderPacked('550 5.1.1 no such user', 'de'), '550 5.1.1 no such user');
});

test('the language is the first available one of Accept-Language, else English', () => {
  for (const [header, language] of [
    ['de', 'de'],
    ['de-AT,en;q=0.8', 'de'],
    ['fr-CA,de', 'fr'],
    ['es-MX', 'es'],
    ['pl', 'pl'],
    ['pt-BR', 'pt'],
    ['nl-BE', 'nl'],
    ['it-IT,de', 'it'],
    ['fi,de', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ] as const)
    assert.equal(languageOf(header), language);
});

test('further languages have the texts of the catalogue, and a message without one is in English', () => {
  const message = { key: 'parameter.required', values: { member: 'title' } } as const;
  assert.equal(renderMessage(message, 'es'), 'title es obligatorio');
  assert.equal(renderMessage(message, 'it'), 'title è obbligatorio');
  assert.equal(renderMessage(message, 'pt'), 'title é obrigatório');
  assert.equal(renderMessage(message, 'nl'), 'title is verplicht');
  assert.equal(renderMessage(message, 'fr'), 'title est obligatoire');
  assert.equal(renderMessage(message, 'pl'), 'title jest wymagane');
  const texts = translated.fr as Record<string, Forms>;
  const kept = texts['parameter.required']!;
  delete texts['parameter.required'];
  try {
    assert.equal(renderMessage(message, 'fr'), 'title is required');
  } finally {
    texts['parameter.required'] = kept;
  }
});

test('a message has the plural forms of its language, also within another one', () => {
  const recipients = (count: number) => message('check.recipients.other', { count });
  assert.deepEqual(
    [1, 2, 4, 5, 12, 22, 25, 100].map((count) => renderMessage(recipients(count), 'pl')),
    [
      ...['1 odbiorca', '2 odbiorcy', '4 odbiorcy', '5 odbiorców'],
      ...['12 odbiorców', '22 odbiorcy', '25 odbiorców', '100 odbiorców'],
    ],
  );
  const audience = message('check.audience', { recipients: recipients(3) });
  assert.equal(renderMessage(audience, 'pl'), 'Teraz tę kampanię dostałoby: 3 odbiorcy');
  assert.equal(renderMessage(recipients(3), 'en'), '3 recipients');
});
