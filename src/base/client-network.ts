// The network of a caller, under which its attempts and submissions are counted, and which hosts are this machine or its
// gateway. Resolves no names.
import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { endianness } from 'node:os';
import ipaddr from 'ipaddr.js';

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

/** The block of addresses of one customer or office: of IPv4 a /24, of IPv6 a /48. For what a caller with many addresses could take alone. */
export function blockOf(address: string): string {
  const ip = plainIp(address) ?? address;
  if (isIPv6(ip)) return `${networkOf(ip).split(':').slice(0, 3).join(':')}::/48`;
  return `${ip.split('.').slice(0, 3).join('.')}.0/24`;
}

/** Whether the host of a URL is certainly this machine. */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || /^127(\.\d{1,3}){3}$/.test(hostname) || /^(\[::1\]|::1)$/.test(hostname);
}

/**
 * An IP address in its usual form (RFC 5952), without a zone, and as IPv4 where it is one inside IPv6. Undefined for anything else,
 * such as ''.
 */
export function plainIp(address: string): string | undefined {
  const ip = address.split('%')[0]!;
  const version = isIP(ip);
  return version === 0 ? undefined : version === 4 ? ip : ipaddr.process(ip).toString();
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

/** The addresses of the default gateways of this machine or container; none where the system has no such tables (Linux has). */
export function defaultGateways(read: (path: string) => string = readTable): string[] {
  // Destination and gateway are the second and third column, each address as a number in the byte order of the processor.
  const four = rowsOf(read('/proc/net/route'))
    .filter(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000')
    .map(([, , gateway = '']) => inNetworkOrder(Buffer.from(gateway, 'hex')).join('.'));
  // Destination, its prefix length, source, its prefix length, gateway.
  const six = rowsOf(read('/proc/net/ipv6_route'))
    .filter(([destination, bits]) => /^0+$/.test(destination ?? '') && bits === '00')
    .map(([, , , , gateway = '']) => gateway.match(/.{4}/g)?.join(':') ?? '');
  return [...new Set([...four, ...six])].filter((address) => isIP(address) !== 0 && !/^[0.:]+$/.test(address));
}

function inNetworkOrder(bytes: Buffer): Buffer {
  return endianness() === 'LE' ? bytes.reverse() : bytes;
}

function rowsOf(table: string): string[][] {
  return table.split('\n').map((line) => line.trim().split(/\s+/));
}

function readTable(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Whether the other end of a connection is on this machine. */
export const isLoopback = (address: string | undefined): boolean => /^(::ffff:)?127\.|^::1$/.test(address ?? '');
