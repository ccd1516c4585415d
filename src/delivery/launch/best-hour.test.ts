// Campaigns sent in the best hour of each recipient: which hour that is, when it is due, and what cannot be combined with it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign } from '../../../test/support/builders/campaigns.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { until } from '../../../test/support/run/until.ts';
import { dayMs, dayNumber, dayOfNumber } from '../../base/calendar.ts';
import { instantOf, wallOf } from '../../base/zones.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { nextHours } from './best-hour.ts';
import { endImpossibleWaits } from './clock-set-back.ts';
import { launch } from './launch.ts';

const berlin = 'Europe/Berlin';
const hourMs = 3_600_000;
let stage: Stage;
before(async () => {
  stage = await Stage.start();
  await stage.db.run(sql`update account set time_zone = 'Etc/UTC'`);
});
after(() => stage.stop());

const call = <T = unknown>(method: string, params: Record<string, unknown>) => stage.engine.app.call<T>(method, params);

const starts: [start: string, zone: string, hour: number, due: string][] = [
  ['2027-03-10T08:20:00Z', 'Etc/UTC', 8, '2027-03-10T08:20:00Z'],
  ['2027-03-10T08:20:00Z', 'Etc/UTC', 9, '2027-03-10T09:00:00Z'],
  ['2027-03-10T08:20:00Z', 'Etc/UTC', 7, '2027-03-11T07:00:00Z'],
  ['2027-03-10T08:20:00Z', 'Asia/Kolkata', 14, '2027-03-10T08:30:00Z'],
  ['2027-12-31T23:10:00Z', 'Etc/UTC', 0, '2028-01-01T00:00:00Z'],
  ['2028-02-28T12:00:00Z', 'Etc/UTC', 11, '2028-02-29T11:00:00Z'],
  // The clocks skip the hour from 2 to 3 on this day.
  ['2027-03-27T23:30:00Z', berlin, 1, '2027-03-28T00:00:00Z'],
  ['2027-03-27T23:30:00Z', berlin, 2, '2027-03-28T01:00:00Z'],
  ['2027-03-27T23:30:00Z', berlin, 3, '2027-03-28T01:00:00Z'],
  ['2027-03-28T10:00:00Z', berlin, 11, '2027-03-29T09:00:00Z'],
  // They show it twice on this day, and the first counts.
  ['2027-10-30T22:30:00Z', berlin, 2, '2027-10-31T00:00:00Z'],
  ['2027-10-30T22:30:00Z', berlin, 3, '2027-10-31T02:00:00Z'],
  ['2027-10-31T01:30:00Z', berlin, 2, '2027-10-31T01:30:00Z'],
];
for (const [start, zone, hour, due] of starts)
  test(`at ${start} the hour ${hour} in ${zone} is next at ${due}`, () => {
    assert.equal(nextHours(new Date(start), zone)[hour]!.toISOString(), new Date(due).toISOString());
  });

