// Keeps what is wanted of an archive while it is being unpacked.
// Promises that every entry is judged by its path and counted before a byte of it is kept, and that no two entries
// have one path. What is kept lies in memory, in a buffer of its own for each file.

import { type Kind, kindOf, useOf } from './kinds.ts';
import { ArchiveRefusal, longestPage, shown, type Tally } from './limits.ts';
import { isByProduct, plainPath } from './path.ts';

export type UnpackedFile = { path: string; bytes: Uint8Array; kind: Kind };

export class Collection {
  readonly files: UnpackedFile[] = [];
  /** Paths of entries that were left out because their bytes are not what their names say. */
  readonly mismatched: string[] = [];
  private readonly tally: Tally;
  private readonly paths = new Set<string>();

  constructor(tally: Tally) {
    this.tally = tally;
  }

  /** Counts and judges an entry; returns its plain path. */
  admit(name: string): string {
    this.tally.countEntry();
    return plainPath(name, this.tally.limits.pathBytes);
  }

  /** Begins a file; null when it is none of ours and its bytes can be passed over. */
  begin(path: string, size: number): Keeping | null {
    if (this.paths.has(path)) throw new ArchiveRefusal(`The archive holds ${shown(path)} twice.`);
    this.paths.add(path);
    const use = isByProduct(path) ? undefined : useOf(path);
    if (use === undefined) return null;
    if ((use === 'page' || use === 'style') && size > longestPage)
      throw new ArchiveRefusal(`${shown(path)} is too long.`);
    return new Keeping(size, (bytes) => {
      const kind = kindOf(path, bytes);
      if (kind) this.files.push({ path, bytes, kind });
      else this.mismatched.push(path);
    });
  }
}

/** A file on its way in. */
class Keeping {
  // Not from Node's pool: each file is handed to another thread as it is.
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
