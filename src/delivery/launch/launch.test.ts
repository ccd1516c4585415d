// A launch that cannot proceed: because of another process of the database, or because it fails again and again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { people } from '../../../test/support/delivery/engine.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch, launchCampaign } from './launch.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** A campaign that is being launched. @returns its id as callers know it */
async function launching(recipients: number): Promise<string> {
  const cid = await aCampaign(app, { to: await listOf(app, people(recipients)) });
  await app.call('campaignSendNow', { cid });
  return cid;
}

const progressOf = (cid: string) =>
  app.call<{ delivery_status: string; status_reason: string; queued: number }>('campaignProgress', { cid });

test('a launch does not wait for a vacuum of the recipients, nor for another launch', async () => {
  const cid = await launching(1_100);
  const vacuum = await app.app.db.pool.connect();
  try {
    await vacuum.query('begin; set local idle_in_transaction_session_timeout = 0');
    await vacuum.query('lock table delivery in share update exclusive mode');
    // A wait would end with the test.
    await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
    const { delivery_status, queued } = await progressOf(cid);
    assert.deepEqual([delivery_status, queued], ['sending', 1_100]);
  } finally {
    await vacuum.query('rollback');
    vacuum.release();
  }
});

test('a campaign whose launch keeps failing is paused with the reason, and resumed once that is fixed', async () => {
  const { db } = app.app;
  const cid = await launching(3);
  await db.pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'the disk is made of cheese'; end $$;
    create trigger refuse before insert on frozen_content for each row execute function refuse()`);
  const payload = { account_id: app.account.id, campaign_id: parseId(cid) };
  const context = { app: app.app, log: app.app.log, signal: new AbortController().signal };
  for (const attempt of [1, 2]) await assert.rejects(launchCampaign(context, payload, attempt), /cheese/);
  assert.equal((await progressOf(cid)).delivery_status, 'launching');
  await launchCampaign(context, payload, 3);
  const paused = await progressOf(cid);
  assert.equal(paused.delivery_status, 'paused');
  assert.match(paused.status_reason, /preparing it for sending failed several times/);
  const notices = await db.row<{ count: number }>(sql`
    select count(*)::int as count from graphile_worker.jobs where task_identifier = 'sendAccountNotice'`);
  assert.equal(notices!.count, 1, 'the owner of the account gets an email');

  await db.run(sql`drop trigger refuse on frozen_content`);
  await app.call('campaignResume', { cid });
  await launchCampaign(context, payload);
  assert.equal((await progressOf(cid)).delivery_status, 'sending');
});
