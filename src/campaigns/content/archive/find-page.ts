// Finds the page among an archive's HTML files, by a rule that a user can follow.
// The rule: on the topmost folder level that has pages, index.html, else index.htm (in any case), else the only
// page of the level. Two candidates are refused by name.
import { message } from '../../../base/messages.ts';
import { ArchiveRefusal, shown } from './limits.ts';

/** @throws ArchiveRefusal that names what was found instead */
export function findPage(paths: readonly string[]): string {
  const depth = (path: string) => path.split('/').length;
  const top = Math.min(...paths.map(depth));
  const pages = paths.filter((path) => depth(path) === top);
  if (pages.length === 0) throw new ArchiveRefusal(message('archive.no_page'));
  const inAnyCase = (name: string) => pages.filter((path) => baseName(path).toLowerCase() === name);
  const exactly = (name: string) => pages.filter((path) => baseName(path) === name);
  // With both INDEX.HTML and index.html, the usual spelling wins.
  for (const found of [
    exactly('index.html'),
    inAnyCase('index.html'),
    exactly('index.htm'),
    inAnyCase('index.htm'),
    pages,
  ]) {
    if (found.length === 1) return found[0]!;
    if (found.length > 1) throw ambiguous(found);
  }
  throw ambiguous(pages);
}

function ambiguous(found: readonly string[]): ArchiveRefusal {
  const names = [...found].sort().slice(0, 3).map(shown).join(', ');
  return new ArchiveRefusal(message('archive.several_pages', { names }));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
