// The methods about sender domains: adding one, what to publish for it, looking at what is published, new keys.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { integer, params, text } from '../../method/params.ts';
import {
  changeTrackingHost,
  createDomain,
  listDomains,
  lookUpDomain,
  recordCheck,
  removeDomain,
  rotateDomain,
} from './change.ts';
import { domainReports } from './dmarc/reports.ts';
import { findingNames, findingStates } from './dns-check.ts';
import { domainStatuses, makeKeys, recordPurposes, recordTypes } from './sender-domain.ts';

const domainRecord = named(
  'SenderDomain',
  z.object({
    domain: z.string(),
    status: z.enum(domainStatuses),
    created_at: z.string(),
    checked_at: z.string(),
    tracking_host: z
      .string()
      .meta({ description: 'The host of the links in its campaigns; empty for that of BASE_URL.' }),
    tracking_ready: z.boolean().meta({ description: 'Whether the host was found to lead here, so that links use it.' }),
    records: z
      .array(
        named(
          'DnsRecord',
          z.object({
            purpose: z.enum(recordPurposes),
            type: z.enum(recordTypes),
            name: z.string(),
            value: z.string(),
            zone: z.string().meta({ description: 'The value as a zone file has it.' }),
            required: z.boolean().meta({ description: 'Whether the domain can become active without it.' }),
            note: z.string(),
          }),
        ),
      )
      .meta({ description: 'What is to be published.' }),
    checks: z
      .array(
        named(
          'DnsCheck',
          z.object({
            record: z.enum(findingNames).meta({
              description:
                'mx: of the return-path domain. Optional ones: bimi (the logo), and for the return-path domain mta_sts (its record), mta_sts_policy (its policy file) and tls_rpt.',
            }),
            name: z
              .string()
              .meta({ description: 'The name in DNS; the IP address for ptr, the URL for mta_sts_policy.' }),
            expected: z.string().meta({ description: 'What to publish there.' }),
            found: z.string(),
            ok: z.boolean(),
            state: z.enum(findingStates).meta({ description: 'unknown: DNS gave no answer.' }),
            advice: z.string(),
          }),
        ),
      )
      .meta({ description: 'What the last check found; empty before the first one.' }),
    retired: z.array(z.object({ name: z.string(), retired_at: z.string() })).meta({
      description: 'DKIM records of former keys; they may be taken out of DNS a week after retired_at.',
    }),
  }),
);

const name = text('The domain, as it stands after the @ of the From address.', 255);

