// DNS queries for the checks of a sender domain. Guarantees an answer to every query: records, none, or a failure; and
// one deadline for all of them, so that a check ends in time whatever the name servers do. Not for delivery, and not
// for fetching addresses that users typed: those go through outbound.ts.
import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

export type DnsAnswer<T> =
  | { kind: 'found'; records: T[] }
  /** No such name, or no record of the type. */
  | { kind: 'none' }
  | { kind: 'failed'; why: string };

export interface Dns {
  /** The strings of a record are joined. RFC 7208 3.3 */
  txt(name: string): Promise<DnsAnswer<string>>;
  /** A and AAAA records. */
  addresses(name: string): Promise<DnsAnswer<string>>;
  /** Host names, the most preferred first. */
  mx(name: string): Promise<DnsAnswer<string>>;
  /** Where mail to a domain goes: MX records, or its own addresses without any (RFC 5321 5.1). None: it takes no mail. */
  mailHosts(name: string): Promise<DnsAnswer<string>>;
  ptr(address: string): Promise<DnsAnswer<string>>;
  cname(name: string): Promise<DnsAnswer<string>>;
}

export interface DnsOptions {
  /** `192.0.2.1` or `192.0.2.1:5353`; the system's own when left out. */
  servers?: readonly string[];
  /** For one question; it is asked twice. */
  timeoutMs?: number;
  /** For everything that is asked through the returned object, from now on. */
  deadlineMs?: number;
}

export function createDns({ servers, timeoutMs = 2_000, deadlineMs = 20_000 }: DnsOptions = {}): Dns {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers) resolver.setServers(servers);
  const endsAt = performance.now() + deadlineMs;
  const known = new Map<string, Promise<DnsAnswer<string>>>();

  async function ask(lookup: () => Promise<string[]>): Promise<DnsAnswer<string>> {
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) return { kind: 'failed', why: 'the check took too long' };
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<DnsAnswer<string>>((resolve) => {
      timer = setTimeout(() => {
        resolver.cancel();
        resolve({ kind: 'failed', why: 'the check took too long' });
      }, leftMs);
    });
    const answer = lookup().then(
      (records): DnsAnswer<string> => (records.length > 0 ? { kind: 'found', records } : { kind: 'none' }),
      answerOfError,
    );
    try {
      return await Promise.race([answer, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Records do not change while a domain is checked, and SPF meets the same names again and again. */
  function once(key: string, lookup: () => Promise<string[]>): Promise<DnsAnswer<string>> {
    let answer = known.get(key);
    if (!answer) {
      answer = ask(lookup);
      known.set(key, answer);
    }
    return answer;
  }

  /** Those of all MX records, the most preferred first. */
  const exchanges = (name: string) =>
    once(`mx ${name}`, async () => {
      const records = await resolver.resolveMx(name);
      return records.sort((a, b) => a.priority - b.priority).map(({ exchange }) => exchange);
    });

  return {
    txt: (name) =>
      once(`txt ${name}`, async () => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    async addresses(name) {
      const [four, six] = await Promise.all([
        once(`a ${name}`, () => resolver.resolve4(name)),
        once(`aaaa ${name}`, () => resolver.resolve6(name)),
      ]);
      const records = [four, six].flatMap((answer) => (answer.kind === 'found' ? answer.records : []));
      if (records.length > 0) return { kind: 'found', records };
      return four.kind === 'failed' ? four : six.kind === 'failed' ? six : { kind: 'none' };
    },
    async mx(name) {
      const answer = await exchanges(name);
      // RFC 7505: a single dot means the domain accepts no mail.
      const records = answer.kind === 'found' ? answer.records.filter((host) => host !== '' && host !== '.') : [];
      return answer.kind !== 'found' ? answer : records.length > 0 ? { kind: 'found', records } : { kind: 'none' };
    },
    async mailHosts(name) {
      const all = await exchanges(name);
      return all.kind === 'none' ? this.addresses(name) : this.mx(name);
    },
    cname: (name) => once(`cname ${name}`, () => resolver.resolveCname(name)),
    // Not reverse(), which calls a failing name server "no such name".
    ptr: (address) => once(`ptr ${address}`, () => resolver.resolvePtr(reverseName(address))),
  };
}

/** RFC 1035 3.5, RFC 3596 2.5 */
function reverseName(address: string): string {
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return `${ip.toByteArray().reverse().join('.')}.in-addr.arpa`;
  return `${[...Buffer.from(ip.toByteArray()).toString('hex')].reverse().join('.')}.ip6.arpa`;
}

function answerOfError(error: unknown): DnsAnswer<string> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'ENOTFOUND' || code === 'ENODATA') return { kind: 'none' };
  const words: Record<string, string> = {
    ETIMEOUT: 'the name server did not answer',
    ESERVFAIL: 'the name server failed',
    EREFUSED: 'the name server refused to answer',
    ECONNREFUSED: 'no name server could be reached',
    EBADNAME: 'the name is not one that DNS can have',
  };
  return { kind: 'failed', why: words[code] ?? `the name server answered ${code}` };
}
