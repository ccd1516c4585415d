// Runs a real PostgreSQL as a child process, for installations without a DATABASE_URL.
// Guarantees: one server per data directory; it is restarted within about a second when it dies; nothing committed is
// lost by kill -9 of it, of this program, or of both; it ends when this program ends, however that happens.
// Leaves migrations and connections to the caller, and calling stop() at shutdown.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findBinaries } from './binaries.ts';
import { clusterMajor, clusterName, credentials, makeCluster, resetSuperuser, writePrivateFile } from './cluster.ts';
import { chooseEndpoint } from './endpoint.ts';
import { takeLock } from './lock.ts';
import { openLog } from './log.ts';
import { watchParent } from './parent-watch.ts';
import { findPlace, homeOf, makeHome } from './place.ts';
import { EmbeddedPostgresError } from './problem.ts';
import { endLeftovers, isAlive, startOf } from './processes.ts';
import { Server, type ServerEnd, type ServerLog } from './server.ts';
import { writeSettings } from './settings.ts';

export type EmbeddedOptions = {
  dataDir: string;
  log: ServerLog;
  /** Use the programs in this directory and no others. */
  binDir?: string | undefined;
  /** Worker processes that connect; otherwise one per processor core. */
  workers?: number;
  /** PostgreSQL settings that override ours. */
  settings?: Record<string, string>;
  /** Parent directory of clusters whose data directory the server's user cannot reach (only as root). */
  relocateTo?: string;
  /** Called when the server exits unexpectedly, before it is restarted. */
  onUnexpectedEnd?: (end: ServerEnd) => void;
};

export type EmbeddedServer = {
  /** For `pg` and libpq; stays the same over restarts. Its user owns the one database and is no superuser. */
  url: string;
  superuserUrl: string;
  /** Process id of the current postmaster. */
  readonly pid: number;
  /** Shuts the server down in order; open transactions are rolled back. Can be called more than once. */
  stop(): Promise<void>;
};

type Connection = { url: string; pid: number; startedAt: string };

/**
 * Starts the server of a data directory, creating its cluster the first time.
 * @throws EmbeddedPostgresError when something is wrong that a person can fix
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError('no-binaries', 'On Windows, set DATABASE_URL to a PostgreSQL server.');
  }
  const home = makeHome(options.dataDir);
  const cleanups: (() => void)[] = [];
  const close = () => {
    for (const cleanup of cleanups.splice(0).reverse()) cleanup();
  };
  const lock = takeLock(join(home, 'lock'), options.dataDir);
  cleanups.push(() => lock.release());
  try {
    const server = await prepareServer(options, home, cleanups, close);
    await server.start();
    cleanups.push(() => rmSync(join(home, 'server.json'), { force: true }));
    const connection: Connection = { url: server.url, pid: process.pid, startedAt: startOf(process.pid) };
    writePrivateFile(join(home, 'server.json'), JSON.stringify(connection));
    options.log.info({ version: server.version, serverPid: server.pid }, 'PostgreSQL is running');
    return server;
  } catch (error) {
    close();
    throw error;
  }
}

/** How another process of the same installation connects; undefined when no server is running. */
export function readEmbeddedUrl(dataDir: string): string | undefined {
  let connection: Connection;
  try {
    connection = JSON.parse(readFileSync(join(homeOf(dataDir), 'server.json'), 'utf8')) as Connection;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // The file survives a kill -9 of its writer, whose pid may belong to another process by now.
  const { pid, startedAt, url } = connection;
  return isAlive(pid) && startOf(pid) === startedAt ? url : undefined;
}

/** Everything up to the start; what must be undone goes into `cleanups`. */
async function prepareServer(
  options: EmbeddedOptions,
  home: string,
  cleanups: (() => void)[],
  close: () => void,
): Promise<Server> {
  const place = findPlace(home, options.relocateTo ?? '/var/lib/postrider');
  if (place.root !== home) {
    // Two copies of a data directory would point to the same cluster.
    const second = takeLock(join(place.root, 'lock'), options.dataDir);
    cleanups.push(() => second.release());
    options.log.info(`The database server cannot reach ${home}; its files are in ${place.root}`);
  }
  const { secret, isNew } = credentials(home);
  const major = clusterMajor(place.clusterDir);
  if (major !== undefined) {
    const leftovers = await endLeftovers(clusterName(secret.id, place.clusterDir), place.clusterDir);
    if (leftovers !== 'none') options.log.warn(`A database server left by an earlier run was ${leftovers}`);
  }
  const binaries = findBinaries({ binDir: options.binDir, major, runAs: place.runAs, copyTo: place.root });
  if (major === undefined) await makeCluster(place, binaries, secret);
  const endpoint = await chooseEndpoint(place);
  const settingsFile = writeSettings(place, endpoint, options.settings ?? {}, options.workers);
  // The passwords were lost, or only the cluster was brought here from elsewhere.
  if (isNew && major !== undefined) await resetSuperuser(place, binaries, settingsFile, secret);
  const serverLog = openLog(join(place.root, 'postgres.log'));
  cleanups.push(() => serverLog.close());
  const parentWatch = watchParent(place);
  cleanups.push(() => parentWatch.dismiss());
  return new Server({
    place,
    binaries,
    secret,
    name: clusterName(secret.id, place.clusterDir),
    settingsFile,
    endpoint,
    serverLog,
    parentWatch,
    log: options.log,
    onUnexpectedEnd: options.onUnexpectedEnd,
    close,
  });
}
