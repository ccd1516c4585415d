// Finds the page among an archive's HTML files, by one rule that a person can follow.
// The rule: on the topmost folder level that has pages at all, index.html, else index.htm (in any case), else the only
// page of the level. Two candidates are nobody's guess, and refused by name.
import { ArchiveRefusal, shown } from './limits.ts';

/** @throws ArchiveRefusal that says what was found instead */
export function findPage(paths: readonly string[]): string {
  const depth = (path: string) => path.split('/').length;
  const top = Math.min(...paths.map(depth));
  const pages = paths.filter((path) => depth(path) === top);
  if (pages.length === 0) throw new ArchiveRefusal('The archive holds no HTML page.');
  const inAnyCase = (name: string) => pages.filter((path) => baseName(path).toLowerCase() === name);
  const exactly = (name: string) => pages.filter((path) => baseName(path) === name);
  // INDEX.HTML beside index.html: the one spelled as usual.
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
  const listed = [...found].sort().slice(0, 3).map(shown).join(', ');
  return new ArchiveRefusal(`The archive holds several pages (${listed}); exactly one must be called index.html.`);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
