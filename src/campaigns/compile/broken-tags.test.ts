// What is taken for a merge tag that is not in order, and what is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenTags, withoutTags } from './broken-tags.ts';

const known = new Set(['FNAME', 'LNAME', 'EMAIL', 'UNSUB', 'CITY', 'MERGE1', 'DATE']);

for (const tag of [
  '*|FNAME:a|b|*',
  '*|FNAME|',
  '*|fname|',
  '|FNAME|*',
  '|*FNAME*|',
  '@FNAME@',
  '$FNAME$',
  '##FNAME##',
  '<FNAME>',
  '[*LNAME*]',
  '@MERGE1@',
  '*|VORNAME|',
  '|VORNAME|*',
  'FNAME|*',
  '*|FNAME*',
  '*|FNAME',
  '*|F-NAME|*',
  '*|F NAME|*',
  '*|FIRST.NAME|*',
  '*|1ST|*',
  '*|FNAME | *',
  '* |FNAME|*',
  '* | FNAME | *',
  '* |FNAME:friend| *',
  '*|FNAME:<you>|*',
  '*|FNAME:>|*',
  '*|ПІБ|*',
  '＊｜FNAME｜＊',
  '*｜FNAME｜*',
  '|FNAME|',
  '*\\|FNAME:friend\\|*',
  '#[F-NAME]#',
  '#[FNAME]',
  '[FNAME]#',
  '*[F-NAME]*',
  '*[FNAME]',
  '[FNAME]*',
  '*|FNAME:friend',
  '*|FNAME:friend*',
])
  test(`broken: ${tag}`, () => {
    assert.deepEqual(brokenTags(`Hello ${tag}, how are you?`, known), [tag === '*|FNAME:friend' ? '*|FNAME' : tag]);
  });

test('a default of more than 200 characters is quoted in short', () => {
  const [found, ...others] = brokenTags(`*|FNAME:${'very '.repeat(60)}dear|*`, known);
  assert.deepEqual([found?.length, found?.slice(0, 14), others], [100, '*|FNAME:very v', []]);
});

for (const text of [
  'Dear *|FNAME:friend|*, #[FNAME]# *[LNAME]* *|UNKNOWN|**|FNAME|* *|IF:CITY!=Rome|*x*|END:IF|*',
  '*|FNAME|**|LNAME|*',
  '| *Name* | *Email* | *City* |',
  '|EMAIL|CITY|DATE|',
  'https://example.com/?FNAME=*|FNAME|*&LNAME=x https://example.com/FNAME/a-FNAME MERGE12 SURNAME CITY (CITY)',
  'The field FNAME, (FNAME), "FNAME", FNAME: #FNAME *FNAME* **FNAME** `FNAME`',
  '|*bold*|TEXT|',
  '|TEXT|*bold*|',
  '|*Email*|City|',
  '| EMAIL | CITY |',
  '*a*|b|**c*|',
  '**Note** | *see* | [EMAIL](mailto:a@example.com) *[see below]* *[EMAIL](https://example.com)*',
  'a || b, x | y, 5 * 3 | 2, #[1]# #[ ]# [1]* [a]# [CITY] #CITY *CITY*',
  'The letters A|B|C and /[*|]/',
  '* EMAIL: a@example.com',
  '* | *',
])
  test(`not broken: ${text}`, () => assert.deepEqual(brokenTags(withoutTags(text), known), []));

test('the time is linear in the length', () => {
  for (const part of ['*|', '*|A', '|A|', '#[', '*[A', '* |', '*|FNAME:', '|A:', 'A', ' ', '*|A:b|', '\u200b|'])
    brokenTags(part.repeat(100_000), known);
});

test('a long tag is quoted up to a hundred characters', () => {
  const found = (length: number) => brokenTags(`*|FNAME:${'x'.repeat(length - 12)}|y|*`, known)[0];
  assert.equal(found(100)?.length, 100);
  assert.equal(found(100)?.at(-1), '*');
  assert.equal(found(101)?.length, 100);
  assert.equal(found(101)?.at(-1), '…');
});

test('a name that is known is one tag between two bars only', () => {
  assert.deepEqual(brokenTags('Hi |FNAME|, welcome', known), ['|FNAME|']);
  assert.deepEqual(brokenTags('| FNAME | CITY |', known), []);
  assert.deepEqual(brokenTags('a |CITY| b | c', known), []);
});
