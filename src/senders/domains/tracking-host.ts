// The tracking host of a sender domain: a name within the domain that leads to this installation, so that the links of a
// campaign align with its From address. Guarantees that links use the host only after a check has found its record (and,
// where BASE_URL is https, no wrong certificate), and only while the domain is active. Old links need nothing from here: tokens
// do not name a host, and the web process serves public pages at any.
import { isIP } from 'node:net';
import type { App } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import type { Outbound } from '../../base/outbound-client.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { isCertificateFailure } from './advice.ts';
import type { Dns } from './dns.ts';
import type { DnsFinding } from './dns-check.ts';

/** CNAME records that are followed from a tracking host to the host of BASE_URL. */
const maxHops = 5;

/** The URL that the links of a message begin with: that of the tracking host of its From domain, otherwise BASE_URL. */
export async function linkBaseUrl(app: App, db: Queries, accountId: number, fromEmail: string): Promise<string> {
  const domain = fromEmail.slice(fromEmail.lastIndexOf('@') + 1).toLowerCase();
  const row = await db.row<{ host: string }>(sql`
    select tracking_host as host
    from sender_domain
    where account_id = ${accountId}
      and domain = ${domain}
      and active
      and tracking_ready`);
  return row ? trackingUrl(app.baseUrl, row.host) : app.baseUrl;
}

/** BASE_URL at another host: its scheme, port and path stay. */
function trackingUrl(baseUrl: string, host: string): string {
  const url = new URL(baseUrl);
  url.hostname = host;
  return url.href.replace(/\/$/, '');
}

/**
 * Sets the tracking host of a domain; '' removes it. Links use a new one after the next check.
 * @param host from readDomain, or '' @throws Fault DOMAIN_INVALID
 */
export async function setTrackingHost(
  app: App,
  tx: Tx,
  accountId: number,
  { id, domain }: { id: number; domain: string },
  host: string,
): Promise<void> {
  if (host !== '' && !host.endsWith(`.${domain}`))
    throw fault('DOMAIN_INVALID', 'domain.tracking_outside', { member: 'host', domain });
  if (host !== '' && [new URL(app.baseUrl).hostname, app.config.bounceDomain].includes(host))
    throw fault('DOMAIN_INVALID', 'domain.tracking_used', { member: 'host', name: host });
  await tx.run(sql`
    update sender_domain
    set tracking_host = ${host}, tracking_ready = tracking_ready and tracking_host = ${host}
    where account_id = ${accountId}
      and id = ${id}`);
}

/** Writes whether links may use the host. Without an answer from DNS, and for another host, nothing changes. */
export async function recordTracking(
  tx: Tx,
  accountId: number,
  domainId: number,
  findings: readonly DnsFinding[],
): Promise<void> {
  const finding = findings.find(({ name }) => name === 'tracking');
  if (!finding || finding.state === 'unknown') return;
  await tx.run(sql`
    update sender_domain
    set tracking_ready = ${finding.state === 'ok'}
    where account_id = ${accountId}
      and id = ${domainId}
      and tracking_host = ${finding.record}`);
}

/** Whether a host is the tracking host of a domain, and so a name under which only public pages are served. */
export async function isTrackingHost(db: Queries, host: string): Promise<boolean> {
  const row = await db.row(sql`
    select 1
    from sender_domain
    where tracking_host = ${host}
      and tracking_host <> ''
    limit 1`);
  return row !== undefined;
}

/** Whether the record of a tracking host leads to the host of BASE_URL, and whether browsers accept its certificate. */
export async function trackingFinding(
  dns: Dns,
  outbound: Pick<Outbound, 'fetch'>,
  host: string,
  baseUrl: string,
): Promise<DnsFinding> {
  const finding = await recordFinding(dns, host, new URL(baseUrl).hostname.replace(/^\[|\]$/g, ''));
  if (finding.state !== 'ok' || !baseUrl.startsWith('https:')) return finding;
  const result = await outbound.fetch(`${trackingUrl(baseUrl, host)}/health`, { totalMs: 5_000, maxBytes: 4_096 });
  if (result.ok) return finding;
  if (isCertificateFailure(result)) {
    const hint = `Browsers would not accept the certificate at ${host}; let the proxy obtain one for this name.`;
    return { ...finding, state: 'wrong', hint };
  }
  const hint = `The certificate could not be checked from here; open https://${host}/health in a browser to see that it is valid.`;
  return { ...finding, hint };
}

async function recordFinding(dns: Dns, host: string, baseHost: string): Promise<DnsFinding> {
  const about = { name: 'tracking' as const, record: host, expected: baseHost };
  let name = host;
  const names: string[] = [];
  for (let hop = 0; hop < maxHops && isIP(baseHost) === 0; hop++) {
    const answer = await dns.cname(name);
    if (answer.kind === 'failed') return { ...about, found: '', state: 'unknown', hint: answer.why };
    if (answer.kind === 'none') break;
    name = answer.records[0]!.toLowerCase();
    names.push(name);
    if (name === baseHost.toLowerCase()) return { ...about, found: name, state: 'ok', hint: '' };
  }
  // Some DNS providers answer with the addresses in place of the CNAME record.
  const addresses = await dns.addresses(host);
  if (addresses.kind === 'failed') return { ...about, found: '', state: 'unknown', hint: addresses.why };
  const found = names.length > 0 ? names.join(' → ') : addresses.kind === 'found' ? addresses.records.join(', ') : '';
  if (found === '') return { ...about, found, state: 'missing', hint: 'Publish this record.' };
  const base = isIP(baseHost) ? { kind: 'found' as const, records: [baseHost] } : await dns.addresses(baseHost);
  if (base.kind === 'failed') return { ...about, found, state: 'unknown', hint: base.why };
  const own = new Set(base.kind === 'found' ? base.records : []);
  const leadsHere =
    addresses.kind === 'found' &&
    addresses.records.length > 0 &&
    addresses.records.every((address) => own.has(address));
  return leadsHere
    ? { ...about, found, state: 'ok', hint: '' }
    : { ...about, found, state: 'wrong', hint: `The name leads elsewhere; point it to ${baseHost}.` };
}
