// Judges the names of an archive's entries.
// Promises that a path it lets through is relative, stays below the archive's root in every reading, and is short.
// Nothing is written to disk by these names; they are judged all the same, because such an archive means harm.
import { ArchiveRefusal, shown } from './limits.ts';

/**
 * The path in its plain form: slashes, no `.` parts, no slash at the end.
 * @throws ArchiveRefusal that names the entry
 */
export function plainPath(name: string, longest: number): string {
  const refuse = (reason: string) => new ArchiveRefusal(`The entry ${shown(name)} ${reason}.`);
  if (name === '') throw new ArchiveRefusal('An entry has no name.');
  if (Buffer.byteLength(name) > longest) throw refuse('has too long a name');
  if (/[\x00-\x1f\x7f]/.test(name)) throw refuse('has control characters in its name');
  // Some Windows programs write backslashes. The compatibility form catches dots and slashes in disguise.
  for (const reading of [name.replaceAll('\\', '/'), name.normalize('NFKC').replaceAll('\\', '/')]) {
    if (reading.startsWith('/')) throw refuse('has an absolute name');
    if (/^[a-z]:/i.test(reading)) throw refuse('has a drive in its name');
    for (const part of reading.split('/')) {
      if (part === '..' || (/^[. ]+$/.test(part) && part !== '.')) throw refuse('leads out of the archive');
    }
  }
  return name
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** Whether the entry is a by-product of some program: resource forks, thumbnails, hidden files. */
export function isByProduct(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || byProducts.has(part.toLowerCase()));
}

const byProducts = new Set(['__macosx', 'thumbs.db', 'desktop.ini']);