test('every hour comes within 25 hours, on every day of two years, in zones of all kinds', () => {
  for (const zone of [berlin, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Santiago'])
    for (let day = 0; day < 730; day++) {
      const start = new Date(Date.UTC(2027, 0, 1) + day * dayMs + ((day * 37) % 24) * hourMs);
      for (const at of nextHours(start, zone))
        assert.ok(at >= start && at.getTime() - start.getTime() <= 25 * hourMs, `${zone} ${start.toISOString()}`);
    }
});

let campaigns = 900_000;
/** As if the contact had opened a message so many days ago, at this hour and minute of its clock. */
async function opened(
  email: string,
  daysAgo: number,
  [hour, minute]: readonly [number, number],
  {
    zone = 'Etc/UTC',
    by = 'open',
    auto = false,
  }: { zone?: string; by?: 'open' | 'click' | 'machine'; auto?: boolean } = {},
): Promise<void> {
  const day = dayOfNumber(dayNumber(wallOf(new Date(), zone)) - daysAgo);
  const at = instantOf({ ...day, hour, minute, second: 0 }, zone);
  const later = new Date(at.getTime() + 7 * hourMs);
  await stage.db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, machine_opens, last_open_at, first_click_at)
    select account_id, ${++campaigns}::int, 1, ${auto ? '-infinity' : `${at.toISOString().slice(0, 7)}-01`}::date, id,
      ${by === 'machine' ? 0 : 1}::int, ${by === 'machine' ? 1 : 0}::int,
      ${by === 'machine' ? null : by === 'click' ? later : at}::timestamptz, ${by === 'click' ? at : null}::timestamptz
    from contact
    where email = ${email}`);
}

async function listOf(contacts: Record<string, string>): Promise<string> {
  const list = await call<string>('listCreate', { title: 'Hours' });
  for (const [email, TIMEZONE] of Object.entries(contacts))
    await call('listSubscribe', { id: list, email_address: email, merge_vars: { TIMEZONE }, double_optin: false });
  return list;
}

async function launched(
  list: string,
): Promise<{ cid: string; id: number; startedAt: Date; due: Record<string, Date> }> {
  const cid = await aCampaign(stage.engine.app, { to: list, best_hour: true });
  await call('campaignSendNow', { cid });
  const id = parseId(cid);
  await launch(stage.engine.app.app, { account: stage.engine.app.account.id, campaign: id });
  const rows = await stage.db.rows<{ email: string; at: Date }>(
    sql`select email, due_at as at from delivery where campaign_id = ${id}`,
  );
  const { at } = (await stage.db.row<{ at: Date }>(sql`select send_at as at from campaign where id = ${id}`))!;
  return { cid, id, startedAt: at, due: Object.fromEntries(rows.map((row) => [row.email, row.at])) };
}

test('each contact is due in the hour in which it usually opens, by its own clock', async () => {
  const now = wallOf(new Date(), 'Etc/UTC').hour;
  // So that no expected hour is the present one.
  const morning = (now + 6) % 24;
  const evening = (now + 12) % 24;
  const contacts: Record<string, string> = {
    'morning@hour.example': '',
    'summer.time@hour.example': berlin,
    'new.york@hour.example': 'America/New_York',
    'unknown.zone@hour.example': '',
    'mostly.evening@hour.example': '',
    'around.the.hour@hour.example': '',
    'first.click@hour.example': '',
    'automations@hour.example': '',
    'two.only@hour.example': '',
    'machine@hour.example': '',
    'long.ago@hour.example': '',
    'never@hour.example': '',
  };
  const list = await listOf(contacts);
  await stage.db.run(sql`update contact set time_zone = 'Nowhere/Land' where email = 'unknown.zone@hour.example'`);
  for (const days of [5, 60, 170]) {
    await opened('morning@hour.example', days, [morning, 10]);
    // Daylight saving time began or ended between them.
    await opened('summer.time@hour.example', days, [8, 30], { zone: berlin });
    await opened('new.york@hour.example', days, [20, 5], { zone: 'America/New_York' });
    await opened('unknown.zone@hour.example', days, [evening, 10]);
    await opened('mostly.evening@hour.example', days, [evening, 30]);
    await opened('mostly.evening@hour.example', days + 1, [evening, 30]);
    await opened('mostly.evening@hour.example', days, [morning, 30]);
    await opened('first.click@hour.example', days, [morning, 20], { by: 'click' });
    await opened('automations@hour.example', days, [evening, 20], { auto: true });
    await opened('machine@hour.example', days, [morning, 10], { by: 'machine' });
    await opened('long.ago@hour.example', days + 181, [morning, 10]);
  }
  // Five around the full hour outweigh three elsewhere, and the hour with more of the five is chosen.
  for (const days of [1, 2, 3]) await opened('around.the.hour@hour.example', days, [evening, 5]);
  for (const days of [4, 5]) await opened('around.the.hour@hour.example', days, [(evening + 23) % 24, 55]);
  for (const days of [6, 7, 8]) await opened('around.the.hour@hour.example', days, [morning, 5]);
  for (const days of [3, 4]) await opened('two.only@hour.example', days, [morning, 10]);
  const { due, startedAt, cid } = await launched(list);
  const next = (hour: number, zone = 'Etc/UTC') => nextHours(startedAt, zone)[hour]!;
  assert.deepEqual(due, {
    'morning@hour.example': next(morning),
    'summer.time@hour.example': next(8, berlin),
    'new.york@hour.example': next(20, 'America/New_York'),
    'unknown.zone@hour.example': next(evening),
    'mostly.evening@hour.example': next(evening),
    'around.the.hour@hour.example': next(evening),
    'first.click@hour.example': next(morning),
    'automations@hour.example': next(evening),
    'two.only@hour.example': startedAt,
    'machine@hour.example': startedAt,
    'long.ago@hour.example': startedAt,
    'never@hour.example': startedAt,
  });
  const shown = await call<{ explanation: string }>('campaignExplain', { cid, email: 'morning@hour.example' });
  const time = formatDate(next(morning));
  assert.equal(
    shown.explanation,
    `It is waiting for the hour in which its contact usually opens (Etc/UTC): ${time} GMT.`,
  );
});

test('those without a best hour get it at once, the others when their hour comes, and a clock set back changes nothing', async () => {
  const hour = (wallOf(new Date(), 'Etc/UTC').hour + 8) % 24;
  const list = await listOf({ 'later@wait.example': '', 'soon@wait.example': '' });
  for (const days of [5, 6, 7]) await opened('later@wait.example', days, [hour, 10]);
  const { id, cid } = await launched(list);
  await stage.engine.until(id, (all) =>
    all.some(({ email, state }) => email.startsWith('soon') && state === 'accepted'),
  );
  await until('the campaign waits for the best hour of one', async () => {
    const progress = await call<{ waits_for: string; queued: number }>('campaignProgress', { cid });
    return progress.waits_for === 'best_hour' && progress.queued === 1;
  });
  assert.equal(await endImpossibleWaits(stage.db), 0);
  // As if eight hours had passed.
  await stage.db.transaction(async (tx) => {
    await tx.run(sql`update chunk set due_at = due_at - interval '8 hours' where campaign_id = ${id}`);
    await tx.run(sql`update delivery set due_at = due_at - interval '8 hours' where campaign_id = ${id}`);
    await tx.run(sql`update campaign set due_until = due_until - interval '8 hours' where id = ${id}`);
  });
  await stage.engine.untilStatus(id, 'sent');
  await stage.check(id);
});

test('it is kept by a replicate, and excludes time_match and an A/B test', async () => {
  const list = await listOf({ 'one@options.example': '' });
  const app = stage.engine.app;
  const options = (cid: string) =>
    call<{ best_hour: boolean; time_match: boolean }>('campaignGet', { cid }).then((all) => [
      all.best_hour,
      all.time_match,
    ]);
  await assert.rejects(aCampaign(app, { to: list, best_hour: true, time_match: true }), {
    fault: 'CAMPAIGN_OPTION_INVALID',
    message: 'options.best_hour: best_hour and time_match cannot be combined',
  });
  const cid = await aCampaign(app, { to: list, best_hour: true });
  assert.deepEqual(await options(await call<string>('campaignReplicate', { cid })), [true, false]);
  const update = (name: string, value: boolean) => call('campaignUpdate', { cid, name, value });
  await update('time_match', true);
  assert.deepEqual(await options(cid), [false, true]);
  await update('best_hour', true);
  assert.deepEqual(await options(cid), [true, false]);
  await update('time_match', false);
  assert.deepEqual(await options(cid), [true, false]);
  const abTest = { cid, share: 50, winner: 'manual', wait_minutes: 60, variants: [{ subject: 'Another' }] };
  await assert.rejects(call('campaignTestUpdate', abTest), /best_hour and an A\/B test cannot be combined/);
  await update('best_hour', false);
  await call('campaignTestUpdate', abTest);
  await assert.rejects(update('best_hour', true), /best_hour and an A\/B test cannot be combined/);
});
