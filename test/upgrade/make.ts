// Makes the stored installation of a version: `node test/upgrade/make.ts CHECKOUT NAME` starts the program of that checkout, fills it by
// the API, and writes NAME.backup and NAME.json, what the API returns then, beside this file. README.md says when.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Installation } from '../support/installation/installation.ts';
import { bareEnvironment } from '../support/installation/service.ts';
import { fill } from './fill.ts';
import { keptSettings, type Stored, whatItReturns } from './stored.ts';

const [checkout = '', name = ''] = process.argv.slice(2);
if (name === '') throw new Error('Usage: node test/upgrade/make.ts CHECKOUT NAME');
const main = join(resolve(checkout), 'src/main.ts');

const installation = new Installation({ ...keptSettings, ACCOUNT_RATE: '5/s', OUTBOUND_ALLOW: '127.0.0.0/8' });
installation.program = [process.execPath, main];
try {
  await installation.start();
  const ids = await fill(installation);
  const stored: Stored = { ids, returned: await whatItReturns(installation, ids) };
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(stored, null, 2)}\n`);
  execFileSync(process.execPath, [main, 'backup', join(import.meta.dirname, `${name}.backup`)], {
    env: { ...bareEnvironment, DATA_DIR: installation.dataDir, ...keptSettings },
    stdio: 'inherit',
  });
} finally {
  await installation.remove();
}
