// The embedded PostgreSQL under everything that ends a process: acknowledged rows survive, a second start is refused, a
// stop leaves nothing running. As root, also for ordinary users and closed directories.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { findBinaries, packageBinDir } from './binaries.ts';
import { clusterName } from './cluster.ts';
import { type EmbeddedOptions, type EmbeddedServer, readEmbeddedUrl, startEmbedded } from './embedded.ts';
import { parentWatchName } from './parent-watch.ts';
import { clusterProcesses } from './processes.ts';

const isRoot = process.getuid?.() === 0;
const packaged = packageBinDir();
/** All files of these tests; other users may pass through. */
const scratch = mkdtempSync(join(tmpdir(), 'pr-pg-'));
chmodSync(scratch, 0o755);
after(() => rmSync(scratch, { recursive: true, force: true }));

/** The one cluster of most tests: initdb takes a second each time. */
const dataDir = join(scratch, 'data');
const relocateTo = join(scratch, 'relocated');

test('the first start creates a cluster, answers queries, and keeps its passwords readable by the owner only', async (t) => {
  const begunAt = performance.now();
  const server = await start(t);
  t.diagnostic(`first start took ${Math.round(performance.now() - begunAt)} ms`);
  const [row] = await query<Record<string, unknown>>(
    server.url,
    `select current_setting('server_encoding') as encoding,
            (select datcollate from pg_database where datname = current_database()) as collation,
            current_setting('data_checksums') as checksums,
            current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as synchronous_commit,
            current_setting('timezone') as timezone,
            current_setting('listen_addresses') as addresses,
            (select rolsuper from pg_roles where rolname = current_user) as superuser`,
  );
  assert.match(String(row!['collation']), /^C(\.UTF-?8)?$/i);
  assert.deepEqual(row, {
    encoding: 'UTF8',
    collation: row!['collation'],
    checksums: 'on',
    fsync: 'on',
    synchronous_commit: 'on',
    timezone: 'UTC',
    addresses: '',
    superuser: false,
  });
  const wrong = new URL(server.url);
  wrong.password = 'wrong';
  await assert.rejects(query(wrong.href, 'select 1'), { code: '28P01' });
  for (const file of ['credentials.json', 'server.json', 'postgres.log']) {
    assert.equal(statSync(join(dataDir, 'postgres', file)).mode & 0o777, 0o600, file);
  }
  assert.notEqual(sessionOf(server.pid), sessionOf(process.pid), 'Ctrl-C must not reach the server');
  await server.stop();
});

test('a second start on the same directory is refused, in this process and in another', async (t) => {
  const server = await start(t);
  await assert.rejects(start(t), {
    problem: 'in-use',
    message: new RegExp(`already in use by process ${process.pid}`),
  });
  const other = program(t, { dataDir });
  assert.equal(await other.ended, 3);
  assert.match(other.errors(), /already in use by process/);
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.stop();
});

test('stopping ends every process in order and frees the directory; the URL is readable only while the server runs', async (t) => {
  const server = await start(t);
  assert.equal(readEmbeddedUrl(dataDir), server.url);
  const open = new pg.Client({ connectionString: server.url });
  open.on('error', () => undefined);
  await open.connect();
  await open.query('begin');
  await Promise.all([server.stop(), server.stop()]);
  assert.deepEqual(processesOf(dataDir), []);
  assert.equal(readEmbeddedUrl(dataDir), undefined);
  assert.match(logOf(dataDir), /database system is shut down\s*$/);
});

