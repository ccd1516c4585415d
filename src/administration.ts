// The commands that look after an installation: each does one thing and ends. Their output on the terminal is their own; only
// what goes wrong is logged.
import type { Command } from 'commander';
import { listAccounts, needAccount, withoutTests } from './accounts/account/account.ts';
import { addUserCommands } from './accounts/commands.ts';
import { openApp } from './app.ts';
import { addConsentCommands } from './audience/consent/commands.ts';
import { addImportCommands, ownerOf, type WithAccount } from './audience/import/commands.ts';
import { addBackupCommands, queuedOption } from './backup/commands.ts';
import type { App } from './base/context.ts';
import { createLog } from './base/log.ts';
import { needDatabase, Usage, untilStopped, withDatabase } from './command-line.ts';
import { readConfig } from './config.ts';
import { poolSizes } from './db/connections.ts';
import { formatId } from './db/ids.ts';
import { migrate } from './db/migrate/migrate.ts';
import { makePartitionsAt } from './db/partitions.ts';
import { addDoctorCommands } from './doctor/commands.ts';
import { call } from './doors/call.ts';
import { migrateQueue } from './jobs/queue-schema.ts';
import { addMigrationCommands } from './migration/api/commands.ts';
import { addMoveCommands } from './move/commands.ts';
import { addAccountCommands } from './operator/commands.ts';
import { addWebhookCommands } from './webhooks/terminal/commands.ts';

export function addAdministration(program: Command): void {
  addSendingCommands(program);

  program
    .command('migrate')
    .description(
      'migrate the schema of the database, after a backup (to BACKUP_DIR, or beside the data of the built-in database)',
    )
    .option('--no-backup', 'make no backup')
    .action(migrateAll);

  program
    .command('call')
    .description('call a method: postrider call campaigns \'{"limit": 5}\'')
    .argument('<method>', 'name of the method')
    .argument('[json]', 'parameters as a JSON object', '{}')
    .option('--account <id or email>', 'account to act for; required if there are several')
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
    .command('mcp')
    .description('serve the tools for assistants (MCP) on standard input and output, for the API key in API_KEY')
    .action(async () => {
      const key = process.env['API_KEY'];
      if (!key) throw new Usage('API_KEY is not set: an API key of the account, best one that may only read.');
      const config = readConfig();
      // Nothing but the protocol may be on standard output.
      const app = await openApp({ ...config, logLevel: 'silent' }, 'cli', needDatabase(config), poolSizes.cli);
      const { serveMcp } = await import('./doors/mcp/stdio.ts');
      await serveMcp(app, key).finally(() => app.db.close());
    });

  program
    .command('demo')
    .description('create the account "Demo" with sample data, and send a campaign to the built-in inbox')
    .action(() =>
      withApp(async (app) => {
        const { makeDemo } = await import('./demo/make-demo.ts');
        const demo = await makeDemo(app, (text) => console.log(text));
        console.log(`account   ${demo.account}`);
        console.log(`login     ${demo.email}  password ${demo.password}`);
        console.log(`open      ${app.baseUrl}/app/campaigns/${demo.running}`);
      }),
    );

  addBackupCommands(program);
  addDoctorCommands(program);
  addAccountCommands(program, withApp, (app, method, params, accountId) =>
    call(app, method, params, { kind: 'system', accountId }, 'cli'),
  );
  addMoveCommands(program, withApp);
  addUserCommands(program, withApp);
  addWebhookCommands(program, untilStopped);
  addConsentCommands(program, withApp);
  const withAccount: WithAccount = (whose, work) =>
    withApp(async (app) => {
      const owner = whose.account ? undefined : await ownerOf(app.db, whose);
      const accountId = owner ?? (await oneAccount(app, whose.account)).id;
      await work(
        app,
        accountId,
        async <T>(method: string, params: Record<string, unknown>) =>
          (await call(app, method, params, { kind: 'system', accountId }, 'cli')) as T,
      );
    });
  addImportCommands(program, withAccount);
  addMigrationCommands(program, withAccount);
}

