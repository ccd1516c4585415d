// PostgreSQL servers of their own with wal_level = logical, for accounts that move between installations. Need the server's programs on the
// machine; as root they run as another user.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/base/free-port.ts';
import { until } from '../run/until.ts';
import { ask, binaries, serverUser } from './replicated.ts';

export type OwnServer = {
  /** Of its database `postgres`, as a superuser. */
  url: string;
  /** An empty database on it. @returns its URL */
  create(name: string): Promise<string>;
  close(): Promise<void>;
};

export async function ownServer(settings: Record<string, string> = {}): Promise<OwnServer> {
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), 'own-server-'));
  if ('uid' in user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, stdio: 'ignore' } as const;
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  execFileSync(join(binaries(), 'initdb'), init, options);
  const given: Record<string, string> = {
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: "''",
    wal_level: 'logical',
    fsync: 'off',
    max_connections: '200',
    max_replication_slots: '20',
    max_wal_senders: '20',
    max_logical_replication_workers: '8',
    max_worker_processes: '16',
    jit: 'off',
    max_wal_size: '2GB',
    ...settings,
  };
  appendFileSync(
    join(data, 'postgresql.conf'),
    Object.entries(given)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join(''),
  );
  const port = await freePort();
  const server: ChildProcess = spawn(join(binaries(), 'postgres'), ['-D', data, '-p', String(port)], {
    ...options,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  });
  const urlOf = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  await until('the server answers', async () => (await ask(urlOf('postgres'), 'select')).length === 1);
  return {
    url: urlOf('postgres'),
    async create(name) {
      await ask(urlOf('postgres'), `create database ${name}`);
      return urlOf(name);
    },
    async close() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
