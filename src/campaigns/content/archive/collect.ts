// Collects the usable files of an archive while it is unpacked.
// Guarantees that the path of every entry is checked and the entry counted before a byte of it is kept, and that no two
// entries have the same path. Files are kept in memory, each in its own buffer.
import { message } from '../../../base/messages.ts';
import { type Kind, kindOf, useOf } from './kinds.ts';
import { ArchiveRefusal, maxPageBytes, shown, type Tally } from './limits.ts';
import { isByProduct, plainPath } from './path.ts';

export type UnpackedFile = { path: string; bytes: Uint8Array; kind: Kind };
/** With the hash of its bytes, by which an asset is named. */
export type ArchiveFile = UnpackedFile & { sha256: string };

export class Collection {
  readonly files: UnpackedFile[] = [];
  /** Paths of entries that were left out because their bytes do not match their names. */
  readonly mismatched: string[] = [];
  private readonly tally: Tally;
  private readonly paths = new Set<string>();

  constructor(tally: Tally) {
    this.tally = tally;
  }

  /** Counts an entry and checks its path; returns the plain path. */
  admit(name: string): string {
    this.tally.countEntry();
    return plainPath(name, this.tally.limits.pathBytes);
  }

  /** Begins a file; null when a campaign cannot use it and its bytes can be skipped. */
  begin(path: string, size: number): Keeping | null {
    if (this.paths.has(path)) throw new ArchiveRefusal(message('archive.duplicate', { name: shown(path) }));
    this.paths.add(path);
    const use = isByProduct(path) ? undefined : useOf(path);
    if (use === undefined) return null;
    if ((use === 'page' || use === 'style') && size > maxPageBytes)
      throw new ArchiveRefusal(message('archive.file_too_long', { name: shown(path) }));
    return new Keeping(size, (bytes) => {
      const kind = kindOf(path, bytes);
      if (kind) this.files.push({ path, bytes, kind });
      else this.mismatched.push(path);
    });
  }
}

/** A file being unpacked. */
class Keeping {
  // Not from Node's pool: the buffer of each file is transferred to another thread.
  private readonly bytes: Uint8Array;
  private length = 0;
  private readonly keep: (bytes: Uint8Array) => void;

  constructor(size: number, keep: (bytes: Uint8Array) => void) {
    this.bytes = new Uint8Array(size);
    this.keep = keep;
  }

  write(piece: Uint8Array): void {
    this.bytes.set(piece, this.length);
    this.length += piece.length;
  }

  end(): void {
    this.keep(this.bytes.subarray(0, this.length));
  }
}

export type { Keeping };
