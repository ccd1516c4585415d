// Sender Policy Framework (RFC 7208): whether a domain lets an IP address send for it, and which hosts it includes.
// Guarantees the limits of the standard, which receivers apply too: 10 lookups, 2 of them without a result, 10 hosts
// per MX. Leaves out `exp=` (a text for rejections) and the deprecated `ptr`, which is counted and never matches.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Dns, DnsAnswer } from './dns.ts';

type SpfResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'temperror' | 'permerror';

export interface SpfFinding {
  result: SpfResult;
  /** The record of the domain itself, '' when there is none. */
  record: string;
  /** Domains that the record takes over by include or redirect, at any depth, in lower case. */
  included: string[];
  /** Of the 10 that are allowed. */
  lookups: number;
  /** What is wrong, when the result is an error. */
  why: string;
}

/**
 * Evaluates the domain's policy for an address. Null looks through all of it with an address that nothing matches: it
 * finds what is included and what is broken, and passes only where every sender does (`+all`).
 */
export async function checkSpf(dns: Dns, domain: string, address: string | null): Promise<SpfFinding> {
  const walk: Walk = { dns, address, sender: `postmaster@${domain}`, lookups: 0, inVain: 0, included: new Set() };
  let result: SpfResult;
  let why = '';
  try {
    result = await evaluate(walk, domain);
  } catch (error) {
    if (!(error instanceof SpfError)) throw error;
    result = error.result;
    why = error.message;
  }
  const own = await spfRecords(dns, domain);
  return {
    result,
    record: own.kind === 'found' ? own.records.join(' and ') : '',
    included: [...walk.included],
    lookups: walk.lookups,
    why,
  };
}

const maxLookups = 10;
const maxInVain = 2;
const maxHosts = 10;

interface Walk {
  dns: Dns;
  address: string | null;
  sender: string;
  lookups: number;
  inVain: number;
  included: Set<string>;
}

class SpfError extends Error {
  readonly result: 'temperror' | 'permerror';
  constructor(result: 'temperror' | 'permerror', why: string) {
    super(why);
    this.result = result;
  }
}

const broken = (why: string): SpfError => new SpfError('permerror', why);

/** RFC 7208 4.5: the TXT records that begin with the version. */
async function spfRecords(dns: Dns, domain: string): Promise<DnsAnswer<string>> {
  const answer = await dns.txt(domain);
  if (answer.kind !== 'found') return answer;
  const records = answer.records.filter((text) => /^v=spf1( |$)/i.test(text));
  return records.length > 0 ? { kind: 'found', records } : { kind: 'none' };
}

async function evaluate(walk: Walk, domain: string): Promise<SpfResult> {
  const answer = await spfRecords(walk.dns, domain);
  if (answer.kind === 'failed') throw new SpfError('temperror', `${domain}: ${answer.why}`);
  if (answer.kind === 'none') return 'none';
  if (answer.records.length > 1) throw broken(`${domain} has more than one SPF record`);
  const { mechanisms, redirect } = parse(answer.records[0]!, domain);
  for (const mechanism of mechanisms) {
    if (await matches(walk, mechanism, domain)) return mechanism.result;
  }
  if (redirect === null || isOpen(walk, redirect)) return 'neutral';
  count(walk);
  const target = expand(redirect, walk, domain);
  walk.included.add(target);
  const result = await evaluate(walk, target);
  if (result === 'none') throw broken(`${domain} redirects to ${target}, which has no SPF record`);
  return result;
}

interface Mechanism {
  name: string;
  result: 'pass' | 'fail' | 'softfail' | 'neutral';
  /** After the colon, '' when left out. */
  value: string;
  bits4: number;
  bits6: number;
}

const results = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const;
const names = new Set(['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists']);

