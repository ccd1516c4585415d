// The repository uses the words of STYLE.md.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { asText, hits, hitsIn, nameRule, rules } from './language.ts';

test('no file contains a word that STYLE.md avoids', () => {
  const found = hits();
  assert.equal(found.length, 0, `\n${asText(found)}\n`);
});

test('the table in STYLE.md lists exactly the words that are searched for', () => {
  const style = readFileSync(join(import.meta.dirname, '../STYLE.md'), 'utf8');
  const rows = [...style.matchAll(/^\| (.*?) +\| (.*?) +\|$/gm)].map(([, avoid, write]) => [avoid, write]);
  assert.deepEqual(
    rows.filter(([avoid]) => avoid !== "don't" && !/^-+$/.test(avoid!)),
    [nameRule, ...rules].map(({ avoid, write }) => [avoid, write]),
  );
});

test('a hit has its line, the word and its replacement', () => {
  const text = "one\n// It waits for ever.\ntest('Nobody waits', () => {});\nconst mostTries = 3;\n";
  assert.equal(
    asText(hitsIn('src/a.ts', text)),
    [
      'src/a.ts:2: "for ever" → permanently, never',
      'src/a.ts:3: "Nobody" → no one, a person, another process',
      'src/a.ts:4: "mostTries" → `maxX`, `minX`, `recordX`',
    ].join('\n'),
  );
});

test('a possessive is a hit too', () => {
  assert.equal(hitsIn('src/a.ts', "// As if everybody's time had come.\n").length, 1);
});

test('sample values, names with such a part and quoted replies are no hits', () => {
  for (const text of [
    "fill('nobody')",
    'nobody1@example.com',
    'postmaster@nobody.example',
    'an almostEmpty list',
    'the unamended text',
  ])
    assert.deepEqual(hitsIn('src/a.ts', text), [], text);
  assert.deepEqual(hitsIn('src/relays/verdict/verdict.test.ts', 'This mail has been blocked'), []);
});
