// Requests for the addresses of one message, repeated without end, leave a bounded number of rows and events.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { monthOf } from '../campaigns/model/month.ts';
import { sql } from '../db/connect.ts';
import { type Hit, writeHits } from './ingest.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
  await t.app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${t.account.id}, 'All', 'https://example.com/', '{email.open,email.click}')`);
  await t.app.db.run(sql`
    insert into campaign (account_id, id, type, status, title, subject, from_name, reply_to, send_at)
    values (${t.account.id}, 1, 'html', 'sent', 'News', 'News', 'Editors', 'editors@example.com', now())`);
  await t.app.db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at, done_at)
    select ${t.account.id}, 1, seq, ${monthOf({ account: t.account.id, campaign: 1 })}, seq, 1, 'ada@example.com', 'example.com', 2, now(), now()
    from generate_series(1, 2) as seq`);
});
after(() => t.close());

let at = Date.UTC(2027, 0, 1, 12);
const nextTime = () => {
  at += 2_000;
  return new Date(at);
};
const hits = (count: number, hit: Partial<Hit>) =>
  t.app.db.transaction((tx) =>
    writeHits(
      tx,
      Array.from({ length: count }, () => ({
        ...{ account: t.account.id, campaign: 1, seq: 1, kind: 'open' as const, link: null, url: '', ip: '' },
        ...{ userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0', machine: null },
        // Slower than a burst.
        at: nextTime(),
        ...hit,
      })),
    ),
  );
const stored = async (seq: number) =>
  t.app.db.row(sql`
    select e.opens, e.clicks, e.machine_opens as machine,
      (select count(*)::int from hit where seq = ${seq}) as rows,
      (select count(*)::int from webhook_event where payload ->> 'contact' like ${`%${seq}`}) as events
    from engagement e
    where e.seq = ${seq}`);

test('opens of one message beyond 200 are counted only, and beyond 1,000 ignored', async () => {
  await hits(150, {});
  await hits(150, {});
  assert.deepEqual(await stored(1), { opens: 300, clicks: 0, machine: 0, rows: 200, events: 200 });
  await hits(2_000, {});
  assert.deepEqual(await stored(1), { opens: 1_000, clicks: 0, machine: 0, rows: 200, events: 200 });
});

test('clicks have bounds of their own', async () => {
  await hits(3, { kind: 'click', link: 1, url: 'https://example.com/' });
  assert.deepEqual(await stored(1), { opens: 1_000, clicks: 3, machine: 0, rows: 203, events: 203 });
});

test('the hits of machines and of other recipients leave room for those of a person', async () => {
  await hits(300, { seq: 2, machine: 'prefetch' });
  await hits(1, { seq: 2 });
  assert.deepEqual(await stored(2), { opens: 1, clicks: 0, machine: 300, rows: 201, events: 1 });
});
