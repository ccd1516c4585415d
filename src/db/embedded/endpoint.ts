// Where the server listens: a unix socket in a private directory, or a free port on loopback when the socket's path would
// be too long. Nothing listens on the network.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../base/free-port.ts';
import { makePrivateDir, type Place } from './place.ts';

export type Endpoint = { socketDir: string } | { port: number };

/** The port in the name of the socket's file. */
export const socketPort = 5432;

// A unix socket's address has 108 bytes with the closing NUL (unix(7)); 104 on BSD and macOS.
const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103;

/** The caller holds the lock of the place, and no server is running there. */
export async function chooseEndpoint(place: Place): Promise<Endpoint> {
  const socketDir = join(place.root, 'run');
  if (Buffer.byteLength(join(socketDir, `.s.PGSQL.${socketPort}`)) > maxSocketPathBytes)
    return { port: await freePort() };
  // A socket of a dead server would name a pid that another process may have now.
  rmSync(socketDir, { recursive: true, force: true });
  makePrivateDir(socketDir, place.runAs);
  return { socketDir };
}

export function urlOf(endpoint: Endpoint, user: string, password: string, database: string): string {
  const host =
    'port' in endpoint ? `127.0.0.1:${endpoint.port}` : `${encodeURIComponent(endpoint.socketDir)}:${socketPort}`;
  return `postgresql://${user}:${password}@${host}/${database}`;
}
