// Tests that the languages offered are those of emails and public pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages } from '../../../../../src/locales/text.ts';
import { languageChoices, mailLanguages, zoneChoices } from './languages.ts';

test('exactly the languages of emails and pages are offered', () => {
  assert.deepEqual([...mailLanguages].sort(), [...languages].sort());
});

test("languages are named and sorted in the user's language", () => {
  const labels = languageChoices('de').map(({ label }) => label);
  assert.ok(labels.includes('Deutsch') && labels.includes('Französisch'));
  assert.equal(labels[0], 'Chinesisch');
});

test('the current time zone is always among the choices', () => {
  assert.ok(zoneChoices('Europe/Vienna').includes('Europe/Vienna'));
  assert.ok(zoneChoices('UTC').includes('UTC'));
  assert.equal(zoneChoices('UTC').filter((zone) => zone === 'UTC').length, 1);
});
