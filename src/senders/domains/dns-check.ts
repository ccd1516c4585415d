// Checks the DNS records of a sender domain: SPF, DKIM, DMARC, and the names of the sending addresses. Guarantees a
// finding for each record: the expected value, the found one, and what to do; "unknown" when DNS gave no answer, never
// "missing". Changes nothing. The effect of a finding (activating a domain) is left to the callers.
import { type DkimAlgorithm, dkimRecordName, dkimRecordText } from './dkim-key.ts';
import { type DmarcPolicy, findDmarcPolicy, isDmarcRecord } from './dmarc/policy.ts';
import type { Dns } from './dns.ts';
import { checkSpf } from './spf.ts';
import { readTags } from './txt-tags.ts';

/** THE list of what is checked: whether receivers doubt or refuse messages without it. */
export const dnsRecords = {
  spf: { needed: true },
  dkim: { needed: true },
  dmarc: { needed: true },
  mx: { needed: false },
  ptr: { needed: true },
  tracking: { needed: true },
  dmarc_reports: { needed: false },
  bimi: { needed: false },
  mta_sts: { needed: false },
  mta_sts_policy: { needed: false },
  tls_rpt: { needed: false },
} as const;
export const findingNames = Object.keys(dnsRecords) as (keyof typeof dnsRecords)[];
export const findingStates = ['ok', 'missing', 'wrong', 'unknown'] as const;

export interface DnsFinding {
  name: (typeof findingNames)[number];
  /** The name in DNS that was asked for, the IP address for `ptr`, or the URL for `mta_sts_policy`. */
  record: string;
  /** What to publish there. */
  expected: string;
  found: string;
  state: (typeof findingStates)[number];
  /** What is wrong and how to fix it; '' when nothing is. It may be a packed message. */
  hint: string;
}

export interface SenderSetup {
  /** The domain of the From address; in lower case, A-labels. */
  domain: string;
  /** The domain of the return path, which SPF is about; the same as `domain` when left out. */
  returnDomain?: string;
  keys: readonly { selector: string; algorithm: DkimAlgorithm; publicKey: string }[];
  /** The sending IP addresses, when known. */
  addresses: readonly string[];
  /** Hosts whose SPF record is to be included, as a relay's operator names them. */
  includes: readonly string[];
  /** The host that takes returned mail, when mail comes back to a domain of ours. */
  bounceHost?: string;
  /** Where DMARC reports are to be sent, when they are read here. */
  reportAddress?: string;
  /** The name that we greet other servers with, when mail leaves from here. */
  hostName?: string;
}

/** All findings: SPF, each DKIM key, DMARC, each sending address. */
export async function checkSenderDomain(dns: Dns, setup: SenderSetup): Promise<DnsFinding[]> {
  const permission = reportPermission(setup.domain, setup.reportAddress);
  return Promise.all([
    spfFinding(dns, setup),
    ...setup.keys.map((key) => dkimFinding(dns, setup.domain, key)),
    dmarcFinding(dns, setup),
    ...(permission === null ? [] : [permissionFinding(dns, permission)]),
    ...(setup.bounceHost === undefined ? [] : [mxFinding(dns, setup.returnDomain ?? setup.domain, setup.bounceHost)]),
    ...setup.addresses.map((address) => ptrFinding(dns, address, setup.hostName)),
  ]);
}

/** What a domain's SPF record is to hold before its `all`; where nothing is known, that its own mail servers send. */
export function spfTerms(setup: Pick<SenderSetup, 'includes' | 'addresses'>): string[] {
  const terms = [
    ...setup.includes.map((host) => `include:${host}`),
    ...setup.addresses.map((address) => (address.includes(':') ? `ip6:${address}` : `ip4:${address}`)),
  ];
  return terms.length > 0 ? terms : ['mx'];
}

async function spfFinding(dns: Dns, setup: SenderSetup): Promise<DnsFinding> {
  const domain = setup.returnDomain ?? setup.domain;
  const expected = ['v=spf1', ...spfTerms(setup), '~all'].join(' ');
  const whole = await checkSpf(dns, domain, null);
  const about = { name: 'spf' as const, record: domain, expected, found: whole.record };
  if (whole.result === 'temperror') return { ...about, state: 'unknown', hint: whole.why };
  if (whole.record === '') return { ...about, state: 'missing', hint: '' };
  if (whole.result === 'permerror')
    return { ...about, state: 'wrong', hint: `Receivers ignore the record: ${whole.why}.` };
  if (whole.result === 'pass') return { ...about, state: 'wrong', hint: 'The record lets any server send ("+all").' };
  const lacking = setup.includes.filter((host) => !whole.included.includes(host.toLowerCase()));
  if (lacking.length > 0) {
    return {
      ...about,
      state: 'wrong',
      hint: `Add ${lacking.map((host) => `include:${host}`).join(' ')} to the record.`,
    };
  }
  for (const address of setup.addresses) {
    const finding = await checkSpf(dns, domain, address);
    if (finding.result === 'temperror') return { ...about, state: 'unknown', hint: finding.why };
    if (finding.result !== 'pass') {
      const why = finding.why === '' ? `the answer is "${finding.result}"` : finding.why;
      return { ...about, state: 'wrong', hint: `The record does not allow ${address}: ${why}.` };
    }
  }
  const unproven =
    setup.includes.length + setup.addresses.length === 0
      ? 'It is not known which servers send, so only the form was checked.'
      : '';
  return { ...about, state: 'ok', hint: unproven };
}

