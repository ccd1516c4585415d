// The thread in which one archive is decoded and unpacked. Gets bytes or Base64, gives back the files, and ends.
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { UnpackedFile } from './collect.ts';
import { type ArchiveLimits, ArchiveRefusal, codedTooLarge } from './limits.ts';
import { type ArchiveType, unpack } from './unpack.ts';

export type UnpackOrder = { input: string | Uint8Array; type: ArchiveType; limits: ArchiveLimits };
export type ArchiveFile = UnpackedFile & { sha256: string };
export type UnpackOutcome = { ok: true; files: ArchiveFile[]; mismatched: string[] } | { ok: false; reason: string };

const { input, type, limits } = workerData as UnpackOrder;
try {
  const archive = archiveBytes(input);
  if (archive.length > limits.codedBytes) throw codedTooLarge(limits);
  const { files, mismatched } = await unpack(archive, type, limits);
  const hashed = files.map((file) => ({ ...file, sha256: createHash('sha256').update(file.bytes).digest('hex') }));
  const outcome: UnpackOutcome = { ok: true, files: hashed, mismatched };
  parentPort!.postMessage(
    outcome,
    files.map(({ bytes }) => bytes.buffer as ArrayBuffer),
  );
} catch (error) {
  if (!(error instanceof ArchiveRefusal)) throw error;
  const outcome: UnpackOutcome = { ok: false, reason: error.message };
  parentPort!.postMessage(outcome);
}

/** Bytes that are Base64 themselves come from clients that encode twice. */
function archiveBytes(given: string | Uint8Array): Buffer {
  if (typeof given === 'string') {
    if (isBase64(given)) return Buffer.from(given, 'base64');
    throw new ArchiveRefusal('The archive is not encoded with Base64.');
  }
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  if (bytes.length === 0 || !isBase64(bytes.toString('latin1', 0, 64))) return bytes;
  const text = bytes.toString('latin1');
  return isBase64(text) ? Buffer.from(text, 'base64') : bytes;
}

/** Of either alphabet, with white space anywhere, padded or not. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_\s-]*(?:=\s*){0,2}$/.test(text);
}
