// The scriptable SMTP sink as a separate process, whose log file is the truth about what was accepted.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, SinkOptions } from './sink.ts';

export type SinkProcess = {
  url: string;
  pid: number;
  /** All entries of the log up to now. */
  entries(): Entry[];
  /** How often each recipient's mail was accepted. */
  accepted(): Map<string, number>;
  close(): Promise<void>;
};

export async function startSinkProcess(
  options: SinkOptions = {},
  query = 'tls=none&connections=4',
): Promise<SinkProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'sink-'));
  const logFile = join(folder, 'log.jsonl');
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), JSON.stringify({ logFile, hash: false, remember: false, ...options })],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('exit', () => reject(new Error('the sink has ended')));
  });
  const entries = () =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Entry);
  return {
    url: `smtp://127.0.0.1:${port}?${query}`,
    pid: child.pid!,
    entries,
    accepted() {
      const counts = new Map<string, number>();
      for (const entry of entries())
        if (entry.event === 'accepted') counts.set(entry.to!, (counts.get(entry.to!) ?? 0) + 1);
      return counts;
    },
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
