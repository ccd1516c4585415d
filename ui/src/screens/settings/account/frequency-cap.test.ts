// Tests the conversion between the frequency limit and its two fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frequencyCapText, readFrequencyCap } from './frequency-cap.ts';

test('a stored limit survives conversion to fields and back; none gives empty fields', () => {
  for (const text of ['3:7', '']) assert.equal(frequencyCapText(readFrequencyCap(text)), text);
  assert.deepEqual(readFrequencyCap(''), { capMessages: '', capDays: '' });
});

test('without days it is a week; without a number there is no limit', () => {
  assert.equal(frequencyCapText({ capMessages: ' 2 ', capDays: '' }), '2:7');
  assert.equal(frequencyCapText({ capMessages: '', capDays: '5' }), '');
});
