// `serve`: everything on one machine. Starts the database when none is given, brings the schema up to date, then runs
// the web process, the workers and the built-in inbox as children of its own. A child that dies is started again;
// the others do not notice. Stops them in order on SIGTERM or SIGINT.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setUpFirstAccount } from './accounts/setup.ts';
import { firstRunToken } from './accounts/sign-in/first-run.ts';
import { linkAddress } from './accounts/sign-in/sign-in-link.ts';
import { publicAddress } from './app.ts';
import { createLog } from './base/log.ts';
import { type Config, childEnvironment } from './config.ts';
import { connect } from './db/connect.ts';
import { startEmbedded } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import { migrateQueue } from './jobs/queue.ts';
import { workerFlags } from './worker-heap.ts';

type Part = { name: string; args: string[]; child?: ChildProcess; failures: number; startedAt: number };

/** How long children may take to finish what they are doing before they are killed. */
const graceMs = 35_000;

export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel, 'serve');
  const stopped = Promise.withResolvers<void>();
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    stopped.resolve();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  // Before anything is made: what is printed once at the first start must not be lost on a port that is taken.
  await checkPort(config);
  const database = config.databaseUrl ? undefined : await startEmbedded({ dataDir: config.dataDir, log });
  const url = config.databaseUrl || database!.url;
  try {
    const changes = await migrate(url);
    if (changes.length > 0) log.info({ count: changes.length, last: changes.at(-1) }, 'schema brought up to date');
    await migrateQueue(url, log);
    const db = connect(url, { most: 2, log });
    const first = await setUpFirstAccount(db, config);
    const firstRun = await firstRunToken(db);
    await db.close();

    const inboxPort = config.smtpUrls.length === 0 ? config.inboxPort || (await freePort()) : 0;
    const environment = childEnvironment({
      DATABASE_URL: url,
      DATA_DIR: config.dataDir,
      INBOX_PORT: String(inboxPort),
      NODE_NO_WARNINGS: '1',
    });
    const count = config.workers || availableParallelism();
    const parts: Part[] = [
      ...(inboxPort > 0 ? [{ name: 'inbox', args: ['inbox'] }] : []),
      { name: 'web', args: ['web'] },
      ...(config.bouncePort > 0 ? [{ name: 'bounces', args: ['bounces'] }] : []),
      ...Array.from({ length: count }, (_, i) => ({ name: `work ${i + 1}`, args: ['work'] })),
    ].map((part) => ({ ...part, failures: 0, startedAt: 0 }));

    const start = (part: Part, onReady?: () => void) => {
      part.startedAt = performance.now();
      const flags = part.args[0] === 'work' ? workerFlags : [];
      const child = spawn(process.execPath, [...flags, join(import.meta.dirname, 'main.ts'), ...part.args], {
        env: environment,
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        // A group of its own, so that Ctrl-C reaches us only and the order of stopping is ours.
        detached: true,
      });
      part.child = child;
      child.once('message', () => onReady?.());
      child.on('error', (error) => log.error({ err: error, part: part.name }, 'cannot be started'));
      child.on('exit', (code, signal) => {
        part.child = undefined as never;
        if (stopping) return;
        if (performance.now() - part.startedAt > 60_000) part.failures = 0;
        part.failures += 1;
        const waitMs = Math.min(10_000, part.failures === 1 ? 0 : 250 * 2 ** part.failures);
        log.warn({ part: part.name, code, signal, waitMs }, 'a process has ended unasked; it is started again');
        setTimeout(() => !stopping && start(part), waitMs);
      });
    };
    const webReady = Promise.withResolvers<void>();
    for (const part of parts) start(part, part.name === 'web' ? webReady.resolve : undefined);
    await Promise.race([webReady.promise, stopped.promise]);
    if (!stopping || first) welcome(config, first, firstRun, inboxPort);
    await stopped.promise;
    log.info('stopping');
    await Promise.all(parts.map((part) => end(part.child)));
  } finally {
    await database?.stop();
  }
}

/** Tells where the program answers and, once, what was made at the first start. For a person, so no log line. */
function welcome(
  config: Config,
  first: Awaited<ReturnType<typeof setUpFirstAccount>>,
  firstRun: string | undefined,
  inboxPort: number,
) {
  const base = publicAddress(config);
  const lines = [
    '',
    `  Postrider answers at ${base}`,
    `  Web application     ${base}/app/`,
    `  API reference       ${base}/api`,
  ];
  if (inboxPort > 0) lines.push(`  Built-in inbox      ${base}/app/inbox   (no SMTP_URL given: mail stays here)`);
  if (first) {
    lines.push('', '  First account (shown once):', `    e-mail    ${first.email}`);
    lines.push(`    password  ${first.passwordGiven ? '(as given in SETUP_PASSWORD)' : first.password}`);
    lines.push(`    API key   ${first.keyGiven ? '(as given in SETUP_API_KEY)' : first.apiKey}`);
  }
  if (firstRun) {
    lines.push('', '  Begin here, once and within 24 hours: choose your own address and password');
    lines.push(`    ${linkAddress(base, 'first run', firstRun)}`);
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

/** A parent that is gone cannot restart anybody: children watch the channel to it and end when it closes. */
export function endWithParent(finish: () => void) {
  if (!process.send) return;
  process.on('disconnect', () => {
    finish();
    // Its database may be gone with it, and nobody is left to end who waits for that.
    setTimeout(() => process.exit(1), graceMs).unref();
  });
}

function end(child: ChildProcess | undefined): Promise<void> {
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

/** @throws Error naming the setting when the web process could not listen */
function checkPort({ port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: Error & { code?: string }) => {
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${error.code})`;
      reject(
        new Error(
          `Port ${port} of ${host} ${why}. Set PORT (or HOST) to another and start again; nothing was changed.`,
        ),
      );
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
