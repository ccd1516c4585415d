// Field values and moments in time zones and on days when the clocks change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldTime, momentOf, scheduleTime } from './zone-time.ts';

for (const [field, zone, gmt] of [
  ['2027-03-01T09:00', 'Europe/Berlin', '2027-03-01 08:00:00'],
  ['2027-07-01T09:00', 'Europe/Berlin', '2027-07-01 07:00:00'],
  ['2027-07-01T00:30', 'Asia/Kolkata', '2027-06-30 19:00:00'],
  ['2027-07-01T23:30', 'America/Los_Angeles', '2027-07-02 06:30:00'],
  ['2027-07-01T09:00', '', '2027-07-01 09:00:00'],
  // The clocks go from 2:00 to 3:00, and from 3:00 back to 2:00.
  ['2027-03-28T02:30', 'Europe/Berlin', '2027-03-28 01:30:00'],
  ['2027-10-31T02:30', 'Europe/Berlin', '2027-10-31 00:30:00'],
] as const)
  test(`${field} in ${zone || 'no zone'} is ${gmt} GMT`, () => {
    assert.equal(scheduleTime(momentOf(field, zone)!), gmt);
  });

test('a moment is converted to its field value', () => {
  assert.equal(fieldTime(new Date('2027-07-02T06:30:00Z'), 'America/Los_Angeles'), '2027-07-01T23:30');
  assert.equal(fieldTime(new Date('2027-07-02T00:00:00Z'), 'UTC'), '2027-07-02T00:00');
});

test('an invalid value has no moment', () => {
  for (const field of ['', '2027-13-01T09:00', 'soon', '2027-01-01']) assert.equal(momentOf(field, 'UTC'), undefined);
});