test('five kill -9 during writes lose no acknowledged row, and the server restarts automatically', async (t) => {
  const ends: unknown[] = [];
  const server = await start(t, { onUnexpectedEnd: (end) => ends.push(end.signal) });
  await query(server.url, 'create table acknowledged (n int primary key)');
  const written: number[] = [];
  let writing = true;
  let breaks = 0;
  const writer = (async () => {
    let client: pg.Client | undefined;
    for (let n = 1; writing; n++) {
      try {
        client ??= await connected(server.url);
        await client.query('insert into acknowledged values ($1)', [n]);
        written.push(n);
      } catch {
        breaks++;
        await client?.end().catch(() => undefined);
        client = undefined;
        await sleep(5);
      }
    }
    await client?.end();
  })();
  // The postmaster alone; one backend of many; everything at once.
  const victims = [
    () => [server.pid],
    () => backendsOf(dataDir).slice(0, 1),
    () => [server.pid],
    () => processesOf(dataDir),
    () => [server.pid],
  ];
  const downMs: number[] = [];
  for (const [round, choose] of victims.entries()) {
    await until(() => written.length > (round + 1) * 20, 'rows are being written');
    const breaksBefore = breaks;
    const killedAt = performance.now();
    for (const pid of choose()) kill(pid);
    await until(() => breaks > breaksBefore, 'the writer notices');
    const before = written.length;
    await until(() => written.length > before, 'rows are being written again');
    downMs.push(Math.round(performance.now() - killedAt));
  }
  writing = false;
  await writer;
  const rows = await query<{ n: number }>(server.url, 'select n from acknowledged');
  const there = new Set(rows.map((row) => row.n));
  assert.deepEqual(
    written.filter((n) => !there.has(n)),
    [],
  );
  assert.deepEqual(ends, ['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL']);
  t.diagnostic(`${written.length} rows; back after ${downMs.join(', ')} ms`);
  // Usually a tenth of this. The fastest of five counts, since a busy disk delays them all.
  assert.ok(Math.min(...downMs) < 5_000, `${downMs} ms`);
  await server.stop();
});

test('an interrupted first start leaves nothing half done, and of two starts that follow at once one is refused', async (t) => {
  const fresh = join(scratch, 'fresh');
  const home = join(fresh, 'postgres');
  const cut = program(t, { dataDir: fresh });
  const begun = () => existsSync(home) && readdirSync(home).some((name) => name.startsWith('cluster.new-'));
  await until(begun, 'initdb is running');
  cut.process.kill('SIGKILL');
  await cut.ended;
  assert.ok(!existsSync(join(home, 'cluster')));
  const both = [program(t, { dataDir: fresh }), program(t, { dataDir: fresh })];
  const outcomes = await Promise.allSettled(both.map(({ up }) => up));
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const [winner, loser] = outcomes[0]!.status === 'fulfilled' ? both : both.reverse();
  assert.match(loser!.errors(), /already in use/);
  await until(() => winner!.acknowledged() > 0, 'rows are being written');
  winner!.process.kill('SIGTERM');
  assert.equal(await winner!.ended, 0);
});

test('a stop during a restart ends everything', async (t) => {
  const server = await start(t);
  kill(server.pid);
  await sleep(30);
  await server.stop();
  // The children of the killed postmaster notice and end.
  await until(() => processesOf(dataDir).length === 0, 'everything has ended');
  const again = await start(t);
  await again.stop();
});

for (const [what, victims] of [
  ['the program alone', (pid: number) => [pid]],
  ['the program and its parent watch', (pid: number) => [...parentWatchesOf(dataDir), pid]],
  ['the whole tree', (pid: number) => [...parentWatchesOf(dataDir), ...processesOf(dataDir), pid]],
] as const) {
  test(`after kill -9 of ${what} the next start has every acknowledged row`, async (t) => {
    const first = program(t, { dataDir });
    await first.up;
    await until(() => first.acknowledged() > 50, 'rows are being written');
    for (const pid of victims(first.process.pid!)) kill(pid);
    await first.ended;
    if (what === 'the program alone') {
      await until(() => processesOf(dataDir).length === 0, 'the server has ended');
      assert.equal(readEmbeddedUrl(dataDir), undefined);
    }
    const next = await start(t);
    const rows = await query<{ last: number }>(next.url, 'select max(n) as last, count(*)::int as n from written');
    assert.ok(rows[0]!.last >= first.acknowledged(), `${rows[0]!.last} of ${first.acknowledged()}`);
    await next.stop();
  });
}

test('SIGTERM to the program leaves no process and a database that needs no recovery', async (t) => {
  const first = program(t, { dataDir });
  await first.up;
  await until(() => first.acknowledged() > 10, 'rows are being written');
  const from = logOf(dataDir).length;
  first.process.kill('SIGTERM');
  assert.equal(await first.ended, 0);
  assert.deepEqual([...processesOf(dataDir), ...parentWatchesOf(dataDir)], []);
  const next = await start(t);
  await next.stop();
  assert.doesNotMatch(logOf(dataDir).slice(from), /not properly shut down/);
});

test('a pid file from before a reboot, whose pid another process has now, does not prevent the start', async (t) => {
  writeFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), `${process.pid}\n${dataDir}\n`);
  const server = await start(t);
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.stop();
});

