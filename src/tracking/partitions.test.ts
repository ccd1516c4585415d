// What is read and written of a campaign of two years ago: only the partitions of the months in question. The statistics of
// a transaction show which tables its statements have looked into. And what stays of a month that is dropped.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { type DatabaseClock, movableClock } from '../../test/support/clock/database-clock.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { timelineOf } from '../audience/contacts/timeline.ts';
import type { Contact } from '../audience/model/contact.ts';
import { segmentCondition } from '../audience/segments/condition-sql.ts';
import { withJoins } from '../audience/segments/joins.ts';
import { joinsOf, wholeList } from '../audience/segments/scope.ts';
import type { Context } from '../base/context.ts';
import { permissions } from '../base/permissions.ts';
import { type Queries, sql, type Tx } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { makePartitions } from '../db/partitions.ts';
import { type Hit, writeHits } from './ingest.ts';
import { listLinks } from './reports/links.ts';
import { showStats } from './reports/stats.ts';
import { purgeHits } from './retention.ts';

const dayMs = 86_400_000;
const html = '<p><a href="https://example.com/one">One</a> <a href="*|UNSUB|*">Leave</a></p>';

let clock: DatabaseClock;
let t: TestApp;
let list: string;
let old: number;
let recent: number;

before(async () => {
  t = await testApp({}, async (url) => {
    clock = await movableClock(url);
    return clock.url;
  });
  list = await listOf(t, ['ada@example.com', 'bob@example.com']);
  await makePartitions(t.app.db, { behind: 24 });
  await clock.set((middleOf(-24).getTime() - Date.now()) / 1_000);
  old = await accepted();
  await hits(old, [0, 1_000], middleOf(-24));
  await clock.set((middleOf(-1).getTime() - Date.now()) / 1_000);
  recent = await accepted();
  await hits(recent, [0], middleOf(-1));
  await clock.set(0);
});
after(() => t.close());

/** Noon of the 15th, so many months from now. */
function middleOf(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15, 12));
}
const monthOf = (at: Date) => at.toISOString().slice(0, 7).replace('-', '_');

/** A campaign whose recipients have accepted it. */
async function accepted(): Promise<number> {
  const id = await launchedTo(t, list, html);
  await t.app.db.run(sql`update delivery set state = 2, done_at = now(), reply = 'ok' where campaign_id = ${id}`);
  await t.app.db.run(sql`update tally set queued = 0, accepted = recipients where campaign_id = ${id}`);
  await t.app.db.run(sql`update campaign set status = 'sent', finished_at = now() where id = ${id}`);
  return id;
}

const clickOn = (campaign: number, at: Date): Hit => ({
  ...{ account: t.account.id, campaign, seq: 1, kind: 'click', link: 0, url: 'https://example.com/one' },
  ...{ at, ip: '192.0.2.1', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', machine: null },
});
const hits = (campaign: number, afterMs: number[], at: Date) =>
  t.app.db.transaction((tx) =>
    writeHits(
      tx,
      afterMs.map((ms) => clickOn(campaign, new Date(at.getTime() + ms))),
    ),
  );

/** The partitions that the work reads or writes. */
async function touched(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  return t.app.db.transaction(async (tx) => {
    const before = await looks(tx);
    await work(tx);
    const after = await looks(tx);
    return [...after].flatMap(([name, count]) => (count > (before.get(name) ?? 0) ? [name] : [])).sort();
  });
}
async function looks(tx: Queries): Promise<Map<string, number>> {
  const rows = await tx.rows<{ name: string; count: number }>(sql`
    select s.relname as name, seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd as count
    from pg_stat_xact_user_tables s
    join pg_class c on c.oid = s.relid
    where c.relispartition`);
  return new Map(rows.map(({ name, count }) => [name, count]));
}

const contextOf = (tx: Tx) =>
  ({
    tx,
    account: t.account,
    caller: { kind: 'system', permissions, ip: '', lists: null },
  }) as Partial<Context> as Context;
const ofMonth = (months: number, ...tables: string[]) =>
  tables.map((table) => `${table}_${monthOf(middleOf(months))}`).sort();

test('a click on a link of two years ago reads and writes the month of the campaign and that of the click', async () => {
  const now = new Date();
  const places = await touched(async (tx) => {
    // PostgreSQL keeps a plan after five times.
    for (let times = 0; times < 8; times++) await writeHits(tx, [clickOn(old, now)]);
  });
  assert.deepEqual(
    places,
    [`hit_${monthOf(now)}`, ...ofMonth(-24, 'delivery', 'engagement', 'link_engagement')].sort(),
  );
  const stored = await t.app.db.row(sql`select clicks from engagement where campaign_id = ${old}`);
  assert.deepEqual(stored, { clicks: 10 });
});

test('the report of a campaign reads its month', async () => {
  for (const [id, months] of [
    [old, -24],
    [recent, -1],
  ] as const) {
    const cid = formatId(id);
    const places = await touched(async (tx) => {
      await showStats(contextOf(tx), { cid });
      await listLinks(contextOf(tx), { cid });
    });
    assert.deepEqual(places, ofMonth(months, 'engagement', 'link_engagement'));
  }
});

test('the history of a contact reads the months of its messages and of what it did with them', async () => {
  // As the table of a large account, where the planner prefers other joins.
  await t.app.db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at)
    select ${t.account.id}, ${recent}, seq, (select month from campaign where id = ${recent}), seq, 1, '', '', 2, now()
    from generate_series(10, 20000) as seq`);
  await t.app.db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens)
    select ${t.account.id}, id, seq, month, seq, 1
    from campaign, generate_series(10, 20000) as seq
    where id in (${old}, ${recent})`);
  await t.app.db.run(sql`analyze`);
  const contact = await t.app.db.row<Contact>(sql`
    select c.id, c.email_key as key, c.domain
    from contact c
    join delivery d on d.account_id = c.account_id and d.contact_id = c.id
    where d.campaign_id = ${recent}
      and d.seq = 1`);
  const places = await touched(async (tx) => {
    const rows = await timelineOf(contextOf(tx), contact!, { start: 0, limit: 100 });
    assert.ok(rows.filter(({ what }) => what === 'click').length >= 3);
  });
  // Its messages themselves are found by the index of each month.
  const others = places.filter((name) => !name.startsWith('delivery'));
  assert.ok(!others.some((name) => /_default|_auto/.test(name)), String(others));
  assert.ok(!places.includes(ofMonth(-24, 'link_engagement')[0]!));
  assert.deepEqual(
    places.filter((name) => name.startsWith('engagement')),
    [...ofMonth(-24, 'engagement'), ...ofMonth(-1, 'engagement')],
  );
});

