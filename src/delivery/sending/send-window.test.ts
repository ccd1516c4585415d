// The send window of an account, with workers and a sink: what waits, what goes on when it opens, and what is exempt.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { launched } from '../../../test/support/delivery/ab-test.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { runWaitingJobs } from '../../../test/support/run/jobs.ts';
import { until } from '../../../test/support/run/until.ts';
import { dayNumber } from '../../base/calendar.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { endImpossibleWaits } from '../launch/clock-set-back.ts';
import { launch, startDue } from '../launch/launch.ts';
import { computeStarts } from '../launch/local-time.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.start({ workers: 2 });
  await stage.db.run(sql`update account set time_zone = 'Etc/UTC'`);
});
after(() => stage.stop());

const app = () => stage.engine.app;
const call = <T = unknown>(method: string, params: Record<string, unknown>) => app().call<T>(method, params);
/** Changes a setting of the account, and asks those that wait again. */
async function setAccount(name: 'send_window' | 'time_zone', value: string): Promise<void> {
  await call('accountUpdate', { name, value });
  await runWaitingJobs(app().app, 'windowChanged');
}
const setWindow = (value: string) => setAccount('send_window', value);

/** All day, on the day of the week that it is in so many hours (UTC). */
function dayIn(hours: number): string {
  const at = new Date(Date.now() + hours * 3_600_000);
  const day = dayNumber({ year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() });
  return `${((day + 3) % 7) + 1} 00:00-24:00`;
}

type Chunk = { zone: string; state: string; closed: boolean | null };
const chunks = (id: number) =>
  stage.db.rows<Chunk>(sql`
    select zone, state, opens_at = due_at and due_at > now() as closed from chunk where campaign_id = ${id} order by no`);
const untilClosed = (id: number) =>
  until('the campaign is as far', async () =>
    (await chunks(id)).every(({ state, closed }) => state === 'waiting' && closed === true),
  );

/** As if the time that the chunks of a campaign wait for had come. */
async function open(id: number): Promise<void> {
  await setWindow('');
  await stage.db.run(
    sql`update chunk set due_at = now(), opens_at = now() where campaign_id = ${id} and state = 'waiting'`,
  );
}

test('a campaign that starts outside the window waits, says so, and goes on when it opens', async () => {
  await setWindow(dayIn(72));
  const list = await listOf(app(), ['ann@window.example', 'bob@window.example']);
  const id = await launched(app(), await aCampaign(app(), { to: list }));
  await untilClosed(id);
  const progress = await call<{ waits_for: string; next_time: string; status: string }>('campaignProgress', {
    cid: formatId(id),
  });
  assert.equal(progress.waits_for, 'window');
  const [opens] = await stage.db.rows<{ at: Date }>(sql`select due_at as at from chunk where campaign_id = ${id}`);
  assert.equal(opens!.at.toISOString().slice(11, 19), '00:00:00');
  const explained = await call<{ explanation: string }>('campaignExplain', {
    cid: formatId(id),
    email: 'ann@window.example',
  });
  assert.match(explained.explanation, /until the send window opens in Etc\/UTC/);
  // It is no wait that only a clock that was set back can have caused.
  assert.equal(await endImpossibleWaits(stage.db), 0);
  assert.equal((await stage.engine.recipients(id)).filter(({ state }) => state === 'queued').length, 2);
  await open(id);
  await stage.engine.untilStatus(id, 'sent');
  await stage.check(id);
});

test('each zone has its own window', async () => {
  // Kiritimati is 25 hours ahead of Pago Pago: they are never on the same day.
  const list = await call<string>('listCreate', { title: 'Zones' });
  const zones = { east: 'Pacific/Kiritimati', west: 'Pacific/Pago_Pago' };
  for (const [name, TIMEZONE] of Object.entries(zones))
    await call('listSubscribe', {
      id: list,
      email_address: `${name}@zones.example`,
      merge_vars: { TIMEZONE },
      double_optin: false,
    });
  await setWindow(dayIn(14));
  const id = await launched(app(), await aCampaign(app(), { to: list }));
  const stateOf = async () =>
    Object.fromEntries((await stage.engine.recipients(id)).map(({ email, state }) => [email.split('@')[0], state]));
  await until('the campaign is as far', async () => (await stateOf())['east'] === 'accepted');
  await until('the campaign is as far', async () => (await chunks(id)).some(({ closed }) => closed === true));
  assert.deepEqual(await stateOf(), { east: 'accepted', west: 'queued' });
  const waiting = (await chunks(id)).filter(({ state }) => state === 'waiting');
  assert.deepEqual(
    waiting.map(({ zone }) => zone),
    ['Pacific/Pago_Pago'],
  );
  await open(id);
  await stage.engine.untilStatus(id, 'sent');
  await stage.check(id);
});

