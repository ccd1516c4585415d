// Checks of what messages need on their way: relays that answer, and the DNS records of sender domains and of returned mail.

import type { App } from '../base/context.ts';
import { renderPacked } from '../base/messages.ts';
import { sql } from '../db/connect.ts';
import { tokensOf } from '../relays/oauth/tokens.ts';
import { allRelays, ehloNameOf, type ListedRelay } from '../relays/settings/relay-list.ts';
import { openConnection } from '../relays/smtp/open-connection.ts';
import { openSignedIn } from '../relays/smtp/signed-in.ts';
import { createDns } from '../senders/domains/dns.ts';
import { dnsRecords } from '../senders/domains/dns-check.ts';
import { lookUp, senderDomains } from '../senders/domains/sender-domain.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const maxDomains = 50;

/** Connects to each relay as a worker does, up to the authentication, and sends nothing. */
export async function checkRelays(app: App, timeScale = 1): Promise<Finding[]> {
  const listed = (await allRelays(app, app.db)).filter(({ source }) => source !== 'inbox');
  if (listed.length === 0)
    return [
      warning(
        'relays',
        'No relay is set up: messages stay in the built-in inbox.',
        'Add one in Settings → Relays, or set SMTP_URL.',
      ),
    ];
  return Promise.all(listed.map((each) => checkRelay(app, each, timeScale)));
}

async function checkRelay(app: App, { relay, unused }: ListedRelay, timeScale: number): Promise<Finding> {
  const name = `${relay.host}:${relay.port}`;
  if (unused === 'paused')
    return warning('relays', `${name} is paused.`, 'Resume it in Settings → Relays, or delete it.');
  if (unused === 'sealed')
    return problem(
      'relays',
      `The password of ${name} cannot be read.`,
      'Set the SEAL_KEY that it was entered with, or enter it again.',
    );
  const opened = await openSignedIn(relay, tokensOf(app), (signedIn) =>
    openConnection(signedIn, { ehloName: ehloNameOf(app), timeScale }),
  );
  if (!opened.ok) {
    const { outcome } = opened;
    const code = outcome.kind === 'reply' ? `${outcome.code} ` : '';
    return problem(
      'relays',
      `${name} does not accept messages (${outcome.stage}): ${code}${outcome.text}`,
      outcome.stage === 'auth'
        ? relay.auth?.grant
          ? 'Check the OAuth settings of the relay.'
          : 'Check user name and password.'
        : 'Check host, port and TLS, and whether a firewall blocks outgoing connections from this machine.',
    );
  }
  const { notes, tls } = opened.connection;
  await opened.connection.close();
  if (notes.length > 0)
    return warning(
      'relays',
      `${name}: ${notes.join('; ')}`,
      'Set its TLS policy to "require" once it has a valid certificate.',
    );
  return ok('relays', `${name} is ready${tls ? `, ${tls.protocol}` : ''}`);
}

/** Asks DNS about each sender domain, and changes nothing. */
export async function checkDomains(app: App): Promise<Finding[]> {
  const rows = await app.db.rows<{ account: number; domain: string }>(sql`
    select account_id as account, domain
    from sender_domain
    order by active desc, domain
    limit ${maxDomains}`);
  const findings: Finding[] = [];
  for (const { account, domain } of rows) {
    const [found] = await senderDomains(app.db, account, domain);
    if (found) findings.push(...(await checkDomain(app, found)));
  }
  if (rows.length === 0)
    findings.push(
      warning('dns', 'There is no sender domain: messages are not signed.', 'Add one in Settings → Sender domains.'),
    );
  return findings;
}

async function checkDomain(app: App, domain: Parameters<typeof lookUp>[1]): Promise<Finding[]> {
  const wrong = (await lookUp(app, domain)).filter(({ name, state }) => dnsRecords[name].needed && state !== 'ok');
  if (wrong.length === 0) return [ok('dns', `${domain.domain}: all records are right`)];
  return wrong.map(({ name, record, state, hint, expected }) => {
    const text = `${domain.domain}: ${name.toUpperCase()} record ${record} ${state === 'unknown' ? 'could not be looked up' : `is ${state}`}`;
    const advice = [
      renderPacked(hint),
      expected === '' ? '' : `${state === 'missing' ? 'Publish' : 'Expected'}: ${expected}`,
    ]
      .filter(Boolean)
      .join(' ');
    // A name server that does not answer proves nothing.
    const report = name === 'dkim' && state !== 'unknown' ? problem : warning;
    return report('dns', text, advice || 'Check the name servers (DNS_SERVERS).');
  });
}

/** Whether bounces find the way back. */
export async function checkBounces(app: App): Promise<Finding[]> {
  const { bounceDomain, dnsServers } = app.config;
  if (bounceDomain === '') return [];
  const dns = createDns(dnsServers.length > 0 ? { servers: dnsServers } : {});
  const mx = await dns.mx(bounceDomain);
  if (mx.kind === 'failed')
    return [
      warning(
        'dns',
        `The MX record of ${bounceDomain} could not be looked up: ${mx.why}`,
        'Check the name servers (DNS_SERVERS).',
      ),
    ];
  if (mx.kind === 'none')
    return [
      problem(
        'dns',
        `${bounceDomain} (BOUNCE_DOMAIN) has no MX record: bounces do not arrive.`,
        'Publish one that points to the host of the bounce listener.',
      ),
    ];
  const [host] = mx.records;
  const addresses = await dns.addresses(host!);
  if (addresses.kind === 'none')
    return [
      problem(
        'dns',
        `The mail server ${host} of ${bounceDomain} has no address.`,
        'Publish an A or AAAA record for it.',
      ),
    ];
  return [ok('dns', `${bounceDomain}: bounces go to ${host}`)];
}
