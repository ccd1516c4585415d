// Recipients by their own clocks: until when they wait, and why, is told of each and of the campaign.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../test/support/app.ts';
import { formatDate } from '../api/date.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { launch } from './launch.ts';
import { startWorker } from './worker.ts';

test('a recipient who waits for its local time is told until when, and so is a campaign of which only such are left', async () => {
  const app = await testApp({ SMTP_URL: 'smtp://127.0.0.1:9?tls=none' });
  // Told as one that is alive; what is due is not, so that it sends nothing.
  const worker = await startWorker(app.app, []).catch(async (error) => {
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
    await launch(app.app, app.account.id, campaign);
    const due = await db.rows<{ at: Date }>(sql`select due_at as at from delivery order by due_at`);
    assert.equal(due.length, 2);
    const [first, last] = due.map((one) => formatDate(one.at));
    const told = await app.call<{ outcome: string; explanation: string; deliveries: { next_time: string }[] }>(
      'campaignExplain',
      { cid, email: 'reader.1@good.example' },
    );
    assert.equal(told.outcome, 'queued');
    assert.equal(told.explanation, `It waits for its local time (Etc/GMT+7); its turn is at ${last} GMT.`);
    assert.deepEqual(
      told.deliveries.map((one) => one.next_time),
      [last],
    );
    const { data } = await app.call<{ data: { next_time: string }[] }>('campaignRecipients', { cid });
    assert.deepEqual(
      data.map((one) => one.next_time),
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