/** Whether this installation may send, and the secret that signs the links in its messages. */
function addSendingCommands(program: Command): void {
  program
    .command('confirm-sending')
    .description('allow a restored or copied installation to send; run this only if the original no longer sends')
    .addOption(queuedOption)
    .action(({ queued }: { queued?: 'send' | 'unclear' }) =>
      withApp(async (app) => {
        const { confirmSending } = await import('./jobs/sending-guard.ts');
        const { noteOperator } = await import('./accounts/audit/audit.ts');
        const decided = await decideQueued(app, queued);
        const reason = await confirmSending(app.db, app.config.dataDir, (tx, held) =>
          noteOperator(tx, 'all', 'confirmSending', { detail: { reason: held, ...(queued && { queued }) } }),
        );
        console.log(reason === '' ? 'Sending is not held.' : `Sending was held: ${reason}. It has resumed.${decided}`);
      }),
    );

  program
    .command('hold-sending')
    .description('hold sending, in a database that another program has restored or set back, until confirm-sending')
    .action(() =>
      withApp(async (app) => {
        const { holdSending } = await import('./backup/release.ts');
        const { noteOperator } = await import('./accounts/audit/audit.ts');
        const date = await holdSending(app.db, (tx) => noteOperator(tx, 'all', 'holdSending'));
        console.log(
          date === undefined
            ? 'Sending is held already, or this database has never sent.'
            : `Sending is held. The database is as of ${date}. Workers notice within seconds.`,
        );
      }),
    );

  program
    .command('rotate-secret')
    .description('sign the links in messages with a new secret; links sent earlier keep working')
    .option(
      '--revoke',
      'remove all secrets except the newest: links sent earlier stop working, including those to unsubscribe',
    )
    .action(({ revoke }: { revoke?: true }) =>
      withApp(async ({ db, secret }) => {
        const { addTokenSecret, revokeOldSecrets } = await import('./accounts/installation/token-secrets.ts');
        const { noteOperator } = await import('./accounts/audit/audit.ts');
        const text = await db.transaction(async (tx) => {
          if (!revoke) {
            await addTokenSecret(tx, secret.toString('hex'));
            await noteOperator(tx, 'all', 'rotateSecret');
            return 'In five minutes, links will be signed with the new secret.';
          }
          const count = await revokeOldSecrets(tx);
          if (count === 0) return 'There is no old secret, or the newest one does not sign yet.';
          await noteOperator(tx, 'all', 'revokeSecrets');
          return `Old secrets removed: ${count}. Running processes notice within a minute.`;
        });
        console.log(text);
      }),
    );
}

/** After a restore: what becomes of recipients that waited in the backup. @returns what was done, for the operator */
async function decideQueued(app: App, queued: 'send' | 'unclear' | undefined): Promise<string> {
  const { doubtWaiting, restoredFrom, waitingSince } = await import('./backup/release.ts');
  const madeAt = await restoredFrom(app);
  if (madeAt === undefined || queued === 'send') return '';
  const { recipients, campaigns } = await waitingSince(app.db);
  if (recipients + campaigns === 0) return '';
  if (queued === undefined)
    throw new Usage(
      `The database is as of ${madeAt}. In it, ${recipients} recipients wait, and ${campaigns} campaigns would start or go on now. ` +
        'If the original may have sent to them since, add --queued unclear: the recipients become unclear, and each account ' +
        'decides whether they get a marked copy; the campaigns are paused. If it has sent nothing since, add --queued send.',
    );
  const doubted = await doubtWaiting(app, madeAt);
  return ` Recipients that are unclear now: ${doubted.recipients}. Campaigns paused: ${doubted.campaigns}.`;
}

async function migrateAll({ backup }: { backup: boolean }): Promise<void> {
  const config = readConfig();
  await withDatabase(config, async (url) => {
    if (backup) {
      const { backupBeforeMigration } = await import('./backup/before-migration.ts');
      const made = await backupBeforeMigration(config, url, (text) => console.error(`${text} …`));
      if (made !== undefined) console.log(made);
    }
    const done = await migrate(url);
    await migrateQueue(url, createLog(config.logLevel, 'migrate'));
    await makePartitionsAt(url);
    console.log(done.length > 0 ? `Applied: ${done.join(', ')}` : 'The schema is up to date.');
  });
}

/** The account chosen with --account, or the only one beside its test account. */
async function oneAccount({ db }: App, named: string | undefined) {
  const accounts = named ? [await needAccount(db, named)] : withoutTests(await listAccounts(db));
  const account = accounts[0];
  if (!account) throw new Usage('There is no account yet. Run "postrider serve" first.');
  if (accounts.length > 1) {
    const names = accounts.slice(0, 20).map(({ id, name }) => `  ${formatId(id)}  ${name}`);
    throw new Usage(`There are ${accounts.length} accounts. Choose one with --account:\n${names.join('\n')}`);
  }
  return account;
}

async function withApp(work: (app: App) => Promise<void>): Promise<void> {
  const config = readConfig();
  const logLevel = config.logLevel === 'info' ? 'warn' : config.logLevel;
  const app = await openApp({ ...config, logLevel }, 'cli', needDatabase(config), poolSizes.cli);
  try {
    await work(app);
  } finally {
    await app.db.close();
  }
}
