// The difference between two texts, line by line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differenceOfTexts } from './text-difference.ts';

const signs = { same: ' ', removed: '-', added: '+', gap: '…' } as const;
const shown = (before: string, after: string) =>
  differenceOfTexts(before, after).map(({ kind, text }) => `${signs[kind]}${text}`);

test('lines that were removed, added and moved are marked, and few lines around them stay', () => {
  const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  assert.deepEqual(shown(lines.join('\n'), ['a', 'b', 'c', 'd', 'E', 'f', 'g'].join('\n')), [
    '…',
    ' c',
    ' d',
    '-e',
    '+E',
    ' f',
    ' g',
  ]);
  assert.deepEqual(shown('a\nb', 'b\na'), ['-a', ' b', '+a']);
});

test('blank lines and white space around lines are no difference', () => {
  assert.deepEqual(shown('a\r\n\r\n  b', 'a\nb\n\n'), []);
});

test('every line of either text is in the difference in its order', () => {
  for (let n = 0; n < 300; n++) {
    const text = (seed: number) =>
      Array.from({ length: 1 + ((seed * 7) % 9) }, (_, i) => 'abc'[(seed * (i + 3) + i * i) % 3]!);
    const [before, after] = [text(n), text(n * 3 + 1)];
    const lines = differenceOfTexts(before.join('\n'), after.join('\n'));
    if (lines.some(({ kind }) => kind === 'gap') || lines.length === 0) continue;
    const of = (kinds: readonly string[]) => lines.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text);
    assert.deepEqual([of(['same', 'removed']), of(['same', 'added'])], [before, after]);
  }
});

test('texts too long to compare are shown as removed and added, and not all of them', () => {
  const long = (word: string) => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}`).join('\n');
  const lines = differenceOfTexts(long('old'), long('new'));
  assert.equal(lines.length, 401);
  assert.equal(lines[0]!.kind, 'removed');
});
