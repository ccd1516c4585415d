// Days in conditions and in the growth of lists are those of the account's time zone, wherever the server is.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { formatDay, plusDays } from '../../base/calendar.ts';
import { instantOf, wallOf } from '../../base/zones.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { anniversaryDates } from './days.ts';

let t: TestApp;
let list: string;
before(async () => {
  t = await testApp();
});
after(() => t.close());
beforeEach(async () => {
  list = await t.call<string>('listCreate', { title: 'Readers' });
  await t.call('listMergeVarAdd', { id: list, tag: 'EXP', name: 'Expires', options: { field_type: 'date' } });
});

const subscribe = (email_address: string, merge_vars = {}) =>
  t.call('listSubscribe', { id: list, email_address, merge_vars, double_optin: false });
const signedUpAt = (at: Date) =>
  t.app.db.run(sql`update subscription set signup_at = ${at}, confirm_at = ${at} where account_id = ${t.account.id}`);
const inZone = (time_zone: string) => t.call('accountUpdate', { name: 'time_zone', value: time_zone });
const count = async (field: string, condition: string, value: string) => {
  const filter = [{ field, condition, value }];
  const { count: previewed } = await t.call<{ count: number }>('segmentPreview', { list, filter });
  const { total } = await t.call<{ total: number }>('memberSearch', { list, filter });
  assert.equal(total, previewed);
  return previewed;
};

for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu'])
  test(`a time is on the day that the clocks of ${zone} show`, async () => {
    await inZone(zone);
    await subscribe('a@example.com');
    for (const [hour, minute] of [
      [0, 0],
      [23, 59],
    ] as const) {
      await signedUpAt(instantOf({ year: 2026, month: 1, day: 26, hour, minute, second: 0 }, zone));
      assert.equal(await count('signup_time', 'is', '2026-01-26'), 1);
      assert.equal(await count('signup_time', 'not', '2026-01-26'), 0);
      assert.equal(await count('signup_time', 'greater', '2026-01-25'), 1);
      assert.equal(await count('signup_time', 'greater', '2026-01-26'), 0);
      assert.equal(await count('signup_time', 'less', '2026-01-26'), 0);
      assert.equal(await count('signup_time', 'less', '2026-01-27'), 1);
      const [day] = await t.call<{ day: string }[]>('listGrowthHistory', { id: list, split_by: 'day' });
      assert.equal(day!.day, '2026-01-26');
    }
  });

test('days of 23 and 25 hours are whole', async () => {
  await inZone('Europe/Berlin');
  await subscribe('a@example.com');
  const days: [day: string, first: string, last: string][] = [
    ['2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59.999Z'],
    ['2026-10-25', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59.999Z'],
  ];
  for (const [day, first, last] of days) {
    for (const [at, expected] of [
      [Date.parse(first) - 1, 0],
      [Date.parse(first), 1],
      [Date.parse(last), 1],
      [Date.parse(last) + 1, 0],
    ] as const) {
      await signedUpAt(new Date(at));
      assert.equal(await count('signup_time', 'is', day), expected, `${day} ${new Date(at).toISOString()}`);
    }
  }
});

test('a time of day is in UTC, as everywhere in the API', async () => {
  await inZone('Pacific/Kiritimati');
  await subscribe('a@example.com');
  await signedUpAt(new Date('2026-01-26T12:00:00Z'));
  assert.equal(await count('signup_time', 'greater', '2026-01-26 11:59:59'), 1);
  assert.equal(await count('signup_time', 'greater', '2026-01-26 12:00:00'), 0);
  // 12:00 in UTC is the 27th there.
  assert.equal(await count('signup_time', 'is', '2026-01-26 12:00:00'), 1);
  assert.equal(await count('signup_time', 'is', '2026-01-27'), 1);
  assert.equal(await count('signup_time', 'greater', '0001-01-01'), 1);
  assert.equal(await count('signup_time', 'less', '9999-12-31'), 1);
});

test('the value of a date field is a day of the calendar, compared with today in the zone', async () => {
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await inZone(zone);
    const today = wallOf(new Date(), zone);
    await subscribe('a@example.com', { EXP: formatDay(today) });
    await subscribe('b@example.com', { EXP: formatDay(plusDays(today, 1)) });
    await subscribe('c@example.com', { EXP: formatDay(plusDays(today, -2)) });
    assert.equal(await count('EXP', 'is', formatDay(today)), 1);
    assert.equal(await count('EXP', 'greater', '1 days'), 1, `${zone}: today, neither tomorrow nor two days ago`);
    assert.equal(await count('EXP', 'less', '1 days'), 1);
    await t.call('listUnsubscribe', { id: list, email_address: 'a@example.com', delete_member: true });
    await t.call('listUnsubscribe', { id: list, email_address: 'b@example.com', delete_member: true });
    await t.call('listUnsubscribe', { id: list, email_address: 'c@example.com', delete_member: true });
  }
});

