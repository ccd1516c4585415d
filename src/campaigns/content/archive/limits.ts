// What an archive may be at most, and the running count against it.
// Promises that a bomb is stopped while it unfolds, not afterwards: unpackers report every entry and every byte here.

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
export const longestPage = 2 * 1024 * 1024;

/** Why an archive is not taken; the message is for the user. Becomes a value where the archive folder ends. */
export class ArchiveRefusal extends Error {}

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
    return new ArchiveRefusal(`The archive has more than ${this.limits.entries} entries.`);
  }

  countBytes(unpacked: number): void {
    this.unpackedBytes += unpacked;
    if (this.unpackedBytes > this.limits.unpackedBytes) throw tooLarge(this.limits);
    if (this.unpackedBytes > ratioFrom && this.unpackedBytes > this.codedBytes * this.limits.ratio) throw bomb();
  }

  /** Refuses at once what an entry says it will be. */
  announce(name: string, unpacked: number, coded: number): void {
    if (this.unpackedBytes + unpacked > this.limits.unpackedBytes) throw tooLarge(this.limits, name);
    if (unpacked > ratioFrom && unpacked > coded * this.limits.ratio) throw bomb(name);
  }
}

export function codedTooLarge(limits: ArchiveLimits): ArchiveRefusal {
  return new ArchiveRefusal(`The archive is larger than ${Math.floor(limits.codedBytes / (1024 * 1024))} MiB.`);
}

function tooLarge(limits: ArchiveLimits, name?: string): ArchiveRefusal {
  const most = `${Math.floor(limits.unpackedBytes / (1024 * 1024))} MiB`;
  return new ArchiveRefusal(`Unpacked, the archive is larger than ${most}${name ? ` (at ${shown(name)})` : ''}.`);
}

function bomb(name?: string): ArchiveRefusal {
  return new ArchiveRefusal(`The archive unfolds to too many times its size${name ? ` (at ${shown(name)})` : ''}.`);
}

/** An entry's name as a message may show it. */
export function shown(name: string): string {
  const clean = name.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
  return `"${clean.length > 80 ? `${clean.slice(0, 80)}…` : clean}"`;
}