export const domainMethods = [
  method({
    name: 'senderDomains',
    group: 'sending',
    summary:
      'Lists the domains of the account that sign mail, their status, their DNS records and what the last check found.',
    description:
      'A domain is pending until its DKIM record is published, then active. Messages with a From address of an active domain are signed with each published key (RSA and Ed25519), whether or not a campaign asks for it with authenticate. When the DKIM record of an active domain disappears or changes, the domain is broken, and its messages are not signed until the record is correct again. All domains are checked regularly.',
    params: params({}),
    returns: z.array(domainRecord),
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: listDomains,
  }),
  method({
    name: 'senderDomainCreate',
    group: 'sending',
    summary: 'Adds a domain with keys of its own and returns the DNS records to publish for it.',
    params: params({ domain: name }),
    returns: domainRecord,
    faults: ['DOMAIN_INVALID'],
    scope: 'admin',
    example: { params: { domain: 'news.example.com' } },
    prepare: () => makeKeys(),
    run: createDomain,
  }),
  method({
    name: 'senderDomainCheck',
    group: 'sending',
    summary: 'Checks the DNS records of a domain, sets its status, and returns what was found and how to fix it.',
    description:
      'Asks the name servers of the setting DNS_SERVERS, or the system’s own, for 20 seconds at most. The DKIM record decides about the status; SPF, DMARC and the reverse DNS of the sending addresses are advice. So are BIMI (the record, the DMARC policy it needs, and the basics of the logo), MTA-STS and TLS-RPT of the domain that returned mail goes to. The logo and the policy file of MTA-STS are fetched, from public addresses only and within 5 seconds. When DNS gives no answer the status stays what it is. New keys of senderDomainRotate take over as soon as they are found here.',
    params: params({ domain: name }),
    returns: domainRecord,
    faults: ['DOMAIN_UNKNOWN'],
    scope: 'write',
    permission: 'campaigns:write',
    // A screen that checks every few seconds would fill the audit log.
    reads: true,
    notes: true,
    example: { params: { domain: '{{domain}}' } },
    prepare: lookUpDomain,
    run: recordCheck,
  }),
  method({
    name: 'senderDomainReports',
    group: 'sending',
    summary:
      'Returns what mailbox providers report about mail from a domain: its sources, and how much of it passed DMARC.',
    description:
      'Counts the DMARC aggregate reports that arrive at dmarc@BOUNCE_DOMAIN, once the DMARC record names that address (rua=), by the days that they are about. Messages pass by aligned DKIM or SPF. Reports are kept for 90 days. They are not authenticated: nothing but this view depends on them.',
    params: params({ domain: name, days: integer('The last days, today included.', 1, 90).default(30) }),
    returns: z.object({
      address: z.string().meta({ description: 'Where reports arrive; empty without BOUNCE_DOMAIN.' }),
      reports: z.int(),
      messages: z.int(),
      passed: z.int(),
      failed: z.int(),
      source_count: z.int(),
      sources: z
        .array(
          z.object({
            source: z.string().meta({ description: 'IP address.' }),
            own: z.boolean().meta({ description: 'Whether it is one of SENDING_ADDRESSES.' }),
            messages: z.int(),
            passed: z.int(),
            failed: z.int(),
            dkim: z.int().meta({ description: 'Messages that passed aligned DKIM.' }),
            spf: z.int().meta({ description: 'Messages that passed aligned SPF.' }),
            last_day: z.string(),
            reporters: z.array(z.string()).meta({ description: 'Up to 20 of them.' }),
          }),
        )
        .meta({ description: 'The 500 with the most messages.' }),
    }),
    faults: ['DOMAIN_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { domain: '{{domain}}' } },
    run: domainReports,
  }),
  method({
    name: 'senderDomainRotate',
    group: 'sending',
    summary: 'Gives a domain new keys and returns the DNS records to publish for them.',
    description:
      'The present keys go on signing until a check finds the new ones published. Keys that were made by an earlier call and have not signed yet are dropped.',
    params: params({ domain: name }),
    returns: domainRecord,
    faults: ['DOMAIN_UNKNOWN'],
    scope: 'admin',
    confirm: () => true,
    example: { params: { domain: '{{domain}}' } },
    prepare: () => makeKeys(),
    run: rotateDomain,
  }),
  method({
    name: 'senderDomainTrackingUpdate',
    group: 'sending',
    summary: 'Sets the host of the links in campaigns from a domain, and returns the DNS record to publish for it.',
    description:
      'The host is a name within the domain, such as click.example.com, with a CNAME record that leads to the host of BASE_URL. As soon as a check finds the record, campaigns that start use the host in links, the tracking pixel, and the addresses of the archive and unsubscribe pages; campaigns that are being sent keep theirs. If BASE_URL is https, the proxy needs a certificate for the host: one that browsers would not accept keeps the host out of use. Links of earlier messages keep working as long as their host leads here.',
    params: params({
      domain: name,
      host: text('The host, such as click.example.com. Empty: links use the host of BASE_URL again.', 255),
    }),
    returns: domainRecord,
    faults: ['DOMAIN_UNKNOWN', 'DOMAIN_INVALID'],
    scope: 'admin',
    example: { params: { domain: '{{domain}}', host: 'click.letters.example.com' } },
    run: changeTrackingHost,
  }),
  method({
    name: 'senderDomainDelete',
    group: 'sending',
    summary:
      'Removes a domain and its keys. Its messages are no longer signed, and campaigns that require signing pause.',
    params: params({ domain: name }),
    returns: z.boolean(),
    faults: ['DOMAIN_UNKNOWN'],
    scope: 'admin',
    example: { params: { domain: '{{domain}}' } },
    run: removeDomain,
  }),
];
