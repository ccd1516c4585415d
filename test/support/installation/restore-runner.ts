// A process that restores a backup, for tests that kill it: node restore-runner.ts URL FILE PASSPHRASE. Prints each step, and
// waits there for a line on standard input.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { restoreBackup } from '../../../src/backup/restore.ts';

const [, , url, file, passphrase] = process.argv;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
await restoreBackup(url!, createReadStream(file!), {
  passphrase: passphrase!,
  sealKey: '',
  async onStep(step) {
    console.log(step);
    await lines.next();
  },
});
process.exit(0);
