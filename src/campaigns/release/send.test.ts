// campaignSendNow with time to undo: nothing is launched before that time is over, and campaignUnschedule takes the campaign
// back until then.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import type { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const statusOf = async (cid: string) =>
  (await t.app.db.row<{ status: string }>(sql`select status from campaign where id = ${parseId(cid)}`))!.status;
const tryToLaunch = async (cid: string) => {
  await launch(t.app, { account: t.account.id, campaign: parseId(cid) });
  return statusOf(cid);
};
const undoTimeEnds = (cid: string) =>
  t.app.db.run(sql`update campaign set undo_until = now() where id = ${parseId(cid)}`);
const isStateConflict = ({ code }: Fault) => code === 313;

async function sentWithTimeToUndo(): Promise<string> {
  const cid = await aCampaign(t, { to: ['ada@example.com', 'bob@example.com'] });
  assert.equal(await t.call('campaignSendNow', { cid, undo_seconds: 60 }), true);
  return cid;
}

test('within the time to undo nothing is launched, and campaignUnschedule makes it a draft again', async () => {
  const cid = await sentWithTimeToUndo();
  assert.equal(await tryToLaunch(cid), 'launching');
  const job = await t.app.db.row<{ seconds: number }>(sql`
    select extract(epoch from run_at - now())::float8 as seconds
    from graphile_worker.jobs
    where task_identifier = 'launchCampaign'
    order by id desc
    limit 1`);
  assert.ok(job!.seconds > 30 && job!.seconds <= 60, String(job!.seconds));
  assert.equal(await t.call('campaignUnschedule', { cid }), true);
  assert.equal(await tryToLaunch(cid), 'draft');
  assert.equal(await t.call('campaignSendNow', { cid }), true);
  assert.equal(await tryToLaunch(cid), 'sending');
});

test('after the time to undo it is launched, and cannot be unscheduled', async () => {
  const cid = await sentWithTimeToUndo();
  await undoTimeEnds(cid);
  await assert.rejects(t.call('campaignUnschedule', { cid }), isStateConflict);
  assert.equal(await tryToLaunch(cid), 'sending');
});

test('without time to undo it cannot be unscheduled', async () => {
  const cid = await aCampaign(t, { to: ['ada@example.com', 'bob@example.com'] });
  await t.call('campaignSendNow', { cid });
  await assert.rejects(t.call('campaignUnschedule', { cid }), isStateConflict);
});

test('a campaign with an empty audience is accepted, goes to no one and counts as sent', async () => {
  const cid = await aCampaign(t, { to: ['ada@example.com'] });
  const [list_id] = (await t.call<{ list_id: string[] }>('campaignGet', { cid })).list_id;
  await t.call('campaignUpdate', { cid, name: 'exclude_list_id', value: list_id });
  const codes = (await t.call<{ code: string }[]>('campaignCheck', { cid })).map(({ code }) => code);
  assert.ok(codes.includes('no_recipients'));
  assert.equal(await t.call('campaignSendNow', { cid }), true);
  assert.equal(await tryToLaunch(cid), 'sent');
});

test('paused and resumed within the time to undo, it is launched at once', async () => {
  const cid = await sentWithTimeToUndo();
  await t.call('campaignPause', { cid });
  await t.call('campaignResume', { cid });
  assert.equal(await tryToLaunch(cid), 'sending');
});

test('more than a minute to undo is refused', async () => {
  const cid = await aCampaign(t, { to: ['ada@example.com', 'bob@example.com'] });
  await assert.rejects(t.call('campaignSendNow', { cid, undo_seconds: 61 }), /undo_seconds/);
  assert.equal(await statusOf(cid), 'draft');
});
