// The lists of words agree with each other: each word has one meaning, which is the one that an import reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noWords, statusSpellings, yesWords } from './status-spellings.ts';
import { isYesOrNoWord, statusOf } from './status-words.ts';

test('each spelling of a status is read as this status', () => {
  for (const [status, spellings] of Object.entries(statusSpellings))
    for (const spelling of spellings.split(',')) {
      assert.notEqual(spelling.trim(), '', `${status}: ${spellings}`);
      assert.equal(statusOf(spelling), status, spelling);
    }
});

test('each yes subscribes and each no does not', () => {
  for (const word of yesWords) assert.equal(statusOf(word), 'subscribed', word);
  for (const word of noWords) assert.equal(statusOf(word), 'unsubscribed', word);
  for (const word of ['yes', 'ใช่', 'no', 'ไม่ใช่']) assert.equal(isYesOrNoWord(word), true, word);
});
