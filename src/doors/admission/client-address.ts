// The address of a client behind the reverse proxies of TRUST_PROXY: from X-Forwarded-For in the forms that proxies write, or from
// Forwarded (RFC 7239) where there is no X-Forwarded-For. It is always a plain IP address. The lists are read from the end, the part that
// our own proxies wrote: what a client makes up is further ahead and is never reached.
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { plainIp } from '../../base/client-network.ts';
import { parseRange } from '../../base/outbound/addresses.ts';

type Request = { headers: IncomingHttpHeaders; socket: { remoteAddress?: string | undefined } };

/** As Fastify, which reads the other headers of proxies, understands them. */
const named: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Addresses and ranges, and whether an address is among them. */
export function proxyList(trusted: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const item of trusted.flatMap((name) => named[name] ?? [name])) {
    const range = parseRange(item);
    if (range) list.addSubnet(range.address.toString(), range.bits, range.address.kind());
  }
  // A range of IPv4 addresses may have been written inside IPv6.
  return (ip) => (isIPv4(ip) ? list.check(ip, 'ipv4') || list.check(`::ffff:${ip}`, 'ipv6') : list.check(ip, 'ipv6'));
}

/** Whether a proxy has added something about its client. */
export const isForwarded = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;

/**
 * The first address from the end that is not one of our proxies. A proxy that does not name its client (`unknown`, `_hidden`, garbage)
 * is the client itself: all whom it hides count as one.
 */
export function clientAddress({ headers, socket }: Request, isProxy: (ip: string) => boolean): string {
  let client = plainIp(socket.remoteAddress ?? '') ?? '';
  if (client === '' || !isForwarded({ headers }) || !isProxy(client)) return client;
  for (const ip of forwardedFor(headers)) {
    if (ip === undefined) break;
    client = ip;
    if (!isProxy(ip)) break;
  }
  return client;
}

/** From the end: the addresses, undefined for what is none. Empty elements are skipped (RFC 9110 5.6.1.2). */
function* forwardedFor(headers: IncomingHttpHeaders): Generator<string | undefined> {
  // Node.js joins several headers of these names by commas.
  const usual = headers['x-forwarded-for'];
  if (usual !== undefined) {
    for (const element of String(usual).split(',').reverse()) if (element.trim() !== '') yield readNode(element);
  } else {
    for (const element of elementsFromEnd(headers.forwarded ?? '')) {
      if (element.trim() !== '') yield readNode(forOf(element) ?? '');
    }
  }
}

/**
 * Splits at commas outside quotation marks. Read from the end, since one that a client leaves open would swallow what our proxy added.
 * Each octet is looked at once.
 */
function* elementsFromEnd(text: string): Generator<string> {
  let end = text.length;
  let isQuoted = false;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === '"') {
      let before = at;
      while (isQuoted && text[before - 1] === '\\') before--;
      isQuoted = isQuoted ? (at - before) % 2 === 1 : true;
      at = before;
    } else if (text[at] === ',' && !isQuoted) {
      yield text.slice(at + 1, end);
      end = at;
    }
  }
  yield text.slice(0, end);
}

/** The parameter "for" of an element, without quotation marks. */
function forOf(element: string): string | undefined {
  // Nothing matches the same blanks twice: what a client sends may be long.
  const parameters = element.matchAll(/\s*([^\s=;",]+)\s*=(?:(\s*"(?:[^"\\]|\\.)*"\s*)|([^;"]*))(?:;|$)/gy);
  for (const [, name, quoted, plain] of parameters) {
    if (name!.toLowerCase() === 'for') return (quoted ?? plain!).trim().replace(/\\(.)/g, '$1');
  }
  return undefined;
}

/** An address that may have brackets, a port and quotation marks around it. */
function readNode(text: string): string | undefined {
  const node = text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  if (isIP(node) !== 0) return plainIp(node);
  const [, bracketed, plain] = /^(?:\[([^[\]]*)\]|([^[\]]*?))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? [];
  return plainIp(bracketed ?? plain ?? '');
}
