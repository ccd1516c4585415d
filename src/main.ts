// The command line and composition root: each command puts parts together in a few lines.
// Exit codes: 0 done, 1 failed, 2 wrong usage, 75 sending has just been held (a restarted worker waits),
// 78 the database has migrations that this program lacks.
import { Command } from 'commander';
import { listAccounts, needAccount } from './accounts/account.ts';
import { addAccountCommands } from './accounts/commands.ts';
import { openApp } from './app.ts';
import { addImportCommands, ownerOf } from './audience/import/commands.ts';
import type { App } from './base/context.ts';
import { Fault } from './base/faults.ts';
import { createLog } from './base/log.ts';
import { version } from './base/version.ts';
import { type Config, readConfig, settings } from './config.ts';
import { databaseProblem } from './db/connect.ts';
import { poolSizes } from './db/connections.ts';
import { readEmbeddedUrl } from './db/embedded/embedded.ts';
import { formatId } from './db/ids.ts';
import { migrate, SchemaMismatch } from './db/migrate.ts';
import { call } from './doors/call.ts';
import { migrateQueue } from './jobs/queue.ts';
import { endWithParent, serve } from './supervisor.ts';
import { addWebhookCommands } from './webhooks/terminal/commands.ts';
import { limitHeapGrowth } from './worker-heap.ts';

/** A command that was typed wrongly, or cannot run as it was typed. */
class Usage extends Error {}

const program = new Command('postrider')
  .description(
    'Self-hosted email marketing: campaigns over an API of named methods, signed webhooks, an account of every message.',
  )
  .version(version)
  .addHelpText('after', () => `\nSettings (environment variables):\n${settingsText()}`);

program
  .command('serve')
  .description('run everything on this machine: database (unless DATABASE_URL is set), web, workers and inbox')
  .action(() => serve(readConfig()));

program
  .command('web')
  .description('run a web process only (needs DATABASE_URL)')
  .action(() =>
    runServer('web', poolSizes.web, async (app) => {
      const { startWeb } = await import('./web.ts');
      const web = await startWeb(app);
      app.log.info({ url: web.url }, 'web listening');
      return web;
    }),
  );

program
  .command('work')
  .description(
    'run a worker process only: deliveries and background jobs (needs DATABASE_URL, and SMTP_URL or INBOX_PORT)',
  )
  .action(async () => {
    limitHeapGrowth();
    const config = readConfig();
    const { startWorker } = await import('./delivery/worker.ts');
    const { handlers } = await import('./task-handlers.ts');
    const { startDispatcher } = await import('./webhooks/dispatch.ts');
    const { watchSending } = await import('./jobs/sending-watch.ts');
    const app = await openApp(config, 'work', needDatabase(config), poolSizes.work);
    const stopped = untilStopped();
    const watch = watchSending(app);
    process.send?.('ready');
    // A copy of an installation runs nothing that the original runs: no mail, no jobs, no webhooks.
    if ((await Promise.race([watch.allowed, stopped, watch.ended])) === 'allowed') {
      const worker = await startWorker(app, handlers);
      const dispatcher = startDispatcher(app);
      app.log.info({ workerId: worker.id }, 'worker ready');
      await Promise.race([stopped, watch.ended]);
      await Promise.all([worker.stop(), dispatcher.stop()]);
    }
    const code = await watch.stop();
    await app.db.close();
    process.exit(code);
  });

program
  .command('inbox')
  .description('run the built-in inbox only: an SMTP server on 127.0.0.1:INBOX_PORT (needs DATABASE_URL)')
  .action(() =>
    runServer('inbox', poolSizes.inbox, async (app) => {
      const { startInbox } = await import('./inbox/inbox.ts');
      const inbox = await startInbox(app);
      app.log.info({ port: inbox.port }, 'inbox listening');
      return inbox;
    }),
  );

program
  .command('bounces')
  .description('run the bounce listener only, on BOUNCE_HOST:BOUNCE_PORT (needs DATABASE_URL and BOUNCE_DOMAIN)')
  .action(() => {
    if (readConfig().bouncePort === 0) throw new Usage('BOUNCE_PORT is not set, so there is no port to listen on.');
    return runServer('bounces', poolSizes.bounces, async (app) => {
      const { startBounceListener } = await import('./delivery/bounces/listener.ts');
      const listener = await startBounceListener(app);
      app.log.info({ port: listener.port }, 'bounce listener listening');
      return listener;
    });
  });

program
  .command('confirm-sending')
  .description('allow a restored or copied installation to send; only when the original no longer sends')
  .action(() =>
    withApp(async ({ db, config }) => {
      const { confirmSending } = await import('./jobs/sending-guard.ts');
      const { noteOperator } = await import('./accounts/audit/audit.ts');
      const reason = await confirmSending(db, config.dataDir, (tx, held) =>
        noteOperator(tx, 'all', 'confirmSending', { detail: { reason: held } }),
      );
      console.log(reason === '' ? 'Sending is not held.' : `Sending was held: ${reason}. It has resumed.`);
    }),
  );

