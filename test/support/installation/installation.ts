// A whole installation as its operator runs it: `serve` as a separate process, with its children, on free ports. Knows
// the processes by id, so that a test can kill a particular one.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/base/free-port.ts';
import { homeOf } from '../../../src/db/embedded/place.ts';
import { bareEnvironment, Service, testKey } from './service.ts';

const root = join(import.meta.dirname, '../../..');

export type Part = 'web' | 'work' | 'inbox' | 'postgres';

export class Installation extends Service {
  /** What starts the program; a test may put an installed package here. */
  program: readonly [string, ...string[]] = [process.execPath, join(root, 'src/main.ts')];
  #child: ChildProcess | undefined;
  #port = 0;

  /** Starts `serve`; resolves when the web process answers. Returns the milliseconds that took. */
  async start(): Promise<number> {
    this.#port ||= await freePort();
    this.base = `http://127.0.0.1:${this.#port}`;
    const startedAt = performance.now();
    const [file, ...words] = this.program;
    const child = spawn(file, [...words, 'serve'], {
      env: {
        ...bareEnvironment,
        PORT: String(this.#port),
        DATA_DIR: this.dataDir,
        SETUP_API_KEY: testKey,
        LOG_LEVEL: 'warn',
        WORKERS: '2',
        // A test that is about pictures asks for them: a browser takes seconds of a processor.
        CHROMIUM_PATH: 'none',
        ...this.settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        this.output = (this.output + text).slice(-200_000);
      });
    }
    await this.until('the web process answers', async () => {
      if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}:\n${this.output}`);
      return (await fetch(`${this.base}/ready`).catch(() => undefined))?.ok === true;
    });
    return performance.now() - startedAt;
  }

  /** SIGTERM, and the wait for the end. Returns the exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    return new Promise((resolve) => {
      child.once('exit', (code) => resolve(code));
      child.kill('SIGTERM');
    });
  }

  /** Ends everything and removes the data. */
  async remove(): Promise<void> {
    const databaseRoot = this.#databaseRoot();
    await this.stop();
    for (const part of ['web', 'work', 'inbox', 'postgres'] as const)
      for (const pid of this.pids(part)) kill(pid, 'SIGKILL');
    for (let tries = 0; ; tries++) {
      try {
        rmSync(this.dataDir, { recursive: true, force: true });
        rmSync(databaseRoot, { recursive: true, force: true });
        return;
      } catch (error) {
        if (tries > 20) throw error;
        await sleep(100);
      }
    }
  }

  /** kill -9 of serve itself; its children are left to themselves. */
  async killServe(): Promise<void> {
    const child = this.#child!;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** The ids of the processes of a kind that belong to this installation. */
  pids(part: Part): number[] {
    if (part === 'postgres') return this.#postgres();
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
          return (
            command[command.findIndex((word) => /\bmain\.[jt]s$/.test(word)) + 1] === part &&
            readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${this.dataDir}\0`)
          );
        } catch {
          return false;
        }
      });
  }

  /** The database server and its sessions. */
  #postgres(): number[] {
    const server = Number(firstLine(join(this.#databaseRoot(), 'cluster', 'postmaster.pid')) ?? 0);
    if (!server || !commandOf(server)[0]?.endsWith('/postgres')) return [];
    const sessions = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === server);
    return [server, ...sessions.map(Number)];
  }

  /** As root the database files may be outside the data directory, which then contains their path. */
  #databaseRoot(): string {
    const home = homeOf(this.dataDir);
    return firstLine(join(home, 'place')) ?? home;
  }
}

function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n')[0];
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]);
  } catch {
    return undefined;
  }
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already, which is what was wanted.
  }
}
