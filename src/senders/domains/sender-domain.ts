// A sender domain of an account: its keys, the records to publish for it, and its state after a DNS check. Guarantees
// that a domain becomes active only when the key of this account is published, and keeps its state when DNS gives no
// answer. Private keys are sealed before they are stored. Signing is left to delivery.
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { seal } from '../../accounts/installation/seal.ts';
import type { App } from '../../base/context.ts';
import { type Message, type MessageLanguage, message, renderMessage } from '../../base/messages.ts';
import { hasRelay } from '../../base/relay/has-relay.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { bimiFinding } from './bimi/bimi.ts';
import {
  type DkimAlgorithm,
  type DkimKeyPair,
  dkimRecordName,
  dkimRecordText,
  generateDkimKey,
  zoneFileText,
} from './dkim-key.ts';
import { reportAddress } from './dmarc/address.ts';
import { createDns } from './dns.ts';
import { checkSenderDomain, type DnsFinding, dmarcText, reportPermission, spfTerms } from './dns-check.ts';
import { keyPurpose } from './signing-keys.ts';
import { recordTracking, trackingFinding } from './tracking-host.ts';
import { transportFindings } from './transport-security.ts';

export const domainStatuses = ['pending', 'active', 'broken'] as const;
export type DomainStatus = (typeof domainStatuses)[number];
type KeyRole = 'current' | 'next' | 'old';

export type SenderDomain = {
  id: number;
  domain: string;
  status: DomainStatus;
  createdAt: Date;
  checkedAt: Date | null;
  findings: Finding[];
  keys: PublicKey[];
  /** The host of the links in its campaigns; '' for that of BASE_URL. */
  trackingHost: string;
  trackingReady: boolean;
};

export type PublicKey = {
  selector: string;
  algorithm: DkimAlgorithm;
  role: KeyRole;
  publicKey: string;
  published: boolean;
  createdAt: Date;
  retiredAt: Date | null;
};

/** A finding as stored: `role` is the key that a DKIM record belongs to. */
export type Finding = DnsFinding & { role: KeyRole | '' };

/** Domains of an account at most. */
export const maxDomains = 100;

/** Both keys of a domain, made in the thread pool. Not within a transaction: RSA takes some 100 ms. */
export async function makeKeys(): Promise<DkimKeyPair[]> {
  return Promise.all([generateDkimKey('rsa-sha256'), generateDkimKey('ed25519-sha256')]);
}

/** Adds a domain with its first keys; undefined when the account has it already. */
export async function addDomain(
  app: App,
  tx: Tx,
  accountId: number,
  domain: string,
  keys: readonly DkimKeyPair[],
): Promise<number | undefined> {
  const row = await tx.row<{ id: number }>(sql`
    insert into sender_domain (account_id, domain)
    values (${accountId}, ${domain})
    on conflict (account_id, domain) do nothing
    returning id`);
  if (row) await addKeys(app, tx, accountId, row.id, 'current', keys);
  return row?.id;
}

/** Gives a domain new keys. They sign once they are found published; a set that waited for that before is dropped. */
export async function rotateKeys(
  app: App,
  tx: Tx,
  accountId: number,
  domainId: number,
  keys: readonly DkimKeyPair[],
): Promise<void> {
  const replaced = await tx.row<{ signs: boolean }>(sql`
    select active or broken_at is not null as signs
    from sender_domain
    where account_id = ${accountId}
      and id = ${domainId}`);
  // Keys that never signed anything leave nothing behind that would have to be verified.
  await tx.run(sql`
    delete from sender_domain_key
    where account_id = ${accountId}
      and domain_id = ${domainId}
      and role = ${replaced?.signs ? 'next' : 'current'}`);
  await addKeys(app, tx, accountId, domainId, replaced?.signs ? 'next' : 'current', keys);
}

async function addKeys(
  app: App,
  tx: Tx,
  accountId: number,
  domainId: number,
  role: KeyRole,
  keys: readonly DkimKeyPair[],
): Promise<void> {
  const name = `pr${randomBytes(4).toString('hex')}`;
  for (const { algorithm, publicKey, privateKey } of keys) {
    const selector = `${name}${algorithm === 'rsa-sha256' ? 'r' : 'e'}`;
    const sealed = seal(app, keyPurpose(accountId, domainId, selector), privateKey);
    await tx.run(sql`
      insert into sender_domain_key (account_id, domain_id, selector, algorithm, role, public_key, private_key)
      values (${accountId}, ${domainId}, ${selector}, ${algorithm}, ${role}, ${publicKey}, ${sealed})`);
  }
}

