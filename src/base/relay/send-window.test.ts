// The send window by the clock: weekdays, midnight, zones, and the days on which clocks change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opensAt, parseSendWindow } from './send-window.ts';

const opens = (text: string, zone: string, at: string) =>
  opensAt(parseSendWindow(text)!, zone, new Date(at))?.toISOString().slice(0, 16) ?? 'open';
const office = '12345 08:00-20:00';

test('a window is read, and what is none is not', () => {
  assert.deepEqual(parseSendWindow('67 10:30-24:00'), { days: new Set([6, 7]), from: 630, until: 1_440 });
  for (const text of [
    '',
    '8 08:00-20:00',
    '11 08:00-20:00',
    '1 20:00-08:00',
    '1 08:00-08:00',
    '1 08:00-24:01',
    '1 8-20',
  ])
    assert.equal(parseSendWindow(text), undefined, text);
});

test('it is open from its first minute until before its last, on its days', () => {
  // 2026-11-27 is a Friday.
  assert.equal(opens(office, 'Etc/UTC', '2026-11-27T07:59:59Z'), '2026-11-27T08:00');
  assert.equal(opens(office, 'Etc/UTC', '2026-11-27T08:00:00Z'), 'open');
  assert.equal(opens(office, 'Etc/UTC', '2026-11-27T19:59:59Z'), 'open');
  assert.equal(opens(office, 'Etc/UTC', '2026-11-27T20:00:00Z'), '2026-11-30T08:00');
  assert.equal(opens(office, 'Etc/UTC', '2026-11-29T12:00:00Z'), '2026-11-30T08:00');
  assert.equal(opens('7 00:00-24:00', 'Etc/UTC', '2026-11-29T23:59:00Z'), 'open');
  assert.equal(opens('7 00:00-24:00', 'Etc/UTC', '2026-11-30T00:00:00Z'), '2026-12-06T00:00');
});

test('each zone has its own clocks and its own day', () => {
  assert.equal(opens(office, 'Asia/Tokyo', '2026-11-26T22:00:00Z'), '2026-11-26T23:00');
  // In Los Angeles it is still Sunday.
  assert.equal(opens(office, 'America/Los_Angeles', '2026-11-30T06:00:00Z'), '2026-11-30T16:00');
  assert.equal(opens(office, 'Asia/Kolkata', '2026-11-27T01:00:00Z'), '2026-11-27T02:30');
  assert.equal(opens(office, 'no zone', '2026-11-27T07:00:00Z'), '2026-11-27T08:00');
});

test('when clocks change it opens by the new time', () => {
  // Berlin: 2026-03-29 02:00 becomes 03:00, 2026-10-25 03:00 becomes 02:00.
  const daily = '1234567 08:00-20:00';
  assert.equal(opens(daily, 'Europe/Berlin', '2026-03-28T20:00:00Z'), '2026-03-29T06:00');
  assert.equal(opens(daily, 'Europe/Berlin', '2026-03-27T20:00:00Z'), '2026-03-28T07:00');
  assert.equal(opens(daily, 'Europe/Berlin', '2026-10-24T19:00:00Z'), '2026-10-25T07:00');
  // It begins within the hour that is skipped.
  assert.equal(opens('7 02:30-05:00', 'Europe/Berlin', '2026-03-29T00:30:00Z'), '2026-03-29T01:00');
  // It is skipped as a whole: there is none on that day.
  assert.equal(opens('7 02:10-02:50', 'Europe/Berlin', '2026-03-29T00:30:00Z'), '2026-04-05T00:10');
  // The hour that comes twice: open from the first 02:30 until 03:00.
  assert.equal(opens('7 02:30-03:00', 'Europe/Berlin', '2026-10-25T00:29:00Z'), '2026-10-25T00:30');
  assert.equal(opens('7 02:30-03:00', 'Europe/Berlin', '2026-10-25T01:10:00Z'), 'open');
});
