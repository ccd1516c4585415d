// Restores a backup: into a schema of its own, next to the present tables, which one transaction then replaces. A kill at any
// moment leaves the old database or the new one. Sending is held afterwards until a person confirms it. What the backup
// records as in flight is treated as the work of workers that are gone without a journal: it becomes unclear.

import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { unseal } from '../accounts/installation/seal.ts';
import { createLog } from '../base/log.ts';
import { message, packMessage } from '../base/messages.ts';
import { connect } from '../db/connect.ts';
import { locks } from '../db/locks.ts';
import { type Applied, needKnownMigrations, otherTables } from '../db/migrate/applied.ts';
import { migrate } from '../db/migrate/migrate.ts';
import { readMigrations } from '../db/migration-files.ts';
import { narrowedSchema } from '../db/narrowed/views.ts';
import { makePartitions } from '../db/partitions.ts';
import { migrateQueue } from '../jobs/queue-schema.ts';
import { openSession, sealedText } from './backup.ts';
import { jobsTable, readTables, type Table } from './catalogue.ts';
import { BackupProblem, decrypting } from './encryption.ts';
import { type BackupRecord, type Manifest, readRecords, type TableHead } from './records.ts';
import { replaceTables } from './replace.ts';
import { endShortRights, validRights } from './rights.ts';

export type RestoreOptions = {
  passphrase: string;
  sealKey: string;
  /** Restore although SEAL_KEY differs: everything sealed with the other one is lost. */
  withoutSealKey?: boolean;
  /** For tests: called before each step with its name. */
  onStep?: (step: string) => void | Promise<void>;
};
/** `skipped`: tables of other programs in the schema. */
export type RestoreSummary = { manifest: Manifest; tables: number; rows: number; skipped: string[] };
/** `rights`: who may use the installation now, perhaps against what was decided after the backup. */
type Restored = RestoreSummary & { rights: string[] };

export const restoreSchema = 'postrider_restore';

/** Reads a backup to its end without a database: whether it is complete, unchanged and readable by this version. */
export async function checkBackup(source: Readable, passphrase: string): Promise<RestoreSummary> {
  const reading = openBackup(source, passphrase);
  const manifest = await readManifest(reading);
  needMigrations(manifest);
  const sum = { tables: 0, rows: 0 };
  let lines = 0;
  for await (const record of reading) {
    if (record.kind === 'rows') lines += countLines(record.rows);
    if (record.kind === 'table') lines = 0;
    if (record.kind === 'tableEnd') count(sum, record.rows, lines);
    if (record.kind === 'end') return ended(reading, manifest, sum, record);
  }
  throw incomplete();
}

/**
 * Replaces everything in the database with the backup. No process of Postrider may be connected.
 * @throws BackupProblem or SchemaMismatch, and nothing has changed
 */
export async function restoreBackup(url: string, source: Readable, options: RestoreOptions): Promise<Restored> {
  const reading = openBackup(source, options.passphrase);
  // Before anything is made: a wrong passphrase leaves nothing behind.
  const manifest = await readManifest(reading);
  needMigrations(manifest);
  const client = await openSession(url, 'postrider restore');
  try {
    await client.query("set lock_timeout = '30s'");
    await client.query('select pg_advisory_lock($1)', [locks.restore]);
    await refuseRunning(client);
    await migrateQueue(url, createLog('silent', 'restore'));
    // Left by an interrupted restore.
    const left = `drop schema if exists ${restoreSchema}, ${narrowedSchema(restoreSchema)} cascade`;
    await client.query(left);
    await client.query(`create schema ${restoreSchema}`);
    try {
      return await fillAndReplace(client, url, reading, manifest, options);
    } catch (error) {
      await client.query('rollback').catch(() => {});
      await client.query(left).catch(() => {});
      throw error;
    }
  } finally {
    await client.end().catch(() => {});
  }
}

async function fillAndReplace(
  client: pg.Client,
  url: string,
  reading: AsyncGenerator<BackupRecord>,
  manifest: Manifest,
  { sealKey, withoutSealKey = false, onStep = () => {} }: RestoreOptions,
): Promise<Restored> {
  const place = await client.query<{ name: string }>('select current_schema() as name');
  const stagingUrl = inSchema(url, restoreSchema);
  await client.query(`set search_path = ${restoreSchema}`);
  await onStep('schema');
  await makeSchema(stagingUrl, manifest);
  const tables = await readTables(client);
  await onStep('rows');
  await client.query(`create table ${jobsTable} (job jsonb not null)`);
  const loaded = await loadTables(client, reading, manifest, tables);
  await onStep('settle');
  await setSequences(client, manifest);
  if (!withoutSealKey) await needSealKey(client, manifest, sealKey);
  await settle(client, manifest);
  // Newer migrations than those of the backup.
  await migrate(stagingUrl);
  const rights = await validRights(client);
  await client.query('analyze');
  await onStep('replace');
  await client.query('begin');
  await refuseRunning(client);
  await replaceTables(client, restoreSchema, place.rows[0]!.name);
  await onStep('commit');
  await client.query('commit');
  await onStep('done');
  return { ...loaded, rights };
}

