// The mail servers in front of the bounce listener. All mail comes from them, including mail to addresses that others guess:
// with a limit per host, anyone could use up their share and shut out all bounces.
import { BlockList, isIPv6 } from 'node:net';
import { parseRange } from '../../base/outbound/addresses.ts';

/** @param trusted addresses and CIDR ranges; names such as "loopback", which only the web server knows, are skipped */
export function frontServers(trusted: readonly string[]): (host: string) => boolean {
  const list = new BlockList();
  for (const item of trusted) {
    const range = parseRange(item);
    if (range) list.addSubnet(range.address.toString(), range.bits, range.address.kind());
  }
  return (host) => list.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}
