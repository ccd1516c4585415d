// HAProxy as examples/cells configures it, on loopback: only ports are replaced, and TLS is left out.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/base/free-port.ts';
import { until } from '../run/until.ts';

const example = join(import.meta.dirname, '../../../examples/cells/haproxy.cfg');

/** Why it cannot run here; false if it can. */
export const missingHaproxy = (): string | false =>
  spawnSync('haproxy', ['-v'], { stdio: 'ignore' }).status === 0 ? false : 'haproxy is not installed';

export async function startHaproxy(cells: readonly [string, string]): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const port = await freePort();
  const text = readFileSync(example, 'utf8')
    .replace(/ {4}bind :80\n {4}bind :443 .*\n.*redirect scheme https.*\n/, `    bind 127.0.0.1:${port}\n`)
    .replace('127.0.0.1:8081', new URL(cells[0]).host)
    .replace('127.0.0.1:8082', new URL(cells[1]).host);
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, text);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await until('the proxy answers', async () => (await fetch(`${url}/health`).catch(() => undefined))?.status === 200);
  return {
    url,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
