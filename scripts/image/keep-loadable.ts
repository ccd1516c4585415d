// Deletes the files of installed packages that the program cannot load, for the image:
// `node --experimental-import-meta-resolve scripts/image/keep-loadable.ts FOLDER`, where FOLDER has the program and its node_modules.
import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { installedFiles, loadable } from './loadable.ts';

/** Returns how many bytes were kept and deleted. */
export function keepLoadable(root: string): { keptBytes: number; deletedBytes: number } {
  const kept = loadable(root, ['src/**/*.ts', 'receiver/**/*.js']);
  const sizes = { keptBytes: 0, deletedBytes: 0 };
  for (const file of installedFiles(root)) {
    const { size } = lstatSync(file);
    sizes[kept.has(file) ? 'keptBytes' : 'deletedBytes'] += size;
    if (kept.has(file)) continue;
    rmSync(file);
    removeEmpty(dirname(file));
  }
  return sizes;
}

function removeEmpty(folder: string): void {
  if (readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmpty(dirname(folder));
}

if (import.meta.main) {
  const [folder = ''] = process.argv.slice(2);
  if (folder === '') throw new Error('Usage: keep-loadable.ts FOLDER');
  const { keptBytes, deletedBytes } = keepLoadable(resolve(folder));
  console.log(`Packages: kept ${(keptBytes / 1e6).toFixed(1)} MB, deleted ${(deletedBytes / 1e6).toFixed(1)} MB.`);
}
