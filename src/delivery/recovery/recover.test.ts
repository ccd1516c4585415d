// When a chunk is taken over: by the lease as this process has seen it, or because the worker cannot be alive.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { shownState } from '../../../test/support/database/shown-state.ts';
import { people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { slowTest } from '../../../test/support/run/runs.ts';
import { sql } from '../../db/connect.ts';
import { lockClasses } from '../../db/locks.ts';
import { bootId, pidNamespace } from '../../jobs/worker-presence.ts';
import { endImpossibleWaits } from '../launch/clock-set-back.ts';
import type { Chunk } from '../ledger/chunk.ts';
import { markGroup } from '../ledger/mark-group.ts';
import { LeaseWatch } from './lease-watch.ts';
import { recover, sweepJournals } from './recover.ts';

let app: TestApp;
let campaign: number;
before(async () => {
  app = await testApp();
  campaign = await launchedTo(app, await listOf(app, people(3)));
});
after(() => app.close());

/** The pid of a process that has ended. */
const goneBy = (): number => spawnSync('true').pid;

const here = () => ({ host: hostname(), boot: bootId(), space: pidNamespace(), pid: goneBy() });

/** A worker that exists only as a row and holds the campaign's chunk. @param ends when the lease ends, from now */
async function holder(worker: ReturnType<typeof here>, ends = '15 seconds'): Promise<number> {
  const row = await app.app.db.row<{ id: number }>(sql`
    insert into worker (host, boot_id, pid_namespace, pid, journal)
    values (${worker.host}, ${worker.boot}, ${worker.space}, ${worker.pid}, '')
    returning id`);
  await app.app.db.run(sql`
    update chunk
    set state = 'leased', worker_id = ${row!.id}, lease = lease + 1, leased_until = now() + ${ends}::text::interval
    where campaign_id = ${campaign}`);
  return row!.id;
}

/** Recovers abandoned chunks by a clock that the test sets. */
function recoverer(holds = () => false) {
  const watch = new LeaseWatch(15_000, Number.POSITIVE_INFINITY);
  return (nowMs: number) => recover(app.app, app.app.log, { watch, holds, nowMs: () => nowMs });
}

test('the chunk of a process that is gone is taken over at the first check', async () => {
  await holder(here());
  assert.equal(await recoverer()(0), 1);
  const chunk = await app.app.db.row(sql`select state, worker_id as worker from chunk where campaign_id = ${campaign}`);
  assert.deepEqual(chunk, { state: 'waiting', worker: null });
});

test('a worker whose lock is held does not count as dead, nor does one whose pid proves nothing here', async () => {
  const client = new pg.Client({ connectionString: app.app.db.url });
  await client.connect();
  try {
    const look = recoverer();
    const id = await holder(here());
    await client.query('select pg_advisory_lock($1, $2)', [lockClasses.worker, id]);
    assert.equal(await look(0), 0);
  } finally {
    await client.end();
  }
  for (const other of [{ space: 'pid:[1]' }, { space: '' }, { boot: 'another' }, { boot: '' }, { host: 'another' }]) {
    const look = recoverer();
    await holder({ ...here(), ...other });
    assert.equal(await look(0), 0, JSON.stringify(other));
    assert.equal(await look(14_999), 0);
    assert.equal(await look(15_000), 1, 'by its lease it is taken');
  }
});

test('a lease that ended long ago by the database clock, or ends in a year, is waited for like any other', async () => {
  for (const ends of ['-1 hour', '1 year']) {
    const look = recoverer();
    await holder({ ...here(), pid: process.pid }, ends);
    assert.equal(await look(0), 0);
    assert.equal(await look(14_000), 0, ends);
    await app.app.db.run(sql`
      update chunk set leased_until = leased_until - interval '1 minute' where campaign_id = ${campaign}`);
    assert.equal(await look(16_000), 0, `${ends}, renewed`);
    assert.equal(await look(31_000), 1, ends);
  }
});

test('a worker does not take over a chunk that it holds itself', async () => {
  await holder({ ...here(), pid: process.pid });
  const look = recoverer(() => true);
  await look(0);
  assert.equal(await look(60_000), 0);
});

test('F40 chunks due before the database clock was set back are due at once, and those with a date keep it', async () => {
  const later = (ends: string) =>
    app.app.db.run(sql`
      update chunk
      set state = 'waiting', worker_id = null, due_at = now() + ${ends}::text::interval
      where campaign_id = ${campaign}`);
  const begun = (when: string, match = false) =>
    app.app.db.run(sql`
      update campaign
      set send_at = now() + ${when}::text::interval, time_match = ${match}, type = 'html'
      where id = ${campaign}`);
  const db = app.app.db;
  await begun('2 hours');
  await later('1 hour 59 minutes');
  assert.equal(await endImpossibleWaits(db), 1, 'due at its start');
  assert.equal(await endImpossibleWaits(db), 0);
  await begun('-1 hour');
  await later('5 minutes');
  assert.equal(await endImpossibleWaits(db), 0, 'given back for a while');
  await later('6 hours');
  assert.equal(await endImpossibleWaits(db), 1, 'nothing waits that long');
  await begun('-1 hour', true);
  await later('6 hours');
  assert.equal(await endImpossibleWaits(db), 0, 'by the clocks of the recipients');
  await db.run(sql`update chunk set kind = 'retry' where campaign_id = ${campaign}`);
  assert.equal(await endImpossibleWaits(db), 1, 'no retry waits that long');
});

slowTest(
  'F40 the database clock steps by a minute with messages on the wire, and no recipient gets a copy',
  async () => {
    const stage = await Stage.start({ workers: 2, relay: 'tls=none&connections=20' });
    try {
      const id = await stage.send(Array.from({ length: 12 }, (_, n) => `delay2000-data.${n}@d${n}.example`));
      const trying = () =>
        stage.db.row<{ count: number }>(sql`
      select count(*)::int as count from delivery where campaign_id = ${id} and ${shownState} = 1`);
      while ((await trying())!.count < 12) await sleep(50);
      await stage.db.run(sql`
      update chunk set leased_until = leased_until - interval '1 minute' where state = 'leased'`);
      const { checked } = await stage.settled(id, 20);
      assert.deepEqual([checked.taken, checked.copies], [12, 0]);
    } finally {
      await stage.stop();
    }
  },
);

test('the row of a worker is deleted a month after its end, unless it still holds a chunk', async () => {
  const { db } = app.app;
  const ended = async (days: number) => {
    const id = await holder(here());
    await db.run(sql`update worker set ended_at = now() - make_interval(days => ${days}) where id = ${id}`);
    return id;
  };
  const [gone, recent, holding] = [await ended(31), await ended(29), await ended(31)];
  await sweepJournals(app.app);
  const left = await db.rows<{ id: number }>(
    sql`select id from worker where id = any (${[gone, recent, holding]}::int[]) order by id`,
  );
  assert.deepEqual(
    left.map(({ id }) => id),
    [recent, holding],
  );
});

test('a journal that no worker of the database needs is removed, that of a live worker stays', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'journals-'));
  const folder = join(dataDir, 'journal');
  mkdirSync(folder);
  try {
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    for (const name of ['stray', 'live', 'recent']) {
      writeFileSync(join(folder, `${name}.1.log`), 'B boot\n');
      if (name !== 'recent') utimesSync(join(folder, `${name}.1.log`), twoDaysAgo, twoDaysAgo);
    }
    await app.app.db.run(sql`
      insert into worker (host, boot_id, pid, journal)
      values ('another-host', 'boot', 1, '/elsewhere/journal/live')`);
    await sweepJournals({ ...app.app, config: { ...app.app.config, dataDir } });
    assert.deepEqual(readdirSync(folder).sort(), ['live.1.log', 'recent.1.log']);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test('the chunks of a dead worker wait while another process takes over from it', async () => {
  const id = await holder(here());
  const other = new pg.Client({ connectionString: app.app.db.url });
  await other.connect();
  try {
    // The class of the locks of recoveries.
    await other.query('select pg_advisory_lock($1, $2)', [lockClasses.recovery, id]);
    const check = recoverer();
    assert.equal(await check(0), 0);
    const chunks = () => app.app.db.row(sql`select state from chunk where campaign_id = ${campaign}`);
    assert.deepEqual(await chunks(), { state: 'leased' });
    await other.query('select pg_advisory_unlock($1, $2)', [lockClasses.recovery, id]);
    assert.equal(await check(1_000), 1);
    assert.deepEqual(await chunks(), { state: 'waiting' });
  } finally {
    await other.end();
  }
});

test('the journal of a dead worker is read once for all of its chunks', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'journals-'));
  const worker = here();
  writeFileSync(join(dataDir, 'dead.1.log'), `B ${worker.boot}\n`);
  const lists = t.mock.method(fs, 'readdirSync');
  syncBuiltinESMExports();
  try {
    const id = await holder(worker);
    await app.app.db.run(sql`update worker set journal = ${join(dataDir, 'dead')} where id = ${id}`);
    await app.app.db.run(sql`
      insert into chunk (account_id, campaign_id, kind, seqs, due_at, state, worker_id, lease, leased_until)
      select ${app.account.id}::int, ${campaign}::int, 'retry', '{1}', now(), 'leased', ${id}::int, 1, now() + interval '15 seconds'
      from generate_series(1, 19)`);
    assert.equal(await recoverer()(0), 20);
    assert.equal(lists.mock.calls.filter(({ arguments: [folder] }) => folder === dataDir).length, 1);
  } finally {
    lists.mock.restore();
    syncBuiltinESMExports();
    rmSync(dataDir, { recursive: true });
    await app.app.db.run(sql`delete from chunk where campaign_id = ${campaign} and kind = 'retry'`);
  }
});

