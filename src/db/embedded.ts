// Runs a real PostgreSQL as our child process, for installations without a DATABASE_URL.
// Promises: one server a data directory, ours alone; it comes back by itself within about a second when it dies; nothing
// committed is lost by kill -9 of it, of us, or of everything; it ends when we end, however we end.
// Leaves to the caller: migrations, connections, and calling stop() when the program shuts down.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Binaries, findBinaries } from './embedded/binaries.ts';
import {
  appName,
  type Credentials,
  clusterMajor,
  clusterName,
  configure,
  credentials,
  type Endpoint,
  makeCluster,
  resetSuperuser,
  runOptions,
  socketPort,
  superuser,
  writePrivately,
} from './embedded/cluster.ts';
import { takeLock } from './embedded/lock.ts';
import { type BoundedLog, openLog } from './embedded/log.ts';
import { findPlace, homeOf, makeHome, makePrivateDir, type Place } from './embedded/place.ts';
import { EmbeddedPostgresError } from './embedded/problem.ts';
import { endLeftovers, isAlive, isReady, startOf } from './embedded/processes.ts';
import { endOnOurDeath, type Undertaker } from './embedded/undertaker.ts';

type LogLine = (entry: object | string, message?: string) => void;

export type EmbeddedOptions = {
  dataDir: string;
  log: { info: LogLine; warn: LogLine; error: LogLine };
  /** Use the programs in this directory and no others. */
  binDir?: string | undefined;
  /** Further PostgreSQL settings, over ours. */
  settings?: Record<string, string>;
  /** Where clusters go whose data directory the server's user cannot reach (only as root). */
  relocateTo?: string;
  /** Called each time the server ends although nobody asked it to; it is started again at once all the same. */
  onUnexpectedEnd?: (end: { code: number | null; signal: NodeJS.Signals | null }) => void;
};

export type EmbeddedServer = {
  /** For `pg` and libpq alike; the same after the server was restarted. Owner of one database, no superuser. */
  url: string;
  superuserUrl: string;
  /** Of the postmaster running now. */
  readonly pid: number;
  /** Ends the server in order; open transactions are rolled back. May be called more than once. */
  stop(): Promise<void>;
};

type Connection = { url: string; pid: number; startedAt: string };

