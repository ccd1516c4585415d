// Which network addresses may be reached for a user who typed an address into the program. Guarantees that everything
// but plain public unicast is refused: IANA's special-purpose registries, every way of writing an IPv4 address inside
// an IPv6 one, cloud metadata, and the machine's own addresses, which a firewall in front of it does not protect from
// itself. Opens and resolves nothing.
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** Without a port, all of them. */
export type Range = { address: Address; bits: number; port?: number };

/** Reads `10.0.0.0/8` or a bare address, also `10.0.0.0/8:443` and `[fd00::/8]:443` for one port; null otherwise. */
export function parseRange(text: string): Range | null {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text.trim()) ?? [];
  const range = parseNetwork(bracketed ?? plain ?? text.trim());
  if (range === null || port === undefined) return range;
  return Number(port) >= 1 && Number(port) <= 65_535 ? { ...range, port: Number(port) } : null;
}

function parseNetwork(text: string): Range | null {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const longest = version === 4 ? 32 : 128;
  if (version === 0 || rest.length > 0 || address.includes('%')) return null;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > longest)) return null;
  return { address: ipaddr.parse(address), bits: bits === undefined ? longest : Number(bits) };
}

/**
 * Why the address may not be reached at this port, or null when it may. `allow` wins over every rule and matches its own
 * family only.
 */
export function refusal(text: string, allow: readonly Range[], port?: number): string | null {
  if (isIP(text) === 0 || text.includes('%')) return 'not an address';
  const address = ipaddr.parse(text);
  const opens = (range: Range) => within(address, range) && (range.port === undefined || range.port === port);
  if (allow.some(opens)) return null;
  const use = specialUse(address);
  if (use !== null) return use;
  return ownAddresses().has(address.toNormalizedString()) ? "one of this machine's addresses" : null;
}

/** What an address that a user wrote is for, if it is not public: the registries' word, whatever is allowed here. */
export function specialUseOf(text: string): string | null {
  return isIP(text) === 0 || text.includes('%') ? null : specialUse(ipaddr.parse(text));
}

function specialUse(address: Address): string | null {
  for (const { range, name } of address.kind() === 'ipv4' ? refusedIPv4 : refusedIPv6) {
    if (within(address, range)) return name;
  }
  return address.kind() === 'ipv6' && !within(address, globalUnicast) ? 'not global unicast' : null;
}

function within(address: Address, range: Range): boolean {
  return address.kind() === range.address.kind() && address.match(range.address as ipaddr.IPv6, range.bits);
}

function ownAddresses(): Set<string> {
  const own = new Set<string>();
  for (const list of Object.values(networkInterfaces())) {
    for (const { address } of list ?? []) {
      const bare = address.split('%')[0]!;
      if (isIP(bare)) own.add(ipaddr.parse(bare).toNormalizedString());
    }
  }
  return own;
}

function named(list: readonly (readonly [string, string])[]): { range: Range; name: string }[] {
  return list.map(([text, name]) => ({ range: parseRange(text)!, name }));
}

// IANA IPv4 Special-Purpose Address Registry, IPv4 Multicast, and one metadata service on a public address.
const refusedIPv4 = named([
  ['0.0.0.0/8', 'this network (RFC 791)'],
  ['10.0.0.0/8', 'private (RFC 1918)'],
  ['100.64.0.0/10', 'carrier-grade NAT (RFC 6598)'],
  ['127.0.0.0/8', 'loopback (RFC 1122)'],
  ['168.63.129.16/32', 'cloud platform metadata'],
  ['169.254.0.0/16', 'link-local and cloud metadata (RFC 3927)'],
  ['172.16.0.0/12', 'private (RFC 1918)'],
  ['192.0.0.0/24', 'protocol assignments (RFC 6890)'],
  ['192.0.2.0/24', 'documentation (RFC 5737)'],
  ['192.31.196.0/24', 'AS112 (RFC 7535)'],
  ['192.52.193.0/24', 'AMT (RFC 7450)'],
  ['192.88.99.0/24', '6to4 relay (RFC 7526)'],
  ['192.168.0.0/16', 'private (RFC 1918)'],
  ['192.175.48.0/24', 'AS112 (RFC 7534)'],
  ['198.18.0.0/15', 'benchmarking (RFC 2544)'],
  ['198.51.100.0/24', 'documentation (RFC 5737)'],
  ['203.0.113.0/24', 'documentation (RFC 5737)'],
  ['224.0.0.0/4', 'multicast (RFC 5771)'],
  ['240.0.0.0/4', 'reserved and broadcast (RFC 1112, RFC 919)'],
]);

const globalUnicast: Range = parseRange('2000::/3')!;

// IANA IPv6 Special-Purpose Address Registry; whatever lies outside 2000::/3 is also refused.
const refusedIPv6 = named([
  ['::/96', 'unspecified, loopback, IPv4-compatible (RFC 4291)'],
  ['::ffff:0:0/96', 'IPv4-mapped (RFC 4291)'],
  ['::ffff:0:0:0/96', 'IPv4-translated (RFC 2765)'],
  ['64:ff9b::/96', 'NAT64 (RFC 6052)'],
  ['64:ff9b:1::/48', 'local NAT64 (RFC 8215)'],
  ['100::/64', 'discard (RFC 6666)'],
  ['100:0:0:1::/64', 'dummy prefix (RFC 9780)'],
  ['2001::/23', 'Teredo, ORCHID, benchmarking and other assignments (RFC 2928)'],
  ['2001:db8::/32', 'documentation (RFC 3849)'],
  ['2002::/16', '6to4 (RFC 3056)'],
  ['2620:4f:8000::/48', 'AS112 (RFC 7534)'],
  ['3fff::/20', 'documentation (RFC 9637)'],
  ['5f00::/16', 'segment routing (RFC 9602)'],
  ['fc00::/7', 'unique local (RFC 4193)'],
  ['fe80::/10', 'link-local (RFC 4291)'],
  ['fec0::/10', 'site-local (RFC 3879)'],
  ['ff00::/8', 'multicast (RFC 4291)'],
]);
