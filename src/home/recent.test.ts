// The figures of the last 30 days on the start page: of which campaigns they are, and what they are compared with.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { sql } from '../db/connect.ts';

let t: SendingApp;
before(async () => {
  t = await sendingApp();
});
after(() => t.close());

type Period = { campaigns: number; delivered: number; open_rate: number; click_rate: number };
const recent = async () => {
  // Summaries do not know the opens that are written below.
  await t.app.db.run(sql`delete from recipient_summary`);
  return (await t.call<{ recent: Period & { early: boolean; before: Period } }>('homeSummary')).recent;
};

/** A campaign to four, sent some days ago, that so many have opened. */
async function sent(daysAgo: number, opens: number): Promise<number> {
  const list = await listOf(
    t,
    ['ann', 'bob', 'cem', 'dee'].map((name) => `${name}@example.com`),
  );
  const id = await launchedTo(t, list);
  await t.allSent();
  await t.app.db.run(sql`
    update campaign set send_at = now() - ${daysAgo}::int * interval '1 day', status = 'sent' where id = ${id}`);
  await t.app.db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens)
    select c.account_id, c.id, seq, c.month, seq, 1
    from campaign c, generate_series(1, ${opens}) as seq
    where c.id = ${id}`);
  return id;
}

const nothing = { campaigns: 0, delivered: 0, open_rate: 0, click_rate: 0 };

test('what was just sent counts, but its rates are early; settled campaigns are rated alone', async () => {
  assert.deepEqual(await recent(), { ...nothing, early: false, before: nothing });
  await sent(0, 1);
  assert.deepEqual(await recent(), {
    ...{ campaigns: 1, delivered: 4, open_rate: 0.25, click_rate: 0 },
    early: true,
    before: nothing,
  });
  await sent(5, 3);
  await sent(40, 2);
  await sent(70, 4);
  assert.deepEqual(await recent(), {
    ...{ campaigns: 2, delivered: 8, open_rate: 0.75, click_rate: 0 },
    early: false,
    before: { campaigns: 1, delivered: 4, open_rate: 0.5, click_rate: 0 },
  });
});

test('what a campaign has delivered counts while it is still being sent, and its opens do not', async () => {
  const earlier = await recent();
  const running = [await sent(5, 4), await sent(50, 4)];
  // Otherwise it would end them.
  await t.stopWorker();
  await t.app.db.run(sql`update campaign set status = 'sending' where id = any (${running}::int[])`);
  const { campaigns, delivered, before, ...rates } = earlier;
  assert.deepEqual(await recent(), {
    ...rates,
    campaigns: campaigns + 1,
    delivered: delivered + 4,
    before: { ...before, campaigns: before.campaigns + 1, delivered: before.delivered + 4 },
  });
});
