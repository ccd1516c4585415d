// Values of yes/no and multiple choice: what exports, forms and programs write, and that any set of any names is stored so that it
// reads as itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/run/runs.ts';
import { joined } from '../../pages/form-body.ts';
import { chosenIn } from './choice-names.ts';
import { boxValue, distinctChoices, readChoices, storedChoices, yesOrNo } from './chosen.ts';

test('a yes and a no are read as exports, forms and people write them', () => {
  for (const yes of [
    'true',
    'TRUE',
    '1',
    'yes',
    'Y',
    'on',
    'x',
    'Ja',
    'oui',
    'sí',
    'sim',
    'да',
    'はい',
    '是',
    'checked',
    '✓',
  ])
    assert.equal(yesOrNo(yes), 'yes', yes);
  for (const no of ['false', '0', 'no', 'N', 'off', 'Nein', 'non', 'não', 'нет', 'いいえ', '否'])
    assert.equal(yesOrNo(no), 'no', no);
  for (const neither of ['', '2', 'maybe', 'null', '10', '-1']) assert.equal(yesOrNo(neither), undefined, neither);
});

test('choices are read between commas, semicolons, bars and lines, as an array, and with separators in their names', () => {
  const choices = ['Food', 'Wine, red', 'A|B', 'back\\slash', 'Größe', '0', 'B', 'A'];
  const cases: [written: string | string[], stored: string][] = [
    ['Food', 'Food'],
    ['food; WINE, RED', 'Food, Wine\\, red'],
    ['Wine, red', 'Wine\\, red'],
    ['Wine\\, red,Food', 'Food, Wine\\, red'],
    ['Wine, red, Food', 'Food, Wine\\, red'],
    ['Food|A|B', 'Food, B, A'.replace('B, A', 'A|B')],
    ['A||B', 'B, A'],
    ['B, A', 'B, A'],
    ['["Food","Wine, red"]', 'Food, Wine\\, red'],
    ['[]', ''],
    ['Food\r\nGro\u0308ße', 'Food, Größe'],
    ['back\\slash', 'back\\\\slash'],
    ['back\\\\slash', 'back\\\\slash'],
    [' , ;', ''],
    [['Wine, red', 'food'], 'Food, Wine\\, red'],
    [['Wine\\, red'], 'Wine\\, red'],
    [[], ''],
    ['Food,Food', 'Food'],
  ];
  for (const [written, stored] of cases)
    assert.deepEqual(readChoices(written, choices), { ok: true, value: stored }, JSON.stringify(written));
  const unknown = ['Cheese', 'Food, Cheese', ['Food', 'Cheese'], '["Cheese"]', 'Food; Cheese'].map((written) =>
    readChoices(written, choices),
  );
  assert.deepEqual(
    unknown.map((reading) => !reading.ok && reading.unknown),
    ['Cheese', 'Cheese', 'Cheese', '["Cheese"]', 'Cheese'],
  );
});

test('a text of separators takes no time to read', () => {
  const choices = Array.from({ length: 9 }, (_, i) => `a${',a'.repeat(90 + i)}`);
  const before = process.cpuUsage().user;
  assert.equal(readChoices(`${'a,'.repeat(999)}b`, choices).ok, false);
  assert.ok(process.cpuUsage().user - before < 500_000);
});

const name = fc.oneof(
  fc.string({
    unit: fc.constantFrom('\\', ',', ' ', ';', '|', '"', '[', ']', 'a', 'B', '0', '<', '*', 'é'),
    maxLength: 6,
  }),
  fc.string({ maxLength: 8 }),
  fc.constantFrom('0', '["a","B"]', 'a, B', 'a\\, B', 'null', '__proto__', '=1+1', 'yes'),
);

test('any set of any names reads as itself: as it is stored, as boxes of a form, as an array, and as JSON', () => {
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.boolean()), (names, picks) => {
      const choices = distinctChoices(names);
      const chosen = choices.filter(() => picks.next().value);
      const stored = storedChoices(chosen, choices);
      assert.deepEqual(chosenIn(stored), chosen);
      const expected = { ok: true, value: stored };
      assert.deepEqual(readChoices(stored, choices), expected);
      assert.deepEqual(readChoices(chosen, choices), expected);
      assert.deepEqual(readChoices(joined(['', ...chosen.map(boxValue)]), choices), expected);
      if (chosen.length === 1 && !choices.includes('a, B')) assert.equal(readChoices(chosen[0]!, choices).ok, true);
    }),
    { numRuns: runs(200) },
  );
});
