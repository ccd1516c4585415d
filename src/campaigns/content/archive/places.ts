// Finds the file of an archive that an address in a page or style sheet means.
// Guarantees to return only files of the archive. More lenient than a web server, because such archives are made on
// desktops: accepts backslashes, other case, other Unicode forms, and names encoded or not.
import type { ArchiveFile } from './collect.ts';

export type Places = {
  /** @param folder the path of the folder that relative addresses start from, '' for the root */
  find(address: string, folder: string): ArchiveFile | null;
};

export function createPlaces(files: readonly ArchiveFile[]): Places {
  const exact = new Map(files.map((file) => [file.path, file]));
  const loose = new Map<string, ArchiveFile | null>();
  // Two paths that differ by case only are found by their exact spelling only.
  for (const file of files) loose.set(looseForm(file.path), loose.has(looseForm(file.path)) ? null : file);
  const at = (path: string) => exact.get(path) ?? loose.get(looseForm(path)) ?? null;

  return {
    find(address, folder) {
      const bare = address.replace(/[?#].*$/s, '').replaceAll('\\', '/');
      if (bare === '') return null;
      for (const name of [bare, decoded(bare)]) {
        // A leading slash means the root, and on a desktop often the page's own folder.
        const found = name.startsWith('/')
          ? (at(joined('', name)) ?? at(joined(folder, name)))
          : at(joined(folder, name));
        if (found) return found;
      }
      return null;
    },
  };
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Joins and resolves `.` and `..`, which lead no higher than the root. */
export function joined(folder: string, relative: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${relative}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

function looseForm(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