test('lost passwords are replaced and the data stays', async (t) => {
  rmSync(join(dataDir, 'postgres/credentials.json'));
  const server = await start(t);
  const rows = await query<{ n: number }>(server.url, 'select count(*)::int as n from acknowledged');
  assert.ok(rows[0]!.n > 0);
  await server.stop();
});

test('a copy of a running data directory leaves the original alone', async (t) => {
  const server = await start(t);
  const copy = join(scratch, 'copy');
  cpSync(dataDir, copy, { recursive: true });
  rmSync(join(copy, 'postgres/cluster/postmaster.pid'));
  const { pid } = server;
  // The copy of a running server may be unusable; the original counts.
  await start(t, { dataDir: copy }).then(
    (twin) => twin.stop(),
    () => undefined,
  );
  assert.equal(server.pid, pid);
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.stop();
});

test('a directory too deep for a socket gets a loopback port, which stays the same after a kill', async (t) => {
  const deep = join(scratch, 'd'.repeat(100));
  const server = await start(t, { dataDir: deep });
  assert.match(server.url, /@127\.0\.0\.1:\d+\/postrider$/);
  kill(server.pid);
  await until(async () => {
    const rows = await query<{ one: number }>(server.url, 'select 1 as one').catch(() => []);
    return rows[0]?.one === 1;
  }, 'the server is back');
  await server.stop();
  rmSync(deep, { recursive: true, force: true });
});

test('a cluster whose version is not installed is refused, and the error shows what to do', async (t) => {
  const version = join(dataDir, 'postgres/cluster/PG_VERSION');
  const right = readFileSync(version);
  writeFileSync(version, '9\n');
  await assert.rejects(start(t), { problem: 'other-version', message: /PostgreSQL 9.*pg_upgrade/s });
  writeFileSync(version, right);
});

test('a server that cannot start reports why', async (t) => {
  await assert.rejects(start(t, { settings: { shared_buffers: 'plenty' } }), {
    problem: 'did-not-start',
    message: /shared_buffers/,
  });
  assert.deepEqual(processesOf(dataDir), []);
  await until(() => parentWatchesOf(dataDir).length === 0, 'no parent watch is left');
  const server = await start(t);
  await server.stop();
});

