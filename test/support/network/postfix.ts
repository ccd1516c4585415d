// Postfix, a real relay, on loopback: takes messages on one port and hands them to the next server, which is the test's. Installed by
// apt when it is missing; runs as root only, because Postfix does.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/base/free-port.ts';
import { until } from '../run/until.ts';

const program = '/usr/sbin/postfix';

export type Postfix = { port: number; close(): Promise<void> };

/**
 * @param nextPort where it hands messages to
 * @param settings lines of main.cf, such as limits
 * @param access recipients that are refused, and how
 */
export async function startPostfix(
  nextPort: number,
  settings: Record<string, string> = {},
  access = '',
): Promise<Postfix> {
  install();
  const folder = mkdtempSync(join(tmpdir(), 'postfix-'));
  // Its own user opens the folders.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const [etc, queue, data] = ['etc', 'queue', 'data'].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [etc, queue, data]) mkdirSync(path);
  execFileSync('chown', ['postfix', data]);
  writeFileSync(join(etc, 'main.cf'), mainOf({ queue, data, nextPort, settings }));
  writeFileSync(join(etc, 'master.cf'), masterOf(port));
  writeFileSync(join(etc, 'access'), access);
  const child = spawn(program, ['-c', etc, 'start-fg'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until('Postfix listens', () => accepts(port));
  return {
    port,
    close: async () => {
      execFileSync(program, ['-c', etc, 'stop'], { stdio: 'ignore' });
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => resolve(false))
      .on('connect', () => {
        socket.destroy();
        resolve(true);
      });
  });
}

function install(): void {
  if (process.getuid?.() !== 0) throw new Error('This needs Postfix, which runs as root only: run it as root.');
  if (existsSync(program)) return;
  // RUNLEVEL keeps the system's own server from being started.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postfix'], { env, stdio: 'ignore' });
}

function mainOf(options: { queue: string; data: string; nextPort: number; settings: Record<string, string> }): string {
  const lines: Record<string, string> = {
    compatibility_level: '3.6',
    queue_directory: options.queue,
    data_directory: options.data,
    command_directory: '/usr/sbin',
    daemon_directory: '/usr/lib/postfix/sbin',
    maillog_file: '',
    myhostname: 'relay.example',
    mydestination: '',
    mynetworks: '127.0.0.0/8',
    // By default the limits of clients do not apply to mynetworks.
    smtpd_client_event_limit_exceptions: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    alias_maps: '',
    local_recipient_maps: '',
    smtpd_recipient_restrictions: 'check_recipient_access texthash:$config_directory/access',
    relayhost: `[127.0.0.1]:${options.nextPort}`,
    smtp_destination_concurrency_limit: '20',
    default_process_limit: '20',
    ...options.settings,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

/** The services that a relay needs: name, type, private, unprivileged, chroot, wake-up, processes, command. */
const masterOf = (port: number): string => `127.0.0.1:${port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
`;
