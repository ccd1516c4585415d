// `serve`: everything on one machine. Starts the embedded database unless DATABASE_URL is set, migrates the schema, then
// runs the web process, the workers and the built-in inbox as child processes. Restarts a child that exits; the others
// keep running. Stops them in order on SIGTERM or SIGINT.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { publicUrl, recordPublicUrl } from './accounts/public-url.ts';
import { setUpFirstAccount } from './accounts/setup.ts';
import { firstRunToken } from './accounts/sign-in/first-run.ts';
import { linkAddress } from './accounts/sign-in/sign-in-link.ts';
import { freePort } from './base/free-port.ts';
import { listenProblem } from './base/listen-problem.ts';
import { createLog, type Log } from './base/log.ts';
import { type Config, childEnvironment } from './config.ts';
import { connect } from './db/connect.ts';
import { startEmbedded } from './db/embedded/embedded.ts';
import { migrate } from './db/migrate.ts';
import { makePartitions } from './db/partitions.ts';
import { warnOfServer } from './db/server-check.ts';
import { poolThreads } from './delivery/message/signing-threads.ts';
import { migrateQueue } from './jobs/queue.ts';
import { graceMs } from './parent-watch.ts';
import { workerFlags } from './worker-heap.ts';

/** A child that ran this long is healthy: its failures are forgotten. */
const healthyMs = 60_000;
const maxRestartMs = 10_000;

export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel, 'serve');
  const stopped = stopSignal();
  // First of all: nothing may be left behind by a start that fails on a port in use.
  await checkPort(config);
  const workers = config.workers || availableParallelism();
  const database = config.databaseUrl ? undefined : await startEmbedded({ dataDir: config.dataDir, log, workers });
  const url = config.databaseUrl || database!.url;
  try {
    const setup = await prepareDatabase(url, config, workers, log);
    const inboxPort = config.smtpUrls.length === 0 ? config.inboxPort || (await freePort()) : 0;
    const environment = {
      DATABASE_URL: url,
      DATA_DIR: config.dataDir,
      INBOX_PORT: String(inboxPort),
      NODE_NO_WARNINGS: '1',
    };
    const children = new Children(log, environment, poolThreads(workers));
    if (inboxPort > 0) children.start('inbox', 'inbox');
    const webReady = children.start('web', 'web');
    if (config.bouncePort > 0) children.start('bounces', 'bounces');
    if (config.submissionPort > 0) children.start('submission', 'submission');
    for (let i = 1; i <= workers; i++) children.start(`work ${i}`, 'work');
    await Promise.race([webReady, stopped.promise]);
    // The file with the credentials of the first start is named even when the start is interrupted.
    if (!stopped.requested() || setup.first) printWelcome(setup, inboxPort);
    await stopped.promise;
    log.info('stopping');
    await children.stop();
  } finally {
    await database?.stop();
  }
}

type Setup = { first: Awaited<ReturnType<typeof setUpFirstAccount>>; firstRun: string | undefined; base: string };

async function prepareDatabase(url: string, config: Config, workers: number, log: Log): Promise<Setup> {
  const applied = await migrate(url);
  if (applied.length > 0) log.info({ count: applied.length, last: applied.at(-1) }, 'schema migrated');
  await migrateQueue(url, log);
  const db = connect(url, { maxConnections: 2, log });
  await makePartitions(db);
  if (config.databaseUrl) await warnOfServer(db, workers, log);
  const served = await publicUrl(db, config);
  await recordPublicUrl(db, served);
  const { url: base } = served;
  const first = await setUpFirstAccount(db, config, base);
  const firstRun = await firstRunToken(db);
  await db.close();
  return { first, firstRun, base };
}

type Child = { name: string; command: string; process?: ChildProcess; failures: number; startedAt: number };

/** The child processes. Each is restarted when it exits, with growing pauses, until stop is called. */
class Children {
  readonly #log: Log;
  readonly #environment: Record<string, string>;
  /** In the pool of each worker. */
  readonly #threads: number;
  readonly #children: Child[] = [];
  #stopping = false;

  constructor(log: Log, environment: Record<string, string>, threads: number) {
    this.#log = log;
    this.#environment = environment;
    this.#threads = threads;
  }

  /** Resolves when the child reports that it is ready. */
  start(name: string, command: string): Promise<void> {
    const child: Child = { name, command, failures: 0, startedAt: 0 };
    this.#children.push(child);
    return this.#spawn(child);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#children.map((child) => terminate(child.process)));
  }

  #spawn(child: Child): Promise<void> {
    child.startedAt = performance.now();
    const flags = child.command === 'work' ? workerFlags : [];
    const threads = child.command === 'work' ? { UV_THREADPOOL_SIZE: String(this.#threads) } : {};
    const spawned = spawn(process.execPath, [...flags, join(import.meta.dirname, 'main.ts'), child.command], {
      // What the operator has set goes before.
      env: { ...threads, ...childEnvironment(this.#environment) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // A process group of its own, so that Ctrl-C reaches only the parent and the parent decides the order.
      detached: true,
    });
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
    return new Promise((ready) => spawned.once('message', () => ready()));
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
    `  API reference       ${base}/api`,
  ];
  if (inboxPort > 0) lines.push(`  Built-in inbox      ${base}/app/inbox   (mail stays here until there is a relay)`);
  if (first) {
    lines.push('', `  First account       ${first.email}`);
    if (first.file !== undefined) lines.push(`  Its credentials     ${first.file}   (read them, then delete the file)`);
  }
  if (firstRun) {
    lines.push('', '  Begin here, once and within 24 hours, and choose your email address and password:');
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
