// The time of a message for later, as programs write it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSendAt } from './send-at.ts';

const now = new Date('2026-11-28T12:00:00Z');
const read = (text: string) => readSendAt(text, 'send_at', now);

for (const text of [
  '2026-11-29 08:00:00',
  ' 2026-11-29T08:00:00Z ',
  '2026-11-29T08:00:00.000Z',
  '2026-11-29T09:00:00.123456+01:00',
  '2026-11-29T09:00:00,5+0100',
  '2026-11-29 09:00:00 +0100',
  '2026-11-29 09:00:00.5 +0100',
])
  test(`"${text}" is 08:00 GMT`, () => assert.equal(read(text)?.toISOString(), '2026-11-29T08:00:00.000Z'));

for (const text of ['', ' ', '2026-11-28 12:00:00', '2026-11-28 11:00:00', '2026-11-28T13:59:59+02:00'])
  test(`"${text}" is at once`, () => assert.equal(read(text), undefined));

for (const [text, message] of [
  ['2026-11-28 10:59:59', /^send_at is in the past/],
  ['2027-02-26 12:00:01', /^send_at is more than 90 days ahead/],
  ['tomorrow', /^send_at/],
  ['2026-11-31 08:00:00', /^send_at/],
  ['2026-11-29 25:00:00', /^send_at/],
  ['2026-11-29T08:00:00.Z', /^send_at/],
  ['2026-11-29T08:00:00+15:00', /^send_at/],
] as const)
  test(`"${text}" is refused`, () => assert.throws(() => read(text), { fault: 'DATE_INVALID', message }));

test('90 days ahead is accepted', () => assert.ok(read('2027-02-26 12:00:00')));
