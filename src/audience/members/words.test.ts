// The words by which people are found are the same, whether a text is split plainly or by the parser of the database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app?.close());

/** What the parser makes of these texts, and which of them are split plainly. */
async function compared(texts: readonly string[]) {
  return app.app.db.rows<{ text: string; words: string; parsed: string; plain: boolean }>(sql`
    select text, strip(words_in(text))::text as words, plain_words(text) is not null as plain,
      strip(to_tsvector('simple', translate(folded(text), E',;:/\\\\()[]{}<>"|-_.@+=&?!#%*~^$', repeat(' ', 30))))::text as parsed
    from unnest(${texts}::text[]) as text`);
}

test('random texts of letters, digits and signs have the words that the parser finds', async () => {
  const sign = fc.constantFrom(...'abexZE0159', ...'  ,"[].-', ...`_+'\`&<>/@:;%`, 'é', 'ß');
  const texts = fc.sample(fc.string({ unit: sign, maxLength: 14 }), { numRuns: 4_000, seed: 3 });
  const rows = await compared([
    ...texts,
    '1e5x',
    '7E8',
    '["Ada 123", "Last, 7", "2024-01-11"]',
    `long${'g'.repeat(3_000)} word`,
  ]);
  for (const { text, words, parsed } of rows) assert.equal(words, parsed, JSON.stringify(text));
  assert.ok(rows.filter(({ plain }) => plain).length > 500);
});

test('values as they are stored are split plainly', async () => {
  const rows = await compared(['["Ada 123", "Last, 7", "2024-01-11"]', 'ada.lovelace', '']);
  assert.ok(rows.every(({ plain }) => plain));
  assert.equal(rows[0]!.words, "'01' '11' '123' '2024' '7' 'ada' 'last'");
});
