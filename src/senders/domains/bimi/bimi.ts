// The check of a domain's BIMI record (draft-brand-indicators-for-message-identification): the logo that mailbox providers show
// next to its messages. Advice only: nothing depends on it. Fetches the logo through the guard for addresses that users
// typed; the certificate (a=) is not fetched, since its issuer and the mailbox providers verify it.
import { type Message, message, packMessage } from '../../../base/messages.ts';
import type { Outbound } from '../../../base/outbound-client.ts';
import { adviceOf, isCertificateFailure } from '../advice.ts';
import { findDmarcPolicy } from '../dmarc/policy.ts';
import type { Dns } from '../dns.ts';
import type { DnsFinding } from '../dns-check.ts';
import { readTags } from '../txt-tags.ts';
import { readLogo } from './logo.ts';

/** What mailbox providers load. */
const maxLogoBytes = 32 * 1024;
const logoMs = 5_000;
/** A failure takes a multiple of this, so that its timing reveals nothing about networks. */
const padFailureMs = 1_000;

type About = Pick<DnsFinding, 'name' | 'record' | 'expected'>;
type Fetch = Pick<Outbound, 'fetch'>;

/** Whether the record, the DMARC policy it needs, and the logo are such that mailbox providers show the logo. */
export async function bimiFinding(dns: Dns, outbound: Fetch, domain: string): Promise<DnsFinding> {
  const about: About = {
    name: 'bimi',
    record: `default._bimi.${domain}`,
    expected: `v=BIMI1; l=https://${domain}/logo.svg; a=`,
  };
  const [found, policy] = await Promise.all([findRecord(dns, domain), policyProblem(dns, domain)]);
  if ('why' in found) return { ...about, found: '', state: 'unknown', hint: found.why };
  if ('why' in policy) return { ...about, found: '', state: 'unknown', hint: policy.why };
  const { texts, holder } = found;
  const { problem } = policy;
  if (texts.length === 0) {
    const steps = [message('bimi.missing', { domain }), ...(problem ? [problem] : [])];
    return { ...about, found: '', state: 'missing', hint: packMessage(adviceOf(steps)) };
  }
  const text = texts.join(' and ');
  const inherited = holder === domain ? [] : [message('bimi.inherited', { domain: holder })];
  const { wrong, hints, isDeclined } = await recordProblems(outbound, texts);
  if (isDeclined) return finding({ ...about, expected: text }, text, [], [...inherited, message('bimi.declined')]);
  const problems = [...wrong, ...(problem ? [problem] : [])];
  // A record that is right is the one to publish; what it needs besides is in the hint.
  const expected = wrong.length === 0 || isPublishable(texts) ? text : about.expected;
  return finding({ ...about, expected }, text, problems, [...inherited, ...hints]);
}

function finding(about: About, found: string, problems: Message[], hints: Message[]): DnsFinding {
  const advice = [...problems, ...hints];
  const hint = advice.length === 0 ? '' : packMessage(adviceOf(advice));
  return { ...about, found, state: problems.length > 0 ? 'wrong' : 'ok', hint };
}

type Found = { texts: string[]; holder: string };

/** The record of the domain, otherwise that of the next domain above it. Texts of another kind are ignored. */
async function findRecord(dns: Dns, domain: string): Promise<Found | { why: string }> {
  const labels = domain.split('.');
  for (let skip = 0; skip < labels.length - 1; skip++) {
    const holder = labels.slice(skip).join('.');
    const answer = await dns.txt(`default._bimi.${holder}`);
    if (answer.kind === 'failed') return { why: answer.why };
    const all = answer.kind === 'found' ? answer.records : [];
    // One with a misspelled version is shown rather than called missing.
    const texts = all.filter((text) => /bimi|^\s*[vla]\s*=\s*(https|bimi)/i.test(text));
    if (texts.length > 0) return { texts, holder };
  }
  return { texts: [], holder: domain };
}

type Policy = { problem: Message | null };

