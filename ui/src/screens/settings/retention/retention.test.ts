// Tests the retention periods that the web application offers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retentionDays } from '../../../../../src/accounts/account/retention.ts';
import { dayChoices, usualDays } from './retention.ts';

test('the defaults are those of the server', () => {
  assert.deepEqual(
    Object.fromEntries(Object.entries(usualDays).map(([name, days]) => [name, Number(days)])),
    retentionDays,
  );
});

test('a number of days set through the API is among the choices', () => {
  assert.ok(dayChoices('45').includes('45'));
  assert.deepEqual(dayChoices('30'), dayChoices('0'));
  assert.equal(dayChoices('45').indexOf('45'), dayChoices('45').indexOf('30') + 1);
});
