// The command line and composition root. Each command is a few lines that put parts together; what they do stands in
// the parts. Exit codes: 0 done, 1 failed, 2 wrong usage, 75 sending is held since just now (a worker that is started again
// waits), 78 the database belongs to a newer version.
import { Command } from 'commander';
import { listAccounts, needAccount } from './accounts/account.ts';
import { addAccountCommands } from './accounts/commands.ts';
import { openApp } from './app.ts';
import { addImportCommands, ownerOf } from './audience/import/commands.ts';
import { Fault } from './base/faults.ts';
import { createLog } from './base/log.ts';
import { version } from './base/version.ts';
import { type Config, readConfig, settings } from './config.ts';
import { databaseProblem } from './db/connect.ts';
import { readEmbeddedUrl } from './db/embedded.ts';
import { migrate, SchemaMismatch } from './db/migrate.ts';
import { call } from './doors/call.ts';
import { migrateQueue } from './jobs/queue.ts';
import { endWithParent, serve } from './supervisor.ts';
import { addWebhookCommands } from './webhooks/commands.ts';
import { keepHeapSmall } from './worker-heap.ts';

/** Something wrong with how a command was written. */
class Usage extends Error {}

const program = new Command('postrider')
  .description(
    'Self-hosted e-mail marketing: campaigns over a named-method API, signed webhooks, accountable delivery.',
  )
  .version(version)
  .addHelpText('after', () => `\nSettings (environment variables):\n${settingsText()}`);

program
  .command('serve')
  .description('run everything on this machine: database (unless DATABASE_URL is given), web, workers, inbox')
  .action(() => serve(readConfig()));

program
  .command('web')
  .description('run a web process only (needs DATABASE_URL)')
  .action(async () => {
    const config = readConfig();
    const { startWeb } = await import('./web.ts');
    const app = await openApp(config, 'web', needDatabase(config), 12);
    const web = await startWeb(app);
    process.send?.('ready');
    app.log.info({ url: web.url }, 'web answers');
    await untilStopped();
    await web.close();
    await app.db.close();
    process.exit(0);
  });

program
  .command('work')
  .description(
    'run a worker process only: deliveries and background jobs (needs DATABASE_URL, and SMTP_URL or INBOX_PORT)',
  )
  .action(async () => {
    keepHeapSmall();
    const config = readConfig();
    const { startWorker } = await import('./delivery/worker.ts');
    const { handlers } = await import('./task-handlers.ts');
    const { startDispatcher } = await import('./webhooks/dispatch.ts');
    const { keepWatch } = await import('./jobs/sending-watch.ts');
    const app = await openApp(config, 'work', needDatabase(config), 14);
    const stopped = untilStopped();
    const watch = keepWatch(app);
    process.send?.('ready');
    // A copy of an installation runs nothing of what the original runs: no mail, no job, no webhook.
    if ((await Promise.race([watch.free, stopped, watch.over])) === 'free') {
      const worker = await startWorker(app, handlers);
      const dispatcher = startDispatcher(app);
      app.log.info({ workerId: worker.id }, 'worker delivers');
      await Promise.race([stopped, watch.over]);
      await Promise.all([worker.stop(), dispatcher.stop()]);
    }
    const code = await watch.stop();
    await app.db.close();
    process.exit(code);
  });

program
  .command('confirm-sending')
  .description('let a restored or copied installation send: only when the original does not send any more')
  .action(() =>
    withApp(async ({ db, config }) => {
      const { releaseSending } = await import('./jobs/sending-guard.ts');
      const { noteOperator } = await import('./accounts/audit/audit.ts');
      const reason = await releaseSending(db, config.dataDir, (tx, held) =>
        noteOperator(tx, 'all', 'confirmSending', { detail: { reason: held } }),
      );
      console.log(reason === '' ? 'Sending is not held.' : `Sending was held: ${reason}. It goes on now.`);
    }),
  );

program
  .command('inbox')
  .description('run the built-in inbox only: an SMTP server on 127.0.0.1:INBOX_PORT (needs DATABASE_URL)')
  .action(async () => {
    const config = readConfig();
    const { startInbox } = await import('./inbox/inbox.ts');
    const app = await openApp(config, 'inbox', needDatabase(config), 4);
    const inbox = await startInbox(app);
    process.send?.('ready');
    app.log.info({ port: inbox.port }, 'inbox takes mail');
    await untilStopped();
    await inbox.close();
    await app.db.close();
    process.exit(0);
  });

program
  .command('bounces')
  .description(
    'run the listener for returned mail only, on BOUNCE_HOST:BOUNCE_PORT (needs DATABASE_URL, BOUNCE_DOMAIN)',
  )
  .action(async () => {
    const config = readConfig();
    if (config.bouncePort === 0) throw new Usage('BOUNCE_PORT is not set: there is no port to listen on.');
    const { startBounceListener } = await import('./delivery/bounces/listener.ts');
    const app = await openApp(config, 'bounces', needDatabase(config), 6);
    const listener = await startBounceListener(app);
    process.send?.('ready');
    app.log.info({ port: listener.port }, 'returned mail is taken');
    await untilStopped();
    await listener.close();
    await app.db.close();
    process.exit(0);
  });

program
  .command('migrate')
  .description('bring the schema of the database up to date')
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
  .option('--account <id or e-mail>', 'account on whose behalf; needed when there are several')
  .action(async (method: string, json: string, options: { account?: string }) => {
    await withApp(async (app) => {
      const account = await oneAccount(app, options.account);
      let params: unknown;
      try {
        params = JSON.parse(json);
      } catch {
        throw new Usage('The parameters are not JSON.');
      }
      const value = await call(app, method, params, { kind: 'system', accountId: account.id }, 'cli');
      console.log(JSON.stringify(value, null, 2));
    });
  });

program
  .command('demo')
  .description('make an account "Demo" in which everything is filled, with a campaign under way into the inbox')
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

/** The account that is named, or the only one. */
async function oneAccount({ db }: Awaited<ReturnType<typeof openApp>>, named: string | undefined) {
  const accounts = named ? [await needAccount(db, named)] : await listAccounts(db);
  const account = accounts[0];
  if (!account) throw new Usage('There is no account yet: start the program once.');
  if (accounts.length > 1) throw new Usage('There are several accounts: name one with --account.');
  return account;
}

async function withApp(work: (app: Awaited<ReturnType<typeof openApp>>) => Promise<void>): Promise<void> {
  const config = readConfig();
  const app = await openApp(
    { ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel },
    'cli',
    needDatabase(config),
    3,
  );
  try {
    await work(app);
  } finally {
    await app.db.close();
  }
}

/** The database to use: the one given, or the one that `serve` runs under DATA_DIR at the moment. */
function needDatabase(config: Config): string {
  const url = config.databaseUrl || readEmbeddedUrl(config.dataDir);
  if (!url)
    throw new Usage(
      `No database: DATABASE_URL is not set and nothing runs under ${config.dataDir}. Start "postrider serve" first.`,
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
  return Object.entries(settings)
    .map(([name, setting]) => `  ${name.padEnd(16)} ${setting.help}${setting.default ? ` [${setting.default}]` : ''}`)
    .join('\n');
}
