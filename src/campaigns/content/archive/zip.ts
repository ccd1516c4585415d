// Reads a zip archive that lies in memory.
// Promises that all entries are judged, counted and summed up as they announce themselves before any is unpacked, that
// no two of them share bytes, and that each one's length and checksum are as announced.
import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import type { Collection } from './collect.ts';
import { ArchiveRefusal, shown, type Tally } from './limits.ts';

export async function readZip(archive: Buffer, tally: Tally, collection: Collection): Promise<void> {
  const zip = await open(archive);
  if (zip.entryCount > tally.limits.entries) throw tally.tooManyEntries();
  const wanted: { entry: Entry; name: string; path: string }[] = [];
  const spans: { start: number; end: number; name: string }[] = [];
  let announced = 0;
  for await (const entry of entriesOf(zip)) {
    const name = nameOf(entry);
    const path = collection.admit(name);
    checkEntry(entry, name);
    announced += entry.uncompressedSize;
    tally.announce(name, announced, archive.length);
    tally.announce(name, entry.uncompressedSize, entry.compressedSize);
    const start = entry.relativeOffsetOfLocalHeader;
    spans.push({ start, end: start + 30 + entry.fileNameLength + entry.compressedSize, name });
    if (!/[\\/]$/.test(name)) wanted.push({ entry, name, path });
  }
  checkSpans(spans);
  for (const { entry, name, path } of wanted) {
    const keeping = collection.begin(path, entry.uncompressedSize);
    if (!keeping) continue;
    let checksum = 0;
    try {
      for await (const piece of await zip.openReadStreamPromise(entry)) {
        tally.countBytes(piece.length);
        checksum = crc32(piece, checksum);
        keeping.write(piece);
      }
    } catch (error) {
      if (error instanceof ArchiveRefusal) throw error;
      throw new ArchiveRefusal(`The entry ${shown(name)} is damaged: ${(error as Error).message}.`);
    }
    if (checksum !== entry.crc32)
      throw new ArchiveRefusal(`The entry ${shown(name)} is damaged: its checksum differs.`);
    keeping.end();
  }
}

/** Many programs write UTF-8 without saying so; what is no sound UTF-8 is in code page 437, as the format has it. */
function nameOf(entry: Entry): string {
  const { fileNameRaw } = entry;
  const flags = isUtf8(fileNameRaw) ? entry.generalPurposeBitFlag | 0x800 : entry.generalPurposeBitFlag;
  return getFileNameLowLevel(flags, fileNameRaw, entry.extraFields, true);
}

async function open(archive: Buffer): Promise<ZipFile> {
  try {
    // Names are decoded here, so that a refusal can tell them; sizes are held against the announced ones.
    return await fromBufferPromise(archive, { decodeStrings: false, validateEntrySizes: true, autoClose: false });
  } catch (error) {
    throw damaged(error);
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    throw error instanceof ArchiveRefusal ? error : damaged(error);
  }
}

function damaged(error: unknown): ArchiveRefusal {
  const { message } = error as Error;
  if (/multi-disk/.test(message)) return new ArchiveRefusal('The archive is one part of several.');
  if (/encryption/.test(message)) return new ArchiveRefusal('The archive is encrypted.');
  return new ArchiveRefusal(`The zip archive is damaged: ${message.replace(/\. .*/s, '').slice(0, 200)}.`);
}

function checkEntry(entry: Entry, name: string): void {
  const refuse = (reason: string) => new ArchiveRefusal(`The entry ${shown(name)} ${reason}.`);
  if (entry.isEncrypted()) throw refuse('is encrypted');
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw refuse(`is packed by a method (${entry.compressionMethod}) other than deflate`);
  }
  // The upper half holds the file mode where a Unix program made the archive; 0 where another did.
  const type = (entry.externalFileAttributes >>> 16) & 0o170000;
  if (type === 0o120000) throw refuse('is a symbolic link');
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) throw refuse('is neither a file nor a directory');
}

/** Entries that share bytes are how a small archive announces itself as a large one. */
function checkSpans(spans: { start: number; end: number; name: string }[]): void {
  spans.sort((a, b) => a.start - b.start);
  for (let i = 1; i < spans.length; i++) {
    if (spans[i]!.start < spans[i - 1]!.end) {
      throw new ArchiveRefusal(`The entries ${shown(spans[i - 1]!.name)} and ${shown(spans[i]!.name)} overlap.`);
    }
  }
}
