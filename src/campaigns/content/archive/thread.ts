// A thread that reads archives, one at a time: it unpacks them and builds the page. Receives the bytes, returns the page.
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Message } from '../../../base/messages.ts';
import { withoutMetadata } from '../pictures/metadata.ts';
import { type ArchiveLimits, ArchiveRefusal } from './limits.ts';
import { type ArchivePage, assemblePage } from './page.ts';
import { type ArchiveType, unpack } from './unpack.ts';

/** The buffer of the bytes is transferred to the thread. */
export type ArchiveOrder = { archive: Uint8Array; type: ArchiveType; assetsUrl: string; limits: ArchiveLimits };
export type ArchiveResult =
  | ({ ok: true } & ArchivePage)
  | {
      ok: false;
      /** For the user; names the entry at fault, if any. */
      reason: Message;
    };

parentPort!.on('message', async (order: ArchiveOrder) => {
  try {
    const result = await read(order);
    const buffers = result.ok ? result.assets.map(({ bytes }) => bytes.buffer as ArrayBuffer) : [];
    parentPort!.postMessage({ value: result }, buffers);
  } catch (error) {
    parentPort!.postMessage({ error });
  }
});

async function read({ archive, type, assetsUrl, limits }: ArchiveOrder): Promise<ArchiveResult> {
  try {
    const { files, mismatched } = await unpack(Buffer.from(archive.buffer), type, limits);
    const hashed = files.map((file) => {
      const bytes = file.kind.use === 'image' ? stripped(file.bytes) : file.bytes;
      return { ...file, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
    });
    return { ok: true, ...assemblePage(hashed, mismatched, assetsUrl) };
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
