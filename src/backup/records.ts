// What is inside a backup, before compression: a manifest, then for each table a head, its rows in PostgreSQL's text format and
// their number, then an end. Each record is a letter, the length and the content.
import { z } from 'zod';
import { BackupProblem } from './encryption.ts';

const manifest = z.object({
  /** Of this format. */
  format: z.literal(1),
  /** Of the program that made it. */
  version: z.string(),
  /** By the clock of the database. */
  madeAt: z.iso.datetime(),
  migrations: z.array(z.string()),
  /** Of their contents, in the same order; none in backups of versions that recorded none. */
  hashes: z.array(z.string().nullable()).optional(),
  /** Months before `madeAt` that have partitions. */
  monthsBehind: z.int(),
  /** Last values. */
  sequences: z.array(z.object({ name: z.string(), value: z.string(), called: z.boolean() })),
  tables: z.int(),
  /** Opens with the secret in the backup and the SEAL_KEY that it was made with (hexadecimal). */
  sealed: z.string(),
});
export type Manifest = z.output<typeof manifest>;

const tableHead = z.object({ name: z.string(), columns: z.array(z.string()) });
export type TableHead = z.output<typeof tableHead>;
const tableEnd = z.object({ rows: z.int() });
const end = z.object({ tables: z.int(), rows: z.int() });

export type BackupRecord =
  | { kind: 'manifest'; manifest: Manifest }
  | { kind: 'table'; table: TableHead }
  | { kind: 'rows'; rows: Buffer }
  | { kind: 'tableEnd'; rows: number }
  | { kind: 'end'; tables: number; rows: number };

const headBytes = 5;
/** A row of PostgreSQL is at most 1 GB; it may come in several records. */
const maxBytes = 64 * 1_024 * 1_024;

export function writeRecord(record: BackupRecord): Buffer {
  switch (record.kind) {
    case 'manifest':
      return framed('M', Buffer.from(JSON.stringify(record.manifest)));
    case 'table':
      return framed('T', Buffer.from(JSON.stringify(record.table)));
    case 'rows':
      return framed('R', record.rows);
    case 'tableEnd':
      return framed('E', Buffer.from(JSON.stringify({ rows: record.rows })));
    case 'end':
      return framed('Z', Buffer.from(JSON.stringify({ tables: record.tables, rows: record.rows })));
  }
}

/** @throws BackupProblem */
export async function* readRecords(source: AsyncIterable<Buffer>): AsyncGenerator<BackupRecord> {
  let rest: Buffer = Buffer.alloc(0);
  let waiting: Buffer[] = [];
  let size = 0;
  let wanted = headBytes;
  for await (const piece of source) {
    waiting.push(piece);
    size += piece.length;
    if (size < wanted) continue;
    rest = Buffer.concat(waiting);
    wanted = headBytes;
    while (rest.length >= headBytes) {
      const length = rest.readUInt32BE(1);
      if (length > maxBytes) throw unknown();
      wanted = headBytes + length;
      if (rest.length < wanted) break;
      yield parse(String.fromCharCode(rest[0]!), rest.subarray(headBytes, wanted));
      rest = rest.subarray(wanted);
      wanted = headBytes;
    }
    waiting = [rest];
    size = rest.length;
  }
  if (size > 0) throw unknown();
}

function parse(letter: string, content: Buffer): BackupRecord {
  if (letter === 'R') return { kind: 'rows', rows: content };
  try {
    const value: unknown = JSON.parse(content.toString());
    switch (letter) {
      case 'M':
        return { kind: 'manifest', manifest: manifest.parse(value) };
      case 'T':
        return { kind: 'table', table: tableHead.parse(value) };
      case 'E':
        return { kind: 'tableEnd', ...tableEnd.parse(value) };
      case 'Z':
        return { kind: 'end', ...end.parse(value) };
    }
  } catch {
    // Below.
  }
  throw unknown();
}

const unknown = () => new BackupProblem('This version of Postrider cannot read the backup. Use the one that made it.');

function framed(letter: string, content: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(letter, 'latin1');
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}
