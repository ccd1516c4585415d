// The command line and composition root: each command puts parts together in a few lines. The commands that run servers are
// here, the others in administration.ts.
// Exit codes: 0 done, 1 failed, 2 wrong usage, 75 sending has just been held (a restarted worker waits),
// 78 the database has migrations that this program lacks.
import { constants, setPriority } from 'node:os';
import { Command, Option } from 'commander';
import type { App } from './base/context.ts';
import { Fault } from './base/faults.ts';
import { version } from './base/version.ts';
import { needDatabase, Usage, untilStopped } from './command-line.ts';
import { ensureHome, readConfig, settings } from './config.ts';
import { databaseProblem } from './db/connect.ts';
import { poolSizes } from './db/connections.ts';
import { SchemaMismatch } from './db/migrate/migrate.ts';
import { collectStartGarbage, limitHeapGrowth } from './heap.ts';
import { databaseOfParent, waitArgument } from './parent-watch.ts';

// What a person or a script would read is lost when its reader is gone or the disk is full; the process continues.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
ensureHome();

const program = new Command('postrider')
  .description(
    'Self-hosted email marketing: campaigns over an API of named methods, signed webhooks, a record of every message.',
  )
  .version(version)
  .addHelpText('after', () => `\nSettings (environment variables):\n${settingsText()}`);

program
  .command('serve')
  .description('run everything on this machine: database (unless DATABASE_URL is set), web, workers and inbox')
  .action(async () => {
    const { serve } = await import('./supervisor.ts');
    await serve(readConfig());
  });

program
  .command('web')
  .description('run a web process only (needs DATABASE_URL)')
  .addOption(new Option(waitArgument).hideHelp())
  .action(({ waitForParent }: { waitForParent?: true }) =>
    runServer(
      'web',
      poolSizes.web,
      async () => {
        const { startWeb } = await import('./web.ts');
        return async (app) => {
          const web = await startWeb(app);
          void warnIfTooFewConnections(app);
          app.log.info({ url: web.url }, 'web listening');
          return web;
        };
      },
      waitForParent,
    ),
  );

program
  .command('work')
  .description(
    'run a worker process only: deliveries and background jobs (needs DATABASE_URL, and a relay or INBOX_PORT to send)',
  )
  .action(async () => {
    const config = readConfig();
    const url = needDatabase(config);
    const { closeApp, openApp } = await import('./app.ts');
    const { startWorker } = await import('./delivery/worker.ts');
    const { handlers } = await import('./task-handlers.ts');
    const { startAutomations } = await import('./automations/run/engine.ts');
    const { startDispatcher } = await import('./webhooks/dispatch.ts');
    const { watchSending } = await import('./jobs/sending-watch.ts');
    limitHeapGrowth();
    const app = await openApp(config, 'work', url, poolSizes.work);
    const stopped = untilStopped();
    const watch = watchSending(app);
    process.send?.('ready');
    // A copy of an installation runs nothing that the original runs: no mail, no jobs, no webhooks.
    if ((await Promise.race([watch.allowed, stopped, watch.ended])) === 'allowed') {
      const worker = await startWorker(app, handlers);
      const dispatcher = startDispatcher(app);
      const automations = startAutomations(app);
      app.log.info({ workerId: worker.id }, 'worker ready');
      collectStartGarbage();
      void warnIfTooFewConnections(app);
      await Promise.race([stopped, watch.ended]);
      await Promise.all([worker.stop(), dispatcher.stop(), automations.stop()]);
    }
    const code = await watch.stop();
    await closeApp(app);
    process.exit(code);
  });

program
  .command('inbox')
  .description('run the built-in inbox only: an SMTP server on 127.0.0.1:INBOX_PORT (needs DATABASE_URL)')
  .action(() =>
    runServer('inbox', poolSizes.inbox, async () => {
      const { startInbox } = await import('./inbox/inbox.ts');
      return async (app) => {
        const inbox = await startInbox(app);
        app.log.info({ port: inbox.port }, 'inbox listening');
        return inbox;
      };
    }),
  );

program
  .command('bounces')
  .description('run the bounce listener only, on BOUNCE_HOST:BOUNCE_PORT (needs DATABASE_URL and BOUNCE_DOMAIN)')
  .action(() => {
    if (readConfig().bouncePort === 0) throw new Usage('BOUNCE_PORT is not set, so there is no port to listen on.');
    return runServer('bounces', poolSizes.bounces, async () => {
      const { startBounceListener } = await import('./returned/smtp/listener.ts');
      return async (app) => {
        const listener = await startBounceListener(app);
        app.log.info({ port: listener.port }, 'bounce listener listening');
        return listener;
      };
    });
  });

program
  .command('submission')
  .description('run the SMTP submission server only, on SUBMISSION_HOST:SUBMISSION_PORT (needs DATABASE_URL)')
  .action(() => {
    if (readConfig().submissionPort === 0)
      throw new Usage('SUBMISSION_PORT is not set, so there is no port to listen on.');
    return runServer('submission', poolSizes.submission, async () => {
      const { startSubmission } = await import('./doors/submission/server.ts');
      return async (app) => {
        const submission = await startSubmission(app);
        app.log.info({ port: submission.port }, 'submission server listening');
        return submission;
      };
    });
  });

// A server starts sooner, and with a third of the memory, without the code of the other commands.
const isServer = program.commands.some((command) => command.name() === process.argv[2]);

// Sending goes before a backup, also while its code is loaded. What reads slowly keeps the database from reading faster.
if (process.argv[2] === 'backup') setPriority(constants.priority.PRIORITY_LOW);

try {
  if (['backup', 'restore'].includes(process.argv[2] ?? '')) {
    const { addBackupCommands } = await import('./backup/commands.ts');
    addBackupCommands(program);
  } else if (!isServer) {
    const { addAdministration } = await import('./administration.ts');
    addAdministration(program);
  }
  await program.parseAsync();
} catch (error) {
  if (error instanceof SchemaMismatch) {
    console.error(error.message);
    process.exit(78);
  }
  if (error instanceof Fault) console.error(`Fault ${error.code}: ${error.message}`);
  else console.error(databaseProblem(error) ?? (error as Error).message);
  process.exit(error instanceof Usage ? 2 : 1);
}

/**
 * Runs a server until the process is asked to stop.
 * @param load loads the code of the server, which takes most of the time of a start
 * @param waitForParent connects to the database only when the parent process reports that it is ready
 */
async function runServer(
  name: string,
  maxConnections: number,
  load: () => Promise<(app: App) => Promise<{ close(): Promise<void> }>>,
  waitForParent = false,
): Promise<void> {
  const config = readConfig();
  const url = waitForParent ? databaseOfParent() : needDatabase(config);
  const { closeApp, openApp } = await import('./app.ts');
  const start = await load();
  const app = await openApp(config, name, await url, maxConnections);
  const server = await start(app);
  process.send?.('ready');
  collectStartGarbage();
  await untilStopped();
  await server.close();
  await closeApp(app);
  process.exit(0);
}

/** Runs once the process is ready; nothing waits for it. */
async function warnIfTooFewConnections({ db, log }: App): Promise<void> {
  const { warnIfTooFewConnections } = await import('./jobs/connection-budget.ts');
  await warnIfTooFewConnections(db, log).catch(() => {});
}

function settingsText(): string {
  const all = Object.values(settings);
  const width = Math.max(...all.map(({ name }) => name.length));
  return all
    .map(({ name, help, default: fallback }) => `  ${name.padEnd(width)} ${help}${fallback ? ` [${fallback}]` : ''}`)
    .join('\n');
}
