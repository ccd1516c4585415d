// Backups of databases that other migrations have made, and of versions that recorded no hashes of them.
import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { createZstdCompress } from 'node:zlib';
import { testDatabase } from '../../test/support/database/database.ts';
import { testApp } from '../../test/support/installation/app.ts';
import { connect, sql } from '../db/connect.ts';
import { SchemaMismatch } from '../db/migrate/migrate.ts';
import { hashOf, readMigrations } from '../db/migration-files.ts';
import { makeBackup } from './backup.ts';
import { encrypting } from './encryption.ts';
import { type BackupRecord, type Manifest, writeRecord } from './records.ts';
import { checkBackup, restoreBackup } from './restore.ts';

const passphrase = 'correct horse battery';
const options = { passphrase, sealKey: '' };
const files = readMigrations();
const manifest: Manifest = {
  format: 1,
  version: '0.1.0',
  madeAt: '2026-11-24T00:00:00.000Z',
  migrations: files.map(({ name }) => name),
  hashes: files.map(hashOf),
  monthsBehind: 0,
  sequences: [],
  tables: 0,
  sealed: '00',
};

async function backupOf(...records: BackupRecord[]): Promise<Buffer> {
  const out = new PassThrough();
  const [bytes] = await Promise.all([
    buffer(out),
    pipeline(Readable.from(records.map(writeRecord)), createZstdCompress(), await encrypting(passphrase, 1), out),
  ]);
  return bytes;
}

const restore = (url: string, bytes: Buffer) => restoreBackup(url, Readable.from([bytes]), options);

test('a backup of other contents of the migrations is refused before the database is looked at', async () => {
  const hashes = files.map((file, i) => (i === 3 ? '0'.repeat(64) : hashOf(file)));
  const bytes = await backupOf({ kind: 'manifest', manifest: { ...manifest, hashes } });
  const refused = (error: Error) => error instanceof SchemaMismatch && /\(0004_campaigns\)/.test(error.message);
  await assert.rejects(restore('postgres://nobody@127.0.0.1:1/none', bytes), refused);
  await assert.rejects(checkBackup(Readable.from([bytes]), passphrase), refused);
});

test('a backup without hashes is refused when its tables lack what the migrations make', async (t) => {
  const database = await testDatabase('empty');
  t.after(() => database.close());
  const { hashes: _, ...old } = manifest;
  const bytes = await backupOf(
    { kind: 'manifest', manifest: { ...old, tables: 1 } },
    { kind: 'table', table: { name: 'installation', columns: ['key'] } },
    { kind: 'tableEnd', rows: 0 },
    { kind: 'end', tables: 1, rows: 0 },
  );
  await assert.rejects(
    restore(database.url, bytes),
    (error: Error) =>
      error instanceof SchemaMismatch && /^The backup does not have .*table account/.test(error.message),
  );
});

test('a backup without hashes of a database that fits is restored, and has hashes then', async (t) => {
  const { app, close } = await testApp();
  t.after(close);
  const database = await testDatabase('empty');
  t.after(() => database.close());
  await app.db.run(sql`update migration set hash = null`);
  const out = new PassThrough();
  const [bytes] = await Promise.all([
    buffer(out),
    makeBackup(app.db.url, out, { ...options, sealKey: app.config.sealKey, cost: 1 }),
  ]);
  await restoreBackup(database.url, Readable.from([bytes]), { ...options, sealKey: app.config.sealKey });
  const db = connect(database.url);
  t.after(() => db.close());
  assert.deepEqual(await db.rows(sql`select from migration where hash is null`), []);
});
