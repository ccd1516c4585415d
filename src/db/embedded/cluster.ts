// Makes a cluster and writes its settings: UTF-8, C order, checksums, passwords by scram-sha-256, modest memory.
// A cluster is made aside and renamed when complete, so that a kill in between leaves nothing half made.
// The settings are written anew at each start into a file of ours; an administrator's own go into local.conf beside it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  globSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Binaries } from './binaries.ts';
import { makePrivateDir, type Place } from './place.ts';
import { EmbeddedPostgresError } from './problem.ts';

export type Credentials = { id: string; superuserPassword: string; password: string };

/** Where the server listens: a directory with its socket, or a port on loopback when the socket's path is too long. */
export type Endpoint = { socketDir: string } | { port: number };

/** Port in the socket's file name; on loopback a free one is chosen. */
export const socketPort = 5432;
export const superuser = 'postgres';
export const appName = 'postrider';

/** Major version of the cluster, or undefined when there is none yet. */
export function clusterMajor(clusterDir: string): number | undefined {
  const file = join(clusterDir, 'PG_VERSION');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
}

/**
 * The name that the cluster's processes bear. The directory's number (inode) is in it, so that a copy of a data
 * directory, started beside the original, does not take the original's processes for its own.
 */
export function clusterName(id: string, clusterDir: string): string {
  return `${appName}-${id}-${statSync(clusterDir, { bigint: true }).ino.toString(36)}`;
}

/** The cluster's id and passwords, made at the first call. Only the owner of the data directory can read them. */
export function credentials(home: string): { secret: Credentials; isNew: boolean } {
  const file = join(home, 'credentials.json');
  if (existsSync(file)) return { secret: JSON.parse(readFileSync(file, 'utf8')) as Credentials, isNew: false };
  const secret: Credentials = {
    id: randomBytes(6).toString('hex'),
    superuserPassword: randomBytes(24).toString('hex'),
    password: randomBytes(24).toString('hex'),
  };
  writePrivately(file, JSON.stringify(secret, null, 2));
  return { secret, isNew: true };
}

/** Replaces a file that only we may read, all or nothing. */
export function writePrivately(file: string, content: string): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${content}\n`, { mode: 0o600, flush: true });
  if (process.getuid?.() === 0) {
    // As root on somebody's directory, leave files that this somebody can use.
    const { uid, gid } = statSync(join(file, '..'));
    chownSync(fresh, uid, gid);
  }
  renameSync(fresh, file);
}

/** Runs initdb, about a second. */
export async function makeCluster(place: Place, binaries: Binaries, secret: Credentials): Promise<void> {
  for (const old of globSync(join(place.root, 'cluster.new-*'))) removeTree(old);
  const fresh = join(place.root, `cluster.new-${randomBytes(4).toString('hex')}`);
  makePrivateDir(fresh, place.runAs);
  const passwordFile = join(place.root, 'superuser-password');
  writeFileSync(passwordFile, secret.superuserPassword, { mode: 0o600 });
  if (place.runAs) chownSync(passwordFile, place.runAs.uid, place.runAs.gid);
  try {
    const common = [
      '-D',
      fresh,
      '-U',
      superuser,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '-k',
    ];
    // From 17 on PostgreSQL brings C.UTF-8 itself; before, the system must have it. C orders the same, but knows
    // upper and lower case of ASCII only.
    const tries =
      binaries.major >= 17
        ? [['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']]
        : [['--locale=C.UTF-8'], ['--locale=C']];
    let said = '';
    for (const locale of tries) {
      const run = await runInitdb(binaries, [...common, '--no-instructions', ...locale], place);
      if (run.code === 0) {
        renameSync(fresh, place.clusterDir);
        return;
      }
      said = run.said;
      if (!said.includes('locale')) break;
    }
    throw new EmbeddedPostgresError('did-not-start', `PostgreSQL could not make its files in ${place.root}: ${said}`);
  } finally {
    rmSync(passwordFile, { force: true });
    removeTree(fresh);
  }
}

/** Gives an existing cluster the superuser password of these credentials, without knowing the old one. About 0.1 s. */
export async function resetSuperuser(place: Place, binaries: Binaries, config: string, secret: Credentials) {
  const args = ['--single', '-D', place.clusterDir, '-c', `config_file=${config}`, 'postgres'];
  const server = spawn(join(binaries.dir, 'postgres'), args, {
    ...runOptions(place, binaries),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  server.stdin.on('error', () => undefined);
  server.stdin.end(`alter role ${superuser} password '${secret.superuserPassword}'\n`);
  const { code, said } = await outcome(server, server.stderr);
  if (code !== 0) throw new EmbeddedPostgresError('did-not-start', `No new password for ${place.clusterDir}: ${said}`);
}

/**
 * How PostgreSQL's programs are run: as the right user, with nothing of our environment (PGHOST and the like), and in a
 * session of their own, so that Ctrl-C in the terminal reaches us alone and we end the server after its clients.
 */
export function runOptions(place: Place, binaries: Binaries) {
  const env = { ...binaries.env, LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
  return { ...place.runAs, cwd: place.root, env, detached: true };
}

/** Writes the settings file and returns its path. */
export function configure(place: Place, endpoint: Endpoint, overrides: Record<string, string>): string {
  const file = join(place.root, 'postgresql.conf');
  const all = { ...settings(endpoint, memoryBytes(), sharedMemoryBytes()), ...overrides };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${quoted(value)}`);
  lines.unshift('# Written at each start; put settings of your own into local.conf beside this file.');
  const local = join(place.root, 'local.conf');
  if (existsSync(local)) lines.push(`include = ${quoted(local)}`);
  // Readable for the server's user, writable for us only; it holds no secret.
  rmSync(file, { force: true });
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  return file;
}