test('a segment of who opened the last campaigns reads their months', async () => {
  const place = { accountId: t.account.id, zone: t.account.timeZone, listId: parseId(list) };
  const filter = [{ field: 'clicked', condition: 'is', value: 'last 1' }] as const;
  for (const joins of [false, true]) {
    const places = await touched(async (tx) => {
      const whole = await wholeList(tx, place, [...filter]);
      const scope = joins ? await withJoins(tx, whole, [...filter]) : whole;
      const condition = segmentCondition('all', [...filter], scope);
      const found = await tx.rows(sql`
        select s.contact_id
        from subscription s
        join contact c on c.account_id = s.account_id and c.id = s.contact_id
        ${joinsOf(scope)}
        where s.account_id = ${place.accountId}
          and s.list_id = ${place.listId}
          and ${condition}`);
      assert.equal(found.length, 1);
    });
    assert.deepEqual(places, ofMonth(-1, 'engagement'));
  }
});

test('hits on both sides of the end of a month belong to it and to the next one', async () => {
  const now = new Date();
  const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  await hits(recent, [-600, -400, -200, 100, 300], end);
  const rows = await t.app.db.rows<{ place: string; machine: string | null }>(sql`
    select tableoid::regclass::text as place, machine
    from hit
    where at between ${new Date(+end - 1_000)} and ${new Date(+end + 1_000)}
    order by at`);
  assert.deepEqual(
    rows.map(({ place }) => place),
    [...Array(3).fill(`hit_${monthOf(now)}`), ...Array(2).fill(`hit_${monthOf(end)}`)],
  );
});

test('a month whose hits no account keeps any longer is dropped whole, and the totals stay', async () => {
  const cid = formatId(old);
  const report = async () => [await t.call('campaignStats', { cid }), await t.call('campaignClickStats', { cid })];
  const before = await report();
  const context = { app: t.app, log: t.app.log, signal: new AbortController().signal };
  await t.call('accountUpdate', { name: 'keep_hits_days', value: '0' });
  await purgeHits(context);
  const isThere = async () =>
    (await t.app.db.row<{ there: boolean }>(sql`
      select to_regclass(${ofMonth(-24, 'hit')[0]}) is not null as there`))!.there;
  assert.equal(await isThere(), true, 'an account keeps it permanently');
  await t.call('accountUpdate', { name: 'keep_hits_days', value: '365' });
  await purgeHits(context);
  assert.equal(await isThere(), false);
  assert.deepEqual(await report(), before);
  // Hits of the last year stay, and new ones still count.
  const left = await t.app.db.row<{ first: Date }>(sql`select min(at) as first from hit`);
  assert.ok(left!.first.getTime() > Date.now() - 365 * dayMs);
  await hits(old, [0], new Date());
});