test('campaigns and automations count the same days', async () => {
  await inZone('Pacific/Kiritimati');
  await subscribe('a@example.com');
  await signedUpAt(new Date('2026-01-25T10:00:00Z'));
  const filter = [{ field: 'signup_time', condition: 'is', value: '2026-01-26' }];
  const segment = await t.call<string>('listSegmentCreate', { list, title: 'On the 26th', match: 'all', filter });
  const { data } = await t.call<{ data: unknown[] }>('listSegmentMembers', { id: segment });
  assert.equal(data.length, 1);
  const campaign = await t.call<string>('campaignCreate', {
    type: 'html',
    options: { list_id: list, segment_id: segment, subject: 'S', from_email: 'me@example.com', from_name: 'Me' },
    content: { html: '<p>Hello</p>', plain: 'Hello' },
  });
  const { recipients } = await t.call<{ recipients: number }>('campaignAudience', { cid: campaign });
  assert.equal(recipients, 1);
});

test('the days of a report begin at midnight in the zone', async () => {
  await inZone('Europe/Berlin');
  const options = { list_id: list, subject: 'S', from_email: 'me@example.com', from_name: 'Me' };
  const cid = await t.call<string>('campaignCreate', { type: 'plain', options, content: { plain: 'Hello' } });
  await t.app.db.run(sql`
    update campaign set send_at = '2026-03-27T23:30Z' where account_id = ${t.account.id} and id = ${parseId(cid)}`);
  const { step_hours, data } = await t.call<{ step_hours: number; data: { time: string }[] }>('campaignTimeline', {
    cid,
    hours: 500,
  });
  assert.equal(step_hours, 24);
  assert.deepEqual(
    data.slice(0, 3).map(({ time }) => time),
    ['2026-03-27 23:00:00', '2026-03-28 23:00:00', '2026-03-29 22:00:00'],
  );
});

test('days ahead, today, anniversaries and contacts without a tag are conditions', async () => {
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await inZone(zone);
    list = await t.call<string>('listCreate', { title: zone });
    for (const tag of ['EXP', 'BD'])
      await t.call('listMergeVarAdd', { id: list, tag, name: tag, options: { field_type: 'date' } });
    const today = wallOf(new Date(), zone);
    const day = (days: number) => formatDay(plusDays(today, days));
    const born = (days: number) => {
      const date = plusDays(today, days);
      return formatDay({ ...date, year: date.month === 2 && date.day === 29 ? 1980 : 1981 });
    };
    await subscribe('none@example.com');
    await subscribe('berlin@example.com', { EXP: day(5), BD: born(0) });
    await subscribe('paris@example.com', { EXP: day(30), BD: born(7) });
    await subscribe('past@example.com', { EXP: day(-5), BD: born(-1) });
    await subscribe('today@example.com', { EXP: day(0), BD: day(0) });
    await t.call('contactTagsUpdate', { emails: ['berlin@example.com'], add: ['vip'] });
    assert.equal(await count('contact_tag', 'is', ''), 4);
    assert.equal(await count('contact_tag', 'not', ''), 1);
    assert.equal(await count('EXP', 'next', '10 days'), 2);
    assert.equal(await count('EXP', 'next', '30 days'), 3);
    assert.equal(await count('EXP', 'next', '0 days'), 1);
    assert.equal(await count('EXP', 'is', 'today'), 1);
    assert.equal(await count('BD', 'anniversary', '0 days'), 1);
    assert.equal(await count('BD', 'anniversary', '7 days'), 2);
    assert.equal(await count('BD', 'anniversary', '365 days'), 3);
    assert.equal(await count('signup_time', 'is', 'today'), 5);
    assert.equal(await count('signup_time', 'anniversary', '365 days'), 0);
    const lastYear = { ...plusDays(today, 3), year: today.year - 1, hour: 23, minute: 59, second: 59 };
    await signedUpAt(instantOf({ ...lastYear, day: Math.min(lastYear.day, 28) }, zone));
    assert.equal(await count('signup_time', 'anniversary', '365 days'), 5);
    assert.equal(await count('signup_time', 'greater', '2020-01-01 12:30'), 5);
  }
});

test('conditions on days ahead are refused for what is no day', async () => {
  const refused = (field: string, condition: string, value: string, text: RegExp) =>
    assert.rejects(count(field, condition, value), { fault: 'SEGMENT_INVALID', message: text });
  await refused('FNAME', 'next', '10 days', /filter\.0\.condition: next takes fields of the type date/);
  await refused('EMAIL', 'anniversary', '0 days', /filter\.0\.condition/);
  await refused('EXP', 'next', 'soon', /"soon" is not a number of days/);
  await refused('EXP', 'anniversary', '366 days', /up to 365/);
  assert.equal(await count('FNAME', 'is', 'today'), 0);
});

test('29 February has its anniversary on the 28th in other years', () => {
  const dates = anniversaryDates({ year: 2027, month: 2, day: 27 }, 1);
  assert.deepEqual(dates, ['02-27', '02-28', '02-29']);
  assert.deepEqual(anniversaryDates({ year: 2028, month: 2, day: 28 }, 0), ['02-28']);
  assert.deepEqual(anniversaryDates({ year: 2028, month: 2, day: 29 }, 0), ['02-29']);
});
