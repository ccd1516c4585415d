// A process that runs one migration, for tests that kill it: node migration-runner.ts URL ACCOUNT MIGRATION.
import { runMigration } from '../../../src/migration/run.ts';
import { appOn } from './app.ts';

const [, , url, account, id] = process.argv;
const app = await appOn(url!);
const end = await runMigration(
  { app, log: app.log, signal: new AbortController().signal },
  Number(account),
  Number(id),
);
await app.db.close();
process.exit(end === 'finished' ? 0 : 3);
