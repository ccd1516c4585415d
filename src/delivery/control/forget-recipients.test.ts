// The recipients of old campaigns go, by portions and with the partition of their month, and no number of a report changes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type DatabaseClock, movableClock } from '../../../test/support/clock/database-clock.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { dropPartitions, makePartitions } from '../../db/partitions.ts';
import { writeHits } from '../../tracking/ingest.ts';
import { summariseRecipients } from '../../tracking/summaries.ts';
import { forgetRecipients, isMonthNeeded } from './forget-recipients.ts';

const html = '<p><a href="https://example.com/one">One</a> <a href="*|UNSUB|*">Leave</a></p>';

let clock: DatabaseClock;
let t: TestApp;
let other: Awaited<ReturnType<TestApp['anotherAccount']>>;
before(async () => {
  t = await testApp({}, async (url) => {
    clock = await movableClock(url);
    return clock.url;
  });
  other = await t.anotherAccount();
  await makePartitions(t.app.db, { behind: 6 });
});
after(() => t.close());

/** Noon of the 15th, so many months ago. */
function monthsAgo(count: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 15, 12));
}
const partition = (table: string, count: number) =>
  `${table}_${monthsAgo(count).toISOString().slice(0, 7).replace('-', '_')}`;

/** A campaign sent in a past month: two accepted it, one refused it, two did something with it. */
async function sentAgo(owner: Pick<TestApp, 'account' | 'call'>, months: number): Promise<number> {
  await clock.set((monthsAgo(months).getTime() - Date.now()) / 1_000);
  const list = await listOf(owner, ['ada@a.example', 'bob@a.example', 'cy@b.example']);
  const id = await launchedTo({ app: t.app, ...owner }, list, html);
  const { db } = t.app;
  await db.run(sql`
    update delivery
    set state = case when seq = 3 then 4 else 2 end, reason = case when seq = 3 then 'hard' end, done_at = now()
    where campaign_id = ${id}`);
  await db.run(sql`update tally set queued = 0, accepted = 2, failed = 1 where campaign_id = ${id} and recipients > 0`);
  await db.run(sql`update campaign set status = 'sent', finished_at = now() where id = ${id}`);
  const hit = (seq: number, kind: 'open' | 'click', machine: string | null = null) => ({
    ...{ account: owner.account.id, campaign: id, seq, kind, link: kind === 'click' ? 0 : null, machine },
    ...{ url: '', at: monthsAgo(months), ip: '', userAgent: '' },
  });
  await db.run(sql`
    insert into conversion (account_id, campaign_id, seq, contact_id, at, value)
    values (${owner.account.id}, ${id}, 1, 4711, ${monthsAgo(months)}, 20), (${owner.account.id}, ${id}, 1, 4711, ${monthsAgo(months)}, 5)`);
  await summariseRecipients({ app: t.app }, { account_id: owner.account.id, campaign_id: id }, 1);
  await db.transaction((tx) => writeHits(tx, [hit(1, 'open'), hit(1, 'click'), hit(2, 'open', 'scanner')]));
  await clock.set(0);
  return id;
}

async function reportOf(owner: Pick<TestApp, 'call'>, id: number): Promise<unknown[]> {
  const cid = formatId(id);
  const methods = ['campaignStats', 'campaignClickStats', 'campaignEmailDomainPerformance', 'campaignGeoOpens'];
  const reactions = owner.call('campaignReactions', { cids: [cid] });
  const conversions = owner.call('campaignConversions', { cids: [cid] });
  return Promise.all([reactions, conversions, ...methods.map((method) => owner.call(method, { cid }))]);
}
const run = () => forgetRecipients({ app: t.app, log: t.app.log, signal: new AbortController().signal });
const rowsOf = async (id: number) =>
  (await t.app.db.row<Record<string, number>>(sql`
    select (select count(*) from delivery where campaign_id = ${id}) as delivery,
      (select count(*) from engagement where campaign_id = ${id}) as engagement,
      (select count(*) from link_engagement where campaign_id = ${id}) as links,
      (select count(*) from recipient_summary where campaign_id = ${id}) as summaries,
      (select count(*) from recipient_block where campaign_id = ${id}) as blocks,
      (select count(*) from new_reaction where campaign_id = ${id}) as reactions`))!;