if (packaged) {
  const packageRoot = dirname(dirname(packaged));

  test('the programs of the npm package are used on request, and chosen by later starts of their cluster', async (t) => {
    // Without links, as an installation without install scripts; unreachable, as in a closed home directory.
    const closed = join(scratch, 'closed-package');
    mkdirSync(closed, { mode: 0o700 });
    cpSync(packageRoot, closed, { recursive: true, verbatimSymlinks: true });
    const { version } = JSON.parse(readFileSync(join(closed, 'package.json'), 'utf8')) as { version: string };
    const links = JSON.parse(readFileSync(join(closed, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[];
    for (const { target } of links) rmSync(join(closed, target), { force: true });
    const place = join(scratch, 'packaged');
    const server = await start(t, { dataDir: place, binDir: join(closed, 'native/bin') });
    const major = Number.parseInt(version, 10);
    const serverMajor = async (url: string) =>
      Number.parseInt((await query<{ server_version: string }>(url, 'show server_version'))[0]!.server_version, 10);
    assert.equal(await serverMajor(server.url), major);
    await server.stop();
    const again = await start(t, { dataDir: place });
    assert.equal(await serverMajor(again.url), major);
    await again.stop();
    rmSync(closed, { recursive: true });
    rmSync(place, { recursive: true });
  });
}

if (isRoot) {
  test('as root, the server runs as an unprivileged user, who owns the cluster', async (t) => {
    const server = await start(t);
    const { uid } = statSync(`/proc/${server.pid}`);
    assert.notEqual(uid, 0);
    assert.equal(statSync(join(dataDir, 'postgres/cluster')).uid, uid);
    await server.stop();
  });

  test('a data directory below a closed one stays closed: the cluster goes elsewhere and is found again', async (t) => {
    const closed = join(scratch, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const hidden = join(closed, 'data');
    const server = await start(t, { dataDir: hidden });
    await query(server.url, 'create table t (a int)');
    assert.equal(statSync(closed).mode & 0o777, 0o700);
    const place = readFileSync(join(hidden, 'postgres/place'), 'utf8').trim();
    assert.equal(dirname(place), relocateTo);
    assert.equal(readEmbeddedUrl(hidden), server.url);
    await server.stop();
    const again = await start(t, { dataDir: hidden });
    assert.deepEqual(await query(again.url, 'select count(*)::int as n from t'), [{ n: 0 }]);
    await again.stop();
    rmSync(place, { recursive: true });
    await assert.rejects(start(t, { dataDir: hidden }), { problem: 'not-reachable', message: /which does not exist/ });
  });

  test('an ordinary user runs the server as itself; root then starts the same directory without changing its owner', async (t) => {
    const uid = 65534;
    const home = join(scratch, 'ordinary');
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, uid, uid);
    // Looked up as root, since the other user may not be able to read this checkout.
    const binDir = findBinaries({ runAs: { uid, gid: uid }, copyTo: scratch }).dir;
    const ordinary = program(t, { dataDir: join(home, 'data'), uid, binDir });
    const up = await ordinary.up;
    assert.equal(up.uid, uid);
    assert.equal(up.readable, true);
    assert.equal(statSync(`/proc/${up.pid}`).uid, uid);
    await until(() => ordinary.acknowledged() > 10, 'rows are being written');
    ordinary.process.kill('SIGKILL');
    await ordinary.ended;
    const server = await start(t, { dataDir: join(home, 'data') });
    assert.equal(statSync(`/proc/${server.pid}`).uid, uid);
    await server.stop();
    const again = program(t, { dataDir: join(home, 'data'), uid, binDir });
    await until(() => again.acknowledged() > 0, 'rows are being written again');
    again.process.kill('SIGTERM');
    assert.equal(await again.ended, 0);
  });

  test('an ordinary user gets an error about a directory of another user', async (t) => {
    const stranger = program(t, { dataDir, uid: 65533 });
    assert.equal(await stranger.ended, 3);
    assert.match(stranger.errors(), /must belong to the user who starts the program/);
  });
}

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Stopped when the test ends, so that a failure does not leave a server behind. */
async function start(t: TestContext, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir, relocateTo, log: quiet, ...options });
  t.after(() => server.stop());
  return server;
}

type Up = { url: string; pid: number; ms: number; readable: boolean; uid: number };

/** The same in a separate process, which writes rows and prints those acknowledged. */
function program(t: TestContext, options: { dataDir: string; uid?: number; binDir?: string | undefined }) {
  const script = fileURLToPath(new URL('../../../test/support/installation/embedded-program.ts', import.meta.url));
  const argument = JSON.stringify({ relocateTo, ...options });
  const child: ChildProcess = spawn(process.execPath, [script, argument], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGTERM'));
  let last = 0;
  let errors = '';
  child.stderr!.on('data', (text: Buffer) => {
    errors += text;
  });
  const up = Promise.withResolvers<Up>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    if (line.startsWith('{')) up.resolve(JSON.parse(line) as Up);
    else last = Number(line);
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then(() => up.reject(new Error(`ended before it was up: ${errors}`)));
  up.promise.catch(() => undefined);
  return { process: child, up: up.promise, ended, acknowledged: () => last, errors: () => errors };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function query<T>(url: string, text: string): Promise<T[]> {
  const client = await connected(url);
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

function processesOf(dir: string): number[] {
  const { id } = JSON.parse(readFileSync(join(dir, 'postgres/credentials.json'), 'utf8')) as { id: string };
  return clusterProcesses(clusterName(id, join(dir, 'postgres/cluster')));
}

function backendsOf(dir: string): number[] {
  return processesOf(dir).filter((pid) => commandOf(pid).includes('postrider postrider'));
}

function parentWatchesOf(dir: string): number[] {
  return pids().filter((pid) => commandOf(pid).includes(`${parentWatchName} ${join(dir, 'postgres/cluster')}`));
}

function pids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function commandOf(pid: number): string {
  return existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') : '';
}

/** The sixth field of the process's status (proc(5)). */
function sessionOf(pid: number): string | undefined {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3];
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // Killing one of a tree may have ended the next.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function logOf(dir: string): string {
  return readFileSync(join(dir, 'postgres/postgres.log'), 'utf8');
}

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = Date.now() + 90_000;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) assert.fail(`timed out before ${what}`);
    await sleep(10);
  }
}
