// A process that runs one import, for tests that kill it: node import-runner.ts URL ACCOUNT IMPORT.
import { runImport } from '../../../src/audience/import/run.ts';
import { createLog } from '../../../src/base/log.ts';
import { connect } from '../../../src/db/connect.ts';

const [, , url, account, id] = process.argv;
const db = connect(url!, { maxConnections: 3 });
const end = await runImport(
  { db },
  Number(account),
  Number(id),
  false,
  new AbortController().signal,
  createLog('silent', 'test'),
);
await db.close();
process.exit(end === 'finished' ? 0 : 3);
