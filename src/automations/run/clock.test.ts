// A simulated clock over daylight saving time and 29 February: dates, waits and weekdays come when the contact's clock shows them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { runAutomations } from './engine.ts';

let app: TestApp;
let list: string;

before(async () => {
  app = await testApp();
  await app.app.db.run(sql`update account set time_zone = 'UTC'`);
  list = await app.call<string>('listCreate', { title: 'One' });
  await app.call('listMergeVarAdd', { id: list, tag: 'BIRTH', name: 'Birth', options: { field_type: 'date' } });
});
after(() => app.close());

async function member(name: string, zone: string, birth: string): Promise<void> {
  await app.call('listSubscribe', {
    id: list,
    email_address: `${name}@example.com`,
    merge_vars: { BIRTH: birth },
    double_optin: false,
  });
  await app.app.db.run(sql`update contact set time_zone = ${zone} where email = ${`${name}@example.com`}`);
}

/** Runs the engine from one moment to another, a look every step, until nothing is due at each. */
async function pass(from: string, to: string, stepMinutes: number): Promise<void> {
  for (let at = Date.parse(from); at <= Date.parse(to); at += stepMinutes * 60_000)
    while ((await runAutomations(app.app, new Date(at))) > 0);
}

const arrivals = async (name: string) => {
  const rows = await app.app.db.rows<{ step: string; at: Date; trail: { step: string; at: string }[] }>(sql`
    select r.step, r.step_at as at, r.trail
    from automation_run r
    join contact c on c.account_id = r.account_id and c.id = r.contact_id
    where c.email = ${`${name}@example.com`}
    order by r.entered_at`);
  return rows.map((row) =>
    Object.fromEntries([
      ...row.trail.map((past) => [past.step, minute(new Date(past.at))]),
      [row.step, minute(row.at)],
    ]),
  );
};
const minute = (at: Date) => at.toISOString().slice(0, 16);

const startAt = async (definition: Record<string, unknown>) => {
  const id = await app.call<string>('automationCreate', { title: 'Clock', list });
  await app.call('automationUpdate', { id, ...definition });
  await app.call('automationStart', { id });
  return id;
};

test('an anniversary of 29 February comes on 28 February in common years and on the day in leap years, at nine by the contact’s clock', async () => {
  await member('leap', 'America/New_York', '2004-02-29');
  await member('usual', 'Asia/Tokyo', '1990-03-01');
  const id = await startAt({
    trigger: { type: 'date', field: 'BIRTH', repeat: 'yearly', hour: 9 },
    reentry: { again: true, days: 300 },
    steps: [{ key: 'mail', type: 'webhook', name: 'x' }],
  });
  await pass('2027-02-27T00:00:00Z', '2027-03-02T00:00:00Z', 60);
  await pass('2028-02-27T00:00:00Z', '2028-03-02T00:00:00Z', 60);
  assert.deepEqual(await arrivals('leap'), [{ mail: '2027-02-28T14:00' }, { mail: '2028-02-29T14:00' }]);
  assert.deepEqual(await arrivals('usual'), [{ mail: '2027-03-01T00:00' }, { mail: '2028-03-01T00:00' }]);
  await app.call('automationDelete', { id });
});

test('a wait of days and one until a weekday follow the clocks of each contact when they change', async () => {
  await member('berlin', 'Europe/Berlin', '2027-03-26');
  await member('sydney', 'Australia/Sydney', '2027-04-02');
  const id = await startAt({
    trigger: { type: 'date', field: 'BIRTH', repeat: 'once', hour: 9 },
    steps: [
      { key: 'begin', type: 'webhook', name: 'x' },
      { key: 'days', type: 'wait', amount: 2, unit: 'days' },
      { key: 'middle', type: 'webhook', name: 'x' },
      { key: 'monday', type: 'wait_until', weekdays: [1], hour: 10 },
      { key: 'last', type: 'webhook', name: 'x' },
    ],
  });
  // Berlin's clocks go forward on 28 March, Sydney's back on 4 April.
  await pass('2027-03-25T00:00:00Z', '2027-04-06T00:00:00Z', 60);
  assert.deepEqual(await arrivals('berlin'), [
    {
      begin: '2027-03-26T08:00',
      days: '2027-03-26T08:00',
      // Nine o'clock again, an hour earlier in UTC.
      monday: '2027-03-28T07:00',
      middle: '2027-03-28T07:00',
      last: '2027-03-29T08:00',
    },
  ]);
  assert.deepEqual(await arrivals('sydney'), [
    {
      begin: '2027-04-01T22:00',
      days: '2027-04-01T22:00',
      monday: '2027-04-03T23:00',
      middle: '2027-04-03T23:00',
      last: '2027-04-05T00:00',
    },
  ]);
  await app.call('automationDelete', { id });
});
