// Takes a campaign's HTML and pictures from an archive: zip, tar, tar.gz, tgz, tar.bz2 or tbz, as bytes or Base64.
// Promises that nothing is written to disk, that no archive takes more than the limits whatever it says of itself, and
// that this thread is never held up: each archive is unpacked in a thread of its own, as many at once as there are cores.
// The caller stores the assets and serves them under the addresses that it gave.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type ArchiveLimits, ArchiveRefusal, archiveLimits, codedTooLarge } from './archive/limits.ts';
import { type ArchivePage, assemblePage } from './archive/page.ts';
import { type ArchiveType, archiveTypes } from './archive/unpack.ts';
import type { UnpackOrder, UnpackOutcome } from './archive/unpack-thread.ts';

export type { ArchiveLimits } from './archive/limits.ts';
export type { ArchiveAsset, ArchivePage, ArchiveWarning } from './archive/page.ts';
export type { ArchiveType } from './archive/unpack.ts';
export { archiveLimits, archiveTypes };

export type ArchiveResult =
  | ({ ok: true } & ArchivePage)
  | {
      ok: false;
      /** For the user; names the entry where there is one to blame. */
      reason: string;
    };

/**
 * Reads an archive. Whatever is wrong with it is a value, not an exception.
 * @param input its bytes, or Base64 with or without line breaks (also inside the bytes)
 * @param assetUrl the address under which the asset of this name will be served
 */
export async function readArchive(
  input: string | Uint8Array,
  type: ArchiveType,
  assetUrl: (name: string) => string,
  limits: ArchiveLimits = archiveLimits,
): Promise<ArchiveResult> {
  try {
    const archive = archiveBytes(input, limits);
    const unpacked = await inTurn(() => unpackInThread({ archive, type, limits }));
    if (!unpacked.ok) return unpacked;
    return { ok: true, ...assemblePage(unpacked.files, unpacked.mismatched, assetUrl) };
  } catch (error) {
    if (error instanceof ArchiveRefusal) return { ok: false, reason: error.message };
    throw error;
  }
}

/** The bytes in a buffer of their own. Bytes that are Base64 themselves come from clients that encode twice. */
function archiveBytes(input: string | Uint8Array, limits: ArchiveLimits): Uint8Array<ArrayBuffer> {
  if (input.length > longestBase64(limits.codedBytes)) throw codedTooLarge(limits);
  let text = typeof input === 'string' ? input : '';
  if (typeof input !== 'string') {
    const bytes = Buffer.from(input.buffer, input.byteOffset, input.length);
    if (bytes.length > 0 && isBase64(bytes.toString('latin1', 0, 64))) text = bytes.toString('latin1');
    if (text === '' || !isBase64(text)) {
      if (bytes.length > limits.codedBytes) throw codedTooLarge(limits);
      return Uint8Array.from(bytes);
    }
  }
  if (!isBase64(text)) throw new ArchiveRefusal('The archive is not encoded with Base64.');
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
function longestBase64(bytes: number): number {
  return Math.ceil(Math.ceil(bytes / 3) * 4 * 1.034) + 4;
}

// Of the process, not of a caller: its cores are what is shared. Further archives wait for their turn.
const slots = availableParallelism();
let busy = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (busy >= slots) await new Promise<void>((resolve) => waiting.push(resolve));
  else busy++;
  try {
    return await work();
  } finally {
    // The slot is handed on, so that nobody who comes now gets in between.
    const next = waiting.shift();
    if (next) next();
    else busy--;
  }
}

function unpackInThread(order: UnpackOrder): Promise<UnpackOutcome> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./archive/unpack-thread.ts', import.meta.url), {
      workerData: order,
      transferList: [order.archive.buffer as ArrayBuffer],
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 },
    });
    const timer = setTimeout(() => {
      resolve({ ok: false, reason: 'The archive takes too long to unpack.' });
      void thread.terminate();
    }, order.limits.totalMs);
    thread.on('message', (outcome: UnpackOutcome) => resolve(outcome));
    thread.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        resolve({ ok: false, reason: 'The archive takes too much memory.' });
      else reject(error);
    });
    thread.on('exit', () => {
      clearTimeout(timer);
      reject(new Error('The unpacking thread ended without an answer.'));
    });
  });
}
