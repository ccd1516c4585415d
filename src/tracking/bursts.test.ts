import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { monthOf } from '../campaigns/model/month.ts';
import { sql } from '../db/connect.ts';
import { type Hit, writeHits } from './ingest.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
  await t.app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${t.account.id}, 'Clicks', 'https://example.com/', '{email.click}')`);
  await t.app.db.run(sql`
    insert into campaign (account_id, id, type, status, title, subject, from_name, reply_to, send_at)
    values (${t.account.id}, 1, 'html', 'sent', 'News', 'News', 'Editors', 'editors@example.com', now())`);
  await t.app.db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at, done_at)
    values (${t.account.id}, 1, 1, ${monthOf({ account: t.account.id, campaign: 1 })}, 1, 1, 'ada@example.com', 'example.com', 2, now(), now())`);
});
after(() => t.close());
beforeEach(async () => {
  for (const table of [sql`hit`, sql`engagement`, sql`link_engagement`, sql`webhook_event`])
    await t.app.db.run(sql`delete from ${table}`);
});

const start = Date.UTC(2027, 0, 1, 12);
const aClick = (): Omit<Hit, 'at'> => ({
  account: t.account.id,
  campaign: 1,
  seq: 1,
  kind: 'click',
  link: 1,
  url: 'https://example.com/',
  ip: '',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0',
  machine: null,
});
/** Clicks on these links, each so many milliseconds after the start. */
const click = (...clicks: [link: number, afterMs: number][]) =>
  t.app.db.transaction((tx) =>
    writeHits(
      tx,
      clicks.map(([link, afterMs]): Hit => ({ ...aClick(), link, at: new Date(start + afterMs) })),
    ),
  );
const counts = async () => {
  const row = await t.app.db.row<Record<string, unknown>>(sql`
    select e.clicks, e.machine_clicks as machine, (select sum(clicks) from link_engagement)::int as links,
      (select sum(machine_clicks) from link_engagement)::int as machine_links,
      (select count(*) from webhook_event) as events,
      extract(epoch from e.first_click_at)::float8 * 1000 - ${start}::float8 as first,
      extract(epoch from e.last_click_at)::float8 * 1000 - ${start}::float8 as last
    from engagement e`);
  return row!;
};

test("all clicks of a burst are a machine's, also those written before it was recognised, and no event of them leaves", async () => {
  await click([1, 0]);
  await click([2, 100], [3, 150]);
  assert.deepEqual(await counts(), {
    clicks: 3,
    machine: 0,
    links: 3,
    machine_links: 0,
    events: 3,
    first: 0,
    last: 150,
  });
  await click([4, 200], [5, 250], [1, 260]);
  await click([6, 300]);
  assert.deepEqual(await counts(), {
    clicks: 0,
    machine: 7,
    links: 0,
    machine_links: 7,
    events: 0,
    first: null,
    last: null,
  });
});

test('the clicks of a person before and after a burst stay', async () => {
  await click([1, -60_000]);
  // Long delivered.
  await t.app.db.run(sql`update webhook_event set due_at = now()`);
  await click([1, 0], [2, 0], [3, 0], [4, 0]);
  const before = { links: 1, machine_links: 4, events: 1, first: -60_000, last: -60_000 };
  assert.deepEqual(await counts(), { clicks: 1, machine: 4, ...before });
  await click([2, 60_000]);
  assert.deepEqual(await counts(), { clicks: 2, machine: 4, ...before, links: 2, events: 2, last: 60_000 });
});

test("three links within two seconds, and four over a longer time, are a person's", async () => {
  await click([1, 0], [2, 100], [3, 200], [1, 300], [4, 2_200]);
  assert.equal((await counts())['machine'], 0);
});

test('the event of a click waits until a burst would have been recognised', async () => {
  await click([1, 0]);
  const event = await t.app.db.row<{ seconds: number }>(sql`
    select extract(epoch from due_at - now())::float8 as seconds from webhook_event`);
  assert.ok(event!.seconds > 1 && event!.seconds <= 2.5);
});

test('the hits of a recipient are read only once a burst is possible, and no others with them', async () => {
  const recipients = 200;
  await t.app.db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at, done_at)
    select ${t.account.id}, 1, n, ${monthOf({ account: t.account.id, campaign: 1 })}, n, 1, 'reader' || n || '@example.com', 'example.com', 2, now(), now()
    from generate_series(2, ${recipients}) as n`);
  await t.app.db.run(sql`
    insert into hit (account_id, campaign_id, seq, kind, at)
    select ${t.account.id}, 1, n % ${recipients} + 1, 'open', ${new Date(start)}::timestamptz + make_interval(secs => n * 0.0001)
    from generate_series(1, 20000) as n`);
  // As the autovacuum leaves a new partition: its size is known, but no statistics.
  await t.app.db.run(sql`vacuum hit`);
  /** @returns how many hits were read while each recipient clicked that often */
  const readOf = (clicks: number) =>
    t.app.db.transaction(async (tx) => {
      const hits = Array.from({ length: clicks * recipients }, (_, n): Hit => {
        return { ...aClick(), seq: (n % recipients) + 1, at: new Date(start + n) };
      });
      await writeHits(tx, hits);
      const { rows } = (await tx.row<{ rows: number }>(sql`
        select sum(idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname like 'hit%'`))!;
      return rows;
    });
  const few = await readOf(3);
  assert.ok(few < recipients, `${few} rows were read`);
  const read = await readOf(2);
  // Of each the newest hundred, and what is counted of the partition besides.
  assert.ok(read > 0 && read <= recipients * 110, `${read} rows were read`);
});
