import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, joined } from './audit-rows.ts';

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
  detail: { name: 'html' },
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
