// Resolves a host name to its addresses, A and AAAA, by asking the name servers directly. The system's resolver blocks a
// thread for each slow name and may answer differently from one call to the next. Checks nothing: the caller checks every
// address and connects to one of those, never to the name.
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** `code`: NAME_UNKNOWN where the name servers say so, else NAME_UNANSWERED. */
type Resolution = { ok: true; addresses: string[] } | { ok: false; timedOut: boolean; code: string; detail: string };

export const nameCodes = { unknown: 'NAME_UNKNOWN', unanswered: 'NAME_UNANSWERED' } as const;
/** Answers of name servers: there is no such name, or it has no address. */
const unknownNames = ['ENOTFOUND', 'ENODATA'];

export type Resolve = (host: string, withinMs: number) => Promise<Resolution>;

/**
 * @param servers name servers as `address:port`; those of the system when left out
 * @param hostsFile names fixed by the operator (containers use it); read at each call, '' for none
 */
export function createResolve(servers?: readonly string[], hostsFile = '/etc/hosts'): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);

  return async (host, withinMs) => {
    if (isIP(host)) return { ok: true, addresses: [host] };
    const name = host.endsWith('.') ? host.slice(0, -1) : host;
    // RFC 6761 6.3: never asked of a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return { ok: true, addresses: ['127.0.0.1', '::1'] };
    const fixed = hostsFile === '' ? [] : addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), name);
    if (fixed.length > 0) return { ok: true, addresses: fixed };

    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Resolution>((resolve) => {
      timer = setTimeout(
        () => resolve({ ok: false, timedOut: true, code: nameCodes.unanswered, detail: `${name}: no answer in time` }),
        withinMs,
      );
    });
    const answers = ask(resolver, name);
    return Promise.race([answers, late]).finally(() => clearTimeout(timer));
  };
}

async function ask(resolver: Resolver, name: string): Promise<Resolution> {
  const both = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = both.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const codes = both.flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason?.code)] : []));
  if (addresses.length > 0) return { ok: true, addresses: [...new Set(addresses)] };
  const code = codes.every((one) => unknownNames.includes(one)) ? nameCodes.unknown : nameCodes.unanswered;
  return { ok: false, timedOut: codes.includes('ETIMEOUT'), code, detail: `${name}: ${codes.join(', ')}` };
}

function addressesIn(hosts: string, name: string): string[] {
  const found = new Set<string>();
  for (const line of hosts.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    if (isIP(address) && names.includes(name)) found.add(address);
  }
  return [...found];
}
