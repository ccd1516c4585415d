// What an installation of many accounts costs while nothing happens: `npm run bench -- accounts [accounts]`, by default 10,000
// accounts, each with five lists of 20 members, five segments, 20 sent campaigns and five running automations. One in fifty has a
// contact waiting in each automation, and every account has a webhook for all events. Prints what each look of the
// programs costs as the median of nine, beside its goal; `--check` fails when one is missed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../src/accounts/account/account.ts';
import { foldTally } from '../../src/audience/model/tally.ts';
import { watchSegments } from '../../src/audience/segments/watch.ts';
import { advance } from '../../src/automations/run/advance.ts';
import { createLog } from '../../src/base/log.ts';
import { type Database, sql } from '../../src/db/connect.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { createMetrics } from '../../src/delivery/progress/metrics.ts';
import { migrateQueue } from '../../src/jobs/queue-schema.ts';
import { appOn } from '../support/installation/app.ts';

const accounts = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 10_000);
const lists = 5;
const members = 20;
const rounds = 9;
const signal = new AbortController().signal;

type Figure = { ms: number; goal: number };

const dataDir = mkdtempSync(join(tmpdir(), 'postrider-accounts-'));
const server = await startEmbedded({ dataDir, log: createLog('silent', 'bench') });
try {
  await migrate(server.url);
  await migrateQueue(server.url, createLog('silent', 'bench'));
  await measure();
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const app = await appOn(server.url, { LOG_LEVEL: 'silent' });
  const { db } = app;
  const startedAt = performance.now();
  await fill(db);
  const fillSeconds = Math.round((performance.now() - startedAt) / 1_000);
  const metrics = createMetrics(app);
  const firstLookSeconds = await secondsOf(() => watchSegments({ app, signal }));
  const everySegmentIsDue = () => db.run(sql`update segment_watch set look_at = now()`);
  const figures: Record<string, Figure> = {
    'metrics, at each scrape': { ms: await median(() => metrics.text()), goal: 10 },
    'automations, each second': { ms: await median(() => advance(app)), goal: 5 },
    'segments, each minute': { ms: await median(() => watchSegments({ app, signal }), everySegmentIsDue), goal: 3_000 },
    'tally of members, every two minutes': { ms: await median(() => foldTally(db)), goal: 100 },
  };
  const sizes = await db.row<Record<string, number>>(sql`
    select (select count(*) from account) as accounts, (select count(*) from contact) as contacts,
      (select count(*) from campaign) as campaigns, (select count(*) from segment_watch) as segments,
      (select count(*) from automation) as automations, (select count(*) from automation_run) as waiting`);
  console.log(JSON.stringify({ ...sizes, fillSeconds, firstLookSeconds, figures }, null, 2));
  await db.close();
  const missed = Object.entries(figures).filter(([, { ms, goal }]) => ms > goal);
  if (process.argv.includes('--check') && missed.length > 0)
    throw new Error(`too slow: ${missed.map(([name]) => name).join('; ')}`);
}

async function fill(db: Database): Promise<void> {
  await createAccount(db, { name: 'First', email: 'owner@example.com' });
  const minutes = 60 * 60_000;
  await db.transaction(async (tx) => {
    await tx.run(sql`set local postrider.parents_held = 'yes'`);
    await tx.run(sql`
      insert into account (name, email)
      select 'Account ' || n, 'owner' || n || '@example.com'
      from generate_series(2, ${accounts}::int) as n`);
    await tx.run(sql`
      insert into list (account_id, name)
      select a.id, 'List ' || n
      from account a, generate_series(1, ${lists}::int) as n`);
    await tx.run(sql`
      with made as (
        insert into contact (account_id, email, email_key, domain)
        select l.account_id, e.address, e.address, 'mailbox.example'
        from list l, generate_series(1, ${members}::int) as n, lateral (select format('reader%s-%s@mailbox.example', l.id, n)) as e(address)
        returning account_id, id, email
      )
      insert into subscription (account_id, list_id, contact_id, status, fields, signup_at, status_at, changed_at)
      select m.account_id, split_part(split_part(m.email, 'reader', 2), '-', 1)::int, m.id, 'subscribed', '{"FNAME": "Ann"}',
        now() - interval '1 day', now() - interval '1 day', now() - interval '1 day'
      from made m`);
    await tx.run(sql`
      insert into segment (account_id, list_id, title, match, filter, created_at, changed_at)
      select account_id, id, 'Anns', 'all', '[{"field": "FNAME", "condition": "is", "value": "Ann"}]', now() - interval '1 day', now() - interval '1 day'
      from list`);
    await tx.run(sql`
      insert into campaign (account_id, type, status, title, subject, from_name, reply_to, send_at, finished_at)
      select a.id, 'html', 'sent', 'News ' || n, 'News', 'Editors', 'editors@example.com',
        now() - make_interval(days => n * 7), now() - make_interval(days => n * 7)
      from account a, generate_series(1, 20) as n`);
    await tx.run(sql`
      insert into automation (account_id, list_id, title, status, version, definition, trigger_type, started_at)
      select account_id, id, 'Welcome', 'active', 1, '{"steps": []}', 'none', now()
      from list`);
    await tx.run(sql`
      insert into automation_run (account_id, automation_id, contact_id, version, step, entered_at, step_at, due_at)
      select a.account_id, a.id, s.contact_id, 1, 'a', now() - interval '1 hour', now() - interval '1 hour', now() + interval '3 days'
      from automation a
      join subscription s on s.account_id = a.account_id and s.list_id = a.list_id
      where a.account_id % 50 = 0`);
    await tx.run(sql`
      insert into webhook (account_id, title, url, events)
      select id, 'Everything', 'https://example.com/', '{*}'
      from account`);
  }, minutes);
  await db.run(sql`vacuum analyze`);
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Number(((performance.now() - startedAt) / 1_000).toFixed(1));
}

async function median(work: () => Promise<unknown>, before?: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await before?.();
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return Number(times.sort((a, b) => a - b)[Math.floor(rounds / 2)]!.toFixed(1));
}
