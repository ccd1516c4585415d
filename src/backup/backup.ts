// Makes a backup: everything in the database, as of one moment, while Postrider keeps sending. One read-only transaction with
// one snapshot reads table by table; it locks nothing that anyone waits for. Compressed and encrypted on the way. Journals and
// other local files are not in it: after a restore they would describe another database.
import { type Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { seal } from '../accounts/installation/seal.ts';
import { version } from '../base/version.ts';
import { tcpKeepAlive } from '../db/connect.ts';
import { prepareSession, unlimited } from '../db/connection/session-settings.ts';
import { target } from '../db/connection/target.ts';
import type { Applied } from '../db/migrate/applied.ts';
import { needOwnContents } from '../db/migrate/migrate.ts';
import { alwaysBehind } from '../db/partitions.ts';
import { jobsTable, readSequences, readTables, type Table } from './catalogue.ts';
import { encrypting } from './encryption.ts';
import { type Manifest, writeRecord } from './records.ts';

export type BackupOptions = {
  passphrase: string;
  sealKey: string;
  /** Aborts the backup. */
  signal?: AbortSignal | undefined;
  /** For tests: a lower cost of the passphrase. */
  cost?: number;
};
export type BackupSummary = { madeAt: string; tables: number; rows: number; bytes: number };

/** Kept in `installation` as the last backup that was completed. */
export type LastBackup = { at: string; bytes: number; rows: number };

const rowsBytes = 256 * 1_024;
/** This text is sealed into each backup: a restore that can open it has the same SEAL_KEY. */
export const sealedText = 'postrider backup';

/**
 * Writes a backup of the database to a stream, and ends the stream.
 * @throws SchemaMismatch when no version with the migrations of this one could restore it
 */
export async function makeBackup(
  url: string,
  out: Writable,
  { passphrase, sealKey, signal, cost }: BackupOptions,
): Promise<BackupSummary> {
  const client = await openSession(url, 'postrider backup');
  try {
    await needOwnContents(client);
    await client.query('begin transaction isolation level repeatable read read only');
    const manifest = await readManifest(client, sealKey);
    const tables = await readTables(client);
    const sum = { tables: 0, rows: 0, bytes: 0 };
    const counting = new Transform({
      transform(chunk: Buffer, _, done) {
        sum.bytes += chunk.length;
        done(null, chunk);
      },
    });
    await pipeline(
      records(client, { ...manifest, tables: tables.length + 1 }, tables, sum),
      createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
      await encrypting(passphrase, cost),
      counting,
      out,
      { signal },
    );
    await client.query('commit');
    return { madeAt: manifest.madeAt, ...sum };
  } finally {
    await client.end().catch(() => {});
  }
}

/** A connection of its own without time limits, for long statements. */
export async function openSession(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...target(url),
    application_name: name,
    connectionTimeoutMillis: 10_000,
    ...tcpKeepAlive,
  });
  // A connection that breaks between two statements; the next one reports it.
  client.on('error', () => {});
  await client.connect();
  await prepareSession(client, unlimited);
  return client;
}

async function readManifest(client: pg.Client, sealKey: string): Promise<Omit<Manifest, 'tables'>> {
  const { rows } = await client.query<{ madeAt: Date; monthsBehind: number; secret: string | null }>(
    `
    select now() as "madeAt",
      greatest(0, coalesce((
        select max(
          extract(year from age(date_trunc('month', now() at time zone 'UTC'), month)) * 12
            + extract(month from age(date_trunc('month', now() at time zone 'UTC'), month))
            - coalesce(($1::jsonb ->> "table")::int, 0)
        )
        from (
          select to_date(right(relname, 7), 'YYYY_MM')::timestamp as month, left(relname, -8) as "table"
          from pg_class c
          where relispartition
            and relkind = 'r'
            and relname ~ '_[0-9]{4}_[0-9]{2}$'
            and relnamespace = (select oid from pg_namespace where nspname = current_schema())
        ) as partition
      ), 0))::int as "monthsBehind",
      (select value #>> '{}' from installation where key = 'secret') as secret`,
    [JSON.stringify(alwaysBehind)],
  );
  const { madeAt, monthsBehind, secret } = rows[0]!;
  const { rows: migrations } = await client.query<Applied>(
    "select name, to_jsonb(m) ->> 'hash' as hash from migration m order by name",
  );
  return {
    format: 1,
    version,
    madeAt: madeAt.toISOString(),
    monthsBehind,
    migrations: migrations.map(({ name }) => name),
    hashes: migrations.map(({ hash }) => hash),
    sequences: await readSequences(client),
    sealed: seal({ secret: Buffer.from(secret ?? '', 'hex'), config: { sealKey } }, 'backup', sealedText).toString(
      'hex',
    ),
  };
}

/** Everything inside the backup, in order. `sum` is counted up. */
async function* records(
  client: pg.Client,
  manifest: Manifest,
  tables: readonly Table[],
  sum: { tables: number; rows: number },
): AsyncGenerator<Buffer> {
  yield writeRecord({ kind: 'manifest', manifest });
  const whole = [
    ...tables.map((table) => ({ name: table.name, columns: table.columns, copy: copyOf(table) })),
    { name: jobsTable, columns: ['job'], copy: copyOfJobs },
  ];
  for (const { name, columns, copy } of whole) {
    yield writeRecord({ kind: 'table', table: { name, columns } });
    const stream = client.query(copyTo(copy));
    for await (const rows of gathered(stream)) yield writeRecord({ kind: 'rows', rows });
    const rows = stream.rowCount ?? 0;
    sum.tables += 1;
    sum.rows += rows;
    yield writeRecord({ kind: 'tableEnd', rows });
  }
  yield writeRecord({ kind: 'end', tables: sum.tables, rows: sum.rows });
}

function copyOf({ name, columns, isPartitioned }: Table): string {
  const table = pg.escapeIdentifier(name);
  const list = columns.map(pg.escapeIdentifier).join(', ');
  // Only a query reads all partitions.
  return isPartitioned ? `copy (select ${list} from ${table}) to stdout` : `copy ${table} (${list}) to stdout`;
}

/** Jobs that have not failed permanently. Those in progress start again, as after a crash of their worker. */
const copyOfJobs = `
  copy (
    select json_build_object(
      'task', t.identifier, 'payload', j.payload, 'queue', q.queue_name, 'run_at', j.run_at, 'priority', j.priority,
      'attempts', greatest(1, j.max_attempts - j.attempts), 'key', j.key)
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
    where j.attempts < j.max_attempts
      or j.locked_at is not null
    order by j.id
  ) to stdout`;

/** Small pieces cost more to frame and compress than to join. */
async function* gathered(stream: Readable): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    waiting.push(piece);
    size += piece.length;
    if (size < rowsBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(waiting);
}
