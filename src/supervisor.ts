// `serve`: everything on one machine. Starts the embedded database unless DATABASE_URL is set, migrates the schema, and runs
// the web process, the workers and the built-in inbox as child processes. Restarts a child that exits; the others keep
// running. Stops them in order on SIGTERM or SIGINT. Runs all the time, so it loads what only some starts need when they do.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { linkMinutes } from './accounts/access/link-minutes.ts';
import { linkAddress } from './accounts/access/sign-in-link.ts';
import { publicUrl, recordPublicUrl } from './accounts/installation/public-url.ts';
import { firstRunToken } from './accounts/people/placeholder.ts';
import type { FirstAccount } from './accounts/setup.ts';
import { backupBeforeMigration } from './backup/before-migration.ts';
import { freePort } from './base/free-port.ts';
import { listenProblem } from './base/listen-problem.ts';
import { createLog, type Log } from './base/log.ts';
import { moduleUrl } from './base/threads/module-url.ts';
import { version } from './base/version.ts';
import { type Config, childEnvironment } from './config.ts';
import { connect, type Database, sql } from './db/connect.ts';
import { type EmbeddedServer, startEmbedded } from './db/embedded/embedded.ts';
import { migrate } from './db/migrate/migrate.ts';
import { makePartitions } from './db/partitions.ts';
import { warnOfServer } from './db/server-check.ts';
import { poolThreads } from './delivery/message/signing-threads.ts';
import { flagsOf } from './heap.ts';
import { migrateQueue } from './jobs/queue-schema.ts';
import { graceMs, waitArgument } from './parent-watch.ts';

/** A child that ran this long is healthy: its failures are forgotten. */
const healthyMs = 60_000;
const maxRestartMs = 10_000;
/** How long the other children wait for a web process that does not come up. */
const maxWebStartMs = 2_000;

export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel, 'serve');
  log.info({ version }, 'starting');
  const stopped = stopSignal();
  // First of all: nothing may be left behind by a start that fails on a port in use.
  await checkPort(config);
  const workers = config.workers || availableParallelism();
  const inboxPort = config.smtpUrls.length === 0 ? config.inboxPort || (await freePort()) : 0;
  const environment = { DATA_DIR: config.dataDir, INBOX_PORT: String(inboxPort), NODE_NO_WARNINGS: '1' };
  const children = new Children(log, environment, poolThreads(workers));
  let database: EmbeddedServer | undefined;
  try {
    // It takes longer to load its code than PostgreSQL to start.
    const webReady = children.start('web', 'web');
    // Loaded meanwhile, for the migration of the queue.
    const queueLibrary = import('graphile-worker');
    if (!config.databaseUrl) database = await startEmbedded({ dataDir: config.dataDir, log, workers });
    const url = config.databaseUrl || database!.url;
    await queueLibrary;
    const setup = await prepareDatabase(url, config, workers, log);
    log.info('database ready');
    const { chromiumProblem } = await import('./campaigns/templates/chromium-place.ts');
    const problem = chromiumProblem(config.chromiumPath);
    if (problem !== undefined) log.warn(problem);
    children.databaseReady(url);
    // Not immediately: on few cores they would delay the first page.
    await Promise.race([webReady, stopped.promise, sleep(maxWebStartMs, undefined, { ref: false })]);
    if (inboxPort > 0) children.start('inbox', 'inbox');
    if (config.bouncePort > 0) children.start('bounces', 'bounces');
    if (config.submissionPort > 0) children.start('submission', 'submission');
    for (let i = 1; i <= workers; i++) children.start(`work ${i}`, 'work');
    await Promise.race([webReady, stopped.promise]);
    // The file with the credentials of the first start is named even when the start is interrupted.
    if (!stopped.requested() || setup.first) printWelcome(setup, inboxPort);
    await stopped.promise;
    log.info('stopping');
  } finally {
    await children.stop();
    await database?.stop();
  }
}

type Setup = { first: FirstAccount | undefined; firstRun: string | undefined; base: string };

async function prepareDatabase(url: string, config: Config, workers: number, log: Log): Promise<Setup> {
  const backup = await backupBeforeMigration(config, url, (text) => log.info(text));
  if (backup !== undefined) log[backup.startsWith('No ') ? 'warn' : 'info'](backup);
  const applied = await migrate(url);
  if (applied.length > 0) log.info({ count: applied.length, last: applied.at(-1) }, 'schema migrated');
  await migrateQueue(url, log);
  const db = connect(url, { maxConnections: 2, log });
  await makePartitions(db);
  if (config.databaseUrl) await warnOfServer(db, workers, log);
  const served = await publicUrl(db, config);
  await recordPublicUrl(db, served);
  const { url: base } = served;
  const first = await firstAccount(db, config, base);
  const firstRun = await firstRunToken(db);
  await db.close();
  return { first, firstRun, base };
}