/** The settings for a machine of so much memory. */
export function settings(endpoint: Endpoint, memory: number, sharedMemory: number): Record<string, string> {
  const megabytes = (share: number, least: number, most: number) =>
    `${Math.max(least, Math.min(most, Math.floor(memory / share / 2 ** 20)))}MB`;
  const where: Record<string, string> =
    'port' in endpoint
      ? { listen_addresses: '127.0.0.1', port: String(endpoint.port), unix_socket_directories: '' }
      : {
          listen_addresses: '',
          port: String(socketPort),
          unix_socket_directories: endpoint.socketDir,
          unix_socket_permissions: '0700',
        };
  return {
    ...where,
    max_connections: '100',
    // A list of a million with its indexes is 500 MB; what is not used is not taken.
    shared_buffers: megabytes(16, 32, 1024),
    effective_cache_size: megabytes(2, 128, 8192),
    maintenance_work_mem: megabytes(64, 32, 128),
    work_mem: '8MB',
    // Parallel queries share memory through /dev/shm, which containers keep at 64 MB.
    ...(sharedMemory < 256 * 2 ** 20 ? { dynamic_shared_memory_type: 'sysv' } : {}),
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    wal_compression: 'on',
    max_wal_size: '2GB',
    // Before recovery everything is flushed once more: by one call for the file system instead of one a file, 100 ms
    // instead of 300 to 1,000. Kernels before 5.8 could keep an error of that call to themselves.
    ...(syncfsTellsErrors() ? { recovery_init_sync_method: 'syncfs' } : {}),
    checkpoint_timeout: '15min',
    random_page_cost: '1.1',
    // Our statements are short; compiling one costs more than it gains.
    jit: 'off',
    // Recipient rows are updated several times each: clean up after 5 % changed instead of 20 %.
    autovacuum_naptime: '15s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_analyze_scale_factor: '0.05',
    autovacuum_vacuum_cost_limit: '1000',
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    // The server writes to the file it is given; its size is bounded by us.
    logging_collector: 'off',
    log_line_prefix: '%m [%p] %q%u@%d ',
    log_checkpoints: 'off',
  };
}

async function runInitdb(binaries: Binaries, args: string[], place: Place): Promise<{ code: number; said: string }> {
  const initdb = spawn(join(binaries.dir, 'initdb'), args, {
    ...runOptions(place, binaries),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return outcome(initdb, initdb.stderr);
}

async function outcome(child: ChildProcess, said: Readable): Promise<{ code: number; said: string }> {
  const ended = new Promise<number>((resolve) => {
    child.on('error', () => resolve(-1));
    child.on('close', (code) => resolve(code ?? -1));
  });
  const words = await text(said);
  return { code: await ended, said: words.trim() };
}

function removeTree(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true });
  } catch (error) {
    // An initdb that outlived its killed parent may still be writing; the next first start removes the rest.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}

function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

function sharedMemoryBytes(): number {
  try {
    const { bsize, blocks } = statfsSync('/dev/shm');
    return bsize * blocks;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function syncfsTellsErrors(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return platform() === 'linux' && (major > 5 || (major === 5 && minor >= 8));
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
