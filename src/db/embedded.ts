// A PostgreSQL of our own as a child process, for installations without DATABASE_URL.
// Promises: one owner a data directory; nothing committed is lost by kill -9 of anything; a server that dies is started
// again in the same place; a server left over by a killed parent is stopped cleanly at the next start.
// Leaves the schema to migrate.ts. See docs/decisions/0003-embedded-postgresql.md.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { takeDirectory } from './directory-lock.ts';
import { type Binaries, findBinaries } from './embedded-binaries.ts';

type Log = {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
};

export type Embedded = { url: string; pid(): number | undefined; stop(): Promise<void> };

type Place = { cluster: string; socket: string; owner: Owner | undefined; password: string };
/** The user PostgreSQL runs as when we are root, which it refuses to be. */
type Owner = { uid: number; gid: number };

const database = 'postrider';

/**
 * Starts (the first time: creates) the cluster under `dataDir`.
 * @param options.binDir take the binaries from here instead of looking for them
 * @throws Error with a text for the operator: directory in use, no binaries, wrong version
 */
export async function startEmbedded(options: {
  dataDir: string;
  log: Log;
  binDir?: string;
  fast?: boolean;
}): Promise<Embedded> {
  const { dataDir, log } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  const release = takeDirectory(dataDir);
  try {
    const place = findPlace(dataDir);
    const version = existsSync(join(place.cluster, 'PG_VERSION'))
      ? Number(readFileSync(join(place.cluster, 'PG_VERSION'), 'utf8'))
      : undefined;
    const binaries = reachable(findBinaries(version, options.binDir), place.owner);
    await stopLeftover(place, log);
    if (version === undefined) createCluster(place, binaries);
    let stopping = false;
    let child: ChildProcess | undefined;
    const launch = () => {
      child = spawn(join(binaries.dir, 'postgres'), serverArguments(place, options.fast ?? false), {
        ...runAs(place.owner),
        env: binaries.env,
        cwd: '/',
        detached: true,
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      child.on('error', (error) => log.error({ err: error }, 'PostgreSQL cannot be started'));
      child.on('exit', (code, signal) => {
        if (stopping) return;
        log.warn({ code, signal }, 'PostgreSQL has ended unasked; it is started again');
        setTimeout(() => !stopping && launch(), 200);
      });
    };
    launch();
    const url = (name: string) => `postgresql://postgres:${place.password}@${encodeURIComponent(place.socket)}/${name}`;
    await untilReady(url('postgres'), () => lastLines(place));
    await ensureDatabase(url('postgres'));
    return {
      url: url(database),
      pid: () => child?.pid,
      async stop() {
        stopping = true;
        await endServer(child);
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** The address of the cluster of a data directory whose server runs; undefined when it does not. */
export function readEmbeddedUrl(dataDir: string): string | undefined {
  const cluster = clusterOf(dataDir);
  const socket = socketOf(dataDir);
  const file = join(dataDir, 'postgres-password');
  if (!existsSync(file) || !existsSync(join(cluster, 'postmaster.pid')) || !existsSync(join(socket, '.s.PGSQL.5432')))
    return undefined;
  return `postgresql://postgres:${readFileSync(file, 'utf8').trim()}@${encodeURIComponent(socket)}/${database}`;
}

/** Where the cluster stands: under the data directory, unless the user that must own it cannot get there. */
function findPlace(dataDir: string): Place {
  const owner = process.getuid?.() === 0 ? unprivileged() : undefined;
  const passwordFile = join(dataDir, 'postgres-password');
  if (!existsSync(passwordFile)) writeFileSync(passwordFile, randomBytes(18).toString('hex'), { mode: 0o600 });
  const password = readFileSync(passwordFile, 'utf8').trim();
  let cluster = clusterOf(dataDir);
  if (owner && !existsSync(join(cluster, 'PG_VERSION')) && !canEnter(dataDir, owner)) {
    // A directory like /root, closed to everybody else: the cluster goes where system services keep theirs.
    cluster = join('/var/lib/postrider', createHash('sha256').update(dataDir).digest('hex').slice(0, 12));
    mkdirSync(cluster, { recursive: true });
    writeFileSync(join(dataDir, 'postgres-is-at'), `${cluster}\n`);
  }
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  const socket = socketOf(dataDir);
  mkdirSync(socket, { recursive: true, mode: 0o700 });
  for (const directory of [cluster, socket]) {
    if (owner) chownSync(directory, owner.uid, owner.gid);
    chmodSync(directory, 0o700);
  }
  return { cluster, socket, owner, password };
}

function clusterOf(dataDir: string): string {
  const pointer = join(dataDir, 'postgres-is-at');
  return existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : join(dataDir, 'postgres');
}

/** A directory of its own with a short name: the path of a unix socket may have 107 bytes at most. */
const socketOf = (dataDir: string) =>
  join(tmpdir(), `postrider-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`);

function unprivileged(): Owner {
  for (const name of ['postgres', 'nobody']) {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((one) => one.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(':') ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  return { uid: 65534, gid: 65534 };
}

const runAs = (owner: Owner | undefined) => (owner ? { uid: owner.uid, gid: owner.gid } : {});

const canEnter = (path: string, owner: Owner) =>
  spawnSync('test', ['-x', path], { ...runAs(owner), cwd: '/' }).status === 0;

/** Binaries below a directory that the owner cannot enter are copied to where it can. */
function reachable(binaries: Binaries, owner: Owner | undefined): Binaries {
  if (!owner || canEnter(join(binaries.dir, 'postgres'), owner)) return binaries;
  const root = dirname(binaries.dir);
  const copy = join(
    '/var/lib/postrider',
    `binaries-${binaries.major}-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`,
  );
  if (!existsSync(join(copy, 'complete'))) {
    cpSync(root, copy, { recursive: true, dereference: false });
    writeFileSync(join(copy, 'complete'), '');
  }
  return { ...binaries, dir: join(copy, 'bin'), env: { ...binaries.env, LD_LIBRARY_PATH: join(copy, 'lib') } };
}

function createCluster(place: Place, binaries: Binaries): void {
  for (const name of readdirSync(place.cluster)) rmSync(join(place.cluster, name), { recursive: true });
  const secret = join(place.socket, 'first-password');
  writeFileSync(secret, place.password, { mode: 0o600 });
  if (place.owner) chownSync(secret, place.owner.uid, place.owner.gid);
  try {
    execFileSync(
      join(binaries.dir, 'initdb'),
      [
        '-D',
        place.cluster,
        '-U',
        'postgres',
        '-E',
        'UTF8',
        '--locale=C',
        '-A',
        'scram-sha-256',
        '-k',
        `--pwfile=${secret}`,
      ],
      { ...runAs(place.owner), env: binaries.env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' },
    );
  } catch (error) {
    throw new Error(`PostgreSQL's initdb failed: ${(error as { stderr?: string }).stderr ?? (error as Error).message}`);
  } finally {
    rmSync(secret, { force: true });
  }
}

function serverArguments(place: Place, fast: boolean): string[] {
  const sharedMegabytes = Math.min(256, Math.max(64, Math.floor(totalmem() / 1024 ** 2 / 16)));
  const settings: Record<string, string> = {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: place.socket,
    unix_socket_permissions: '0700',
    shared_buffers: `${sharedMegabytes}MB`,
    max_connections: '120',
    wal_compression: 'on',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    random_page_cost: '1.1',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    logging_collector: 'on',
    log_directory: 'log',
    log_filename: 'postgresql-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_min_messages: 'warning',
    // Rows of a running delivery change twice or thrice each; a keener vacuum keeps their pages reusable.
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_naptime: '20s',
    // Tests only: a database that lives for seconds need not survive a power cut.
    ...(fast ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  return ['-D', place.cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** A server whose parent was killed: it is asked to end, so that this start owns its successor. */
async function stopLeftover(place: Place, log: Log): Promise<void> {
  const file = join(place.cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!Number.isInteger(pid) || !isServerOf(pid, place.cluster)) return;
  log.warn({ pid }, 'a PostgreSQL left over from a killed process is stopped first');
  process.kill(pid, 'SIGINT');
  for (let waited = 0; waited < 30_000 && isServerOf(pid, place.cluster); waited += 50) {
    if (waited === 20_000) process.kill(pid, 'SIGQUIT');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isServerOf(pid: number, cluster: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(cluster) &&
      !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    );
  } catch {
    return false;
  }
}

async function untilReady(url: string, complaint: () => string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return;
    } catch (error) {
      if (performance.now() > deadline)
        throw new Error(`PostgreSQL does not answer: ${(error as Error).message}\n${complaint()}`);
      await new Promise((resolve) => setTimeout(resolve, 40));
    } finally {
      await client.end().catch(() => {});
    }
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
  } finally {
    await client.end();
  }
}

/** Fast shutdown: open transactions are rolled back, connections closed, everything written. */
function endServer(child: ChildProcess | undefined): Promise<void> {
  if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const harder = setTimeout(() => child.kill('SIGQUIT'), 30_000);
    child.once('exit', () => {
      clearTimeout(harder);
      resolve();
    });
    child.kill('SIGINT');
  });
}

function lastLines(place: Place): string {
  try {
    const folder = join(place.cluster, 'log');
    const newest = readdirSync(folder)
      .map((name) => join(folder, name))
      .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
    return newest ? readFileSync(newest, 'utf8').trimEnd().split('\n').slice(-10).join('\n') : '';
  } catch {
    return '';
  }
}
