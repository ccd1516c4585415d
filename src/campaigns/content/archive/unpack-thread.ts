// The thread in which one archive is unpacked. Gets its bytes, gives back the files, and ends.
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { withoutMetadata } from '../pictures/metadata.ts';
import type { UnpackedFile } from './collect.ts';
import { type ArchiveLimits, ArchiveRefusal } from './limits.ts';
import { type ArchiveType, unpack } from './unpack.ts';

/** The bytes come in a buffer of their own, which becomes the thread's. */
export type UnpackOrder = { archive: Uint8Array; type: ArchiveType; limits: ArchiveLimits };
export type ArchiveFile = UnpackedFile & { sha256: string };
export type UnpackOutcome = { ok: true; files: ArchiveFile[]; mismatched: string[] } | { ok: false; reason: string };

const { archive, type, limits } = workerData as UnpackOrder;
try {
  const { files, mismatched } = await unpack(Buffer.from(archive.buffer), type, limits);
  const hashed = files.map((file) => {
    const bytes = file.kind.use === 'image' ? withoutTelling(file.bytes) : file.bytes;
    return { ...file, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
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

/** The picture without metadata, in memory of its own to be handed over; one that cannot be read through as it came. */
function withoutTelling(given: Uint8Array): Uint8Array {
  const clean = withoutMetadata(Buffer.from(given.buffer, given.byteOffset, given.byteLength));
  return clean && clean.bytes.length < given.length ? new Uint8Array(clean.bytes) : given;
}
