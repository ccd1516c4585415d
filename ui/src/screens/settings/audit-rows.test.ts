import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, joined, netChanges } from './audit-rows.ts';

const entry = (id: number, at: string, rest: Partial<Entry> = {}): Entry => ({
  id: String(id),
  at,
  user_id: 'a0000001',
  user: 'mia@example.com',
  key_id: '',
  key: '',
  door: 'web',
  method: 'campaignUpdate',
  subject: 'b0000001',
  subject_name: 'Robust letter',
  subject_deleted: false,
  detail: { name: 'html' },
  changes: [],
  ip: '127.0.0.1',
  ...rest,
});

test('what one person did to one thing within an hour is one row, with its count and all details', () => {
  const rows = joined([
    entry(6, '2027-03-01 10:05:00'),
    entry(5, '2027-03-01 10:04:00', { detail: { name: 'subject' } }),
    entry(4, '2027-03-01 10:03:00', { user_id: 'a0000002' }),
    entry(3, '2027-03-01 10:02:00'),
    entry(2, '2027-03-01 09:59:00'),
    entry(1, '2027-03-01 09:58:00', { method: 'campaignSendNow', detail: {} }),
  ]);
  assert.deepEqual(
    rows.map(({ id, entries, details }) => [id, entries.length, details]),
    [
      ['6', 3, ['html', 'subject']],
      ['4', 1, ['html']],
      ['2', 1, ['html']],
      ['1', 1, []],
    ],
  );
});

test('entries about nothing that has a name stay apart', () => {
  const rows = joined([
    entry(2, '2027-03-01 10:05:00', { subject: '' }),
    entry(1, '2027-03-01 10:04:00', { subject: '' }),
  ]);
  assert.equal(rows.length, 2);
});

test('entries together changed what differs between before the first and after the last', () => {
  const change = (name: string, before: string, after: string, longer = 0) => ({
    ...{ name, before, after, before_length: before.length + longer, after_length: after.length + longer },
  });
  const changed = (id: number, ...changes: Entry['changes']) => entry(id, `2027-03-01 10:0${id}:00`, { changes });
  assert.deepEqual(
    netChanges([
      changed(4, change('subject', 'Two', 'Three'), change('plain', 'First words', 'First words', 1_000)),
      changed(3, change('from_name', 'Mia', 'Ann')),
      changed(2, change('from_name', 'Ann', 'Mia')),
      changed(1, change('subject', 'One', 'Two')),
    ]),
    [change('subject', 'One', 'Three'), change('plain', 'First words', 'First words', 1_000)],
  );
});
