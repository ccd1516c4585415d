// The methods about sender domains: adding one, what to publish for it, looking at what is published, new keys.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { params, text } from '../../method/params.ts';
import { createDomain, listDomains, lookUpDomain, recordCheck, removeDomain, rotateDomain } from './change.ts';
import { makeKeys } from './sender-domain.ts';

const domainRecord = z.object({
  domain: z.string(),
  status: z.string().meta({ description: 'pending, active or broken.' }),
  created_at: z.string(),
  checked_at: z.string(),
  records: z
    .array(
      z.object({
        purpose: z.string().meta({ description: 'dkim, spf, dmarc or return_path.' }),
        type: z.string(),
        name: z.string(),
        value: z.string(),
        zone: z.string().meta({ description: 'The value as a zone file has it.' }),
        required: z.boolean().meta({ description: 'Whether the domain can become active without it.' }),
        note: z.string(),
      }),
    )
    .meta({ description: 'What is to be published.' }),
  checks: z
    .array(
      z.object({
        record: z.string().meta({ description: 'dkim, spf, dmarc, mx (of the return-path domain) or ptr.' }),
        name: z.string(),
        expected: z.string(),
        found: z.string(),
        ok: z.boolean(),
        state: z.string().meta({ description: 'ok, missing, wrong, or unknown when DNS gave no answer.' }),
        advice: z.string(),
      }),
    )
    .meta({ description: 'What the last check found; empty before the first one.' }),
  retired: z.array(z.object({ name: z.string(), retired_at: z.string() })).meta({
    description: 'DKIM records of former keys; they may be taken out of DNS a week after retired_at.',
  }),
});

const name = text('The domain, as it stands after the @ of the From address.', 255);

export const domainMethods = [
  method({
    name: 'senderDomains',
    group: 'domains',
    summary:
      'Lists the domains of the account that sign mail, their status, their DNS records and what the last check found.',
    description:
      'A domain is pending until its DKIM record is published, then active. Messages with a From address of an active domain are signed with each published key (RSA and Ed25519), whether or not a campaign asks for it with authenticate. When the DKIM record of an active domain disappears or changes, the domain is broken, and its messages are not signed until the record is correct again. All domains are checked regularly.',
    params: params({}),
    returns: z.array(domainRecord),
    faults: [],
    scope: 'read',
    reads: true,
    example: { params: {} },
    run: listDomains,
  }),
  method({
    name: 'senderDomainAdd',
    group: 'domains',
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
    group: 'domains',
    summary: 'Checks the DNS records of a domain, sets its status, and returns what was found and how to fix it.',
    description:
      'Asks the name servers of the setting DNS_SERVERS, or the system’s own, for 20 seconds at most. The DKIM record decides about the status; SPF, DMARC and the reverse DNS of the sending addresses are advice. When DNS gives no answer the status stays what it is. New keys of senderDomainRotate take over as soon as they are found here.',
    params: params({ domain: name }),
    returns: domainRecord,
    faults: ['DOMAIN_UNKNOWN'],
    scope: 'write',
    // A check changes nothing; a screen that checks every few seconds would fill the audit log.
    reads: true,
    example: { params: { domain: '{{domain}}' } },
    prepare: lookUpDomain,
    run: recordCheck,
  }),
  method({
    name: 'senderDomainRotate',
    group: 'domains',
    summary: 'Gives a domain new keys and returns the DNS records to publish for them.',
    description:
      'The present keys go on signing until a check finds the new ones published. Keys that were made by an earlier call and have not signed yet are dropped.',
    params: params({ domain: name }),
    returns: domainRecord,
    faults: ['DOMAIN_UNKNOWN'],
    scope: 'admin',
    example: { params: { domain: '{{domain}}' } },
    prepare: () => makeKeys(),
    run: rotateDomain,
  }),
  method({
    name: 'senderDomainRemove',
    group: 'domains',
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
