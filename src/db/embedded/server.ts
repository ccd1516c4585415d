// The running server: a child process that is restarted when it dies.
// STARTING → RUNNING → (dies) RESTARTING → RUNNING … ; stop() leads from any of them to STOPPED, which is final.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Binaries } from './binaries.ts';
import { appName, type Credentials, runOptions, superuser } from './cluster.ts';
import { type Endpoint, urlOf } from './endpoint.ts';
import type { BoundedLog } from './log.ts';
import type { ParentWatch } from './parent-watch.ts';
import type { Place } from './place.ts';
import { EmbeddedPostgresError } from './problem.ts';
import { endLeftovers, isReady } from './processes.ts';

type LogLine = (entry: object | string, message?: string) => void;

export type ServerLog = { info: LogLine; warn: LogLine; error: LogLine };

export type ServerEnd = { code: number | null; signal: NodeJS.Signals | null };

export type ServerParts = {
  place: Place;
  binaries: Binaries;
  secret: Credentials;
  /** The cluster's name, which all its processes show. */
  name: string;
  settingsFile: string;
  endpoint: Endpoint;
  /** What the server itself writes. */
  serverLog: BoundedLog;
  parentWatch: ParentWatch;
  log: ServerLog;
  onUnexpectedEnd: ((end: ServerEnd) => void) | undefined;
  /** Called once the server has stopped. */
  close: () => void;
};

export class Server {
  readonly url: string;
  readonly superuserUrl: string;
  readonly version: string;
  #parts: ServerParts;
  #child: ChildProcess | undefined;
  #stopping = new AbortController();
  #stopped: Promise<void> | undefined;
  /** Ends when no child is restarted any more. */
  #restarts: Promise<void> = Promise.resolve();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { endpoint, secret, binaries } = parts;
    this.url = urlOf(endpoint, appName, secret.password, appName);
    this.superuserUrl = urlOf(endpoint, superuser, secret.superuserPassword, superuser);
    this.version = binaries.version;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resolves when the server accepts connections and has our role and database. */
  async start(): Promise<void> {
    try {
      await this.#launch();
      await this.#makeDatabase();
    } catch (error) {
      this.#stopping.abort();
      await this.#end();
      throw error;
    }
    this.#restarts = this.#restartWhenDead();
  }

  stop(): Promise<void> {
    this.#stopped ??= (async () => {
      this.#stopping.abort();
      await this.#end();
      await this.#restarts;
      this.#parts.close();
      this.#parts.log.info('PostgreSQL has stopped');
    })();
    return this.#stopped;
  }

  /** Resolves when the server accepts connections, which a long recovery may delay; throws when it ends before that. */
  async #launch(): Promise<void> {
    const { log, place, binaries, name, settingsFile, serverLog, parentWatch } = this.#parts;
    const logFrom = serverLog.size();
    const args = ['-D', place.clusterDir, '-c', `config_file=${settingsFile}`, '-c', `cluster_name=${name}`];
    const child = spawn(join(binaries.dir, 'postgres'), args, {
      ...runOptions(place, binaries),
      stdio: ['ignore', serverLog.fd, serverLog.fd],
    });
    this.#child = child;
    const failed = new Promise<Error>((resolve) => child.once('error', resolve));
    parentWatch.watchOver(child.pid ?? 0);
    const startedAt = Date.now();
    let loggedAt = startedAt;
    while (!isReady(place.clusterDir, child.pid ?? -1)) {
      if (hasEnded(child) || child.pid === undefined) {
        const cause = child.pid === undefined ? (await failed).message : serverLog.problemsSince(logFrom);
        throw new EmbeddedPostgresError(
          'did-not-start',
          `PostgreSQL ${binaries.version} did not start in ${place.root}: ${cause || `exit code ${child.exitCode}`}`,
        );
      }
      if (Date.now() - loggedAt > 5_000) {
        loggedAt = Date.now();
        log.info(`PostgreSQL has been recovering for ${Math.round((loggedAt - startedAt) / 1000)} s`);
      }
      await sleep(10);
    }
  }

  /** Creates our role and database; after the first start, both exist. */
  async #makeDatabase(): Promise<void> {
    const { password } = this.#parts.secret;
    const probe = new pg.Client({ connectionString: this.url });
    try {
      await probe.connect();
      return;
    } catch {
      // Not created yet, or only in part.
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

  async #restartWhenDead(): Promise<void> {
    const { log, onUnexpectedEnd } = this.#parts;
    let pauseMs = 0;
    while (!this.#isStopping()) {
      const child = this.#child!;
      const readyAt = Date.now();
      await ended(child);
      if (this.#isStopping()) return;
      const end = { code: child.exitCode, signal: child.signalCode };
      log.error(end, 'PostgreSQL ended unexpectedly; restarting it');
      onUnexpectedEnd?.(end);
      // The first restart is immediate. Only a server that keeps dying is waited for.
      pauseMs = Date.now() - readyAt > 10_000 ? 0 : Math.min(1_000, pauseMs);
      pauseMs = await this.#restart(pauseMs);
    }
  }

  /** Tries until the server is up or is to stop. Returns the pause before the next restart. */
  async #restart(firstPauseMs: number): Promise<number> {
    const { log, place, name } = this.#parts;
    const endedAt = Date.now();
    for (let pauseMs = firstPauseMs; ; ) {
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(10_000, pauseMs * 2 + 100);
      if (this.#isStopping()) return pauseMs;
      try {
        await endLeftovers(name, place.clusterDir);
        if (this.#isStopping()) return pauseMs;
        await this.#launch();
        log.info({ serverPid: this.pid, downMs: Date.now() - endedAt }, 'PostgreSQL is running again');
        return pauseMs;
      } catch (error) {
        if (this.#isStopping()) return pauseMs;
        log.error({ err: error }, 'PostgreSQL could not be restarted; trying again');
      }
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
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
      if (signal !== 'SIGINT') this.#parts.log.warn(`PostgreSQL has not ended; sending ${signal}`);
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