test('a window that closes in the middle of a campaign holds what is left, and no one gets it twice', async () => {
  await setWindow(dayIn(0));
  // The server takes its time: a limit of the account would be known to the worker only after seconds.
  const list = await listOf(
    app(),
    Array.from({ length: 120 }, (_, n) => `delay300-dot.${n}@middle.example`),
  );
  const id = await launched(app(), await aCampaign(app(), { to: list }));
  const accepted = async () => (await stage.engine.recipients(id)).filter(({ state }) => state === 'accepted').length;
  await until('the campaign is as far', async () => (await accepted()) > 20);
  await setWindow(dayIn(72));
  await until('the campaign is as far', async () =>
    (await chunks(id)).every(({ state, closed }) => state === 'done' || (state === 'waiting' && closed === true)),
  );
  const before = await accepted();
  assert.ok(before < 120, `${before} accepted`);
  await open(id);
  await stage.engine.untilStatus(id, 'sent');
  assert.equal(await accepted(), 120);
  await stage.check(id);
});

test('a window that is removed or changed holds no longer what waited for it', async () => {
  await setWindow(dayIn(72));
  const id = await launched(app(), await aCampaign(app(), { to: await listOf(app(), ['ann@removed.example']) }));
  await untilClosed(id);
  const opensOf = () =>
    stage.db.rows<{ at: Date }>(sql`select due_at as at from chunk where campaign_id = ${id} and state = 'waiting'`);
  const [before] = await opensOf();
  // Another window that is closed: it waits for that one.
  await setWindow(dayIn(96));
  await until('it waits for the new opening', async () => {
    const [opening] = await opensOf();
    return opening !== undefined && opening.at > before!.at;
  });
  assert.equal((await stage.engine.recipients(id))[0]!.state, 'queued');
  await setWindow('');
  await stage.engine.untilStatus(id, 'sent');
  await stage.check(id);
});

test('another time zone of the account opens the window that is open there', async () => {
  const hour = new Date().getUTCHours();
  // Closed by UTC, open where it is noon.
  const isNoon = hour >= 11 && hour < 14;
  const window = isNoon ? '1234567 00:00-06:00' : '1234567 11:00-14:00';
  const wanted = isNoon ? 3 : 12;
  const ahead = ((wanted - hour + 36) % 24) - 12;
  await setWindow(window);
  const id = await launched(app(), await aCampaign(app(), { to: await listOf(app(), ['ann@moved.example']) }));
  await untilClosed(id);
  await setAccount('time_zone', `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`);
  await stage.engine.untilStatus(id, 'sent');
  await setAccount('time_zone', 'Etc/UTC');
  await setWindow('');
});

test('a campaign that is resumed waits for no window that is gone, and never sends outside one that is closed', async () => {
  await setWindow(dayIn(72));
  const id = await launched(app(), await aCampaign(app(), { to: await listOf(app(), ['ann@resumed.example']) }));
  await untilClosed(id);
  const cid = formatId(id);
  const resume = async () => {
    await call('campaignPause', { cid });
    await call('campaignResume', { cid });
  };
  await resume();
  await untilClosed(id);
  assert.equal((await call<{ waits_for: string }>('campaignProgress', { cid })).waits_for, 'window');
  // Changed where no chunk was asked again.
  await stage.db.run(sql`update account set settings = settings - 'send_window'`);
  await resume();
  await stage.engine.untilStatus(id, 'sent');
  await stage.check(id);
});

test('a day that waited for the window is not late, one that waited for a worker is, and a sign-up or a step never is', async () => {
  for (const [name, occasion, waited, outcome] of [
    ['waited', '2026-11-21', true, 'accepted'],
    ['forgotten', '2026-11-21', false, 'skipped'],
    ['welcome', 'signup', false, 'accepted'],
    ['step', 'run 1', false, 'accepted'],
  ] as const) {
    await setWindow(dayIn(72));
    const list = await listOf(app(), [`${name}@occasion.example`]);
    const id = await launched(app(), await aCampaign(app(), { to: list }));
    await untilClosed(id);
    // As of an autoresponder that was due half a day ago.
    await stage.db.run(sql`
      update delivery set occasion = ${occasion}, due_at = now() - interval '12 hours' where campaign_id = ${id}`);
    if (!waited) await stage.db.run(sql`update chunk set opens_at = null where campaign_id = ${id}`);
    await setWindow('');
    await stage.db.run(sql`
      update chunk set due_at = now(), opens_at = case when opens_at is not null then now() end where campaign_id = ${id}`);
    await stage.engine.untilStatus(id, 'sent');
    assert.deepEqual(
      (await stage.engine.recipients(id)).map(({ state }) => state),
      [outcome],
    );
  }
});

