// Bounds the open connections of the web process, in all and of one host, so that no host keeps the others out.
import type { Server } from 'node:http';
import { callerName } from '../../accounts/access/attempts.ts';
import { Quota } from '../../base/quota.ts';

/** A reverse proxy is one host, so half of them are enough for all clients behind it. */
export const connectionLimits = { total: 4_000, perCaller: 2_000 };

export function limitConnections(server: Server, limits = connectionLimits) {
  const open = new Quota(limits);
  server.on('connection', (socket) => {
    const host = callerName(socket.remoteAddress ?? '');
    if (!open.take(host)) return socket.destroy();
    socket.once('close', () => open.release(host));
  });
}
