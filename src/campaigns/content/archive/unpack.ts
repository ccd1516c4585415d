// Unpacks an archive of any of the six types into the files that a campaign can use.
// Guarantees to stop with an ArchiveRefusal at the first invalid entry or exceeded limit. Blocks its thread while it
// works: read-archive.ts runs it in a separate thread with a time limit.
import { createGunzip } from 'node:zlib';
import { message } from '../../../base/messages.ts';
import { bunzip2 } from './bzip2.ts';
import { Collection } from './collect.ts';
import { type ArchiveLimits, ArchiveRefusal, Tally } from './limits.ts';
import { TarReader } from './tar.ts';
import { readZip } from './zip.ts';

/** spec: archive_type */
export type ArchiveType = 'zip' | 'tar' | 'tar.gz' | 'tgz' | 'tar.bz2' | 'tbz';
export const archiveTypes: readonly ArchiveType[] = ['zip', 'tar', 'tar.gz', 'tgz', 'tar.bz2', 'tbz'];

export async function unpack(archive: Buffer, type: ArchiveType, limits: ArchiveLimits): Promise<Collection> {
  checkType(archive, type);
  const tally = new Tally(limits, archive.length);
  const collection = new Collection(tally);
  if (type === 'zip') {
    await readZip(archive, tally, collection);
    return collection;
  }
  const reader = new TarReader(tally, collection);
  if (type === 'tar') reader.push(archive);
  else if (type === 'tar.gz' || type === 'tgz') await gunzipInto(archive, reader);
  else for (const piece of bunzip2(archive)) reader.push(piece);
  reader.end();
  return collection;
}

async function gunzipInto(archive: Buffer, reader: TarReader): Promise<void> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  gunzip.end(archive);
  try {
    for await (const piece of gunzip) reader.push(piece);
  } catch (error) {
    if (error instanceof ArchiveRefusal) throw error;
    throw new ArchiveRefusal(message('archive.damaged_gzip', { detail: (error as Error).message }));
  }
}

/** Refuses a wrong archive_type and names the right one where the bytes show it. */
function checkType(archive: Buffer, type: ArchiveType): void {
  if (archive.length === 0) throw new ArchiveRefusal(message('archive.empty'));
  const detected = detectedType(archive);
  const expected = type === 'tgz' ? 'tar.gz' : type === 'tbz' ? 'tar.bz2' : type;
  if (detected === expected) return;
  // An old tar has no signature: only a clear contradiction is refused here.
  if (detected !== null) throw new ArchiveRefusal(message('archive.type_differs', { type: detected, expected: type }));
  if (expected === 'tar.gz' || expected === 'tar.bz2')
    throw new ArchiveRefusal(message('archive.not_of_type', { type: expected }));
}

function detectedType(archive: Buffer): string | null {
  const hex = archive.toString('hex', 0, 6);
  if (hex.startsWith('504b0304') || hex.startsWith('504b0506')) return 'zip';
  if (hex.startsWith('1f8b')) return 'tar.gz';
  if (/^BZh[1-9]/.test(archive.toString('latin1', 0, 4))) return 'tar.bz2';
  if (archive.toString('latin1', 257, 262) === 'ustar') return 'tar';
  if (hex === '377abcaf271c') return '7z';
  if (hex === '526172211a07') return 'rar';
  if (hex === 'fd377a585a00') return 'tar.xz';
  if (hex.startsWith('28b52ffd')) return 'tar.zst';
  return null;
}
