import assert from 'node:assert/strict';
import { test } from 'node:test';
import { triggerBefore } from './trigger.ts';

test('a slash opens the menu of blocks at the start or after a space, and a brace or the start of a tag that of merge tags', () => {
  for (const [before, expected] of [
    ['/', 'block  1'],
    ['Words /bu', 'block bu 3'],
    ['and/or', undefined],
    ['1 / 2', undefined],
    ['https://', undefined],
    ['Hello {', 'tag  1'],
    ['Hello {{ fi', 'tag fi 5'],
    ['*|FN', 'tag FN 4'],
    ['*|FNAME|*', undefined],
    ['Hello', undefined],
  ] as const) {
    const found = triggerBefore(before);
    assert.equal(found && `${found.kind} ${found.query} ${found.length}`, expected, before);
  }
});