const isThere = async (name: string) =>
  (await t.app.db.row<{ there: boolean }>(sql`select to_regclass(${name}) is not null as there`))!.there;
const all = { delivery: 3, engagement: 2, links: 1, summaries: 1, blocks: 1, reactions: 1 };
const none = { delivery: 0, engagement: 0, links: 0, summaries: 0, blocks: 0, reactions: 0 };

test('recipients go in portions while another account keeps its own of the same month, and reports stay as they were', async () => {
  const mine = await sentAgo(t, 4);
  const late = await sentAgo(t, 1);
  const theirs = await sentAgo(other, 4);
  const before = [await reportOf(t, mine), await reportOf(other, theirs)];
  await run();
  assert.deepEqual(await rowsOf(mine), all, 'by default they are kept');
  await t.call('accountUpdate', { name: 'keep_recipients_days', value: '60' });
  await run();
  assert.deepEqual(await rowsOf(mine), none);
  assert.deepEqual(await rowsOf(late), all);
  assert.deepEqual(await rowsOf(theirs), all);
  assert.equal(await isThere(partition('delivery', 4)), true);
  assert.equal(await isThere(partition('engagement', 4)), true);
  assert.deepEqual([await reportOf(t, mine), await reportOf(other, theirs)], before);
  const knowing = await t.app.db.rows<{ id: number }>(sql`
    select distinct campaign_id as id from conversion where contact_id is not null and campaign_id = any (${[mine, late, theirs]}::int[]) order by 1`);
  assert.deepEqual(
    knowing.map(({ id }) => id),
    [late, theirs].sort((a, b) => a - b),
    'who bought is forgotten too',
  );
  const explained = await t.call<{ outcome: string }>('campaignExplain', {
    cid: formatId(mine),
    email: 'ada@a.example',
  });
  assert.equal(explained.outcome, 'forgotten');
});

test('a month that no account needs is dropped with all that was done in it', async () => {
  const theirs = await sentAgo(other, 4);
  const before = await reportOf(other, theirs);
  await other.call('accountUpdate', { name: 'keep_recipients_days', value: '90' });
  await run();
  assert.equal(await isThere(partition('delivery', 4)), false);
  assert.equal(await isThere(partition('engagement', 4)), false);
  assert.equal(await isThere(partition('link_engagement', 4)), false);
  assert.equal(await isThere(partition('delivery', 1)), true);
  assert.equal(await isThere(partition('engagement', 1)), true);
  assert.deepEqual(await rowsOf(theirs), none);
  assert.deepEqual(await reportOf(other, theirs), before);
  await run();
  assert.deepEqual(await reportOf(other, theirs), before, 'sums are kept once');
});

test('a month stays while one of its campaigns is not finished, and the others of the month go in portions', async () => {
  const done = await sentAgo(t, 5);
  const paused = await sentAgo(t, 5);
  await t.app.db.run(sql`
    update campaign set status = 'paused', paused_from = 'sending', finished_at = null where id = ${paused}`);
  const before = await reportOf(t, paused);
  await run();
  assert.deepEqual(await rowsOf(done), none);
  assert.deepEqual(await rowsOf(paused), all);
  assert.deepEqual(await reportOf(t, paused), before);
  await t.app.db.run(sql`
    update campaign set status = 'sent', paused_from = null, finished_at = now() where id = ${paused}`);
  await run();
  assert.equal(await isThere(partition('delivery', 5)), false);
  assert.deepEqual(await reportOf(t, paused), before);
});

test('a launch that is committed after the unneeded months were read keeps its month', async () => {
  // Those without rows have been dropped.
  await makePartitions(t.app.db, { behind: 6 });
  const month = { name: partition('delivery', 6), from: `${monthsAgo(6).toISOString().slice(0, 7)}-01`, to: '' };
  assert.equal(await isThere(month.name), true);
  let asked = 0;
  let late = 0;
  const dropped = await dropPartitions(t.app.db, 'delivery', [month], async (db, given) => {
    if (asked++ === 0) late = await sentAgo(other, 6);
    return asked > 1 && isMonthNeeded(db, given);
  });
  assert.deepEqual(dropped, []);
  assert.deepEqual(await rowsOf(late), all);
});
