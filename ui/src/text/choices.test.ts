// Tests the choices of languages and time zones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageChoices, zoneChoices } from './choices.ts';

test("languages are named and sorted in the user's language", () => {
  const labels = languageChoices('de').map(({ label }) => label);
  assert.ok(labels.includes('Deutsch') && labels.includes('Französisch'));
  assert.equal(labels[0], 'Arabisch');
});

test('the current time zone is always among the choices', () => {
  assert.ok(zoneChoices('Europe/Vienna').includes('Europe/Vienna'));
  assert.ok(zoneChoices('UTC').includes('UTC'));
  assert.equal(zoneChoices('UTC').filter((zone) => zone === 'UTC').length, 1);
});
