// Creates a cluster (UTF-8, C order, checksums, passwords by scram-sha-256) and its credentials.
// A cluster is built under another name and renamed when complete, so that a kill in between leaves nothing half done.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Binaries } from './binaries.ts';
import { makePrivateDir, type Place } from './place.ts';
import { EmbeddedPostgresError } from './problem.ts';
import { nameEnvironment } from './user-name.ts';

export type Credentials = { id: string; superuserPassword: string; password: string };

export const superuser = 'postgres';
export const appName = 'postrider';

/** Major version of the cluster, or undefined when there is none yet. */
export function clusterMajor(clusterDir: string): number | undefined {
  const file = join(clusterDir, 'PG_VERSION');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
}

/**
 * The name that the cluster's processes show. It contains the directory's inode number, so that a copy of a data directory,
 * started while the original runs, does not take the original's processes for its own.
 */
export function clusterName(id: string, clusterDir: string): string {
  return `${appName}-${id}-${statSync(clusterDir, { bigint: true }).ino.toString(36)}`;
}

/** The cluster's id and passwords, created by the first call. Only the owner of the data directory can read them. */
export function credentials(home: string): { secret: Credentials; isNew: boolean } {
  const file = join(home, 'credentials.json');
  if (existsSync(file)) return { secret: JSON.parse(readFileSync(file, 'utf8')) as Credentials, isNew: false };
  const secret: Credentials = {
    id: randomBytes(6).toString('hex'),
    superuserPassword: randomBytes(24).toString('hex'),
    password: randomBytes(24).toString('hex'),
  };
  writePrivateFile(file, JSON.stringify(secret, null, 2));
  return { secret, isNew: true };
}

/** Replaces a file that only its owner may read, all or nothing. */
export function writePrivateFile(file: string, content: string): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${content}\n`, { mode: 0o600, flush: true });
  if (process.getuid?.() === 0) {
    // In another user's directory, root leaves files which that user can use.
    const { uid, gid } = statSync(join(file, '..'));
    chownSync(fresh, uid, gid);
  }
  renameSync(fresh, file);
}

/** Runs initdb, about a second. */
export async function makeCluster(place: Place, binaries: Binaries, secret: Credentials): Promise<void> {
  for (const old of globSync(join(place.root, 'cluster.new-*'))) removeTree(old);
  const fresh = join(place.root, `cluster.new-${randomBytes(4).toString('hex')}`);
  makePrivateDir(fresh, place.runAs);
  const passwordFile = join(place.root, 'superuser-password');
  writeFileSync(passwordFile, secret.superuserPassword, { mode: 0o600 });
  if (place.runAs) chownSync(passwordFile, place.runAs.uid, place.runAs.gid);
  try {
    const common = [
      '-D',
      fresh,
      '-U',
      superuser,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '-k',
    ];
    // PostgreSQL 17 and later bring C.UTF-8; before, the system must have it. C orders the same, but knows upper and lower
    // case of ASCII only.
    const localeArgs =
      binaries.major >= 17
        ? [['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']]
        : [['--locale=C.UTF-8'], ['--locale=C']];
    let errors = '';
    for (const locale of localeArgs) {
      const run = await runInitdb(binaries, [...common, '--no-instructions', ...locale], place);
      if (run.code === 0) {
        renameSync(fresh, place.clusterDir);
        return;
      }
      errors = run.errors;
      if (!errors.includes('locale')) break;
    }
    throw new EmbeddedPostgresError(
      'did-not-start',
      `PostgreSQL could not create its files in ${place.root}: ${errors}`,
    );
  } finally {
    rmSync(passwordFile, { force: true });
    removeTree(fresh);
  }
}

/** Gives an existing cluster the superuser password of these credentials, without knowing the old one. About 0.1 s. */
export async function resetSuperuser(place: Place, binaries: Binaries, settingsFile: string, secret: Credentials) {
  const args = ['--single', '-D', place.clusterDir, '-c', `config_file=${settingsFile}`, 'postgres'];
  const server = spawn(join(binaries.dir, 'postgres'), args, {
    ...runOptions(place, binaries, nameEnvironment(place)),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  server.stdin.on('error', () => undefined);
  server.stdin.end(`alter role ${superuser} password '${secret.superuserPassword}'\n`);
  const { code, errors } = await outcome(server, server.stderr);
  if (code !== 0) {
    throw new EmbeddedPostgresError('did-not-start', `Cannot set a new password for ${place.clusterDir}: ${errors}`);
  }
}

/**
 * How PostgreSQL's programs are run: as the right user, without our environment (PGHOST and others), and in a separate
 * session, so that Ctrl-C in the terminal reaches only this program, which ends the server after its clients.
 */
export function runOptions(place: Place, binaries: Binaries, extra: Record<string, string> = {}) {
  const env = { ...binaries.env, ...extra, LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
  return { ...place.runAs, cwd: place.root, env, detached: true };
}

async function runInitdb(binaries: Binaries, args: string[], place: Place): Promise<{ code: number; errors: string }> {
  const initdb = spawn(join(binaries.dir, 'initdb'), args, {
    ...runOptions(place, binaries, nameEnvironment(place)),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return outcome(initdb, initdb.stderr);
}

async function outcome(child: ChildProcess, stderr: Readable): Promise<{ code: number; errors: string }> {
  const ended = new Promise<number>((resolve) => {
    child.on('error', () => resolve(-1));
    child.on('close', (code) => resolve(code ?? -1));
  });
  const errors = await text(stderr);
  return { code: await ended, errors: errors.trim() };
}

function removeTree(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true });
  } catch (error) {
    // An initdb that outlived its killed parent may still be writing; the next attempt to create a cluster removes the rest.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}
