// Campaigns by local time: scheduled until the first recipient is due, then each recipient at its own time. Recipients
// whose time passed long ago while no worker ran need a decision.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { launch, startDue } from './launch.ts';
import { computeStarts } from './local-time.ts';

const hourMs = 3_600_000;
let stage: Stage;
before(async () => {
  stage = await Stage.start();
  await stage.db.run(sql`update account set time_zone = 'Etc/UTC'`);
});
after(() => stage.stop());

const call = <T = unknown>(method: string, params: Record<string, unknown>) => stage.engine.app.call<T>(method, params);
const status = (cid: string) => stage.engine.status(parseId(cid));

/** Schedules a campaign to people who live in these zones. */
async function scheduled(name: string, zones: readonly string[], inHours: number): Promise<string> {
  const list = await call<string>('listCreate', { title: name });
  for (const [n, TIMEZONE] of zones.entries())
    await call('listSubscribe', {
      id: list,
      email_address: `${name}.${n}@clock.example`,
      merge_vars: { TIMEZONE },
      double_optin: false,
    });
  const cid = await call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A', time_match: true },
    content: { plain: 'x' },
  });
  await call('campaignSchedule', { cid, schedule_time: formatDate(new Date(Date.now() + inHours * hourMs)) });
  return cid;
}

/** As if so much time had passed. */
async function pass(cid: string, hours: number): Promise<void> {
  const id = parseId(cid);
  await stage.db.transaction(async (tx) => {
    const back = sql`make_interval(mins => ${hours * 60}::int)`;
    // In the order in which the workers lock these rows.
    await tx.run(sql`update chunk set due_at = due_at - ${back} where campaign_id = ${id}`);
    await tx.run(sql`update delivery set due_at = due_at - ${back} where campaign_id = ${id}`);
    await tx.run(sql`
      update campaign
      set schedule_at = schedule_at - ${back}, match_at = match_at - ${back}, match_asked_at = match_asked_at - ${back},
        due_until = due_until - ${back}
      where id = ${id}`);
  });
}

/** A look of the workers, and the launch that follows from it. */
async function look(cid: string): Promise<string> {
  await computeStarts(stage.db);
  await startDue(stage.db);
  await launch(stage.engine.app.app, { account: stage.engine.app.account.id, campaign: parseId(cid) });
  return (await status(cid)).status;
}

test('a campaign whose recipients share the time zone of the sender stays scheduled, and can be unscheduled, until its time', async () => {
  const cid = await scheduled('home', ['Etc/UTC', ''], 20);
  assert.equal(await look(cid), 'scheduled');
  await call('campaignUnschedule', { cid });
  await call('campaignUpdate', { cid, name: 'subject', value: 'corrected' });
});

test('a campaign starts when the first zone of its recipients is due, and a zone that appears later follows the setting', async () => {
  const cid = await scheduled('east', ['Etc/GMT-10', 'Etc/GMT+5'], 20);
  assert.equal(await look(cid), 'scheduled');
  await pass(cid, 9.9);
  assert.equal(await look(cid), 'scheduled');
  await call('accountUpdate', { name: 'when_past', value: 'next-day' });
  await stage.db.run(sql`
    update contact
    set time_zone = 'Etc/GMT-12'
    where email = 'east.1@clock.example'`);
  await pass(cid, 0.2);
  assert.equal(await look(cid), 'sending');
  const due = await stage.db.rows<{ hours: number }>(sql`
    select extract(epoch from due_at - now())::float8 / 3600 as hours
    from delivery
    where campaign_id = ${parseId(cid)}
    order by email`);
  // Ten hours ahead, due six minutes ago: not over, since it started for that one. Twelve ahead it was over by two hours.
  assert.deepEqual(
    due.map((item) => Math.round(Math.abs(item.hours))),
    [0, 22],
  );
  await call('accountUpdate', { name: 'when_past', value: 'at-once' });
  await stage.engine.until(parseId(cid), (all) => all.some((item) => item.state === 'accepted'));
});

test('recipients whose time passed an hour ago while no worker ran get it automatically, after thirty hours on resume', async () => {
  const cid = await scheduled('west', ['Etc/UTC', 'Etc/GMT+5', 'Etc/GMT+9'], 1);
  await pass(cid, 1);
  assert.equal(await look(cid), 'sending');
  const id = parseId(cid);
  const accepted = (count: number) =>
    stage.engine.until(id, (all) => all.filter((item) => item.state === 'accepted').length === count);
  await accepted(1);
  await pass(cid, 6);
  await accepted(2);
  await pass(cid, 33);
  await stage.engine.untilStatus(id, 'paused');
  assert.match((await status(cid)).reason, /MAX_LATENESS/);
  const { late_by } = await call<{ late_by: number }>('campaignProgress', { cid });
  assert.equal(Math.round(late_by / 3_600), 30);
  await sleep(300);
  assert.equal(stage.seen('west.').filter((entry) => entry.event === 'accepted').length, 2);
  await call('campaignResume', { cid });
  await accepted(3);
});
