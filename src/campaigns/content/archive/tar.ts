// Reads a tar stream piece by piece: old, ustar, GNU long names, pax.
// Guarantees that a header takes at most 64 KiB of memory, that every header's checksum is right, and that only regular
// files and directories are accepted: links, devices, pipes and sparse files are refused by name.
// Used instead of tar-stream, which collects a pax header of any declared size in memory.
import { type Message, message } from '../../../base/messages.ts';
import type { Collection, Keeping } from './collect.ts';
import { ArchiveRefusal, type Tally } from './limits.ts';
import { refusedEntry } from './path.ts';

export class TarReader {
  private readonly tally: Tally;
  private readonly collection: Collection;
  private readonly header = new Uint8Array(blockSize);
  private headerLength = 0;
  /** Of the current entry: bytes still to come, and padding after them. */
  private missing = 0;
  private padding = 0;
  private keeping: Keeping | null = null;
  /** A header that describes the next entry, being collected. */
  private extension: { type: string; bytes: Uint8Array; length: number } | null = null;
  private longName: string | undefined;
  private pax = new Map<string, string>();
  private emptyBlocks = 0;
  private sawEntry = false;

  constructor(tally: Tally, collection: Collection) {
    this.tally = tally;
    this.collection = collection;
  }

  push(piece: Uint8Array): void {
    this.tally.countBytes(piece.length);
    let at = 0;
    while (at < piece.length) {
      // Two empty blocks end the archive; what follows is padding.
      if (this.emptyBlocks >= 2) return;
      if (this.missing > 0) {
        const part = piece.subarray(at, at + this.missing);
        this.take(part);
        this.missing -= part.length;
        at += part.length;
        if (this.missing === 0) this.finish();
      } else if (this.padding > 0) {
        const skipped = Math.min(this.padding, piece.length - at);
        this.padding -= skipped;
        at += skipped;
      } else {
        const part = piece.subarray(at, at + blockSize - this.headerLength);
        this.header.set(part, this.headerLength);
        this.headerLength += part.length;
        at += part.length;
        if (this.headerLength === blockSize) {
          this.headerLength = 0;
          this.open(this.header);
        }
      }
    }
  }

  end(): void {
    // Two empty blocks end an archive (POSIX); some programs write one.
    if (this.emptyBlocks > 0) return;
    throw this.sawEntry ? new ArchiveRefusal(message('archive.truncated')) : notTar();
  }

  private open(header: Uint8Array): void {
    if (header.every((byte) => byte === 0)) {
      this.emptyBlocks++;
      return;
    }
    this.emptyBlocks = 0;
    if (!checksumFits(header)) {
      throw this.sawEntry ? new ArchiveRefusal(message('archive.damaged_header')) : notTar();
    }
    this.sawEntry = true;
    const type = String.fromCharCode(header[156]!);
    if ('xgLK'.includes(type)) this.openExtension(type, numberAt(header, 124, 12));
    else this.openEntry(type, header);
  }

  private openEntry(type: string, header: Uint8Array): void {
    const name = this.pax.get('path') ?? this.longName ?? nameIn(header);
    const size = this.pax.has('size') ? Number(this.pax.get('size')) : numberAt(header, 124, 12);
    const sparse = type === 'S' || [...this.pax.keys()].some((key) => key.startsWith('GNU.sparse.'));
    this.longName = undefined;
    this.pax = new Map();

    const path = this.collection.admit(name);
    const problem = sparse ? message('archive.entry.sparse') : refusedTypes[type];
    if (problem) throw refusedEntry(name, problem);
    if (!Number.isSafeInteger(size) || size < 0) throw refusedEntry(name, message('archive.entry.size'));
    if (type === '5' || (name.endsWith('/') && size === 0)) return;
    if (!'0\x007'.includes(type)) throw refusedEntry(name, message('archive.entry.unknown_type'));
    this.tally.declare(name, size, Infinity);
    this.keeping = this.collection.begin(path, size);
    this.expect(size);
  }

  private openExtension(type: string, size: number): void {
    this.tally.countHeader();
    if (!(size >= 0 && size <= maxExtensionBytes)) throw new ArchiveRefusal(message('archive.header_too_large'));
    this.extension = { type, bytes: new Uint8Array(size), length: 0 };
    this.expect(size);
  }

  private expect(size: number): void {
    this.missing = size;
    this.padding = (blockSize - (size % blockSize)) % blockSize;
    if (size === 0) this.finish();
  }

  private take(part: Uint8Array): void {
    if (this.extension) {
      this.extension.bytes.set(part, this.extension.length);
      this.extension.length += part.length;
    } else {
      this.keeping?.write(part);
    }
  }

  private finish(): void {
    const { extension } = this;
    if (extension) {
      this.extension = null;
      if (extension.type === 'L') this.longName = untilNul(extension.bytes);
      if (extension.type === 'x') this.pax = readPax(extension.bytes);
      // A long link name (K) belongs to a link, which is refused; a global header (g) names nothing.
      return;
    }
    this.keeping?.end();
    this.keeping = null;
  }
}

const blockSize = 512;
const maxExtensionBytes = 64 * 1024;

const notTar = () => new ArchiveRefusal(message('archive.not_of_type', { type: 'tar' }));

const refusedTypes: Record<string, Message> = {
  '1': message('archive.entry.hard_link'),
  '2': message('archive.entry.symbolic_link'),
  '3': message('archive.entry.device'),
  '4': message('archive.entry.device'),
  '6': message('archive.entry.pipe'),
  M: message('archive.entry.other_archive'),
};

function checksumFits(header: Uint8Array): boolean {
  let unsigned = 0;
  let signed = 0;
  for (let i = 0; i < blockSize; i++) {
    const byte = i >= 148 && i < 156 ? 0x20 : header[i]!;
    unsigned += byte;
    // Some old programs summed signed bytes.
    signed += byte < 128 ? byte : byte - 256;
  }
  const stored = numberAt(header, 148, 8);
  return stored === unsigned || stored === signed;
}

/** An octal number, or a binary one where the first bit is set (GNU). NaN when it is neither. */
function numberAt(header: Uint8Array, start: number, length: number): number {
  const field = header.subarray(start, start + length);
  if (field[0]! & 0x80) {
    return field.subarray(1).reduce((value, byte) => value * 256 + byte, field[0]! & 0x7f);
  }
  const digits = untilNul(field).trim();
  return digits === '' ? 0 : /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

function nameIn(header: Uint8Array): string {
  const name = untilNul(header.subarray(0, 100));
  const isUstar = untilNul(header.subarray(257, 263)) === 'ustar';
  const prefix = isUstar ? untilNul(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function untilNul(field: Uint8Array): string {
  const end = field.indexOf(0);
  return asText(end < 0 ? field : field.subarray(0, end));
}

function asText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

/** Records of the form `LENGTH key=value\n`, POSIX.1-2001 pax. */
function readPax(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  let at = 0;
  while (at < bytes.length && bytes[at] !== 0) {
    const space = bytes.indexOf(0x20, at);
    const digits = asText(bytes.subarray(at, Math.max(at, space)));
    const length = Number(digits);
    const record = asText(bytes.subarray(space + 1, at + length - 1));
    const equals = record.indexOf('=');
    if (!/^\d{1,6}$/.test(digits) || at + length > bytes.length || bytes[at + length - 1] !== 0x0a || equals < 1) {
      throw new ArchiveRefusal(message('archive.damaged_header'));
    }
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}
