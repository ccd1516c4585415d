// Recipients that wait for their local time: until when, and why, is reported for each and for the campaign.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { people } from '../../../test/support/delivery/engine.ts';
import { testApp } from '../../../test/support/installation/app.ts';
import { parseRamp } from '../../base/relay/warm-up-ramp.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { launch } from '../launch/launch.ts';
import { reserve } from '../pace/quota.ts';
import { startWorker } from '../worker.ts';

test('a recipient that waits for its local time shows until when, and so does a campaign with only such recipients left', async () => {
  const app = await testApp({ SMTP_URL: 'smtp://127.0.0.1:9?tls=none' });
  // A live worker by its status, which sends nothing.
  const worker = await startWorker(app.app, {}).catch(async (error) => {
    await app.close();
    throw error;
  });
  try {
    const { db } = app.app;
    await db.run(sql`update account set time_zone = 'Etc/UTC'`);
    const id = await app.call<string>('listCreate', { title: 'Letter' });
    const zones = ['Etc/GMT+3', 'Etc/GMT+7'];
    for (const [n, TIMEZONE] of zones.entries())
      await app.call('listSubscribe', {
        id,
        email_address: `reader.${n}@good.example`,
        merge_vars: { TIMEZONE },
        double_optin: false,
      });
    const cid = await app.call<string>('campaignCreate', {
      type: 'plain',
      options: { list_id: id, subject: 's', from_email: 'a@example.com', from_name: 'A', time_match: true },
      content: { plain: 'x' },
    });
    const campaign = parseId(cid);
    await db.run(sql`
      update campaign
      set status = 'launching', send_at = now(), schedule_at = date_trunc('second', now())
      where id = ${campaign}`);
    await launch(app.app, { account: app.account.id, campaign });
    const due = await db.rows<{ at: Date }>(sql`select due_at as at from delivery order by due_at`);
    assert.equal(due.length, 2);
    const [first, last] = due.map((item) => formatDate(item.at));
    const shown = await app.call<{ outcome: string; explanation: string; deliveries: { next_time: string }[] }>(
      'campaignExplain',
      { cid, email: 'reader.1@good.example' },
    );
    assert.equal(shown.outcome, 'queued');
    assert.equal(shown.explanation, `It is waiting for its local time (Etc/GMT+7), which is ${last} GMT.`);
    assert.deepEqual(
      shown.deliveries.map((delivery) => delivery.next_time),
      [last],
    );
    const { data } = await app.call<{ data: { next_time: string }[] }>('campaignRecipients', { cid });
    assert.deepEqual(
      data.map((row) => row.next_time),
      [first, last],
    );
    const progress = () =>
      app.call<{ finish_at: string; waits_for: string; next_time: string }>('campaignProgress', { cid });
    const waiting = await progress();
    assert.deepEqual([waiting.finish_at, waiting.waits_for, waiting.next_time], [last, 'local_time', first]);
    await db.run(sql`update chunk set state = 'leased' where due_at = ${due[0]!.at}`);
    const moving = await progress();
    assert.deepEqual([moving.finish_at, moving.waits_for, moving.next_time], ['', '', ''], 'something is on the wire');
  } finally {
    await worker.stop();
    await app.close();
  }
});

test('a warm-up that has not started allows each day as many as the first, and recipients waiting for the next day show it', async () => {
  const app = await testApp();
  try {
    const { db } = app.app;
    const update = (value: string) => app.call('accountUpdate', { name: 'warm_up', value });
    await assert.rejects(update('5:2:1000:2026-02-30'), {
      fault: 'ACCOUNT_OPTION_INVALID',
      message: 'warm_up begins on 2026-02-30, which is not a day of the calendar',
    });
    await assert.rejects(update('5:1:1000:2026-02-20'), /warm_up is not first:growth:max:date with/);
    const midnight = (days: number) => {
      const at = new Date();
      return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + days));
    };
    const text = `5:2:1000:${midnight(2).toISOString().slice(0, 10)}`;
    await update(text);
    const ramp = parseRamp(text);
    assert.ok(!('wrong' in ramp));
    const id = await launchedTo(app, await listOf(app, people(30)));
    const cid = formatId(id);
    const progress = () =>
      app.call<{ finish_at: string; waits_for: string; next_time: string }>('campaignProgress', { cid });
    assert.equal((await progress()).waits_for, '');

    const quota = { account: app.account.id, relay: '', ramp };
    assert.equal((await reserve(db, quota, 30)).granted, 5);
    // So a worker gives a chunk back for which nothing is left of the quota.
    await db.run(sql`update chunk set due_at = now() + interval '5 minutes' where campaign_id = ${id}`);
    const { waits_for, next_time, finish_at } = await progress();
    // 5 tomorrow, then 5, 10 and the last 10.
    const shown = ['quota', formatDate(midnight(1)), formatDate(midnight(4))];
    assert.deepEqual([waits_for, next_time, finish_at], shown);
    const { outcome, explanation } = await app.call<{ outcome: string; explanation: string }>('campaignExplain', {
      cid,
      email: 'ok.7@good.example',
    });
    assert.equal(outcome, 'queued');
    assert.ok(
      explanation.includes(`next day of the warm-up`) && explanation.includes(formatDate(midnight(1))),
      explanation,
    );
    await db.run(sql`update day_quota set day = day - 1`);
    assert.equal((await reserve(db, quota, 30)).granted, 5, 'another day');
  } finally {
    await app.close();
  }
});