/** The domains of an account by name, or the one that is asked for. */
export async function senderDomains(db: Queries, accountId: number, domain?: string): Promise<SenderDomain[]> {
  const rows = await db.rows<Omit<SenderDomain, 'keys'>>(sql`
    select id, domain, created_at as "createdAt", checked_at as "checkedAt", findings,
      tracking_host as "trackingHost", tracking_ready as "trackingReady",
      case when active then 'active' when broken_at is null then 'pending' else 'broken' end as status
    from sender_domain
    where account_id = ${accountId}
      and (${domain ?? null}::text is null or domain = ${domain ?? null})
    order by domain`);
  if (rows.length === 0) return [];
  const keys = await db.rows<PublicKey & { domainId: number }>(sql`
    select domain_id as "domainId", selector, algorithm, role, public_key as "publicKey", published, created_at as "createdAt",
      retired_at as "retiredAt"
    from sender_domain_key
    where account_id = ${accountId}
      and domain_id = any (${rows.map((row) => row.id)}::int[])
    -- rsa before ed25519
    order by role, algorithm desc`);
  return rows.map((row) => ({ ...row, keys: keys.filter((key) => key.domainId === row.id) }));
}

export const recordPurposes = ['dkim', 'spf', 'dmarc', 'dmarc_reports', 'return_path', 'tracking'] as const;
export const recordTypes = ['TXT', 'MX', 'CNAME', 'A', 'AAAA'] as const;

export type Publish = {
  purpose: (typeof recordPurposes)[number];
  type: (typeof recordTypes)[number];
  name: string;
  value: string;
  /** The value as a zone file has it. */
  zone: string;
  /** Without it nothing is signed. */
  required: boolean;
  note: string;
};

/** The records to publish in the DNS of a domain. */
export function recordsOf(
  app: App,
  { domain, keys, trackingHost }: Pick<SenderDomain, 'domain' | 'keys' | 'trackingHost'>,
  language: MessageLanguage = 'en',
): Publish[] {
  const { bounceDomain } = app.config;
  const say = (note: Message) => renderMessage(note, language);
  const txt = (purpose: Publish['purpose'], name: string, value: string, required: boolean, note: string): Publish => ({
    purpose,
    type: 'TXT',
    name,
    value,
    zone: zoneFileText(value),
    required,
    note,
  });
  const returnDomain = bounceDomain === '' ? domain : bounceDomain;
  const records = keys
    .filter((key) => key.role !== 'old')
    .map(({ selector, algorithm, publicKey, role }) =>
      txt(
        'dkim',
        dkimRecordName(selector, domain),
        dkimRecordText(algorithm, publicKey),
        algorithm === 'rsa-sha256',
        role === 'next' ? say(message('domain.note_next_key')) : '',
      ),
    );
  records.push(
    txt(
      'spf',
      returnDomain,
      [
        'v=spf1',
        ...spfTerms({ includes: app.config.spfIncludes, addresses: app.config.sendingAddresses }),
        '~all',
      ].join(' '),
      false,
      say(message(bounceDomain === '' ? 'domain.note_spf' : 'domain.note_return_spf')),
    ),
    txt('dmarc', `_dmarc.${domain}`, dmarcText(reportAddress(app.config)), false, say(message('domain.note_dmarc'))),
  );
  const permission = reportPermission(domain, reportAddress(app.config));
  if (permission !== null)
    records.push(
      txt(
        'dmarc_reports',
        permission,
        'v=DMARC1',
        false,
        say(message('domain.note_dmarc_reports', { name: `*._report._dmarc.${bounceDomain}` })),
      ),
    );
  if (bounceDomain !== '')
    records.push({
      purpose: 'return_path',
      type: 'MX',
      name: bounceDomain,
      value: `10 ${new URL(app.baseUrl).hostname}`,
      zone: `10 ${new URL(app.baseUrl).hostname}.`,
      required: false,
      note: say(
        message(
          isIP(new URL(app.baseUrl).hostname.replace(/^\[|\]$/g, '')) ? 'domain.note_mx_address' : 'domain.note_mx',
        ),
      ),
    });
  if (trackingHost !== '')
    records.push({ ...trackingRecord(app.baseUrl, trackingHost), note: say(trackingNote(app.baseUrl)) });
  return records;
}

const trackingNote = (baseUrl: string) =>
  message(baseUrl.startsWith('https:') ? 'domain.note_tracking_https' : 'domain.note_tracking');

function trackingRecord(baseUrl: string, name: string): Omit<Publish, 'note'> {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  const kind = isIP(host);
  return {
    purpose: 'tracking',
    type: kind === 0 ? 'CNAME' : kind === 4 ? 'A' : 'AAAA',
    name,
    value: host,
    zone: kind === 0 ? `${host}.` : host,
    required: false,
  };
}