/** Makes the tables as the backup knew them. */
async function makeSchema(url: string, manifest: Manifest): Promise<void> {
  const migrations = readMigrations().filter(({ name }) => manifest.migrations.includes(name));
  await migrate(url, { migrations });
  const monthsSince = (Date.now() - Date.parse(manifest.madeAt)) / (28 * 86_400_000);
  const db = connect(url, { name: 'postrider restore', maxConnections: 1 });
  try {
    await makePartitions(db, { behind: manifest.monthsBehind + Math.max(0, Math.ceil(monthsSince)) });
  } finally {
    await db.close();
  }
}

async function loadTables(
  client: pg.Client,
  reading: AsyncGenerator<BackupRecord>,
  manifest: Manifest,
  tables: readonly Table[],
): Promise<RestoreSummary> {
  const known = new Map(tables.map((table) => [table.name, table]));
  // Triggers have done their work when the rows were first written.
  for (const name of known.keys()) await client.query(`alter table ${pg.escapeIdentifier(name)} disable trigger user`);
  await client.query('truncate migration');
  const sum = { tables: 0, rows: 0 };
  const skipped: string[] = [];
  const seen: TableHead[] = [];
  for await (const record of reading) {
    if (record.kind === 'table') {
      seen.push(record.table);
      const { name, columns } = record.table;
      const table = name === jobsTable ? { columns: ['job'] } : known.get(name);
      if (table && columns.some((column) => !table.columns.includes(column)))
        throw new BackupProblem(`The backup has columns of table ${name} that its version of the schema lacks.`);
      if (table === undefined) skipped.push(name);
      const { rows, said } = table ? await loadTable(client, reading, record.table) : await skipTable(reading);
      count(sum, said, rows);
    } else if (record.kind === 'end') {
      needOwnColumns(manifest, tables, seen);
      for (const name of known.keys())
        await client.query(`alter table ${pg.escapeIdentifier(name)} enable trigger user`);
      return { ...(await ended(reading, manifest, sum, record)), skipped };
    } else throw incomplete();
  }
  throw incomplete();
}

/** @returns the rows that arrived, and those that the backup counted */
async function loadTable(
  client: pg.Client,
  reading: AsyncGenerator<BackupRecord>,
  { name, columns }: TableHead,
): Promise<{ rows: number; said: number }> {
  const list = columns.map(pg.escapeIdentifier).join(', ');
  const target = client.query(copyFrom(`copy ${pg.escapeIdentifier(name)} (${list}) from stdin`));
  const finished = once(target, 'finish');
  // The error is thrown where it is waited for.
  finished.catch(() => {});
  try {
    for (;;) {
      const { value: record, done } = await reading.next();
      if (done) throw incomplete();
      if (record.kind === 'rows') {
        if (!target.write(record.rows)) await Promise.race([once(target, 'drain'), finished]);
      } else if (record.kind === 'tableEnd') {
        target.end();
        await finished;
        return { rows: target.rowCount, said: record.rows };
      } else throw incomplete();
    }
  } catch (error) {
    target.destroy();
    throw error;
  }
}

/** @returns as loadTable does */
async function skipTable(reading: AsyncGenerator<BackupRecord>): Promise<{ rows: number; said: number }> {
  let rows = 0;
  for (;;) {
    const { value: record, done } = await reading.next();
    if (done) throw incomplete();
    if (record.kind === 'rows') rows += countLines(record.rows);
    else if (record.kind === 'tableEnd') return { rows, said: record.rows };
    else throw incomplete();
  }
}

async function setSequences(client: pg.Client, { sequences }: Manifest): Promise<void> {
  // Null for a sequence of another program.
  for (const { name, value, called } of sequences)
    await client.query('select setval(to_regclass($1), $2, $3)', [pg.escapeIdentifier(name), value, called]);
}

async function needSealKey(client: pg.Client, { sealed }: Manifest, sealKey: string): Promise<void> {
  const { rows } = await client.query<{ secret: string }>(
    "select value #>> '{}' as secret from installation where key = 'secret'",
  );
  const sealer = { secret: Buffer.from(rows[0]?.secret ?? '', 'hex'), config: { sealKey } };
  if (unseal(sealer, 'backup', Buffer.from(sealed, 'hex')) !== sealedText)
    throw new BackupProblem(
      'SEAL_KEY is not the one that the backup was made with, so its private keys, passwords of relays and second factors ' +
        'could not be read. Set that key; if it is lost, use --without-seal-key and enter them again.',
    );
}

