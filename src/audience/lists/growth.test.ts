// The growth of a list by month, week and day.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

let t: TestApp;
let list: string;
before(async () => {
  t = await testApp();
  list = await t.call<string>('listCreate', { title: 'Readers' });
  const joined = { a: '2026-08-31', b: '2026-09-01', c: '2026-09-06', d: '2026-09-07' };
  for (const [name, day] of Object.entries(joined)) {
    const email_address = `${name}@example.com`;
    await t.call('listSubscribe', { id: list, email_address, double_optin: false });
    await t.app.db.run(sql`
      update subscription s
      set confirm_at = ${`${day} 23:59:59Z`}::timestamptz
      from contact c
      where c.account_id = s.account_id and c.id = s.contact_id and c.email = ${email_address}`);
  }
  await t.call('listUnsubscribe', { id: list, email_address: 'a@example.com', send_goodbye: false });
  await t.app.db.run(sql`
    update subscription set unsubscribe_at = '2026-09-07 08:00Z', status_at = '2026-09-07 08:00Z'
    where list_id = ${parseId(list)} and status = 'unsubscribed'`);
});
after(() => t.close());

type Row = { month: string; week?: string; day?: string; existing: number; imports: number; unsubscribes: number };
const growth = async (given: object = {}) =>
  (await t.call<Row[]>('listGrowthHistory', { id: list, ...given })).map((row) => [
    row.day ?? row.week ?? row.month,
    row.existing,
    row.imports,
    row.unsubscribes,
  ]);

test('an end before the start is refused', async () => {
  await assert.rejects(growth({ start_date: '2026-09-02', end_date: '2026-09-01' }), {
    fault: 'DATE_INVALID',
    message: 'end_date is before start_date',
  });
});

test('by month', async () => {
  assert.deepEqual(await growth(), [
    ['2026-08', 0, 1, 0],
    ['2026-09', 1, 3, 1],
  ]);
});

test('by week, from Monday to Sunday', async () => {
  assert.deepEqual(await growth({ split_by: 'week' }), [
    ['2026-08 W36', 0, 3, 0],
    ['2026-09 W37', 3, 1, 1],
  ]);
});

const days = [
  ['2026-08-31', 0, 1, 0],
  ['2026-09-01', 1, 1, 0],
  ['2026-09-06', 2, 1, 0],
  ['2026-09-07', 3, 1, 1],
];

test('by day, in pages', async () => {
  assert.deepEqual(await growth({ split_by: 'day' }), days);
  assert.deepEqual(await growth({ split_by: 'day', start: 1, limit: 3 }), days.slice(3));
});

test('between two days; the first period still starts with the members before it', async () => {
  const between = (start_date: string, end_date: string, split_by = 'day') =>
    growth({ split_by, start_date, end_date });
  assert.deepEqual(await between('2026-09-01', '2026-09-06'), days.slice(1, 3));
  assert.deepEqual(await between('2026-09-02', ''), days.slice(2));
  assert.deepEqual(await between('', '2026-08-31'), days.slice(0, 1));
  assert.deepEqual(await between('2026-09-06', '2026-09-06', 'week'), [['2026-08 W36', 0, 3, 0]]);
  assert.deepEqual(await between('2026-09-30', '2026-09-30', 'month'), [['2026-09', 1, 3, 1]]);
  assert.deepEqual(await between('2026-10-01', '2026-12-31'), []);
});

test('a day that does not exist is refused by name', async () => {
  await assert.rejects(growth({ start_date: '2026-02-30' }), { code: 501, message: /^start_date/ });
  await assert.rejects(growth({ end_date: 'x' }), { code: 501, message: /^end_date/ });
});

test('the course of several lists over the last days, from those who joined and left in them', async () => {
  const [own, empty] = [
    await t.call<string>('listCreate', { title: 'Course' }),
    await t.call<string>('listCreate', { title: 'Empty' }),
  ];
  const at = (days: number) => sql`now() - make_interval(days => ${days}::int, hours => 1)`;
  const since = async (name: string, joined: number, left?: number) => {
    const email_address = `${name}@course.example`;
    await t.call('listSubscribe', { id: own, email_address, double_optin: false });
    if (left !== undefined) await t.call('listUnsubscribe', { id: own, email_address, send_goodbye: false });
    await t.app.db.run(sql`
      update subscription s
      set confirm_at = ${at(joined)}, status_at = ${at(left ?? joined)}
      from contact c
      where c.account_id = s.account_id and c.id = s.contact_id and c.email = ${email_address}`);
  };
  await since('long', 40);
  await since('new', 10);
  await since('passing', 20, 5);
  await since('former', 60, 50);
  await t.call('listSubscribe', { id: own, email_address: 'asked@course.example', double_optin: true });
  type Trend = { id: string; joined: number; left: number; members: number[] };
  const [first, second] = await t.call<Trend[]>('listTrends', { ids: [own, empty] });
  assert.deepEqual([first!.id, first!.joined, first!.left, first!.members.length], [own, 2, 1, 31]);
  // 30, 15, 7 and 3 days ago, and now.
  assert.deepEqual(
    [0, 15, 23, 27, 30].map((place) => first!.members[place]),
    [1, 2, 3, 2, 2],
  );
  assert.deepEqual([second!.joined, second!.left, new Set(second!.members)], [0, 0, new Set([0])]);
  await assert.rejects(t.call('listTrends', { ids: [own, 'a0000000'] }), { fault: 'LIST_UNKNOWN' });
});