/** Starts the server of a data directory, making its cluster the first time. Throws EmbeddedPostgresError. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError('no-binaries', 'On Windows, set DATABASE_URL to a PostgreSQL server.');
  }
  const home = makeHome(options.dataDir);
  const lock = takeLock(join(home, 'lock'), options.dataDir);
  const closing: (() => void)[] = [() => lock.release()];
  const close = () => {
    for (const step of closing.splice(0).reverse()) step();
  };
  try {
    const place = findPlace(home, options.relocateTo ?? '/var/lib/postrider');
    if (place.root !== home) {
      // Two copies of a data directory would point to the same cluster.
      const second = takeLock(join(place.root, 'lock'), options.dataDir);
      closing.push(() => second.release());
      options.log.info(`The database server cannot reach ${home}; its files are in ${place.root}`);
    }
    const { secret, isNew } = credentials(home);
    const major = clusterMajor(place.clusterDir);
    if (major !== undefined) {
      const leftovers = await endLeftovers(clusterName(secret.id, place.clusterDir), place.clusterDir);
      if (leftovers !== 'none') options.log.warn(`A database server left by an earlier run was ${leftovers}`);
    }
    const wanted = { binDir: options.binDir, major, runAs: place.runAs, copyTo: place.root };
    const binaries = findBinaries(wanted);
    if (major === undefined) await makeCluster(place, binaries, secret);
    const endpoint = await listenAt(place);
    const config = configure(place, endpoint, options.settings ?? {});
    // The passwords were lost, or only the cluster was brought here from elsewhere.
    if (isNew && major !== undefined) await resetSuperuser(place, binaries, config, secret);
    const log = openLog(join(place.root, 'postgres.log'));
    closing.push(() => log.close());
    const undertaker = endOnOurDeath(place);
    closing.push(() => undertaker.dismiss());

    const name = clusterName(secret.id, place.clusterDir);
    const server = new Server({ options, place, binaries, secret, name, config, endpoint, log, undertaker, close });
    await server.start();
    const connection: Connection = { url: server.url, pid: process.pid, startedAt: startOf(process.pid) };
    closing.push(() => rmSync(join(home, 'server.json'), { force: true }));
    writePrivately(join(home, 'server.json'), JSON.stringify(connection));
    options.log.info({ version: binaries.version, pid: server.pid }, 'PostgreSQL is running');
    return {
      url: server.url,
      superuserUrl: server.superuserUrl,
      get pid() {
        return server.pid;
      },
      stop: () => server.stop(),
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** For another process of the same installation: how to connect, or undefined when no server runs here. */
export function readEmbeddedUrl(dataDir: string): string | undefined {
  let connection: Connection;
  try {
    connection = JSON.parse(readFileSync(join(homeOf(dataDir), 'server.json'), 'utf8')) as Connection;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // The file outlives a kill -9 of its writer; the writer's pid alone could have been given to another process since.
  const { pid, startedAt, url } = connection;
  return isAlive(pid) && startOf(pid) === startedAt ? url : undefined;
}

type Parts = {
  options: EmbeddedOptions;
  place: Place;
  binaries: Binaries;
  secret: Credentials;
  name: string;
  config: string;
  endpoint: Endpoint;
  log: BoundedLog;
  undertaker: Undertaker;
  close: () => void;
};

/** The running server: a child process that is replaced when it dies. */
class Server {
  readonly url: string;
  readonly superuserUrl: string;
  #parts: Parts;
  #child: ChildProcess | undefined;
  #stopping = new AbortController();
  #stopped: Promise<void> | undefined;
  /** Follows the child for as long as it lives, and its successors. */
  #watch: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { endpoint, secret } = parts;
    this.url = urlFor(endpoint, appName, secret.password, appName);
    this.superuserUrl = urlFor(endpoint, superuser, secret.superuserPassword, superuser);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async start(): Promise<void> {
    try {
      await this.#launch();
      await this.#makeDatabase();
    } catch (error) {
      this.#stopping.abort();
      await this.#end();
      throw error;
    }
    this.#watch = this.#keepRunning();
  }

  stop(): Promise<void> {
    this.#stopped ??= (async () => {
      this.#stopping.abort();
      await this.#end();
      await this.#watch;
      this.#parts.close();
      this.#parts.options.log.info('PostgreSQL is stopped');
    })();
    return this.#stopped;
  }

  /** Resolves when the server takes connections, which a long recovery may delay; throws when it ends before. */
  async #launch(): Promise<void> {
    const { options, place, binaries, name, config, log, undertaker } = this.#parts;
    const logFrom = log.size();
    const args = ['-D', place.clusterDir, '-c', `config_file=${config}`, '-c', `cluster_name=${name}`];
    const child = spawn(join(binaries.dir, 'postgres'), args, {
      ...runOptions(place, binaries),
      stdio: ['ignore', log.fd, log.fd],
    });
    this.#child = child;
    const failed = new Promise<Error>((resolve) => child.once('error', resolve));
    undertaker.watchOver(child.pid ?? 0);
    const begunAt = Date.now();
    let told = begunAt;
    while (!isReady(place.clusterDir, child.pid ?? -1)) {
      if (hasEnded(child) || child.pid === undefined) {
        const cause = child.pid === undefined ? (await failed).message : log.problemsSince(logFrom);
        throw new EmbeddedPostgresError(
          'did-not-start',
          `PostgreSQL ${binaries.version} did not start in ${place.root}: ${cause || `exit code ${child.exitCode}`}`,
        );
      }
      if (Date.now() - told > 5_000) {
        told = Date.now();
        options.log.info(`PostgreSQL is recovering, for ${Math.round((told - begunAt) / 1000)} s now`);
      }
      await sleep(10);
    }
  }

  /** Role and database of ours; both are there already at any but the first start. */
  async #makeDatabase(): Promise<void> {
    const { password } = this.#parts.secret;
    const probe = new pg.Client({ connectionString: this.url });
    try {
      await probe.connect();
      return;
    } catch {
      // Not yet made, or the making was cut short: below.
    } finally {
      await probe.end();
    }
    const client = new pg.Client({ connectionString: this.superuserUrl });
    await client.connect();
    try {
      const role = await client.query('select from pg_roles where rolname = $1', [appName]);
      const verb = role.rowCount === 0 ? 'create' : 'alter';
      await client.query(`${verb} role ${appName} login password '${password}'`);
      const database = await client.query('select from pg_database where datname = $1', [appName]);
      if (database.rowCount === 0) await client.query(`create database ${appName} owner ${appName}`);
    } finally {
      await client.end();
    }
  }

  async #keepRunning(): Promise<void> {
    const { options, place, name } = this.#parts;
    let waitMs = 0;
    while (!this.#stopping.signal.aborted) {
      const child = this.#child!;
      const readyAt = Date.now();
      await ended(child);
      if (this.#stopping.signal.aborted) return;
      const endedAt = Date.now();
      const end = { code: child.exitCode, signal: child.signalCode };
      options.log.error(end, 'PostgreSQL ended unexpectedly; starting it again');
      options.onUnexpectedEnd?.(end);
      // Only a server that dies again and again is waited for, longer if it does not even come up.
      waitMs = endedAt - readyAt > 10_000 ? 0 : Math.min(1_000, waitMs);
      for (;;) {
        await sleep(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
        waitMs = Math.min(10_000, waitMs * 2 + 100);
        if (this.#stopping.signal.aborted) return;
        try {
          await endLeftovers(name, place.clusterDir);
          if (this.#stopping.signal.aborted) return;
          await this.#launch();
          options.log.info({ pid: this.pid, afterMs: Date.now() - endedAt }, 'PostgreSQL is running again');
          break;
        } catch (error) {
          if (this.#stopping.signal.aborted) return;
          options.log.error({ err: error }, 'PostgreSQL could not be started again; trying on');
        }
      }
    }
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (!child?.pid) return;
    for (const [signal, waitMs] of [
      ['SIGINT', 30_000], // fast: rolls back, writes a checkpoint
      ['SIGQUIT', 5_000], // immediate: recovers at the next start
      ['SIGKILL', 5_000],
    ] as const) {
      if (hasEnded(child)) return;
      if (signal !== 'SIGINT') this.#parts.options.log.warn(`PostgreSQL does not end; sending ${signal}`);
      child.kill(signal);
      await Promise.race([ended(child), sleep(waitMs, undefined, { ref: false })]);
    }
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function ended(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await new Promise((resolve) => child.once('exit', resolve));
}

// The address of a unix socket holds 108 bytes with the closing NUL (unix(7)); 104 on BSD and macOS.
const socketPathBytes = process.platform === 'linux' ? 107 : 103;

async function listenAt(place: Place): Promise<Endpoint> {
  const socketDir = join(place.root, 'run');
  if (Buffer.byteLength(join(socketDir, `.s.PGSQL.${socketPort}`)) > socketPathBytes) return { port: await freePort() };
  // We hold the lock and no server runs: whatever lies here is of a dead one, whose pid another process may have now.
  rmSync(socketDir, { recursive: true, force: true });
  makePrivateDir(socketDir, place.runAs);
  return { socketDir };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(address && typeof address === 'object' ? address.port : 0));
    });
  });
}

function urlFor(endpoint: Endpoint, user: string, password: string, database: string): string {
  const host =
    'port' in endpoint ? `127.0.0.1:${endpoint.port}` : `${encodeURIComponent(endpoint.socketDir)}:${socketPort}`;
  return `postgresql://${user}:${password}@${host}/${database}`;
}
