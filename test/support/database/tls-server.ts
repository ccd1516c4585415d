// A PostgreSQL with a certificate of an authority of its own, as providers of managed databases have one. Over TCP it takes
// encrypted connections only, or none.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/base/free-port.ts';
import { createAuthority, createCertificate } from '../smtp-sink/certificate.ts';
import { binaries, serverUser } from './replicated.ts';

export type TlsServer = {
  /** Without TLS parameters. */
  url: string;
  port: number;
  /** The file of the certificate of the authority. */
  rootcert: string;
  stop(): Promise<void>;
};

export type Encryption = 'required' | 'none' | 'expired';

export async function startTlsServer(encryption: Encryption): Promise<TlsServer> {
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), 'tls-server-'));
  const own = (path: string) => user.uid !== undefined && chownSync(path, user.uid, user.gid);
  own(folder);
  const data = join(folder, 'data');
  execFileSync(join(binaries(), 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  const authority = createAuthority();
  const dayMs = 86_400_000;
  const valid = { validFrom: new Date(Date.now() - 2 * dayMs), validTo: new Date(Date.now() - dayMs) };
  const certificate = createCertificate(authority, ['localhost'], encryption === 'expired' ? valid : {});
  const file = (name: string, text: string, mode: number): string => {
    const path = join(data, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    own(path);
    return path;
  };
  file('server.crt', certificate.cert, 0o600);
  file('server.key', certificate.key, 0o600);
  // Where the program may read it; the folder of the data is private.
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  const rootcert = join(shared, 'root.crt');
  writeFileSync(rootcert, authority.cert);
  file('pg_hba.conf', `${encryption === 'none' ? 'host' : 'hostssl'} all all 127.0.0.1/32 trust\n`, 0o600);
  appendFileSync(
    join(data, 'postgresql.conf'),
    `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\nssl = ${encryption === 'none' ? 'off' : 'on'}\n`,
  );
  const port = await freePort();
  const server = spawn(join(binaries(), 'postgres'), ['-D', data, '-p', String(port)], {
    ...user,
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.on('data', (bytes) => {
    said += bytes;
  });
  const stop = async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    if (server.exitCode === null && server.kill('SIGQUIT')) await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (const deadline = performance.now() + 30_000; !/ready to accept/.test(said); await sleep(50))
    if (performance.now() > deadline || server.exitCode !== null) {
      await stop();
      throw new Error(`no server with TLS: ${said}`);
    }
  return { url: `postgres://postgres@localhost:${port}/postgres`, port, rootcert, stop };
}