program
  .command('rotate-secret')
  .description('sign the links of messages with a new secret; links in messages sent earlier go on working')
  .option('--revoke', 'remove all secrets but the newest: every earlier link stops working, also those to unsubscribe')
  .action(({ revoke }: { revoke?: true }) =>
    withApp(async ({ db, secret }) => {
      const { addTokenSecret, revokeOldSecrets } = await import('./accounts/token-secrets.ts');
      const { noteOperator } = await import('./accounts/audit/audit.ts');
      const text = await db.transaction(async (tx) => {
        if (!revoke) {
          await addTokenSecret(tx, secret.toString('hex'));
          await noteOperator(tx, 'all', 'rotateSecret');
          return 'The new secret signs in five minutes.';
        }
        const count = await revokeOldSecrets(tx);
        if (count === 0) return 'There is no old secret, or the newest one does not sign yet.';
        await noteOperator(tx, 'all', 'revokeSecrets');
        return `Old secrets removed: ${count}. Running processes notice within a minute.`;
      });
      console.log(text);
    }),
  );

program
  .command('migrate')
  .description('migrate the schema of the database')
  .action(async () => {
    const config = readConfig();
    const url = needDatabase(config);
    const done = await migrate(url);
    await migrateQueue(url, createLog(config.logLevel, 'migrate'));
    console.log(done.length > 0 ? `Applied: ${done.join(', ')}` : 'The schema is up to date.');
  });

program
  .command('call')
  .description('call a method: postrider call campaigns \'{"limit": 5}\'')
  .argument('<method>', 'name of the method')
  .argument('[json]', 'parameters as a JSON object', '{}')
  .option('--account <id or email>', 'account to act for; required when there are several')
  .action(async (method: string, json: string, options: { account?: string }) => {
    await withApp(async (app) => {
      const account = await oneAccount(app, options.account);
      let params: unknown;
      try {
        params = JSON.parse(json);
      } catch {
        throw new Usage('The parameters are not valid JSON.');
      }
      const value = await call(app, method, params, { kind: 'system', accountId: account.id }, 'cli');
      console.log(JSON.stringify(value, null, 2));
    });
  });

program
  .command('demo')
  .description('create an account "Demo" with sample data and a campaign being sent to the built-in inbox')
  .action(() =>
    withApp(async (app) => {
      const { makeDemo } = await import('./demo/make-demo.ts');
      const demo = await makeDemo(app, (text) => console.log(text));
      console.log(`account   ${demo.account}`);
      console.log(`login     ${demo.email}  password ${demo.password}`);
      console.log(`open      ${app.baseUrl}/app/campaigns/${demo.running}`);
    }),
  );

addAccountCommands(program, withApp);
addWebhookCommands(program, untilStopped);
addImportCommands(program, (whose, work) =>
  withApp(async (app) => {
    const owner = whose.account ? undefined : await ownerOf(app.db, whose);
    const accountId = owner ?? (await oneAccount(app, whose.account)).id;
    await work(
      app,
      accountId,
      async <T>(method: string, params: Record<string, unknown>) =>
        (await call(app, method, params, { kind: 'system', accountId }, 'cli')) as T,
    );
  }),
);

try {
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

/** The account chosen with --account, or the only one. */
async function oneAccount({ db }: App, named: string | undefined) {
  const accounts = named ? [await needAccount(db, named)] : await listAccounts(db);
  const account = accounts[0];
  if (!account) throw new Usage('There is no account yet. Run "postrider serve" first.');
  if (accounts.length > 1) {
    const names = accounts.slice(0, 20).map(({ id, name }) => `  ${formatId(id)}  ${name}`);
    throw new Usage(`There are ${accounts.length} accounts. Choose one with --account:\n${names.join('\n')}`);
  }
  return account;
}

/** Runs a server until the process is asked to stop. */
async function runServer(
  name: string,
  maxConnections: number,
  start: (app: App) => Promise<{ close(): Promise<void> }>,
): Promise<void> {
  const config = readConfig();
  const app = await openApp(config, name, needDatabase(config), maxConnections);
  const server = await start(app);
  process.send?.('ready');
  await untilStopped();
  await server.close();
  await app.db.close();
  process.exit(0);
}

async function withApp(work: (app: App) => Promise<void>): Promise<void> {
  const config = readConfig();
  // Output on the terminal is the command's own; only what goes wrong is logged.
  const logLevel = config.logLevel === 'info' ? 'warn' : config.logLevel;
  const app = await openApp({ ...config, logLevel }, 'cli', needDatabase(config), poolSizes.cli);
  try {
    await work(app);
  } finally {
    await app.db.close();
  }
}

/** DATABASE_URL, or the embedded database that `serve` is running under DATA_DIR. */
function needDatabase(config: Config): string {
  const url = config.databaseUrl || readEmbeddedUrl(config.dataDir);
  if (!url)
    throw new Usage(
      `No database: DATABASE_URL is not set and no database is running under ${config.dataDir}. Run "postrider serve" first.`,
    );
  return url;
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    endWithParent(resolve);
  });
}

function settingsText(): string {
  return Object.values(settings)
    .map(({ name, help, default: fallback }) => `  ${name.padEnd(18)} ${help}${fallback ? ` [${fallback}]` : ''}`)
    .join('\n');
}
