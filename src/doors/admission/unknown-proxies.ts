// Notices a reverse proxy that TRUST_PROXY does not name. All people behind it have its address: what one of them does wrong, such as
// entering wrong passwords, counts for all.
import type { FastifyRequest } from 'fastify';
import { plainIp } from '../../base/client-network.ts';
import type { Log } from '../../base/log.ts';
import { specialUseOf } from '../../base/outbound/addresses.ts';
import { isForwarded } from './client-address.ts';

/** No more than an installation has proxies, however many hosts send the header. */
const maxReported = 5;

/** Logs each such proxy once. A host with a public address may as well be a client that makes up the header. */
export function reportUnknownProxies(log: Log, isProxy: (ip: string) => boolean) {
  const reported = new Set<string>();
  return ({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): void => {
    if (reported.size >= maxReported || !isForwarded({ headers })) return;
    const proxy = plainIp(socket.remoteAddress ?? '');
    if (proxy === undefined || reported.has(proxy) || isProxy(proxy) || specialUseOf(proxy) === null) return;
    reported.add(proxy);
    log.warn(
      { ip: proxy },
      'a reverse proxy is not in TRUST_PROXY: all people behind it count as one client, also where wrong passwords are limited',
    );
  };
}
