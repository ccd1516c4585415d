// What is in progress, in the answer of homeSummary: campaigns with the figures of campaignProgress, and what runs without end.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { launch } from '../delivery/launch/launch.ts';
import { call } from '../doors/call.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await listOf(app, ['ann@example.com', 'bob@example.com', 'cleo@example.com']);
});
after(() => app.close());

type Campaign = Record<'id' | 'title' | 'delivery_status' | 'schedule_time' | 'finish_at', string> &
  Record<'recipients' | 'queued' | 'trying' | 'later' | 'rate' | 'undo_seconds_left', number>;
type Shown = {
  campaigns: Campaign[];
  automations: { id: string; kind: string; title: string; waiting: number }[];
};

const inProgress = async () => (await app.call<{ in_progress: Shown }>('homeSummary')).in_progress;

test('campaigns that are paused, scheduled, starting and being sent are in it, drafts and sent ones are not', async () => {
  assert.deepEqual(await inProgress(), { campaigns: [], automations: [] });
  const [draft, scheduled, starting, sending, paused] = await Promise.all(
    ['draft', 'scheduled', 'starting', 'sending', 'paused'].map((title) => aCampaign(app, { to: list, title })),
  );
  await app.call('campaignSchedule', { cid: scheduled, schedule_time: '2099-01-01 00:00:00' });
  await app.call('campaignSendNow', { cid: starting, undo_seconds: 30 });
  for (const cid of [sending!, paused!]) {
    await app.call('campaignSendNow', { cid });
    await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  }
  await app.call('campaignPause', { cid: paused });
  const { campaigns } = await inProgress();
  const byTitle = new Map(campaigns.map((campaign) => [campaign.title, campaign]));
  assert.equal(campaigns[0]!.title, 'paused');
  assert.deepEqual([...byTitle.keys()].sort(), ['paused', 'scheduled', 'sending', 'starting']);
  assert.ok(!campaigns.some(({ id }) => id === draft));
  assert.equal(byTitle.get('scheduled')!.schedule_time, '2099-01-01 00:00:00');
  assert.ok(byTitle.get('starting')!.undo_seconds_left > 20);
  for (const cid of [sending!, paused!]) {
    const own = campaigns.find(({ id }) => id === cid)!;
    const asked = await app.call<Campaign>('campaignProgress', { cid });
    for (const name of ['delivery_status', 'recipients', 'queued', 'trying', 'later', 'rate', 'finish_at'] as const)
      assert.equal(own[name], asked[name], name);
    assert.equal(own.recipients, 3);
  }
});

test('automations and autoresponders that are active are in it by their own names', async () => {
  const auto = await aCampaign(app, {
    ...{ to: list, type: 'auto', title: 'Welcome letter', subject: 'Welcome' },
    type_opts: { 'offset-units': 'day', 'offset-time': 1, event: 'signup' },
  });
  assert.deepEqual((await inProgress()).automations, []);
  await app.call('campaignSendNow', { cid: auto });
  const automation = await app.call<string>('automationCreate', { title: 'Onboarding', list });
  await app.app.db.run(
    sql`update automation set status = 'active', version = 1, started_at = now() where id = ${parseId(automation)}`,
  );
  assert.deepEqual((await inProgress()).automations, [
    { id: automation, kind: 'automation', title: 'Onboarding', waiting: 0 },
    { id: auto, kind: 'autoresponder', title: 'Welcome letter', waiting: 0 },
  ]);
});

test('a caller who may not read campaigns gets none of it', async () => {
  const key = await app.call<string>('apikeyAdd', {
    label: 'Contacts',
    permissions: ['contacts:read', 'account:read'],
  });
  const answer = await call(app.app, 'homeSummary', {}, { kind: 'key', key, ip: '192.0.2.7' }, 'json');
  assert.deepEqual((answer as { in_progress: Shown }).in_progress, { campaigns: [], automations: [] });
});