function parse(record: string, domain: string): { mechanisms: Mechanism[]; redirect: string | null } {
  const mechanisms: Mechanism[] = [];
  let redirect: string | null = null;
  for (const term of record.split(/ +/).slice(1)) {
    if (term === '') continue;
    const modifier = /^([a-z][a-z0-9_.-]*)=(.*)$/i.exec(term);
    if (modifier) {
      if (modifier[1]!.toLowerCase() === 'redirect') redirect = modifier[2]!;
      continue;
    }
    const part = /^([+~?-]?)([a-z0-9]+)(?::([^/]*))?((?:\/\d{1,3})?(?:\/\/\d{1,3})?)$/i.exec(term);
    const name = part ? part[2]!.toLowerCase() : '';
    if (!part || !names.has(name)) throw broken(`${domain}: "${term}" is no SPF mechanism`);
    const [, bits = '', wide = ''] = /^(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(part[4]!) ?? [];
    mechanisms.push({
      name,
      result: results[(part[1] || '+') as keyof typeof results],
      value: part[3] ?? '',
      bits4: name === 'ip6' || bits === '' ? 32 : Number(bits),
      bits6: name === 'ip6' && bits !== '' ? Number(bits) : wide === '' ? 128 : Number(wide),
    });
  }
  return { mechanisms, redirect };
}

async function matches(walk: Walk, mechanism: Mechanism, domain: string): Promise<boolean> {
  const { name, value } = mechanism;
  if (name === 'all') return true;
  if (name === 'ip4' || name === 'ip6') return inNetwork(walk.address, value, mechanism, domain);
  count(walk);
  if (isOpen(walk, value)) return false;
  const target = value === '' ? domain : expand(value, walk, domain);
  switch (name) {
    case 'include': {
      if (value === '') throw broken(`${domain}: include without a domain`);
      walk.included.add(target);
      const result = await evaluate(walk, target);
      if (result === 'none') throw broken(`${domain} includes ${target}, which has no SPF record`);
      return result === 'pass';
    }
    case 'a':
      return (await hostAddresses(walk, target)).some((found) => inNetwork(walk.address, found, mechanism, domain));
    case 'mx': {
      const hosts = listed(walk, await walk.dns.mx(target), target);
      if (hosts.length > maxHosts) throw broken(`${target} has more than ${maxHosts} MX hosts`);
      for (const host of hosts) {
        const answer = await walk.dns.addresses(host);
        if (answer.kind === 'failed') throw new SpfError('temperror', `${host}: ${answer.why}`);
        const found = answer.kind === 'found' ? answer.records : [];
        if (found.some((record) => inNetwork(walk.address, record, mechanism, domain))) return true;
      }
      return false;
    }
    case 'exists':
      return (await hostAddresses(walk, target)).length > 0 && walk.address !== null;
    default:
      return false;
  }
}

/** A name that depends on the address (RFC 7208 7) when there is none. */
function isOpen(walk: Walk, name: string): boolean {
  return walk.address === null && name.includes('%{');
}

function count(walk: Walk): void {
  walk.lookups++;
  if (walk.lookups > maxLookups) throw broken(`more than ${maxLookups} DNS lookups`);
}

async function hostAddresses(walk: Walk, name: string): Promise<string[]> {
  return listed(walk, await walk.dns.addresses(name), name);
}

function listed(walk: Walk, answer: DnsAnswer<string>, name: string): string[] {
  if (answer.kind === 'failed') throw new SpfError('temperror', `${name}: ${answer.why}`);
  if (answer.kind === 'found') return answer.records;
  // RFC 7208 4.6.4
  if (++walk.inVain > maxInVain) throw broken(`more than ${maxInVain} lookups without a result`);
  return [];
}

function inNetwork(address: string | null, network: string, { bits4, bits6 }: Mechanism, domain: string): boolean {
  if (isIP(network) === 0) throw broken(`${domain}: "${network}" is no IP address`);
  if (bits4 > 32 || bits6 > 128) throw broken(`${domain}: "${network}" has too long a prefix`);
  if (address === null) return false;
  const base = ipaddr.parse(network);
  const ip = ipaddr.process(address);
  if (ip.kind() !== base.kind()) return false;
  return ip.match(base, ip.kind() === 'ipv4' ? bits4 : bits6);
}

/** RFC 7208 7: `%{ir}.%{v}._spf.%{d2}`. */
function expand(text: string, walk: Walk, domain: string): string {
  const [local = '', sender = ''] = walk.sender.split('@');
  const ip = walk.address === null ? null : ipaddr.process(walk.address);
  const dotted =
    ip === null
      ? ''
      : ip.kind() === 'ipv4'
        ? ip.toString()
        : [...Buffer.from(ip.toByteArray()).toString('hex')].join('.');
  const values: Record<string, string> = {
    s: walk.sender,
    l: local,
    o: sender,
    d: domain,
    i: dotted,
    p: 'unknown',
    v: ip?.kind() === 'ipv6' ? 'ip6' : 'in-addr',
    h: domain,
  };
  const expanded = text
    .replace(
      /%\{([slodipvh])(\d*)(r?)([-.+,/_=]*)\}/gi,
      (_, letter: string, digits: string, turned: string, marks: string) => {
        let parts = values[letter.toLowerCase()]!.split(new RegExp(`[${(marks || '.').replace(/[-\]\\^]/g, '\\$&')}]`));
        if (turned) parts = parts.reverse();
        if (digits) parts = parts.slice(-Number(digits));
        return parts.join('.');
      },
    )
    .replace(/%%/g, '%');
  return expanded.toLowerCase().replace(/\.$/, '');
}
