import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownValue } from './choices.ts';

test('a yes/no is shown in the language of the screen, a multiple choice as its names', () => {
  const words = { yes: 'Ja', no: 'Nein' };
  assert.equal(shownValue('multiple_choice', 'Food\\, drinks, Wine', words), 'Food, drinks, Wine');
  assert.deepEqual(
    ['yes', 'no', '', 'perhaps'].map((value) => shownValue('yes_no', value, words)),
    ['Ja', 'Nein', '', 'perhaps'],
  );
  assert.equal(shownValue('text', 'yes', words), 'yes');
});
