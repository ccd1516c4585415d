// The checks of the domain that returned mail goes to: MTA-STS (RFC 8461), by which servers deliver to it over verified TLS only,
// and TLS-RPT (RFC 8460), by which they report failures. Advice only. The policy file is fetched through the guard for
// addresses that users typed. Whether the mail server really offers TLS is left to its operator.
import { type Message, message, packMessage } from '../../base/messages.ts';
import type { Outbound } from '../../base/outbound-client.ts';
import { adviceOf, isCertificateFailure } from './advice.ts';
import type { Dns } from './dns.ts';
import type { DnsFinding } from './dns-check.ts';
import { readTags } from './txt-tags.ts';

/** RFC 8461 3.3 suggests it as the limit. */
const maxPolicyBytes = 64 * 1024;
const policyMs = 5_000;
const padFailureMs = 1_000;
/** RFC 8461 3.2: a year. */
const maxAgeSeconds = 31_557_600;

export type ReturnSetup = {
  /** The domain that returned mail goes to. */
  returnDomain: string;
  /** The host of this installation, which may take it. */
  host: string;
  /** The sender domain, whose postmaster is proposed for reports. */
  domain: string;
};

export async function transportFindings(
  dns: Dns,
  outbound: Pick<Outbound, 'fetch'>,
  setup: ReturnSetup,
): Promise<DnsFinding[]> {
  const record = await stsRecord(dns, setup.returnDomain);
  return [record, await stsPolicy(dns, outbound, setup, record.state), await reportRecord(dns, setup)];
}

async function stsRecord(dns: Dns, domain: string): Promise<DnsFinding> {
  const about = { name: 'mta_sts' as const, record: `_mta-sts.${domain}`, expected: 'v=STSv1; id=1' };
  const answer = await dns.txt(about.record);
  if (answer.kind === 'failed') return { ...about, found: '', state: 'unknown', hint: answer.why };
  const texts = answer.kind === 'found' ? answer.records.filter((text) => /^v\s*=\s*STSv1\s*(;|$)/.test(text)) : [];
  if (texts.length === 0) return { ...about, found: '', state: 'missing', hint: pack(message('mta_sts.missing')) };
  const found = texts.join(' and ');
  if (texts.length > 1) return { ...about, found, state: 'wrong', hint: pack(message('mta_sts.several')) };
  if (!/^[a-zA-Z0-9]{1,32}$/.test(readTags(found).get('id') ?? ''))
    return { ...about, found, state: 'wrong', hint: pack(message('mta_sts.id')) };
  return { ...about, expected: found, found, state: 'ok', hint: '' };
}

/** Fetched only while the record names one, as other servers do. */
async function stsPolicy(
  dns: Dns,
  outbound: Pick<Outbound, 'fetch'>,
  { returnDomain, host }: ReturnSetup,
  record: DnsFinding['state'],
): Promise<DnsFinding> {
  const url = `https://mta-sts.${returnDomain}/.well-known/mta-sts.txt`;
  const mx = await dns.mx(returnDomain);
  const hosts = mx.kind === 'found' ? mx.records.map((name) => name.toLowerCase()) : [host];
  const expected = ['version: STSv1', 'mode: testing', ...hosts.map((name) => `mx: ${name}`), 'max_age: 604800'];
  const about = { name: 'mta_sts_policy' as const, record: url, expected: `${expected.join('\n')}\n` };
  if (record === 'unknown' || mx.kind === 'failed') {
    const why = mx.kind === 'failed' ? mx.why : pack(message('mta_sts.record_unknown'));
    return { ...about, found: '', state: 'unknown', hint: why };
  }
  if (record === 'missing')
    return { ...about, found: '', state: 'missing', hint: pack(message('mta_sts.policy_first')) };
  const result = await outbound.fetch(url, {
    ...{ totalMs: policyMs, connectMs: policyMs, headersMs: policyMs, padFailureMs },
    ...{ maxBytes: maxPolicyBytes, redirects: 'never' },
  });
  if (!result.ok) {
    if (isCertificateFailure(result))
      return { ...about, found: '', state: 'wrong', hint: pack(message('mta_sts.policy_certificate')) };
    return { ...about, found: '', state: 'unknown', hint: pack(message('mta_sts.policy_unreachable')) };
  }
  if (result.status !== 200)
    return {
      ...about,
      found: '',
      state: 'wrong',
      hint: pack(message('mta_sts.policy_status', { status: result.status })),
    };
  const text = result.body.toString();
  const found = text.slice(0, 1_000);
  const { wrong, hints } = policyProblems(text, hosts, host);
  if (!/^text\/plain\b/i.test(result.headers['content-type'] ?? '')) wrong.push(message('mta_sts.policy_type'));
  if (wrong.length > 0) return { ...about, found, state: 'wrong', hint: pack(...wrong, ...hints) };
  return { ...about, expected: found, found, state: 'ok', hint: hints.length === 0 ? '' : pack(...hints) };
}