/** Receivers show logos only of domains whose DMARC policy is enforced for all messages, and above them too. */
async function policyProblem(dns: Dns, domain: string): Promise<Policy | { why: string }> {
  const dmarc = await findDmarcPolicy(dns, domain);
  if (dmarc.kind === 'failed') return { why: dmarc.why };
  if (dmarc.kind === 'none' || dmarc.records.length > 1) return { problem: message('bimi.dmarc_missing') };
  if (!isEnforced(dmarc.policy)) return { problem: message('bimi.dmarc_policy', { policy: dmarc.policy }) };
  const percent = dmarc.tags.get('pct') ?? '100';
  if (percent !== '100') return { problem: message('bimi.dmarc_percent', { percent: percent.slice(0, 20) }) };
  if (dmarc.tags.get('sp')?.toLowerCase() === 'none') return { problem: message('bimi.dmarc_subdomains') };
  const parent = domain.slice(domain.indexOf('.') + 1);
  if (dmarc.inheritedFrom !== '' || !parent.includes('.')) return { problem: null };
  const above = await findDmarcPolicy(dns, parent);
  if (above.kind === 'failed') return { why: above.why };
  const isWeak = above.kind === 'found' && !isEnforced((above.tags.get('p') ?? '').toLowerCase());
  return { problem: isWeak ? message('bimi.dmarc_parent', { domain: above.inheritedFrom || parent }) : null };
}

const isEnforced = (policy: string) => policy === 'quarantine' || policy === 'reject';

const isVersioned = (text: string) => /^v\s*=\s*BIMI1\s*(;|$)/.test(text.trim());

/** Whether the record can stay as it is: only its logo is to be changed. */
function isPublishable(texts: readonly string[]): boolean {
  const tags = readTags(texts[0]!);
  return (
    texts.length === 1 && isVersioned(texts[0]!) && isHttps(tags.get('l')) && isCertificateUrl(tags.get('a') ?? '')
  );
}

type Problems = { wrong: Message[]; hints: Message[]; isDeclined?: true };

async function recordProblems(outbound: Fetch, texts: readonly string[]): Promise<Problems> {
  if (texts.length > 1) return { wrong: [message('bimi.several')], hints: [] };
  if (!isVersioned(texts[0]!)) return { wrong: [message('bimi.version')], hints: [] };
  const tags = readTags(texts[0]!);
  const logo = tags.get('l');
  const certificate = tags.get('a') ?? '';
  if (logo === undefined) return { wrong: [message('bimi.no_logo')], hints: [] };
  if (logo === '' && certificate === '') return { wrong: [], hints: [], isDeclined: true };
  const wrong: Message[] = [];
  const hints: Message[] = [];
  if (!isCertificateUrl(certificate)) wrong.push(message('bimi.certificate_url'));
  if (certificate === '') hints.push(message('bimi.no_certificate'));
  if (!isHttps(logo)) return { wrong: [message('bimi.logo_url'), ...wrong], hints };
  const about = await logoFinding(outbound, logo);
  return { wrong: [...wrong, ...about.wrong], hints: [...about.hints, ...hints] };
}

const isHttps = (url = '') => URL.canParse(url) && new URL(url).protocol === 'https:';
const isCertificateUrl = (url: string) => url === '' || isHttps(url);

/** What is wrong with the logo at a URL. One that cannot be reached from here may well be reachable for others. */
async function logoFinding(outbound: Fetch, url: string): Promise<Problems> {
  const result = await outbound.fetch(url, {
    ...{ totalMs: logoMs, connectMs: logoMs, headersMs: logoMs, padFailureMs },
    ...{ maxBytes: maxLogoBytes + 1, overflow: 'cut', decode: true, redirects: 'follow-checked' },
  });
  if (!result.ok) {
    if (isCertificateFailure(result)) return { wrong: [message('bimi.logo_certificate')], hints: [] };
    if (result.why === 'too_large') return { wrong: [message('bimi.logo_too_large')], hints: [] };
    return { wrong: [], hints: [message('bimi.logo_unreachable')] };
  }
  if (result.status !== 200) return { wrong: [message('bimi.logo_status', { status: result.status })], hints: [] };
  if (result.cut || result.body.length > maxLogoBytes) return { wrong: [message('bimi.logo_too_large')], hints: [] };
  const { problems, isSquare } = readLogo(result.body.toString());
  const hints: Message[] = [];
  if (!/^image\/svg\+xml\b/i.test(result.headers['content-type'] ?? '')) hints.push(message('bimi.logo_type'));
  if (!isSquare) hints.push(message('bimi.svg_not_square'));
  return { wrong: problems, hints };
}
