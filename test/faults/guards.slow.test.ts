// A copy of an installation, and programs of different versions on one database (faults F45, F54): real worker and web
// processes; what counts is what reaches the sink.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/base/free-port.ts';
import { connect, type Database, sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { recordHeartbeat } from '../../src/jobs/sending-guard.ts';
import { type TestDatabase, testDatabase } from '../support/database/database.ts';
import { testApp } from '../support/installation/app.ts';
import { type Program, startProgram } from '../support/installation/program.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';

const folders: string[] = [];
const programs: Program[] = [];
const databases: TestDatabase[] = [];
let original: TestDatabase;
let sink: SinkProcess;
let originalDir: string;

const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'guards-'));
  folders.push(made);
  return made;
};
const people = 20;

/** An installation that has sent nothing of its campaign yet, its workers gone. */
before(async () => {
  sink = await startSinkProcess();
  const app = await testApp();
  const list = await app.call<string>('listCreate', { title: 'List' });
  await app.call('listBatchSubscribe', {
    id: list,
    batch: Array.from({ length: people }, (_, n) => ({ EMAIL: `reader${n}@example.com` })),
    double_optin: false,
  });
  await app.call('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'S', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: { html: '<p>News <a href="*|UNSUB|*">Leave</a></p>' },
  });
  const row = await app.app.db.row<{ id: number }>(sql`update campaign set status = 'launching' returning id`);
  await launch(app.app, { account: app.account.id, campaign: row!.id });
  originalDir = folder();
  await recordHeartbeat(app.app.db, originalDir);
  // A copy is made of a database without connections. Each test works on one of its own.
  await app.app.db.close();
  original = await testDatabase({ copyOf: app.app.db.url });
  databases.push(original);
  await app.close();
});
after(async () => {
  for (const program of programs) program.kill('SIGKILL');
  for (const program of programs) await program.ended;
  for (const database of databases) await database.close();
  await sink.close();
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

type Stage = { url: string; db: Database; messages(): number; end(): Promise<void> };

/** @param asOriginal the copy stands for the original itself: same server, same database */
async function stage(asOriginal: boolean): Promise<Stage> {
  const database = await testDatabase({ copyOf: original.url });
  databases.push(database);
  const db = connect(database.url, { maxConnections: 3 });
  if (asOriginal)
    await db.run(sql`
      update heartbeat
      set place = (select system_identifier::text from pg_control_system())
        || '/' || (select oid::text from pg_database where datname = current_database())`);
  const before = sink.entries().length;
  return {
    url: database.url,
    db,
    messages: () =>
      sink
        .entries()
        .slice(before)
        .filter((entry) => entry.event === 'accepted').length,
    end: () => db.close(),
  };
}

function start(command: string, url: string, dataDir: string, more: Record<string, string> = {}): Program {
  const program = startProgram([command], { DATABASE_URL: url, DATA_DIR: dataDir, SMTP_URL: sink.url, ...more });
  programs.push(program);
  return program;
}

/** A machine that is busy for a moment makes a domain look slow: its recipients are deferred by 20 seconds. */
async function until(what: string, check: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  const deadline = performance.now() + seconds * 1_000;
  while (!(await check())) {
    if (performance.now() > deadline)
      assert.fail(`not within ${seconds} s: ${what}\n${programs.at(-1)?.output.slice(-2_000)}`);
    await sleep(50);
  }
}

const isHeld = async (db: Database) => (await db.row<{ held: string }>(sql`select held from heartbeat`))?.held !== '';

test('F45 a copy of the database with a new data directory sends nothing, shows the reason, and sends once confirmed', async () => {
  const copy = await stage(false);
  const dir = folder();
  const port = await freePort();
  const worker = start('work', copy.url, dir);
  const web = start('web', copy.url, dir, { PORT: String(port) });
  try {
    await until('it is held', () => isHeld(copy.db));
    await Promise.all([worker.ready, web.ready]);
    await sleep(1_500);
    assert.equal(copy.messages(), 0);
    const ready = await fetch(`http://127.0.0.1:${port}/ready`);
    assert.equal(ready.status, 200);
    const state = (await ready.json()) as { sending: string; reason: string };
    assert.equal(state.sending, 'held');
    assert.match(state.reason, /is a copy/);
    assert.match(worker.output, /sending is held: nothing is sent until/);
    const cid = formatId((await copy.db.row<{ id: number }>(sql`select id from campaign`))!.id);
    const asked = startProgram(['call', 'campaignProgress', JSON.stringify({ cid })], { DATABASE_URL: copy.url });
    await asked.ended;
    assert.match(asked.output, /sending is held: .*confirm-sending/);
    const confirm = startProgram(['confirm-sending', '--queued', 'send'], { DATABASE_URL: copy.url });
    assert.equal(await confirm.ended, 0, confirm.output);
    await until('all have got it', () => copy.messages() === people);
    assert.equal(await isHeld(copy.db), false);
    assert.equal(await worker.stop(), 0);
  } finally {
    await Promise.all([worker.stop(), web.stop()]);
    await copy.end();
  }
});

test('F45 sending is held for a backup restored in place of the database, even by its usual host', async () => {
  const backup = await stage(true);
  const dir = folder();
  try {
    await backup.db.run(sql`update heartbeat set beat = 5000, beat_at = now() - interval '1 minute'`);
    await recordHeartbeat(backup.db, dir);
    assert.equal(JSON.parse(readFileSync(join(dir, 'heartbeat.json'), 'utf8')).beat, 5_001);
    await backup.db.run(sql`update heartbeat set beat = 680, beat_at = now() - interval '1 day'`);
    const worker = start('work', backup.url, dir);
    await until('it is held', () => isHeld(backup.db));
    await sleep(1_000);
    assert.equal(backup.messages(), 0);
    assert.equal(await worker.stop(), 0, 'a worker that is held ends in order');
  } finally {
    await backup.end();
  }
});

test('F45 two hours or a weekend without a heartbeat do not hold sending on the host that wrote the last one', async () => {
  const same = await stage(true);
  const dir = folder();
  try {
    await same.db.run(sql`update heartbeat set beat_at = now() - interval '1 minute'`);
    await recordHeartbeat(same.db, dir);
    await same.db.run(sql`update heartbeat set beat_at = now() - interval '62 hours'`);
    const worker = start('work', same.url, dir);
    await until('all have got it', () => same.messages() === people);
    assert.equal(await worker.stop(), 0);
  } finally {
    await same.end();
  }
});

test('F45 a further host with a new data directory joins at once while the heartbeat is fresh', async () => {
  const same = await stage(true);
  try {
    const worker = start('work', same.url, folder());
    await until('all have got it', () => same.messages() === people);
    assert.equal(await worker.stop(), 0);
  } finally {
    await same.end();
  }
});

test('F45 a worker ends when its database is set back, and sending is held after the restart', async () => {
  const same = await stage(true);
  const dir = folder();
  try {
    await same.db.run(sql`update campaign set status = 'paused', paused_from = 'sending'`);
    await same.db.run(sql`update heartbeat set beat = 5000, beat_at = now() - interval '1 minute'`);
    const worker = start('work', same.url, dir);
    await until('it has left its heartbeat', async () => {
      const row = await same.db.row<{ beat: number }>(sql`select beat from heartbeat`);
      return row!.beat > 5_000 && worker.output.includes('worker ready');
    });
    await same.db.run(sql`update heartbeat set beat = 4000, beat_at = now() - interval '1 day'`);
    await same.db.run(sql`update campaign set status = 'sending', paused_from = null`);
    assert.equal(await worker.ended, 75);
    assert.ok(await isHeld(same.db));
  } finally {
    await same.end();
  }
});

test('F54 web, worker and command line refuse a database of a newer version with exit code 78, and a running worker ends', async () => {
  const same = await stage(true);
  const dir = folder();
  try {
    await same.db.run(sql`update campaign set status = 'paused', paused_from = 'sending'`);
    const worker = start('work', same.url, dir);
    await until('it works', () => worker.output.includes('worker ready'));
    await same.db.run(sql`insert into migration (name) values ('9999_from_the_future')`);
    const refused = ['web', 'work', 'inbox', 'confirm-sending'].map((command) => start(command, same.url, dir));
    assert.equal(await worker.ended, 78);
    await same.db.run(sql`update campaign set status = 'sending', paused_from = null`);
    for (const program of refused) {
      assert.equal(await program.ended, 78);
      assert.match(program.output, /made by a newer Postrider \(it has 9999_from_the_future\)/);
    }
    await sleep(300);
    assert.equal(same.messages(), 0);
  } finally {
    await same.end();
  }
});
