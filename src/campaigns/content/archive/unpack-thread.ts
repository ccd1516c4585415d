// A thread that unpacks archives, one at a time. Receives the bytes, returns the files.
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Message } from '../../../base/messages.ts';
import { withoutMetadata } from '../pictures/metadata.ts';
import type { UnpackedFile } from './collect.ts';
import { type ArchiveLimits, ArchiveRefusal } from './limits.ts';
import { type ArchiveType, unpack } from './unpack.ts';

/** The buffer of the bytes is transferred to the thread. */
export type UnpackOrder = { archive: Uint8Array; type: ArchiveType; limits: ArchiveLimits };
export type ArchiveFile = UnpackedFile & { sha256: string };
export type UnpackOutcome = { ok: true; files: ArchiveFile[]; mismatched: string[] } | { ok: false; reason: Message };

parentPort!.on('message', async (order: UnpackOrder) => {
  try {
    const outcome = await unpackAll(order);
    const buffers = outcome.ok ? outcome.files.map(({ bytes }) => bytes.buffer as ArrayBuffer) : [];
    parentPort!.postMessage({ value: outcome }, buffers);
  } catch (error) {
    parentPort!.postMessage({ error });
  }
});

async function unpackAll({ archive, type, limits }: UnpackOrder): Promise<UnpackOutcome> {
  try {
    const { files, mismatched } = await unpack(Buffer.from(archive.buffer), type, limits);
    const hashed = files.map((file) => {
      const bytes = file.kind.use === 'image' ? stripped(file.bytes) : file.bytes;
      return { ...file, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
    });
    return { ok: true, files: hashed, mismatched };
  } catch (error) {
    if (!(error instanceof ArchiveRefusal)) throw error;
    return { ok: false, reason: error.reason };
  }
}

/** The picture without metadata, in its own memory for the transfer; unchanged if it cannot be parsed. */
function stripped(picture: Uint8Array): Uint8Array {
  const clean = withoutMetadata(Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength));
  return clean && clean.bytes.length < picture.length ? new Uint8Array(clean.bytes) : picture;
}
