// What benchmarks of delivery use of postfix, which is installed if it is missing: smtp-sink, which takes messages and drops
// them, and smtp-source, which sends them (C, no database, the same octets to every recipient).
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/base/free-port.ts';
import { connections, mailBytes } from './letter.ts';

const withSbin = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

export function installPostfix(): void {
  const there = (withSbin.PATH ?? '').split(':').some((folder) => {
    try {
      return readdirSync(folder).includes('smtp-sink');
    } catch {
      return false;
    }
  });
  if (there) return;
  if (process.getuid?.() !== 0)
    throw new Error('This needs smtp-sink and smtp-source: install postfix, or run it as root.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postfix'], { env, stdio: 'ignore' });
}

/** A server that takes everything. */
export async function startSink(): Promise<{ port: number; pid: number; stop(): void }> {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('smtp-sink', [...user, `127.0.0.1:${port}`, '200'], { stdio: 'ignore', env: withSbin });
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) throw new Error('smtp-sink did not start');
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.end());
    });
    if (open) return { port, pid: child.pid!, stop: () => child.kill() };
    await sleep(50);
  }
  child.kill();
  throw new Error('smtp-sink does not answer');
}

/** Messages a second of postfix's own client, which has no database and nothing to personalise. */
export async function smtpSource(port: number, count: number): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(
    'smtp-source',
    `-d -s ${connections * 2} -m ${count} -l ${mailBytes} -f b@s.example -t ok@x.example 127.0.0.1:${port}`.split(' '),
    { stdio: ['ignore', 'ignore', 'inherit'], env: withSbin },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`smtp-source ended with ${code}`);
  return (count * 1_000) / (performance.now() - startedAt);
}
