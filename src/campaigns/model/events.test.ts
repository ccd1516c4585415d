// The events about a campaign as a whole: one for each thing that happens to it, with who caused it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { pauseAutomatically } from '../../delivery/outcomes/pause-automatically.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
  await t.app.db.run(sql`
    insert into webhook (account_id, title, url, events) values (${t.account.id}, 'All', 'https://example.com/', '{campaign.*}')`);
});
after(() => t.close());

type Written = { type: string; source: string } & Record<string, unknown>;

/** The events written since the last call. */
async function written(): Promise<Written[]> {
  const rows = await t.app.db.rows<{ type: string; payload: Record<string, unknown> }>(sql`
    with taken as (delete from webhook_event returning id, type, payload) select type, payload from taken order by id`);
  return rows.map(({ type, payload }) => ({ ...payload, type })) as Written[];
}

test('scheduling, starting, pausing and resuming emit one event each, with the campaign and its title', async () => {
  const cid = await aCampaign(t, { to: ['a@example.com', 'b@example.com'], title: 'Spring' });
  const id = parseId(cid);
  const steps: [string, () => Promise<unknown>, Record<string, unknown>][] = [
    [
      'campaign.scheduled',
      () => t.call('campaignSchedule', { cid, schedule_time: '2099-05-01 09:00:00' }),
      { schedule_time: '2099-05-01 09:00:00' },
    ],
    ['campaign.unscheduled', () => t.call('campaignUnschedule', { cid }), {}],
    [
      'campaign.started',
      async () => {
        await t.call('campaignSendNow', { cid });
        await launch(t.app, { account: t.account.id, campaign: id });
      },
      { recipients: 2 },
    ],
    ['campaign.paused', () => t.call('campaignPause', { cid }), { reason: /^paused by / }],
    ['campaign.resumed', () => t.call('campaignResume', { cid }), {}],
    [
      'campaign.paused',
      () =>
        t.app.db.transaction((tx) =>
          pauseAutomatically(tx, { account: t.account.id, campaign: id }, message('pause.launch_failed')),
        ),
      { reason: /./ },
    ],
  ];
  for (const [type, cause, members] of steps) {
    await cause();
    const [event, ...others] = await written();
    assert.deepEqual(others, [], type);
    assert.deepEqual([event?.type, event?.['campaign'], event?.['title']], [type, cid, 'Spring']);
    assert.match(String(event?.['ts']), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    for (const [name, value] of Object.entries(members))
      if (value instanceof RegExp) assert.match(String(event?.[name]), value);
      else assert.equal(event?.[name], value);
  }
});

test('a campaign that is refused emits nothing', async () => {
  const cid = await aCampaign(t, { to: ['c@example.com'] });
  await assert.rejects(t.call('campaignSchedule', { cid, schedule_time: '2001-01-01 00:00:00' }));
  await assert.rejects(t.call('campaignPause', { cid }));
  await assert.rejects(t.call('campaignUnschedule', { cid }));
  assert.deepEqual(await written(), []);
});
