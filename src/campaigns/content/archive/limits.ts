// The limits of an archive, and the running count against them.
// Guarantees that a bomb is stopped while it unpacks, not afterwards: unpackers report every entry and every byte here.

import { type Message, message, renderMessage } from '../../../base/messages.ts';

export type ArchiveLimits = {
  /** Of the archive itself. */
  codedBytes: number;
  /** Of all that comes out of it. */
  unpackedBytes: number;
  entries: number;
  /** Unpacked to coded, once more than a megabyte has come out. */
  ratio: number;
  /** Of an entry's path, in bytes of UTF-8. */
  pathBytes: number;
  totalMs: number;
};

export const archiveLimits: ArchiveLimits = {
  codedBytes: 20 * 1024 * 1024,
  unpackedBytes: 50 * 1024 * 1024,
  entries: 2_000,
  ratio: 200,
  pathBytes: 255,
  totalMs: 10_000,
};

/** The page with all its style sheets, in bytes; as much as a campaign's HTML may have. */
export const maxPageBytes = 2 * 1024 * 1024;

/** An archive is refused; the reason is for the user. `readArchive` returns it as a value. */
export class ArchiveRefusal extends Error {
  readonly reason: Message;

  constructor(reason: Message) {
    super(renderMessage(reason));
    this.reason = reason;
  }
}

const ratioFrom = 1024 * 1024;
/** Entries that only describe others: pax headers and GNU long names, up to two for each. */
const headersPerEntry = 3;

export class Tally {
  readonly limits: ArchiveLimits;
  private readonly codedBytes: number;
  private entries = 0;
  private headers = 0;
  private unpackedBytes = 0;

  constructor(limits: ArchiveLimits, codedBytes: number) {
    this.limits = limits;
    this.codedBytes = codedBytes;
  }

  countEntry(): void {
    if (++this.entries > this.limits.entries) throw this.tooManyEntries();
  }

  countHeader(): void {
    if (++this.headers > this.limits.entries * headersPerEntry) throw this.tooManyEntries();
  }

  tooManyEntries(): ArchiveRefusal {
    return new ArchiveRefusal(message('archive.too_many_entries', { count: this.limits.entries }));
  }

  countBytes(unpacked: number): void {
    this.unpackedBytes += unpacked;
    if (this.unpackedBytes > this.limits.unpackedBytes) throw tooLarge(this.limits);
    if (this.unpackedBytes > ratioFrom && this.unpackedBytes > this.codedBytes * this.limits.ratio) throw bomb();
  }

  /** Refuses an entry by the size it declares, before it is unpacked. */
  declare(name: string, unpacked: number, coded: number): void {
    if (this.unpackedBytes + unpacked > this.limits.unpackedBytes) throw tooLarge(this.limits, name);
    if (unpacked > ratioFrom && unpacked > coded * this.limits.ratio) throw bomb(name);
  }
}

export function codedTooLarge(limits: ArchiveLimits): ArchiveRefusal {
  return new ArchiveRefusal(message('archive.too_large', { count: mebibytes(limits.codedBytes) }));
}

function tooLarge(limits: ArchiveLimits, name?: string): ArchiveRefusal {
  const count = mebibytes(limits.unpackedBytes);
  return new ArchiveRefusal(
    name
      ? message('archive.unpacked_too_large_at', { count, name: shown(name) })
      : message('archive.unpacked_too_large', { count }),
  );
}

function bomb(name?: string): ArchiveRefusal {
  return new ArchiveRefusal(name ? message('archive.ratio_at', { name: shown(name) }) : message('archive.ratio'));
}

const mebibytes = (bytes: number) => Math.floor(bytes / (1024 * 1024));

/** An entry's name as a message may show it. */
export function shown(name: string): string {
  const clean = name.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
  return `"${clean.length > 80 ? `${clean.slice(0, 80)}…` : clean}"`;
}
