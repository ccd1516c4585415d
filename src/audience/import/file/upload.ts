// Uploaded files, stored in pieces in the database: any worker on any machine can read them, backups include them, and no
// files on disk need cleaning up. Uses constant memory for reading and writing.
import { Readable } from 'node:stream';
import { fault } from '../../../base/faults.ts';
import { type Database, type Queries, sql, type Tx } from '../../../db/connect.ts';

/** Maximum size of a file, as uploaded. The proxies in examples/proxies and examples/helm let through as much. */
export const maxUploadBytes = 512 * 1024 * 1024;
/** Bytes per piece; also the most that a reader has in memory. */
const pieceBytes = 256 * 1024;
/** Total size of an account's files that are waiting to be imported. */
const maxKeptBytes = 4 * maxUploadBytes;

export type Upload = { accountId: number; id: number; size: number };

export async function createUpload(db: Queries, accountId: number, name: string): Promise<number> {
  const kept = await db.row<{ bytes: number }>(sql`
    select coalesce(sum(size), 0)::int8 as bytes from upload where account_id = ${accountId}`);
  if (kept!.bytes >= maxKeptBytes)
    throw fault('TOO_LARGE', 'upload.too_much_waiting', { count: Math.round(kept!.bytes / 1048576) });
  const row = await db.row<{ id: number }>(sql`
    insert into upload (account_id, name)
    values (${accountId}, ${name.replace(/[\p{Cc}]/gu, '').slice(0, 200)})
    returning id`);
  return row!.id;
}

/**
 * Appends bytes to a file. Each piece is stored as it arrives, so that an interrupted upload can be resumed.
 * @param at how many bytes the caller expects to be stored; any other number is refused and changes nothing
 * @returns the size of the file now
 * @throws Fault UPLOAD_UNKNOWN, IMPORT_INVALID (another size), TOO_LARGE
 */
export async function appendUpload(
  db: Database,
  accountId: number,
  id: number,
  at: number,
  source: AsyncIterable<Uint8Array>,
): Promise<number> {
  let size = at;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const write = async () => {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    await db.transaction((tx) => addPieces(tx, accountId, id, size, bytes));
    size += bytes.length;
  };
  // Fails immediately, even when no bytes arrive.
  await needUpload(db, accountId, id);
  try {
    for await (const part of source) {
      waiting.push(part);
      waitingBytes += part.length;
      if (waitingBytes >= pieceBytes * 4) await write();
    }
  } finally {
    // Keeps what arrived before an interruption.
    if (waitingBytes > 0 || size === at) await write();
  }
  return size;
}

/** A small file from a text, in the caller's transaction. */
export async function keepText(tx: Tx, accountId: number, name: string, text: string): Promise<number> {
  const id = await createUpload(tx, accountId, name);
  await addPieces(tx, accountId, id, 0, Buffer.from(text));
  return id;
}

export async function needUpload(db: Queries, accountId: number, id: number): Promise<Upload & { name: string }> {
  const row = await db.row<{ size: number; name: string }>(sql`
    select size, name from upload where account_id = ${accountId} and id = ${id}`);
  if (!row) throw fault('UPLOAD_UNKNOWN', 'upload.unknown_or_removed', { member: 'upload' });
  return { accountId, id, size: row.size, name: row.name };
}

export async function deleteUpload(db: Queries, accountId: number, id: number): Promise<void> {
  await db.run(sql`delete from upload where account_id = ${accountId} and id = ${id}`);
}

/** The bytes of a range, as a stream of pieces. */
export function readUpload(db: Queries, upload: Upload, from = 0, to = upload.size): Readable {
  const pieces = async function* () {
    let next = from;
    while (next < to) {
      const row = await db.row<{ at: number; bytes: Buffer }>(sql`
        select at, bytes
        from upload_piece
        where account_id = ${upload.accountId}
          and upload_id = ${upload.id}
          and at <= ${next}
        order by at desc
        limit 1`);
      const piece = row?.bytes.subarray(next - row.at, to - row.at);
      if (!piece || piece.length === 0) throw new Error(`the file ends at ${next} of ${upload.size} bytes`);
      next += piece.length;
      yield piece;
    }
  };
  return Readable.from(pieces(), { objectMode: false, highWaterMark: pieceBytes });
}

async function addPieces(tx: Tx, accountId: number, id: number, at: number, bytes: Buffer): Promise<void> {
  const row = await tx.row<{ size: number }>(sql`
    select size from upload where account_id = ${accountId} and id = ${id} for update`);
  if (!row) throw fault('UPLOAD_UNKNOWN', 'upload.unknown', { member: 'upload' });
  if (row.size !== at) throw fault('IMPORT_INVALID', 'upload.not_at', { member: 'at', count: row.size, value: at });
  if (at + bytes.length > maxUploadBytes)
    throw fault('TOO_LARGE', 'upload.too_large', { count: maxUploadBytes / 1048576 });
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    await tx.run(sql`
      insert into upload_piece (account_id, upload_id, at, bytes)
      values (${accountId}, ${id}, ${at + from}, ${bytes.subarray(from, from + pieceBytes)})`);
  }
  await tx.run(sql`
    update upload
    set size = ${at + bytes.length}, changed_at = now()
    where account_id = ${accountId}
      and id = ${id}`);
}