/** RFC 8461 3.2: `key: value` on each line; of a key given twice the first one, except mx. A value may hold a bare CR. */
export function policyProblems(text: string, hosts: readonly string[], ownHost: string) {
  const wrong: Message[] = [];
  const hints: Message[] = [];
  const lines = text.split(/\r?\n/).map((line) => /^([a-z][a-z0-9_.-]*)[ \t]*:[ \t]*([\s\S]*)$/i.exec(line.trimEnd()));
  const field = (key: string) => lines.find((line) => line?.[1] === key)?.[2];
  const mode = field('mode') ?? '';
  const maxAge = field('max_age') ?? '';
  if (field('version') !== 'STSv1') wrong.push(message('mta_sts.policy_version'));
  if (!['enforce', 'testing', 'none'].includes(mode)) wrong.push(message('mta_sts.policy_mode'));
  if (!/^\d{1,10}$/.test(maxAge) || Number(maxAge) > maxAgeSeconds)
    wrong.push(message('mta_sts.policy_max_age', { max: maxAgeSeconds }));
  const patterns = lines.flatMap((line) => (line?.[1] === 'mx' ? [line[2]!.toLowerCase()] : []));
  const outside = hosts.filter((host) => !patterns.some((pattern) => matches(host.toLowerCase(), pattern)));
  if (mode !== 'none' && outside.length > 0)
    wrong.push(message('mta_sts.policy_mx', { hosts: outside.slice(0, 5).join(', ') }));
  if (mode === 'testing') hints.push(message('mta_sts.testing'));
  if (mode === 'none') hints.push(message('mta_sts.none'));
  if (mode === 'enforce' && hosts.includes(ownHost.toLowerCase())) hints.push(message('mta_sts.own_listener'));
  return { wrong, hints };
}

/** RFC 8461 4.1: a wildcard stands for exactly one label. */
function matches(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.slice(host.indexOf('.') + 1) === pattern.slice(2) : host === pattern;
}

async function reportRecord(dns: Dns, { returnDomain, domain }: ReturnSetup): Promise<DnsFinding> {
  const record = `_smtp._tls.${returnDomain}`;
  const about = { name: 'tls_rpt' as const, record, expected: `v=TLSRPTv1; rua=mailto:postmaster@${domain}` };
  const answer = await dns.txt(record);
  if (answer.kind === 'failed') return { ...about, found: '', state: 'unknown', hint: answer.why };
  const texts = answer.kind === 'found' ? answer.records.filter((text) => /^v\s*=\s*TLSRPTv1\s*(;|$)/.test(text)) : [];
  if (texts.length === 0) return { ...about, found: '', state: 'missing', hint: pack(message('tls_rpt.missing')) };
  const found = texts.join(' and ');
  if (texts.length > 1) return { ...about, found, state: 'wrong', hint: pack(message('tls_rpt.several')) };
  const addresses = (readTags(found).get('rua') ?? '').split(',').map((uri) => uri.trim());
  if (!addresses.every((uri) => /^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/i.test(uri)))
    return { ...about, found, state: 'wrong', hint: pack(message('tls_rpt.addresses')) };
  return { ...about, expected: found, found, state: 'ok', hint: '' };
}

const pack = (...hints: Message[]) => packMessage(adviceOf(hints));
