// The nightly task writes a backup that can be restored, keeps the newest ones, and reports why it failed. A migration of a
// database with accounts is preceded by a backup.
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import type { App } from '../base/context.ts';
import { sql } from '../db/connect.ts';
import { backupBeforeMigration } from './before-migration.ts';
import { backupsIn } from './files.ts';
import { makeNightlyBackup } from './nightly.ts';
import { checkBackup } from './restore.ts';

const passphrase = 'correct horse battery';
let app: TestApp;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nightly-'));
  app = await testApp({ BACKUP_DIR: folder, BACKUP_PASSPHRASE: passphrase, BACKUP_KEEP: '2' });
});
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const run = (on: App) => makeNightlyBackup({ app: on, log: on.log, signal: new AbortController().signal });

test('the nightly backup is written by another process, and the newest two are kept', async () => {
  for (const day of ['01', '02']) writeFileSync(join(folder, `postrider-202001${day}-021100Z.backup`), 'old');
  await run(app.app);
  const files = await backupsIn(folder);
  assert.equal(files.length, 2);
  assert.equal(files[1], 'postrider-20200102-021100Z.backup');
  const { rows } = await checkBackup(createReadStream(join(folder, files[0]!)), passphrase);
  assert.ok(rows > 0);
  const last = await app.app.db.row<{ value: { rows: number } }>(
    sql`select value from installation where key = 'last_backup'`,
  );
  assert.equal(last!.value.rows, rows);
});

test('without BACKUP_DIR there is none; a failed one is reported', async () => {
  await run({ ...app.app, config: { ...app.app.config, backupDir: '' } });
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  await assert.rejects(
    run({ ...app.app, config: { ...app.app.config, backupDir: file } }),
    /nightly backup failed: .*EEXIST/,
  );
});

test('a backup is made before a migration, if there is one to make and something to lose', async () => {
  const { config, db } = app.app;
  const files = await backupsIn(folder);
  assert.equal(await backupBeforeMigration(config, db.url), undefined);
  const last = (await db.row<{ name: string }>(sql`
    delete from migration where name = (select max(name) from migration) returning name`))!;
  assert.match((await backupBeforeMigration(config, db.url))!, /^Backup before the migration: .*\.backup$/);
  assert.notDeepEqual(await backupsIn(folder), files);
  assert.match((await backupBeforeMigration({ ...config, backupDir: '' }, db.url))!, /BACKUP_DIR is not set/);
  const file = join(folder, 'not-a-folder');
  writeFileSync(file, '');
  await assert.rejects(
    backupBeforeMigration({ ...config, backupDir: file }, db.url),
    /^Error: No backup could be made in BACKUP_DIR before the migration, so nothing was changed: .*EEXIST.*--no-backup/,
  );
  await db.run(sql`insert into migration (name) values (${last.name})`);
});

test('without BACKUP_DIR the built-in database is backed up beside its data, with a passphrase of its own', async () => {
  const { db } = app.app;
  const config = { ...app.app.config, backupDir: '', backupPassphrase: '', databaseUrl: '', dataDir: folder };
  const last = (await db.row<{ name: string }>(sql`
    delete from migration where name = (select max(name) from migration) returning name`))!;
  const started: string[] = [];
  const text = (await backupBeforeMigration(config, db.url, (line) => started.push(line)))!;
  const own = join(folder, 'before-migration');
  assert.deepEqual(started, [`making a backup in ${own} before the migration`]);
  const [, path, key] = /^Backup before the migration: (.*\.backup) \(its passphrase is in (.*)\)$/.exec(text)!;
  assert.equal(statSync(key!).mode & 0o777, 0o600);
  const generated = readFileSync(key!, 'utf8').trim();
  assert.ok((await checkBackup(createReadStream(path!), generated)).rows > 0);
  // With a passphrase of the operator, and again with the first one.
  const chosen = (await backupBeforeMigration({ ...config, backupPassphrase: passphrase }, db.url))!;
  assert.match(chosen, /\.backup$/);
  await backupBeforeMigration(config, db.url);
  assert.equal(readFileSync(key!, 'utf8').trim(), generated);
  rmSync(own, { recursive: true });
  writeFileSync(own, '');
  assert.match(
    (await backupBeforeMigration(config, db.url))!,
    /^No backup was made before the migration, because BACKUP_DIR is not set and it could not be made in .*before-migration: /,
  );
  await db.run(sql`insert into migration (name) values (${last.name})`);
});
