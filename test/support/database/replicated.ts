// A PostgreSQL server and an asynchronous replica of it, as copies of one cluster that is prepared once. The stream between
// them goes through a proxy, so that a test decides how many of the last commits the replica lacks when it is promoted.
// Needs the server's programs on the machine; as root they run as another user.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../src/base/free-port.ts';
import { until } from '../run/until.ts';
import { DatabaseProxy } from './proxy.ts';

export const binaries = (): string => execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim();

/** PostgreSQL refuses to run as root. */
export function serverUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Why there can be no such servers on this machine; undefined if there can. */
export function missingForReplicas(): string | undefined {
  try {
    binaries();
    serverUser();
    return undefined;
  } catch {
    return 'PostgreSQL is not installed on the machine';
  }
}

export class ReplicatedCluster {
  readonly #folder: string;
  readonly #user = serverUser();
  readonly #running = new Set<ChildProcess>();
  #copies = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param prepare fills the database that every pair of servers starts from; closes its connections */
  static async create(prepare: (url: string) => Promise<void>): Promise<ReplicatedCluster> {
    const cluster = new ReplicatedCluster(mkdtempSync(join(tmpdir(), 'replicated-')));
    if (cluster.#user.uid !== undefined) chownSync(cluster.#folder, cluster.#user.uid, cluster.#user.gid);
    const original = join(cluster.#folder, 'original');
    execFileSync(
      join(binaries(), 'initdb'),
      ['-D', original, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
      {
        ...cluster.#user,
        cwd: cluster.#folder,
        stdio: 'ignore',
      },
    );
    appendFileSync(
      join(original, 'postgresql.conf'),
      `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\nmax_connections = 200\nwal_level = replica\nwal_keep_size = 1GB\njit = off\nrandom_page_cost = 1.1\nsynchronous_commit = on\nautovacuum_naptime = 15s\ncheckpoint_timeout = 15min\nmax_wal_size = 2GB\n`,
    );
    const server = await cluster.#start('original');
    await prepare(server.url);
    await cluster.#end(server.process, 'SIGINT');
    return cluster;
  }

  /** A primary, and a replica that follows it. */
  async pair(): Promise<Pair> {
    this.#copies += 1;
    const [primary, replica] = [`primary-${this.#copies}`, `replica-${this.#copies}`];
    for (const name of [primary, replica]) execFileSync('cp', ['-a', 'original', name], { cwd: this.#folder });
    const first = await this.#start(primary);
    const stream = await DatabaseProxy.start(first.url);
    const folder = join(this.#folder, replica);
    writeFileSync(join(folder, 'standby.signal'), '');
    appendFileSync(
      join(folder, 'postgresql.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${new URL(stream.url).port} user=postgres sslmode=disable gssencmode=disable'\n`,
    );
    let second = await this.#start(replica);
    await until(
      'the replica follows',
      async () => (await ask(first.url, 'select from pg_stat_replication')).length > 0,
    );
    const end = (process: ChildProcess) => this.#end(process, 'SIGQUIT');
    const cluster = this.#folder;
    const pair: Pair = {
      url: first.url,
      replicaUrl: second.url,
      async freezeReplica() {
        stream.frozen = true;
      },
      killPrimary: () => this.#end(first.process, 'SIGKILL'),
      killReplica: () => this.#end(second.process, 'SIGKILL'),
      startReplica: async () => {
        second = await this.#start(replica);
        pair.replicaUrl = second.url;
        return second.url;
      },
      async promote() {
        await ask(second.url, 'select pg_promote(true, 60)');
        return second.url;
      },
      async close() {
        await end(first.process);
        await end(second.process);
        await stream.close();
        for (const name of [primary, replica]) rmSync(join(cluster, name), { recursive: true, force: true });
      },
    };
    return pair;
  }

  async close(): Promise<void> {
    for (const process of [...this.#running]) await this.#end(process, 'SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(name: string): Promise<{ url: string; process: ChildProcess }> {
    const port = await freePort();
    const server = spawn(join(binaries(), 'postgres'), ['-D', join(this.#folder, name), '-p', String(port)], {
      ...this.#user,
      cwd: this.#folder,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: 'ignore',
    });
    this.#running.add(server);
    server.once('exit', () => this.#running.delete(server));
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await until(`${name} answers`, async () => (await ask(url, 'select')).length === 1);
    return { url, process: server };
  }

  async #end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    await ended;
  }
}

export type Pair = {
  /** Of the primary. */
  url: string;
  replicaUrl: string;
  /** From now on the replica receives nothing. */
  freezeReplica(): Promise<void>;
  /** kill -9; its sessions end with it. */
  killPrimary(): Promise<void>;
  killReplica(): Promise<void>;
  /** Starts it again; it has another URL then. */
  startReplica(): Promise<string>;
  /** Returns the URL of the new primary. */
  promote(): Promise<string>;
  close(): Promise<void>;
};

export async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } catch {
    return [];
  } finally {
    await client.end().catch(() => {});
  }
}
