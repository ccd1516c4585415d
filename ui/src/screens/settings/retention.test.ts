// The days that details are kept, as the web application offers them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retentionDays } from '../../../../src/accounts/retention.ts';
import { dayChoices, usualDays } from './retention.ts';

test('what holds until something is chosen is what the program does', () => {
  assert.deepEqual(
    Object.fromEntries(Object.entries(usualDays).map(([name, days]) => [name, Number(days)])),
    retentionDays,
  );
});

test('a number of days that was set through a program can be kept', () => {
  assert.ok(dayChoices('45').includes('45'));
  assert.deepEqual(dayChoices('30'), dayChoices('0'));
  assert.equal(dayChoices('45').indexOf('45'), dayChoices('45').indexOf('30') + 1);
});
