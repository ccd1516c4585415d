import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCron } from './cron.ts';
import { nextAfter, type Schedule, scheduleTypes, timesAfter } from './schedule.ts';

const times = (schedule: Schedule, zone: string, after: string, count: number) =>
  timesAfter(schedule, zone, new Date(after), count).map((at) => at.toISOString().slice(0, 16));

test('a weekly time stays the same on the clock over both changes of Berlin, New York, Sydney and Lord Howe', () => {
  const weekly: Schedule = { type: 'weekly', time: '09:00', weekdays: [1] };
  assert.deepEqual(times(weekly, 'Europe/Berlin', '2026-03-17T00:00:00Z', 3), [
    '2026-03-23T08:00',
    '2026-03-30T07:00',
    '2026-04-06T07:00',
  ]);
  assert.deepEqual(times(weekly, 'Europe/Berlin', '2026-10-13T00:00:00Z', 3), [
    '2026-10-19T07:00',
    '2026-10-26T08:00',
    '2026-11-02T08:00',
  ]);
  assert.deepEqual(times(weekly, 'America/New_York', '2026-03-03T00:00:00Z', 2), [
    '2026-03-09T13:00',
    '2026-03-16T13:00',
  ]);
  assert.deepEqual(times(weekly, 'Australia/Sydney', '2026-03-25T00:00:00Z', 2), [
    '2026-03-29T22:00',
    '2026-04-05T23:00',
  ]);
  // Half an hour.
  assert.deepEqual(times(weekly, 'Australia/Lord_Howe', '2026-03-25T00:00:00Z', 2), [
    '2026-03-29T22:00',
    '2026-04-05T22:30',
  ]);
});

test('a time that the clocks skip is the instant of the skip, and one that they show twice is used once', () => {
  const daily: Schedule = { type: 'daily', time: '02:30' };
  assert.deepEqual(times(daily, 'Europe/Berlin', '2026-03-27T12:00:00Z', 3), [
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  assert.deepEqual(times(daily, 'Europe/Berlin', '2026-10-24T12:00:00Z', 3), [
    '2026-10-25T00:30',
    '2026-10-26T01:30',
    '2026-10-27T01:30',
  ]);
  assert.deepEqual(times(daily, 'America/New_York', '2026-03-07T12:00:00Z', 2), [
    '2026-03-08T07:00',
    '2026-03-09T06:30',
  ]);
  // Clocks change at midnight.
  assert.deepEqual(times({ type: 'daily', time: '00:15' }, 'Africa/Cairo', '2026-04-23T12:00:00Z', 2), [
    '2026-04-23T22:00',
    '2026-04-24T21:15',
  ]);
  // A whole day is skipped.
  assert.deepEqual(times({ type: 'daily', time: '09:00' }, 'Pacific/Apia', '2011-12-29T12:00:00Z', 3), [
    '2011-12-29T19:00',
    '2011-12-30T10:00',
    '2011-12-30T19:00',
  ]);
});

test('a month without the day uses its last one, 29 February included', () => {
  const on = (day: number): Schedule => ({ type: 'monthly', time: '12:00', day });
  assert.deepEqual(times(on(31), 'UTC', '2028-01-15T00:00:00Z', 4), [
    '2028-01-31T12:00',
    '2028-02-29T12:00',
    '2028-03-31T12:00',
    '2028-04-30T12:00',
  ]);
  assert.deepEqual(times(on(29), 'UTC', '2027-01-30T00:00:00Z', 3), [
    '2027-02-28T12:00',
    '2027-03-29T12:00',
    '2027-04-29T12:00',
  ]);
  assert.deepEqual(times(on(1), 'Asia/Kathmandu', '2026-12-15T00:00:00Z', 2), ['2027-01-01T06:15', '2027-02-01T06:15']);
});

test('cron expressions', () => {
  const cron = (expression: string): Schedule => ({ type: 'cron', cron: expression });
  assert.deepEqual(times(cron('30 8 * * mon-fri'), 'Europe/Berlin', '2026-11-20T12:00:00Z', 2), [
    '2026-11-23T07:30',
    '2026-11-24T07:30',
  ]);
  assert.deepEqual(times(cron('0 9,17 1-7/3 jan *'), 'UTC', '2026-06-01T00:00:00Z', 4), [
    '2027-01-01T09:00',
    '2027-01-01T17:00',
    '2027-01-04T09:00',
    '2027-01-04T17:00',
  ]);
  // Either of both, as cron has it.
  assert.deepEqual(times(cron('0 0 13 * 5'), 'UTC', '2026-11-11T00:00:00Z', 3), [
    '2026-11-13T00:00',
    '2026-11-20T00:00',
    '2026-11-27T00:00',
  ]);
  assert.deepEqual(times(cron('0 0 29 2 *'), 'UTC', '2096-03-01T00:00:00Z', 1), ['2104-02-29T00:00']);
  assert.deepEqual(times(cron('0 9 * * 0'), 'UTC', '2026-11-24T00:00:00Z', 1), ['2026-11-29T09:00']);
  assert.deepEqual(times(cron('0 9 * * 7'), 'UTC', '2026-11-24T00:00:00Z', 1), ['2026-11-29T09:00']);
  // Hourly over a gap and an overlap: no instant twice.
  assert.deepEqual(times(cron('30 * * * *'), 'Europe/Berlin', '2026-03-29T00:00:00Z', 3), [
    '2026-03-29T00:30',
    '2026-03-29T01:00',
    '2026-03-29T01:30',
  ]);
  assert.equal(nextAfter(cron('0 0 30 2 *'), 'UTC', new Date('2026-01-01')), null);
  for (const wrong of ['', '* * * * *', '*/5 * * * *', '0 24 * * *', '0 9 * *', '0 9 0 * *', '0 9 * 13 *', '0 9 * * 8'])
    assert.equal(parseCron(wrong), null, wrong);
  for (const wrong of ['0 9 5-2 * *', '0 9 */0 * *', '60 9 * * *', '0 9 * * mon-', '0,30 9 * * *', '@daily'])
    assert.equal(parseCron(wrong), null, wrong);
});

test('ten years of every kind in several zones: each time is later than the one before, on a day of the schedule', () => {
  const schedules: Schedule[] = [
    { type: 'daily', time: '02:30' },
    { type: 'weekly', time: '00:00', weekdays: [7, 3] },
    { type: 'monthly', time: '23:59', day: 30 },
    { type: 'cron', cron: '45 1-3 * * sun' },
  ];
  for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Pacific/Apia', 'Asia/Tehran', 'Africa/Casablanca', 'UTC'])
    for (const schedule of schedules) {
      const found = timesAfter(schedule, zone, new Date('2020-01-01'), schedule.type === 'monthly' ? 120 : 520);
      for (const [i, at] of found.entries()) assert.ok(i === 0 || at > found[i - 1]!, `${zone} ${schedule.type} ${i}`);
    }
});

test('the types of schedules, as the API names them', () => {
  assert.deepEqual(scheduleTypes, ['daily', 'weekly', 'monthly', 'cron']);
});
