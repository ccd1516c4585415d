// Checks the names of an archive's entries.
// Guarantees that an accepted path is relative, stays below the archive's root in every reading, and is short.
// Nothing is written to disk under these names; they are checked because an archive with such names is hostile.
import { type Message, message } from '../../../base/messages.ts';
import { ArchiveRefusal, shown } from './limits.ts';

/**
 * The path in its plain form: slashes, no `.` parts, no slash at the end.
 * @throws ArchiveRefusal that names the entry
 */
export function plainPath(name: string, maxBytes: number): string {
  if (name === '') throw new ArchiveRefusal(message('archive.entry_unnamed'));
  if (Buffer.byteLength(name) > maxBytes) throw refusedEntry(name, message('archive.entry.long_name'));
  if (/[\x00-\x1f\x7f]/.test(name)) throw refusedEntry(name, message('archive.entry.control_characters'));
  // Some Windows programs write backslashes. The compatibility form catches dots and slashes in disguise.
  for (const reading of [name.replaceAll('\\', '/'), name.normalize('NFKC').replaceAll('\\', '/')]) {
    if (reading.startsWith('/')) throw refusedEntry(name, message('archive.entry.absolute'));
    if (/^[a-z]:/i.test(reading)) throw refusedEntry(name, message('archive.entry.drive'));
    for (const part of reading.split('/')) {
      if (part === '..' || (/^[. ]+$/.test(part) && part !== '.'))
        throw refusedEntry(name, message('archive.entry.outside'));
    }
  }
  return name
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** A refusal that names the entry and what is wrong with it. */
export const refusedEntry = (name: string, problem: Message): ArchiveRefusal =>
  new ArchiveRefusal(message('archive.entry', { name: shown(name), problem }));

/** Whether the entry is a by-product of some program: resource forks, thumbnails, hidden files. */
export function isByProduct(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || byProducts.has(part.toLowerCase()));
}

const byProducts = new Set(['__macosx', 'thumbs.db', 'desktop.ini']);
