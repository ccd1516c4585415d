// A whole installation as its operator runs it: `serve` as a process of its own, with its children, on free ports.
// Knows the processes by id, so that a test can kill a particular one.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeOf } from '../../../src/db/embedded/place.ts';

export const testKey = '0123456789abcdef0123456789abcdef';
const root = join(import.meta.dirname, '../../..');

export type Part = 'web' | 'work' | 'inbox' | 'postgres';

export class Installation {
  readonly dataDir: string;
  readonly settings: Record<string, string>;
  base = '';
  output = '';
  #child: ChildProcess | undefined;
  #port = 0;

  /** Without a folder of data it has a new one. */
  constructor(settings: Record<string, string> = {}, dataDir = mkdtempSync(join(tmpdir(), 'postrider-e2e-'))) {
    this.dataDir = dataDir;
    this.settings = settings;
  }

  /** Starts `serve`; resolves when the web process answers. Returns the milliseconds that took. */
  async start(): Promise<number> {
    this.#port ||= await freePort();
    this.base = `http://127.0.0.1:${this.#port}`;
    const startedAt = performance.now();
    const child = spawn(process.execPath, [join(root, 'src/main.ts'), 'serve'], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
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
            command.at(-2) === part &&
            command.some((word) => word.endsWith('main.ts')) &&
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

  /** As root the files may be elsewhere than in the data directory, which then tells where. */
  #databaseRoot(): string {
    const home = homeOf(this.dataDir);
    return firstLine(join(home, 'place')) ?? home;
  }

  async call<T = unknown>(method: string, params: Record<string, unknown> = {}): Promise<T> {
    const response = await fetch(`${this.base}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    const value = (await response.json()) as T & { error?: string; code?: number };
    if (!response.ok) throw Object.assign(new Error(`${method}: ${value.code} ${value.error}`), { code: value.code });
    return value;
  }

  async until(what: string, check: () => Promise<boolean>, seconds = 120, everyMs = 50): Promise<void> {
    const deadline = performance.now() + seconds * 1_000;
    while (!(await check())) {
      if (performance.now() > deadline)
        throw new Error(`In ${seconds} s this did not happen: ${what}\n${this.output.slice(-4_000)}`);
      await sleep(everyMs);
    }
  }

  /** A list of `count` subscribed members with these addresses, and its id. */
  async listOf(count: number, address: (n: number) => string): Promise<string> {
    const id = await this.call<string>('listCreate', { title: `List of ${count}` });
    for (let from = 0; from < count; from += 2_500) {
      const batch = Array.from({ length: Math.min(2_500, count - from) }, (_, i) => ({
        EMAIL: address(from + i),
        FNAME: `Reader ${from + i}`,
      }));
      const result = await this.call<{ success_count: number }>('listBatchSubscribe', {
        id,
        batch,
        double_optin: false,
      });
      if (result.success_count !== batch.length)
        throw new Error(`only ${result.success_count} of ${batch.length} were subscribed`);
    }
    return id;
  }

  /** A draft to a list. */
  draft(list: string, subject = 'Hello *|FNAME|*'): Promise<string> {
    return this.call('campaignCreate', {
      type: 'HTML',
      options: {
        list_id: list,
        subject,
        from_email: 'editors@example.com',
        from_name: 'The editors',
        generate_text: true,
      },
      content: {
        html: '<p>Dear *|FNAME:reader|*, <a href="https://example.com/news">the news</a>.</p><p><a href="*|UNSUB|*">Leave</a></p>',
      },
    });
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

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
