// A PostgreSQL server with pgBackRest: a repository in a folder of its own, an archive of the log, and restores to a point in time.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../src/base/free-port.ts';
import { until } from '../run/until.ts';
import { ask, binaries, missingForReplicas, serverUser } from './replicated.ts';

const run = promisify(execFile);

/** Why there can be no such server on this machine; undefined if there can. */
export function missingForArchive(): string | undefined {
  const missing = missingForReplicas();
  if (missing) return missing;
  try {
    execFileSync('pgbackrest', ['version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'pgbackrest is not installed (Debian: apt-get install pgbackrest)';
  }
}

export class ArchivedServer {
  url = '';
  readonly #folder: string;
  readonly #user = serverUser();
  #server: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** An empty server whose log is archived. */
  static async create(): Promise<ArchivedServer> {
    const server = new ArchivedServer(mkdtempSync(join(tmpdir(), 'archived-')));
    const folder = server.#folder;
    const { uid, gid } = server.#user;
    for (const path of [folder, server.#in('repository'), server.#in('log'), server.#in('lock')]) {
      mkdirSync(path, { recursive: true });
      if (uid !== undefined) chownSync(path, uid, gid!);
    }
    const port = await freePort();
    server.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    writeFileSync(
      server.#in('pgbackrest.conf'),
      `[global]
repo1-path=${server.#in('repository')}
repo1-retention-full=2
log-path=${server.#in('log')}
lock-path=${server.#in('lock')}
start-fast=y
compress-type=lz4

[main]
pg1-path=${server.#in('data')}
pg1-socket-path=${folder}
pg1-port=${port}
pg1-user=postgres
`,
    );
    await server.#program(join(binaries(), 'initdb'), [
      ...['-D', server.#in('data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    ]);
    appendFileSync(
      server.#in('data/postgresql.conf'),
      `listen_addresses = '127.0.0.1'
unix_socket_directories = '${folder}'
port = ${port}
max_connections = 200
wal_level = replica
archive_mode = on
archive_command = 'pgbackrest --config=${server.#in('pgbackrest.conf')} --stanza=main archive-push %p'
archive_timeout = 60
`,
    );
    await server.start();
    await server.pgbackrest('stanza-create');
    return server;
  }

  async start(): Promise<void> {
    const server = spawn(join(binaries(), 'postgres'), ['-D', this.#in('data')], {
      ...this.#user,
      cwd: this.#folder,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: 'ignore',
    });
    this.#server = server;
    // It answers during the recovery too, as a standby.
    await until('the server takes changes', async () => {
      if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
      const rows = (await ask(this.url, 'select pg_is_in_recovery() as recovers')) as { recovers: boolean }[];
      return rows[0]?.recovers === false;
    });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGINT');
    await ended;
  }

  /** Runs pgbackrest as the user of the server. @throws Error with what it printed */
  async pgbackrest(command: string, ...options: string[]): Promise<void> {
    const config = `--config=${this.#in('pgbackrest.conf')}`;
    await this.#program('pgbackrest', [config, '--stanza=main', ...options, command]);
  }

  /** Waits until everything that is committed now is in the archive. */
  async archived(): Promise<void> {
    const [row] = (await ask(this.url, 'select pg_walfile_name(pg_switch_wal()) as file')) as { file: string }[];
    await until('the log is archived', async () => {
      const text = `select last_archived_wal >= '${row!.file}' as ok from pg_stat_archiver`;
      return ((await ask(this.url, text)) as { ok: boolean }[])[0]?.ok === true;
    });
  }

  /** Replaces the stopped server's files by their state at a time, and starts it. */
  async restore(target: string): Promise<void> {
    await this.pgbackrest('restore', '--delta', '--type=time', `--target=${target}`, '--target-action=promote');
    await this.start();
  }

  /** The repository cannot be written to, until it is back. */
  hideRepository(isHidden: boolean): void {
    const [here, away] = [this.#in('repository'), this.#in('repository.away')];
    if (existsSync(isHidden ? here : away)) renameSync(isHidden ? here : away, isHidden ? away : here);
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #in(name: string): string {
    return join(this.#folder, name);
  }

  async #program(file: string, words: string[]): Promise<void> {
    await run(file, words, { ...this.#user, cwd: this.#folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } }).catch(
      (error: Error & { stdout?: string; stderr?: string }) => {
        throw new Error(`${file} ${words.at(-1)}: ${error.stdout ?? ''}${error.stderr ?? ''}${error.message}`);
      },
    );
  }
}