/** What must not go on as if nothing had happened. */
async function settle(client: pg.Client, { madeAt }: Manifest): Promise<void> {
  // An installation that never sent has no heartbeat yet.
  await client.query(
    `insert into heartbeat (instance, place, held)
    values (gen_random_uuid()::text, '', $1)
    on conflict (single) do update set held = excluded.held, timeline = database_timeline()`,
    [packMessage(message('hold.restored', { date: madeAt }))],
  );
  // Its chunks are taken over without a journal: those on this machine belong to another state of the database.
  await client.query(
    "update worker set host = '', boot_id = '', journal = '', ended_at = coalesce(ended_at, now()), timeline = database_timeline()",
  );
  await endShortRights(client);
}

/** @throws BackupProblem while a process of Postrider is connected */
async function refuseRunning(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select distinct application_name as name
    from pg_stat_activity
    where datname = current_database()
      and application_name ~ '^postrider '
      and application_name <> 'postrider restore'
    order by 1`);
  if (rows.length > 0)
    throw new BackupProblem(
      `Stop Postrider first: the database is in use by ${rows.map(({ name }) => name).join(', ')}. Nothing was changed.`,
    );
}

/** @throws SchemaMismatch when the backup was made with migrations that this program does not have */
function needMigrations(manifest: Manifest): void {
  needKnownMigrations(appliedIn(manifest), readMigrations());
}

const appliedIn = ({ migrations, hashes }: Manifest): Applied[] =>
  migrations.map((name, i) => ({ name, hash: hashes?.[i] ?? null }));

/**
 * A backup without hashes: its tables are compared with those that the migrations have just made.
 * @throws SchemaMismatch
 */
function needOwnColumns(manifest: Manifest, tables: readonly Table[], seen: readonly TableHead[]): void {
  if (appliedIn(manifest).every(({ hash }) => hash !== null)) return;
  const backedUp = new Map(seen.map(({ name, columns }) => [name, columns]));
  const missing = tables
    .filter(({ name }) => name !== 'migration')
    .flatMap(({ name, columns }) => {
      const there = backedUp.get(name);
      if (there === undefined) return [`table ${name}`];
      return columns.filter((column) => !there.includes(column)).map((column) => `column ${name}.${column}`);
    });
  if (missing.length > 0) throw otherTables(missing, 'The backup');
}

function openBackup(source: Readable, passphrase: string): AsyncGenerator<BackupRecord> {
  const decrypted = decrypting(passphrase);
  const plain = createZstdDecompress();
  source.on('error', (error) => decrypted.destroy(error));
  decrypted.on('error', (error) => plain.destroy(error));
  // The program that wrote what was decrypted is the one that encrypted it: a format that cannot be decompressed is no attack.
  return readRecords(source.pipe(decrypted).pipe(plain));
}

async function readManifest(reading: AsyncGenerator<BackupRecord>): Promise<Manifest> {
  const { value: record, done } = await reading.next();
  if (done || record.kind !== 'manifest') throw incomplete();
  return record.manifest;
}

function count(sum: { tables: number; rows: number }, said: number, rows: number): void {
  if (said !== rows) throw incomplete();
  sum.tables += 1;
  sum.rows += rows;
}

async function ended(
  reading: AsyncGenerator<BackupRecord>,
  manifest: Manifest,
  sum: { tables: number; rows: number },
  end: { tables: number; rows: number },
): Promise<RestoreSummary> {
  // Reads on to the end of the encryption, which proves that nothing is missing.
  if (!(await reading.next()).done) throw incomplete();
  if (sum.tables !== end.tables || sum.rows !== end.rows || sum.tables !== manifest.tables) throw incomplete();
  return { manifest, ...sum, skipped: [] };
}

function countLines(rows: Buffer): number {
  let lines = 0;
  for (let at = rows.indexOf(10); at >= 0; at = rows.indexOf(10, at + 1)) lines++;
  return lines;
}

const incomplete = () => new BackupProblem('The backup is incomplete or was put together wrongly.');

/** The URL of the same database, with another schema as the one where names are looked up. */
export function inSchema(url: string, schema: string): string {
  const changed = new URL(url);
  const before = changed.searchParams.get('options');
  changed.searchParams.set('options', `${before === null ? '' : `${before} `}-c search_path=${schema}`);
  return changed.href;
}
