// Scheduling with the whole program as its operator runs it: an external PostgreSQL and SMTP server, due times by the
// clock of the database, over a restart.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createLog } from '../../src/base/log.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { Installation } from '../support/installation/installation.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';

let folder: string;
let database: Awaited<ReturnType<typeof startEmbedded>>;
let sink: SinkProcess;
let installation: Installation;
let clock: pg.Client;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outside-'));
  database = await startEmbedded({ dataDir: folder, log: createLog('silent', 'test') });
  sink = await startSinkProcess({ raw: true });
  // As secrets of containers are given.
  writeFileSync(join(folder, 'database-url'), `${database.url}\n`);
  installation = new Installation({ DATABASE_URL_FILE: join(folder, 'database-url'), SMTP_URL: sink.url });
  await installation.start();
  clock = new pg.Client({ connectionString: database.url });
  await clock.connect();
});
after(async () => {
  await clock.end();
  await installation.remove();
  await sink.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

const now = async (): Promise<Date> => (await clock.query('select now() as now')).rows[0].now;
const spelled = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ');
/** The next whole second at least this far ahead. */
const ahead = async (seconds: number) => new Date(Math.ceil((await now()).getTime() / 1_000 + seconds) * 1_000);
const status = async (cid: string) =>
  (await installation.call<{ delivery_status: string }>('campaignProgress', { cid })).delivery_status;
const reached = (subject: string) =>
  sink.entries().filter((entry) => entry.event === 'accepted' && entry.raw?.includes(`Subject: ${subject}`));

test('a campaign runs with an external PostgreSQL and SMTP server, and no embedded database is started', async () => {
  const list = await installation.listOf(3, (n) => `outside${n}@example.com`);
  const cid = await installation.draft(list, 'Outside');
  await installation.call('campaignSendNow', { cid });
  await installation.until('it is sent', async () => (await status(cid)) === 'sent');
  assert.deepEqual(
    reached('Outside')
      .map((entry) => entry.to)
      .sort(),
    ['outside0@example.com', 'outside1@example.com', 'outside2@example.com'],
  );
  assert.deepEqual(
    reached('Outside').flatMap((entry) => entry.flaws ?? []),
    [],
  );
  assert.deepEqual(installation.pids('postgres'), []);
  assert.deepEqual(installation.pids('inbox'), []);
});

test('a campaign scheduled ahead is delivered at that time by the clock of the database, an unscheduled one is not', async () => {
  const list = await installation.listOf(2, (n) => `due${n}@example.com`);
  const [kept, dropped] = [await installation.draft(list, 'Kept'), await installation.draft(list, 'Dropped')];
  const at = await ahead(3);
  for (const cid of [kept, dropped]) await installation.call('campaignSchedule', { cid, schedule_time: spelled(at) });
  await installation.call('campaignUnschedule', { cid: dropped });
  await installation.until('it is sent', async () => (await status(kept)) === 'sent');
  const { rows } = await clock.query(
    'select done_at from delivery d join campaign c on c.id = d.campaign_id where c.subject = $1',
    ['Kept'],
  );
  assert.equal(rows.length, 2);
  for (const { done_at } of rows) {
    const lateMs = done_at.getTime() - at.getTime();
    assert.ok(lateMs >= 0 && lateMs < 30_000, `${lateMs} ms after the time`);
  }
  await sleep(1_500);
  assert.equal(await status(dropped), 'draft');
  assert.equal(reached('Dropped').length, 0);
});

test('the same after a restart: an overdue campaign is sent at once, a later one at its time', async () => {
  const list = await installation.listOf(2, (n) => `over${n}@example.com`);
  const [meanwhile, later, dropped] = [
    await installation.draft(list, 'Meanwhile'),
    await installation.draft(list, 'Later'),
    await installation.draft(list, 'Never'),
  ];
  await installation.call('campaignSchedule', { cid: meanwhile, schedule_time: spelled(await ahead(2)) });
  const at = await ahead(9);
  await installation.call('campaignSchedule', { cid: later, schedule_time: spelled(at) });
  await installation.call('campaignSchedule', { cid: dropped, schedule_time: spelled(at) });
  await installation.call('campaignUnschedule', { cid: dropped });
  assert.equal(await installation.stop(), 0);
  await sleep(2_500);
  await installation.start();
  await installation.until('the first is sent', async () => (await status(meanwhile)) === 'sent');
  assert.equal(reached('Meanwhile').length, 2);
  await installation.until('the second is sent', async () => (await status(later)) === 'sent');
  const { rows } = await clock.query(
    'select min(done_at) as first from delivery d join campaign c on c.id = d.campaign_id where c.subject = $1',
    ['Later'],
  );
  assert.ok(rows[0].first >= at, 'not before its time');
  assert.equal(await status(dropped), 'draft');
  assert.equal(reached('Never').length, 0);
});