test('F08 after a crash a recipient counts one if its message was started, and none if it waited for a connection', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'journals-'));
  const worker = here();
  const { db } = app.app;
  campaign = await launchedTo(app, await listOf(app, people(3, 'crash.example')));
  try {
    const counted: number[] = [];
    for (const lines of ['', 'S', 'SW', 'SWS', 'SD']) {
      const id = await holder(worker);
      await db.run(sql`update worker set journal = ${join(dataDir, lines)} where id = ${id}`);
      const chunk = (await db.row<Chunk>(sql`
        update chunk
        set crashes = 1
        where campaign_id = ${campaign}
        returning account_id as account, campaign_id as campaign,
          (select month::text from campaign where id = campaign_id) as month, no, kind, from_seq as "fromSeq", to_seq as "toSeq", seqs, lease, crashes`))!;
      const group = (await db.transaction((tx) => markGroup(tx, chunk, id, 1, 3_600)))!;
      const { seq, attempts, contact } = group.marked[0]!;
      const of = `${chunk.account} ${campaign} ${seq} ${chunk.lease} ${attempts} 0 ${contact}`;
      const journal = [`B ${worker.boot}`, ...[...lines].map((kind) => `${kind} ${of}`), ''].join('\n');
      writeFileSync(join(dataDir, `${lines}.1.log`), journal);
      assert.ok((await recoverer()(0)) >= 1);
      const after = await db.row<{ crashes: number }>(sql`
        update delivery set crashes = 0
        from (select crashes from delivery where campaign_id = ${campaign} and seq = ${seq}) as before
        where campaign_id = ${campaign} and seq = ${seq}
        returning before.crashes`);
      counted.push(after!.crashes);
    }
    assert.deepEqual(counted, [0, 1, 0, 1, 0]);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
