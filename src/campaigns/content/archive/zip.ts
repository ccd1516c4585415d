// Reads a zip archive in memory.
// Guarantees that the paths, number and declared sizes of all entries are checked before any is unpacked, that no two
// entries share bytes, and that the length and checksum of each are as declared.
import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { type Message, message } from '../../../base/messages.ts';
import type { Collection } from './collect.ts';
import { ArchiveRefusal, shown, type Tally } from './limits.ts';
import { refusedEntry } from './path.ts';

export async function readZip(archive: Buffer, tally: Tally, collection: Collection): Promise<void> {
  const zip = await open(archive);
  if (zip.entryCount > tally.limits.entries) throw tally.tooManyEntries();
  const files: { entry: Entry; name: string; path: string }[] = [];
  const spans: { start: number; end: number; name: string }[] = [];
  let declaredBytes = 0;
  for await (const entry of entriesOf(zip)) {
    const name = nameOf(entry);
    const path = collection.admit(name);
    checkEntry(entry, name);
    declaredBytes += entry.uncompressedSize;
    tally.declare(name, declaredBytes, archive.length);
    tally.declare(name, entry.uncompressedSize, entry.compressedSize);
    const start = entry.relativeOffsetOfLocalHeader;
    spans.push({ start, end: start + 30 + entry.fileNameLength + entry.compressedSize, name });
    if (!/[\\/]$/.test(name)) files.push({ entry, name, path });
  }
  checkSpans(spans);
  for (const { entry, name, path } of files) {
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
      throw refusedEntry(name, message('archive.entry.damaged', { detail: (error as Error).message }));
    }
    if (checksum !== entry.crc32) throw refusedEntry(name, message('archive.entry.checksum'));
    keeping.end();
  }
}

/** Many programs write UTF-8 without the flag for it; what is not valid UTF-8 is in code page 437, as the format requires. */
function nameOf(entry: Entry): string {
  const { fileNameRaw } = entry;
  const flags = isUtf8(fileNameRaw) ? entry.generalPurposeBitFlag | 0x800 : entry.generalPurposeBitFlag;
  return getFileNameLowLevel(flags, fileNameRaw, entry.extraFields, true);
}

async function open(archive: Buffer): Promise<ZipFile> {
  try {
    // Names are decoded here, so that a refusal can show them; sizes are compared with the declared ones.
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
  const text = (error as Error).message;
  if (/multi-disk/.test(text)) return new ArchiveRefusal(message('archive.multi_part'));
  if (/encryption/.test(text)) return new ArchiveRefusal(message('archive.encrypted'));
  const detail = text.replace(/\. .*/s, '').slice(0, 200);
  return new ArchiveRefusal(message('archive.damaged_zip', { detail }));
}

function checkEntry(entry: Entry, name: string): void {
  const refuse = (problem: Message) => refusedEntry(name, problem);
  if (entry.isEncrypted()) throw refuse(message('archive.entry.encrypted'));
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw refuse(message('archive.entry.method', { method: entry.compressionMethod }));
  }
  // The upper half holds the file mode where a Unix program made the archive; 0 where another did.
  const type = (entry.externalFileAttributes >>> 16) & 0o170000;
  if (type === 0o120000) throw refuse(message('archive.entry.symbolic_link'));
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) throw refuse(message('archive.entry.not_a_file'));
}

/** Entries that share bytes would let a small archive unpack to a large one. */
function checkSpans(spans: { start: number; end: number; name: string }[]): void {
  spans.sort((a, b) => a.start - b.start);
  for (let i = 1; i < spans.length; i++) {
    if (spans[i]!.start < spans[i - 1]!.end) {
      throw new ArchiveRefusal(
        message('archive.overlap', { name: shown(spans[i - 1]!.name), other: shown(spans[i]!.name) }),
      );
    }
  }
}