/** Asks DNS about a domain; changes nothing. Not within a transaction. */
export async function lookUp(
  app: App,
  domain: Pick<SenderDomain, 'domain' | 'keys' | 'trackingHost'>,
): Promise<Finding[]> {
  const { dnsServers, bounceDomain, sendingAddresses, spfIncludes } = app.config;
  const isDirect = sendingAddresses.length > 0 && !(await hasRelay(app.config, app.db));
  const dns = createDns(dnsServers.length > 0 ? { servers: dnsServers } : {});
  const keys = domain.keys.filter((key) => key.role !== 'old');
  const host = new URL(app.baseUrl).hostname;
  const further = [
    ...(domain.trackingHost === ''
      ? []
      : [trackingFinding(dns, app.outbound, domain.trackingHost, app.baseUrl).then((finding) => [finding])]),
    bimiFinding(dns, app.outbound, domain.domain).then((finding) => [finding]),
    ...(bounceDomain === ''
      ? []
      : [transportFindings(dns, app.outbound, { returnDomain: bounceDomain, host, domain: domain.domain })]),
  ];
  const checked = checkSenderDomain(dns, {
    domain: domain.domain,
    ...(bounceDomain === '' ? {} : { returnDomain: bounceDomain, bounceHost: host }),
    keys,
    addresses: sendingAddresses,
    includes: spfIncludes,
    ...(bounceDomain === '' ? {} : { reportAddress: reportAddress(app.config) }),
    // Behind a relay it is the relay's name that receivers are greeted with.
    ...(isDirect ? { hostName: host } : {}),
  });
  const findings = [...(await checked), ...(await Promise.all(further)).flat()];
  return findings.map((finding) => ({
    ...finding,
    role: keys.find((key) => dkimRecordName(key.selector, domain.domain) === finding.record)?.role ?? '',
  }));
}

/** What a look at DNS makes of a domain: which keys are published, which sign from now on, and its status. */
export function outcomeOf(
  domain: Pick<SenderDomain, 'domain' | 'status' | 'keys'>,
  findings: readonly Finding[],
): { status: DomainStatus; promoted: boolean; published: Map<string, boolean> } {
  const published = new Map<string, boolean>();
  for (const key of domain.keys) {
    const found = findings.find((finding) => finding.record === dkimRecordName(key.selector, domain.domain));
    // Without an answer from DNS a key stays what it was.
    if (found) published.set(key.selector, found.state === 'unknown' ? key.published : found.state === 'ok');
  }
  const usable = (role: KeyRole) =>
    domain.keys.some(
      (key) => key.role === role && key.algorithm === 'rsa-sha256' && published.get(key.selector) === true,
    );
  const promoted = usable('next');
  const unanswered = domain.keys.some(
    (key) =>
      key.role === 'current' &&
      key.algorithm === 'rsa-sha256' &&
      findings.some(
        (finding) => finding.record === dkimRecordName(key.selector, domain.domain) && finding.state === 'unknown',
      ),
  );
  const status: DomainStatus =
    promoted || (usable('current') && !unanswered)
      ? 'active'
      : unanswered
        ? domain.status
        : domain.status === 'pending'
          ? 'pending'
          : 'broken';
  return { status, promoted, published };
}

/** Writes what a look at DNS has found. @returns the status from now on; undefined when the domain is gone */
export async function keepFindings(
  tx: Tx,
  accountId: number,
  domainId: number,
  findings: readonly Finding[],
): Promise<DomainStatus | undefined> {
  const held = await tx.row<{ domain: string }>(sql`
    select domain
    from sender_domain
    where account_id = ${accountId}
      and id = ${domainId}
    for update`);
  if (!held) return undefined;
  const [domain] = await senderDomains(tx, accountId, held.domain);
  const { status, promoted, published } = outcomeOf(domain!, findings);
  for (const [selector, found] of published) {
    await tx.run(sql`
      update sender_domain_key
      set published = ${found}
      where account_id = ${accountId}
        and domain_id = ${domainId}
        and selector = ${selector}`);
  }
  if (promoted) {
    await tx.run(sql`
      update sender_domain_key
      set role = 'old', retired_at = now()
      where account_id = ${accountId}
        and domain_id = ${domainId}
        and role = 'current'`);
    await tx.run(sql`
      update sender_domain_key
      set role = 'current'
      where account_id = ${accountId}
        and domain_id = ${domainId}
        and role = 'next'`);
  }
  await tx.run(sql`
    update sender_domain
    set active = ${status === 'active'}, broken_at = ${status === 'broken' ? sql`coalesce(broken_at, now())` : sql`null`},
      checked_at = now(), findings = ${JSON.stringify(findings)}
    where account_id = ${accountId}
      and id = ${domainId}`);
  await recordTracking(tx, accountId, domainId, findings);
  return status;
}
