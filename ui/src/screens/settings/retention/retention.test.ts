// Tests the retention periods that the web application offers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayChoices } from './retention.ts';

test('a number of days set through the API is among the choices', () => {
  assert.ok(dayChoices('45').includes('45'));
  assert.deepEqual(dayChoices('30'), dayChoices('0'));
  assert.equal(dayChoices('45').indexOf('45'), dayChoices('45').indexOf('30') + 1);
});
