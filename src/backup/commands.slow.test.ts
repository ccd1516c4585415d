// The commands as an operator runs them on an installation with the embedded PostgreSQL: a backup while it runs, to a file and to
// standard output; a restore while it is stopped, into its own and into a new data directory.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { postriderWith } from '../../test/support/installation/commands.ts';
import { Installation } from '../../test/support/installation/installation.ts';
import { testKey } from '../../test/support/installation/service.ts';

test('an installation is backed up while it runs and restored while it is stopped', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'commands-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const secret = join(folder, 'passphrase');
  writeFileSync(secret, 'correct horse battery\n');
  const file = join(folder, 'one.backup');
  const installation = new Installation();
  t.after(() => installation.remove());
  await installation.start();
  const command = (...args: string[]) =>
    postriderWith(args, { DATA_DIR: installation.dataDir, BACKUP_PASSPHRASE_FILE: secret });
  await installation.call('listCreate', { title: 'Before the backup' });

  const wrong = await postriderWith(['backup', file], { DATA_DIR: installation.dataDir });
  assert.equal(wrong.code, 2);
  assert.match(wrong.errors, /Set BACKUP_PASSPHRASE/);
  const written = await command('backup', file);
  assert.equal(written.code, 0, written.errors);
  assert.match(written.errors, /written to .*one\.backup: \d+ tables, \d+ rows/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const streamed = await command('backup', '-', '--quiet');
  assert.equal(streamed.code, 0);
  assert.ok(streamed.output.startsWith('postrider backup 1\n') && streamed.errors === '');
  const nowhere = await command('backup', join(folder, 'none', 'one.backup'));
  assert.equal(nowhere.code, 1);
  assert.ok(!existsSync(join(folder, 'none')));

  await installation.call('listCreate', { title: 'After the backup' });
  const running = await command('restore', file, '--yes');
  assert.equal(running.code, 1);
  assert.match(running.errors, /Stop Postrider first: the database is in use by postrider/);
  await installation.stop();

  const checked = await command('restore', '--check', file);
  assert.match(checked.output, /complete and unchanged/);
  const careful = await command('restore', file);
  assert.equal(careful.code, 2);
  assert.match(careful.errors, /has accounts\. With --yes/);
  const restored = await command('restore', file, '--yes');
  assert.equal(restored.code, 0, restored.errors);
  assert.match(restored.output, /^Restored\./);
  await installation.start();
  const lists = async () => (await installation.call<{ name: string }[]>('lists')).map(({ name }) => name);
  assert.deepEqual(await lists(), ['Before the backup']);
  await installation.until('sending is held', async () => {
    const ready = (await (await fetch(`${installation.base}/ready`)).json()) as { sending?: string };
    return ready.sending === 'held';
  });
  const confirmed = await command('confirm-sending');
  assert.equal(confirmed.code, 0, confirmed.errors);
  assert.match(confirmed.output, /restored from the backup of .* It has resumed\./);

  // A new data directory: its PostgreSQL is made and started by the restore itself.
  const elsewhere = new Installation();
  t.after(() => elsewhere.remove());
  const moved = await postriderWith(['restore', file], {
    DATA_DIR: elsewhere.dataDir,
    BACKUP_PASSPHRASE: readFileSync(secret, 'utf8').trim(),
  });
  assert.equal(moved.code, 0, moved.errors);
  await elsewhere.start();
  const found = await fetch(`${elsewhere.base}/api/lists`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.match(await found.text(), /Before the backup/);
});