async function dkimFinding(
  dns: Dns,
  domain: string,
  { selector, algorithm, publicKey }: SenderSetup['keys'][number],
): Promise<DnsFinding> {
  const record = dkimRecordName(selector, domain);
  const about = { name: 'dkim' as const, record, expected: dkimRecordText(algorithm, publicKey) };
  const answer = await dns.txt(record);
  if (answer.kind === 'failed') return { ...about, found: '', state: 'unknown', hint: answer.why };
  if (answer.kind === 'none') return { ...about, found: '', state: 'missing', hint: '' };
  const found = answer.records.join(' and ');
  const wrong = (hint: string): DnsFinding => ({ ...about, found, state: 'wrong', hint });
  if (answer.records.length > 1) return wrong('There is more than one TXT record; keep the one with this key.');
  const tags = readTags(found);
  if (tags.has('v') && tags.get('v') !== 'DKIM1') return wrong('The record must begin with v=DKIM1.');
  const published = tags.get('p')?.replace(/\s/g, '');
  if (published === undefined) return wrong('The record has no key (p=).');
  if (published === '') return wrong('The key is revoked: p= is empty.');
  if ((tags.get('k') ?? 'rsa') !== (algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'))
    return wrong('The kind of key (k=) is another.');
  if (published !== publicKey) {
    const cut = publicKey.startsWith(published);
    return wrong(
      cut ? 'The key is cut short: publish it in several strings of 255 characters.' : 'Another key is published.',
    );
  }
  const hashes = tags
    .get('h')
    ?.split(':')
    .map((hash) => hash.trim());
  if (hashes && !hashes.includes('sha256')) return wrong('The record does not allow SHA-256 (h=).');
  const services = tags
    .get('s')
    ?.split(':')
    .map((service) => service.trim());
  if (services && !services.includes('*') && !services.includes('email'))
    return wrong('The record is not for mail (s=).');
  const testing = /\by\b/.test(tags.get('t') ?? '') ? 'The record says that it is only a test (t=y).' : '';
  return { ...about, found, state: 'ok', hint: testing };
}

/** A DMARC record that changes nothing for receivers, and asks them for reports. */
export function dmarcText(reportAddress = ''): string {
  return `v=DMARC1; p=none${reportAddress === '' ? '' : `; rua=mailto:${reportAddress}`}`;
}

/** The record by which a domain accepts the DMARC reports of another one; null where none is needed. RFC 7489 7.1 */
export function reportPermission(domain: string, reportAddress = ''): string | null {
  const taker = reportAddress.slice(reportAddress.lastIndexOf('@') + 1);
  const isNear = taker === domain || taker.endsWith(`.${domain}`) || domain.endsWith(`.${taker}`);
  return taker === '' || isNear ? null : `${domain}._report._dmarc.${taker}`;
}

async function permissionFinding(dns: Dns, record: string): Promise<DnsFinding> {
  const about = { name: 'dmarc_reports' as const, record, expected: 'v=DMARC1' };
  const answer = await dns.txt(record);
  if (answer.kind === 'failed') return { ...about, found: '', state: 'unknown', hint: answer.why };
  const found = answer.kind === 'found' ? answer.records.join(' and ') : '';
  if (isDmarcRecord(found)) return { ...about, found, state: 'ok', hint: '' };
  return {
    ...about,
    found,
    state: 'missing',
    hint: 'Without this record, receivers send no reports to another domain.',
  };
}

async function dmarcFinding(dns: Dns, setup: SenderSetup): Promise<DnsFinding> {
  const { domain } = setup;
  const record = `_dmarc.${domain}`;
  const about = { name: 'dmarc' as const, record, expected: dmarcText(setup.reportAddress) };
  const found = await findDmarcPolicy(dns, domain);
  if (found.kind === 'failed') return { ...about, found: '', state: 'unknown', hint: found.why };
  if (found.kind === 'none') return { ...about, found: '', state: 'missing', hint: '' };
  return { ...about, found: found.records.join(' and '), ...dmarcState(found, setup) };
}

function dmarcState(
  { records, tags, inheritedFrom, policy }: Extract<DmarcPolicy, { kind: 'found' }>,
  setup: SenderSetup,
): Pick<DnsFinding, 'state' | 'hint'> {
  if (records.length > 1)
    return { state: 'wrong', hint: 'There is more than one DMARC record, so receivers ignore them all.' };
  if (!['none', 'quarantine', 'reject'].includes(policy)) {
    return { state: 'wrong', hint: 'The policy (p=) must be none, quarantine or reject.' };
  }
  const hints: string[] = [];
  if (inheritedFrom) hints.push(`The policy is that of ${inheritedFrom}.`);
  if (policy === 'none') hints.push('The policy only watches (p=none); quarantine or reject protect the domain.');
  if (setup.reportAddress !== undefined && !isReported(tags.get('rua') ?? '', setup.reportAddress))
    hints.push(`To see who sends as this domain, add ${setup.reportAddress} to the addresses of reports (rua=).`);
  const returnDomain = setup.returnDomain ?? setup.domain;
  const near = returnDomain.endsWith(`.${setup.domain}`) || setup.domain.endsWith(`.${returnDomain}`);
  const spfAligned = returnDomain === setup.domain || (near && (tags.get('aspf') ?? 'r') !== 's');
  // We sign with the From domain itself, so DKIM is aligned under either mode.
  if (setup.keys.length === 0 && !spfAligned) {
    return {
      state: 'wrong',
      hint: [...hints, 'Without DKIM and with a return path of another domain no mail passes.'].join(' '),
    };
  }
  if (setup.keys.length === 0) hints.push('Only SPF is aligned; forwarded mail fails without DKIM.');
  else if (!spfAligned) hints.push('DKIM alone is aligned with the From address; that is enough.');
  return { state: 'ok', hint: hints.join(' ') };
}

/** Whether a list of report addresses, such as `mailto:a@example.com!10m,mailto:b@example.com`, names an address. */
function isReported(rua: string, address: string): boolean {
  return rua.split(',').some((uri) => uri.trim().toLowerCase().split('!')[0] === `mailto:${address}`);
}

/** Whether the return-path domain has a mail server. That it forwards to us is up to the operator. */
async function mxFinding(dns: Dns, domain: string, host: string): Promise<DnsFinding> {
  const about = { name: 'mx' as const, record: domain, expected: host };
  const answer = await dns.mx(domain);
  if (answer.kind === 'failed') return { ...about, found: '', state: 'unknown', hint: answer.why };
  if (answer.kind === 'none')
    return { ...about, found: '', state: 'missing', hint: 'Publish this MX record, or no bounce is ever heard of.' };
  const found = answer.records.join(', ');
  const others = !answer.records.some((record) => record.toLowerCase() === host.toLowerCase());
  return {
    ...about,
    found,
    state: 'ok',
    hint: others ? `Returned mail goes to ${found}; see that it is handed on to the listener at ${host}.` : '',
  };
}

/** Forward-confirmed reverse DNS: the address has a name, and that name has the address. */
async function ptrFinding(dns: Dns, address: string, hostName?: string): Promise<DnsFinding> {
  const about = { name: 'ptr' as const, record: address, expected: hostName ?? 'a host name that has this address' };
  const answer = await dns.ptr(address);
  if (answer.kind === 'failed') return { ...about, found: '', state: 'unknown', hint: answer.why };
  if (answer.kind === 'none') {
    return {
      ...about,
      found: '',
      state: 'missing',
      hint: 'Ask the owner of the address (the hosting company) to name it.',
    };
  }
  const found = answer.records.join(', ');
  for (const host of answer.records.slice(0, 10)) {
    const forward = await dns.addresses(host);
    if (forward.kind === 'failed') return { ...about, found, state: 'unknown', hint: forward.why };
    if (forward.kind === 'none' || !forward.records.some((record) => sameAddress(record, address))) continue;
    const other =
      hostName !== undefined && !answer.records.some((record) => record.toLowerCase() === hostName.toLowerCase());
    return { ...about, found, state: 'ok', hint: other ? `We greet as ${hostName}; better as ${host}.` : '' };
  }
  return {
    ...about,
    found,
    state: 'wrong',
    hint: `No name of the address leads back to it: add ${address} to ${answer.records[0]}.`,
  };
}

function sameAddress(first: string, second: string): boolean {
  const canonical = (address: string) =>
    address.includes(':') ? new URL(`http://[${address}]/`).hostname : new URL(`http://${address}/`).hostname;
  return canonical(first) === canonical(second);
}