async function firstAccount(db: Database, config: Config, base: string): Promise<FirstAccount | undefined> {
  if ((await db.row(sql`select id from account limit 1`)) !== undefined) return undefined;
  const { setUpFirstAccount } = await import('./accounts/setup.ts');
  return setUpFirstAccount(db, config, base);
}

type Child = {
  name: string;
  command: string;
  process?: ChildProcess;
  failures: number;
  startedAt: number;
  ready: PromiseWithResolvers<void>;
};

/** The child processes. Each is restarted when it exits, with growing pauses, until stop is called. */
class Children {
  readonly #log: Log;
  #environment: Record<string, string>;
  /** In the pool of each worker. */
  readonly #threads: number;
  readonly #children: Child[] = [];
  #hasDatabase = false;
  #stopping = false;

  constructor(log: Log, environment: Record<string, string>, threads: number) {
    this.#log = log;
    this.#environment = environment;
    this.#threads = threads;
  }

  /**
   * Starts a child that is to keep running. Before the database is ready, only one whose command has waitArgument.
   * Resolves when the child reports that it is ready.
   */
  start(name: string, command: string): Promise<void> {
    const child: Child = { name, command, failures: 0, startedAt: 0, ready: Promise.withResolvers() };
    this.#children.push(child);
    this.#spawn(child);
    return child.ready.promise;
  }

  /** Children that wait for the database go on. */
  databaseReady(url: string): void {
    this.#hasDatabase = true;
    this.#environment = { ...this.#environment, DATABASE_URL: url };
    // One that has just ended is started again, with the URL.
    for (const { process } of this.#children) process?.send(url, () => undefined);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#children.map((child) => terminate(child.process)));
  }

  #spawn(child: Child): void {
    child.startedAt = performance.now();
    const threads = child.command === 'work' ? { UV_THREADPOOL_SIZE: String(this.#threads) } : {};
    const words = this.#hasDatabase ? [child.command] : [child.command, waitArgument];
    const spawned = spawn(
      process.execPath,
      [...flagsOf(child.command), fileURLToPath(moduleUrl('./main', import.meta.url)), ...words],
      {
        // What the operator has set goes before.
        env: { ...threads, ...childEnvironment(this.#environment) },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        // A process group of its own, so that Ctrl-C reaches only the parent and the parent decides the order.
        detached: true,
      },
    );
    child.process = spawned;
    spawned.on('error', (error) => this.#log.error({ err: error, part: child.name }, 'process failed to start'));
    spawned.on('exit', (code, signal) => {
      delete child.process;
      if (this.#stopping) return;
      if (performance.now() - child.startedAt > healthyMs) child.failures = 0;
      child.failures += 1;
      const waitMs = Math.min(maxRestartMs, child.failures === 1 ? 0 : 250 * 2 ** child.failures);
      this.#log.warn({ part: child.name, code, signal, waitMs }, 'process exited unexpectedly; restarting it');
      setTimeout(() => !this.#stopping && this.#spawn(child), waitMs);
    });
    spawned.once('message', () => child.ready.resolve());
  }
}

function terminate(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const killer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    child.once('exit', () => {
      clearTimeout(killer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

function stopSignal() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let requested = false;
  const stop = () => {
    requested = true;
    resolve();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return { promise, requested: () => requested };
}

/** Prints the addresses and, at the first start, where the credentials are. For a person, so not a log line. */
function printWelcome({ first, firstRun, base }: Setup, inboxPort: number) {
  const lines = [
    '',
    `  Postrider is running at ${base}`,
    `  Web application     ${base}/app/`,
    `  Documentation       ${base}/docs/`,
    `  API reference       ${base}/api`,
  ];
  if (inboxPort > 0) lines.push(`  Built-in inbox      ${base}/app/inbox   (mail stays here until there is a relay)`);
  if (first) {
    lines.push('', `  First account       ${first.email}`);
    if (first.file !== undefined) lines.push(`  Its credentials     ${first.file}   (read them, then delete the file)`);
  }
  if (firstRun) {
    const hours = linkMinutes['first run'] / 60;
    lines.push('', `  Begin here, once and within ${hours} hours, and choose your email address and password:`);
    lines.push(`    ${linkAddress(base, 'first run', firstRun)}`);
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

/** @throws Error naming the setting when the web process could not listen */
function checkPort({ port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(listenProblem(error, { host, port }, { host: 'HOST', port: 'PORT' })));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
