// Reads a campaign's HTML and pictures from an archive: zip, tar, tar.gz, tgz, tar.bz2 or tbz, as bytes or Base64.
// Guarantees that nothing is written to disk, that no archive exceeds the limits whatever sizes it declares, and that
// this thread is never blocked: archives are read in other threads, at most as many at the same time as there are cores.
// The caller stores the assets and serves them under the URL it passed.
import { availableParallelism } from 'node:os';
import { message } from '../../base/messages.ts';
import { moduleUrl } from '../../base/threads/module-url.ts';
import { OverLimit, ThreadPool } from '../../base/threads/thread-pool.ts';
import { type ArchiveLimits, ArchiveRefusal, archiveLimits, codedTooLarge } from './archive/limits.ts';
import type { ArchiveOrder, ArchiveResult } from './archive/thread.ts';
import type { ArchiveType } from './archive/unpack.ts';

/**
 * Reads an archive. A problem with it is returned, not thrown.
 * @param input its bytes, or Base64 with or without line breaks (also inside the bytes)
 * @param assetsUrl the address under which the assets will be served, up to their names
 */
export async function readArchive(
  input: string | Uint8Array,
  type: ArchiveType,
  assetsUrl: string,
  limits: ArchiveLimits = archiveLimits,
): Promise<ArchiveResult> {
  try {
    const archive = archiveBytes(input, limits);
    return await readInThread({ archive, type, assetsUrl, limits });
  } catch (error) {
    if (error instanceof ArchiveRefusal) return { ok: false, reason: error.reason };
    throw error;
  }
}

/** The bytes in a separate buffer. Clients that encode twice send bytes that are Base64 again. */
function archiveBytes(input: string | Uint8Array, limits: ArchiveLimits): Uint8Array<ArrayBuffer> {
  if (input.length > maxBase64Length(limits.codedBytes)) throw codedTooLarge(limits);
  let text = typeof input === 'string' ? input : '';
  if (typeof input !== 'string') {
    const bytes = Buffer.from(input.buffer, input.byteOffset, input.length);
    if (bytes.length > 0 && isBase64(bytes.toString('latin1', 0, 64))) text = bytes.toString('latin1');
    if (text === '' || !isBase64(text)) {
      if (bytes.length > limits.codedBytes) throw codedTooLarge(limits);
      return Uint8Array.from(bytes);
    }
  }
  if (!isBase64(text)) throw new ArchiveRefusal(message('archive.not_base64'));
  // 20 MiB take 15 ms.
  const decoded = Buffer.from(text, 'base64');
  if (decoded.length > limits.codedBytes) throw codedTooLarge(limits);
  // Small buffers share Node's pool.
  return decoded.length === decoded.buffer.byteLength ? (decoded as Buffer<ArrayBuffer>) : Uint8Array.from(decoded);
}

/** Of either alphabet, with white space anywhere, padded or not. 20 MiB take 25 ms. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_\s-]*(?:=\s*){0,2}$/.test(text);
}

/** Four characters for three bytes, and a line break of two characters for every 60 and more. */
function maxBase64Length(bytes: number): number {
  return Math.ceil(Math.ceil(bytes / 3) * 4 * 1.034) + 4;
}

// For the whole process, whose cores are shared. Further archives wait for their turn.
const pool = new ThreadPool(moduleUrl('./archive/thread', import.meta.url), {
  threads: availableParallelism(),
  maxMs: archiveLimits.totalMs,
  // As for other foreign HTML (compile/in-thread.ts): unpacking alone needs less.
  maxMemoryMb: 256,
  maxWaiting: Number.POSITIVE_INFINITY,
});

async function readInThread(order: ArchiveOrder): Promise<ArchiveResult> {
  const options = { transfer: [order.archive.buffer as ArrayBuffer], maxMs: order.limits.totalMs };
  try {
    return (await pool.run(order, options)) as ArchiveResult;
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    throw new ArchiveRefusal(message(error.limit === 'time' ? 'archive.too_slow' : 'archive.too_much_memory'));
  }
}
