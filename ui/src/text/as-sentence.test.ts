import assert from 'node:assert/strict';
import test from 'node:test';
import { asSentence } from './as-sentence.ts';

for (const [words, sentence] of [
  ['the disk of the database is full', 'The disk of the database is full.'],
  ['über das Limit', 'Über das Limit.'],
  ['The relay does not answer.', 'The relay does not answer.'],
  ['stopped: try again!', 'Stopped: try again!'],
  ['554 rejected', '554 rejected.'],
  ['', ''],
] as const)
  test(`${words || 'nothing'} becomes ${sentence || 'nothing'}`, () => assert.equal(asSentence(words), sentence));
