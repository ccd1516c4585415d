// Waits by the contact's clock, over daylight saving time and the leap day.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueOf, type Step } from './steps.ts';

const wait = (amount: number, unit: 'minutes' | 'hours' | 'days' | 'weeks'): Step => ({
  key: 's1',
  type: 'wait',
  amount,
  unit,
});
const until = (weekdays: number[], hour: number, minute = 0): Step => ({
  key: 's1',
  type: 'wait_until',
  weekdays,
  hour,
  minute,
});
const due = (step: Step, from: string, zone: string) => dueOf(step, new Date(from), zone).toISOString();

test('days and weeks keep the time of day when the clocks change; hours and minutes are counted exactly', () => {
  const berlin = 'Europe/Berlin';
  // 29 March 2026, 02:00 → 03:00; 25 October 2026, 03:00 → 02:00.
  assert.equal(due(wait(1, 'days'), '2026-03-28T08:00:00Z', berlin), '2026-03-29T07:00:00.000Z');
  assert.equal(due(wait(24, 'hours'), '2026-03-28T08:00:00Z', berlin), '2026-03-29T08:00:00.000Z');
  assert.equal(due(wait(1, 'weeks'), '2026-10-20T07:00:00Z', berlin), '2026-10-27T08:00:00.000Z');
  assert.equal(due(wait(90, 'minutes'), '2026-10-25T00:30:00Z', berlin), '2026-10-25T02:00:00.000Z');
  // 02:30 does not exist on that day: the first instant after the gap.
  assert.equal(due(wait(1, 'days'), '2026-03-28T01:30:00Z', berlin), '2026-03-29T01:00:00.000Z');
  // 02:30 comes twice on that day: the first one.
  assert.equal(due(wait(1, 'days'), '2026-10-24T00:30:00Z', berlin), '2026-10-25T00:30:00.000Z');
});

test('a wait of days passes over 29 February, and is never over before its time', () => {
  assert.equal(due(wait(1, 'days'), '2028-02-28T09:00:00Z', 'UTC'), '2028-02-29T09:00:00.000Z');
  assert.equal(due(wait(2, 'days'), '2028-02-28T09:00:00Z', 'UTC'), '2028-03-01T09:00:00.000Z');
  assert.equal(due(wait(1, 'days'), '2027-02-28T09:00:00Z', 'UTC'), '2027-03-01T09:00:00.000Z');
  assert.equal(due(wait(1, 'days'), '2027-01-01T09:00:00.001Z', 'UTC'), '2027-01-02T09:00:01.000Z');
});

test('a wait until a weekday and time is the next one by the contact’s clock, at once when it is exactly then', () => {
  // 2026-11-23 is a Monday.
  assert.equal(due(until([1], 9), '2026-11-23T08:59:59Z', 'UTC'), '2026-11-23T09:00:00.000Z');
  assert.equal(due(until([1], 9), '2026-11-23T09:00:00Z', 'UTC'), '2026-11-23T09:00:00.000Z');
  assert.equal(due(until([1], 9), '2026-11-23T09:00:01Z', 'UTC'), '2026-11-30T09:00:00.000Z');
  assert.equal(due(until([], 9), '2026-11-23T09:00:01Z', 'UTC'), '2026-11-24T09:00:00.000Z');
  assert.equal(due(until([6, 7], 9, 30), '2026-11-23T12:00:00Z', 'UTC'), '2026-11-28T09:30:00.000Z');
  // Monday 09:00 in Auckland is Sunday in UTC.
  assert.equal(due(until([1], 9), '2026-11-22T12:00:00Z', 'Pacific/Auckland'), '2026-11-22T20:00:00.000Z');
  // The night in which 02:30 is skipped.
  assert.equal(due(until([7], 2, 30), '2026-03-28T12:00:00Z', 'Europe/Berlin'), '2026-03-29T01:00:00.000Z');
});

test('other steps are carried out at once', () => {
  const step: Step = { key: 's1', type: 'webhook', name: 'x' };
  assert.equal(due(step, '2026-11-23T09:00:00.123Z', 'UTC'), '2026-11-23T09:00:00.123Z');
});
