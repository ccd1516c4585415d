// Decides where a cluster lives and as which user its server runs.
// PostgreSQL refuses to run as root, so root hands it to an unprivileged user, who must be able to reach the directory.
// A data directory below a closed parent (mode 0700) stays closed: the cluster then goes elsewhere, and a pointer file in
// the data directory names the place for later starts.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EmbeddedPostgresError } from './problem.ts';

/** Undefined: the server runs as the user of this program. */
export type RunAs = { uid: number; gid: number } | undefined;

export type Place = {
  /** In the data directory, for this program: lock, passwords, connection details. */
  home: string;
  /** For the server; the same as `home` unless the server's user cannot reach that. */
  root: string;
  /** PostgreSQL's own data directory. */
  clusterDir: string;
  runAs: RunAs;
};

export function homeOf(dataDir: string): string {
  return join(resolve(dataDir), 'postgres');
}

/** Creates the data directory and its `postgres` directory if they do not exist. */
export function makeHome(dataDir: string): string {
  const home = homeOf(dataDir);
  try {
    const created = makeDirectories(home);
    // The server's user may pass through directories created here, though not list them, whatever the umask.
    if (isRoot() && created) for (let dir = home; dir.startsWith(created); dir = dirname(dir)) chmodSync(dir, 0o711);
  } catch (error) {
    throw new EmbeddedPostgresError(
      'not-permitted',
      `Cannot create ${home}: ${(error as Error).message}. Choose a directory you may write to (DATA_DIR).`,
      error,
    );
  }
  return realpathSync(home);
}

/** One by one: Node's recursive mkdir never returns where a directory exists but nothing can be made in it (/proc). */
function makeDirectories(path: string): string | undefined {
  const missing: string[] = [];
  for (let dir = path; !existsSync(dir); dir = dirname(dir)) missing.unshift(dir);
  for (const dir of missing) mkdirSync(dir);
  return missing[0];
}

/**
 * Where the cluster of this home is, or will be created. The caller holds the home's lock, since a pointer file may be
 * written. Clusters whose data directory cannot be reached go into `relocateTo`.
 */
export function findPlace(home: string, relocateTo: string): Place {
  const dataDir = dirname(home);
  const pointer = join(home, 'place');
  if (existsSync(pointer)) {
    const root = readFileSync(pointer, 'utf8').trim();
    if (!existsSync(root)) {
      throw new EmbeddedPostgresError(
        'not-reachable',
        `The database of ${dataDir} is in ${root} (see ${pointer}), which does not exist. ` +
          'Restore it, or delete the pointer file to start with an empty database.',
      );
    }
    return placeAt(home, root);
  }
  const place = placeAt(home, home);
  if (canEnter(home, place.runAs)) return place;
  if (existsSync(place.clusterDir)) {
    throw new EmbeddedPostgresError(
      'not-reachable',
      `The database server runs as user id ${place.runAs?.uid}, which cannot enter ${home}. ` +
        'Give the directories above it the mode o+x, or start the program as the owner of the data directory.',
    );
  }
  const root = makeRelocated(dataDir, relocateTo);
  writeFileSync(pointer, `${root}\n`);
  writeFileSync(join(root, 'belongs-to'), `${home}\n`);
  return placeAt(home, root);
}

/** Creates a directory that only the server's user can enter. */
export function makePrivateDir(dir: string, runAs: RunAs): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  if (!runAs) return;
  try {
    chownSync(dir, runAs.uid, runAs.gid);
  } catch (error) {
    throw new EmbeddedPostgresError(
      'not-permitted',
      `${dir} cannot be given to user id ${runAs.uid}, which the database server would run as: ` +
        `${(error as Error).message}. Use another file system (DATA_DIR), an ordinary user, or DATABASE_URL.`,
      error,
    );
  }
}

function placeAt(home: string, root: string): Place {
  const clusterDir = join(root, 'cluster');
  return { home, root, clusterDir, runAs: serverUser(clusterDir) };
}

function makeRelocated(dataDir: string, relocateTo: string): string {
  // Random, not derived from the path: a data directory that was deleted and created again must not find the old cluster.
  const root = join(relocateTo, randomBytes(6).toString('hex'));
  try {
    const created = mkdirSync(root, { recursive: true });
    if (created) for (let dir = root; dir.startsWith(created); dir = dirname(dir)) chmodSync(dir, 0o711);
  } catch (error) {
    throw new EmbeddedPostgresError(
      'not-reachable',
      `The database server does not run as root, and no other user can enter ${dataDir}; ` +
        `${relocateTo} could not be created instead (${(error as Error).message}). ` +
        'Use a data directory whose parents have the mode o+x, or set DATABASE_URL.',
      error,
    );
  }
  return realpathSync(root);
}

function serverUser(clusterDir: string): RunAs {
  const us = process.getuid?.();
  const owner = existsSync(clusterDir) ? statSync(clusterDir) : undefined;
  if (us !== 0) {
    if (owner && owner.uid !== us) {
      throw new EmbeddedPostgresError(
        'not-permitted',
        `${clusterDir} belongs to user id ${owner.uid}, but user id ${us} starts the program. ` +
          'Start it as that user (or as root, if root started it first).',
      );
    }
    return undefined;
  }
  // The owner of the cluster keeps it, even if a user named postgres has been added since.
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return account('postgres') ?? account('nobody') ?? { uid: 65534, gid: 65534 };
}

function account(name: string): RunAs {
  const line = existsSync('/etc/passwd')
    ? readFileSync('/etc/passwd', 'utf8')
        .split('\n')
        .find((entry) => entry.startsWith(`${name}:`))
    : undefined;
  const [, , uid, gid] = line?.split(':') ?? [];
  return Number(uid) > 0 ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

// Tried rather than computed from mode bits: access lists and mount options count as well.
function canEnter(dir: string, runAs: RunAs): boolean {
  if (!runAs) return true;
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], { ...runAs, cwd: '/', stdio: 'ignore' }).status === 0;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
