// Which file of the repository depends on which: by imports, and by any text that is the path of a file, such as a
// program that a test starts. A test file depends on all files that can be reached from it. Reads the sources; runs
// nothing.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** File → the files that it names, all as paths from the root. */
export type Imports = Map<string, Set<string>>;

const quoted = /(['"`])([\w@./-]+\.(?:ts|tsx|mjs|js|py|css|sql|html|json))\1/g;

/** Where the files of the repository are; not asked of git, which a machine that only runs the tests need not have. */
const places = ['*', '{bin,docs,examples,receiver,scripts,src,test}/**', 'ui/*', 'ui/{public,src}/**'];

export function readImports(root: string): Imports {
  const found = globSync(places, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  const files = new Set(found);
  const imports: Imports = new Map();
  for (const file of files) {
    const named = new Set<string>();
    imports.set(file, named);
    if (!/\.(ts|tsx|mjs)$/.test(file)) continue;
    for (const [, , path] of readFileSync(join(root, file), 'utf8').matchAll(quoted))
      for (const candidate of [normalize(join(dirname(file), path!)), normalize(path!)])
        if (candidate !== file && files.has(candidate)) named.add(candidate);
  }
  return imports;
}

/** All files that can be reached from a file, with it. */
export function reachedFrom(imports: Imports, file: string): Set<string> {
  const reached = new Set([file]);
  for (const at of reached) for (const next of imports.get(at) ?? []) reached.add(next);
  return reached;
}

/** The files that lead to one of these, with the number of steps: 0 for these themselves. */
export function leadingTo(imports: Imports, targets: readonly string[]): Map<string, number> {
  const importers = new Map<string, string[]>();
  for (const [file, named] of imports)
    for (const target of named) importers.set(target, [...(importers.get(target) ?? []), file]);
  const steps = new Map(targets.map((file) => [file, 0]));
  for (const [file, distance] of steps)
    for (const importer of importers.get(file) ?? []) if (!steps.has(importer)) steps.set(importer, distance + 1);
  return steps;
}

/**
 * What differs from the point where this branch left main, and what is not committed yet, with the sources that each of
 * these files stands for.
 */
export function changedFiles(root: string, imports: Imports): string[] {
  const base = git(root, 'rev-parse', '--verify', '--quiet', 'main').length > 0 ? mergeBase(root) : 'HEAD';
  const changed = [
    ...git(root, 'diff', '--name-only', base),
    ...git(root, 'ls-files', '--others', '--exclude-standard'),
  ];
  return withSources(imports, changed);
}

/**
 * These files. A file that nothing names, such as a text file or a migration, brings the sources of its folder, or of the
 * folder above where its own has none.
 */
export function withSources(imports: Imports, changed: readonly string[]): string[] {
  const isNamed = new Set([...imports.values()].flatMap((named) => [...named]));
  return changed.flatMap((file) => {
    if (isNamed.has(file) || /\.test\.ts$/.test(file) || !file.includes('/')) return [file];
    const beside = sourcesIn(imports, dirname(file));
    return [file, ...(beside.length > 0 ? beside : sourcesIn(imports, dirname(dirname(file))))];
  });
}

function sourcesIn(imports: Imports, folder: string): string[] {
  return [...imports.keys()].filter((file) => dirname(file) === folder && /\.tsx?$/.test(file));
}

function mergeBase(root: string): string {
  return git(root, 'merge-base', 'HEAD', 'main')[0] ?? 'HEAD';
}

function git(root: string, ...args: string[]): string[] {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
