// The languages offered are those that mails and public pages speak.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages } from '../../../../src/locales/text.ts';
import { languageChoices, mailLanguages, zoneChoices } from './languages.ts';

test('every language of mails and pages is offered, and no other', () => {
  assert.deepEqual([...mailLanguages].sort(), [...languages].sort());
});

test('languages are named and sorted for the reader', () => {
  const labels = languageChoices('de').map(({ label }) => label);
  assert.ok(labels.includes('Deutsch') && labels.includes('Französisch'));
  assert.equal(labels[0], 'Chinesisch');
});

test('the zone that is set is always among the choices', () => {
  assert.ok(zoneChoices('Europe/Vienna').includes('Europe/Vienna'));
  assert.ok(zoneChoices('UTC').includes('UTC'));
  assert.equal(zoneChoices('UTC').filter((zone) => zone === 'UTC').length, 1);
});