test('a campaign by local time waits for the window of each zone, and is not late when that opens', async () => {
  await setWindow(dayIn(72));
  const list = await call<string>('listCreate', { title: 'Local' });
  for (const [name, TIMEZONE] of [
    ['here', 'Etc/UTC'],
    ['west', 'Etc/GMT+5'],
  ] as const)
    await call('listSubscribe', {
      id: list,
      email_address: `${name}@local.example`,
      merge_vars: { TIMEZONE },
      double_optin: false,
    });
  const cid = await aCampaign(app(), { to: list, time_match: true });
  const id = parseId(cid);
  await call('campaignSchedule', { cid, schedule_time: formatDate(new Date(Date.now() + 3_600_000)) });
  /** As if so much time had passed since. */
  const pass = (hours: number) =>
    stage.db.transaction(async (tx) => {
      const back = sql`make_interval(hours => ${hours}::int)`;
      // In the order in which the workers lock these rows.
      await tx.run(sql`
        update chunk set due_at = due_at - ${back}, opens_at = opens_at - ${back} where campaign_id = ${id}`);
      await tx.run(sql`update delivery set due_at = due_at - ${back} where campaign_id = ${id}`);
      await tx.run(sql`
        update campaign
        set schedule_at = schedule_at - ${back}, match_at = match_at - ${back}, match_asked_at = match_asked_at - ${back},
          due_until = due_until - ${back}
        where id = ${id}`);
    });
  const closed = async () => (await chunks(id)).filter((chunk) => chunk.closed === true).map(({ zone }) => zone);
  await pass(1);
  await computeStarts(stage.db);
  await startDue(stage.db);
  await launch(app().app, { account: app().account.id, campaign: id });
  // Due now, and held; the other zone is due in five hours.
  await until('the first zone waits for its window', async () => (await closed()).join() === 'Etc/UTC');
  await pass(5);
  await until('the second zone waits for its window', async () => (await closed()).length === 2);
  assert.deepEqual(
    (await stage.engine.recipients(id)).map(({ state }) => state),
    ['queued', 'queued'],
  );
  // The windows open days later, which is longer than a campaign may be late. Not by the method, which opens them now.
  await stage.db.run(sql`update account set settings = settings - 'send_window'`);
  const hoursToNext = async () => {
    const [next] = await stage.db.rows<{ hours: number }>(sql`
      select extract(epoch from min(due_at) - now())::float8 / 3600 as hours
      from chunk
      where campaign_id = ${id} and state = 'waiting'`);
    return Math.ceil(next!.hours);
  };
  const accepted = async () => (await stage.engine.recipients(id)).filter(({ state }) => state === 'accepted').length;
  assert.ok((await hoursToNext()) > 24);
  await pass(await hoursToNext());
  await until('the first zone gets it', async () => (await accepted()) === 1);
  await pass(await hoursToNext());
  await stage.engine.untilStatus(id, 'sent');
  await stage.check(id);
});

test('any_time and single messages are exempt', async () => {
  await setWindow(dayIn(72));
  const list = await listOf(app(), ['ann@exempt.example']);
  const cid = await aCampaign(app(), { to: list, any_time: true });
  assert.equal((await call<{ any_time: boolean }>('campaignGet', { cid })).any_time, true);
  await stage.engine.untilStatus(await launched(app(), cid), 'sent');
  const { id } = await call<{ id: string }>('messageSend', { to: 'ann@exempt.example', subject: 's', plain: 'x' });
  await until('the campaign is as far', async () =>
    JSON.stringify(await call('messageGet', { id })).includes('accepted'),
  );
  await setWindow('');
});

test('a window that is none is refused', async () => {
  for (const value of ['8-20', '1 20:00-08:00', '0 08:00-20:00'])
    await assert.rejects(setWindow(value), { fault: 'ACCOUNT_OPTION_INVALID' });
});
