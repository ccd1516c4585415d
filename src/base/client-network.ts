// The network of a caller, under which its attempts and submissions are counted, and which hosts are this machine. Resolves
// no names.
import { isIP, isIPv6 } from 'node:net';

/** The network of an IP address: the address itself, or for IPv6 its /64, the smallest block that a provider assigns to a customer. */
export function networkOf(address: string): string {
  const ip = plainIp(address) ?? address;
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined ? left : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

/** Whether the host of a URL is certainly this machine. */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || /^127(\.\d{1,3}){3}$/.test(hostname) || /^(\[::1\]|::1)$/.test(hostname);
}

/** An IP address without a zone, and as IPv4 where it is one inside IPv6. Undefined for anything else, such as ''. */
export function plainIp(address: string): string | undefined {
  const ip = address.split('%')[0]!;
  if (isIP(ip) === 0) return undefined;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip;
}

/**
 * An IP address or a network in CIDR notation; bits behind the length of its prefix are allowed. Undefined for anything else.
 * @example parseNetwork('192.0.2.7/24') // { ip: '192.0.2.7', bits: 24 }
 */
export function parseNetwork(text: string): { ip: string; bits: number } | undefined {
  const [, given = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const max = { 0: -1, 4: 32, 6: 128 }[isIP(given)]!;
  const bits = length === undefined ? max : Number(length);
  return max < 0 || bits > max || given.includes('%') ? undefined : { ip: given, bits };
}
