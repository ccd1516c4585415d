// The methods about sender domains: adding one, what to publish for it, looking at what is published, new keys.
import { z } from 'zod';
import type { App } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { params, text } from '../../method/params.ts';
import { dkimRecordName } from './dkim-key.ts';
import {
  addDomain,
  keepFindings,
  lookUp,
  makeKeys,
  maxDomains,
  readDomain,
  recordsOf,
  rotateKeys,
  type SenderDomain,
  senderDomains,
} from './sender-domain.ts';

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

/** The largest mailbox providers: their users cannot publish DNS records for the domain. */
const mailboxProviders = new Set(
  'gmail.com googlemail.com yahoo.com ymail.com outlook.com hotmail.com live.com msn.com icloud.com me.com aol.com gmx.de gmx.net web.de t-online.de proton.me protonmail.com mail.ru yandex.ru qq.com 163.com orange.fr libero.it'.split(
    ' ',
  ),
);

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
    run: async ({ app, tx, account }) => (await senderDomains(tx, account.id)).map((one) => recordOf(app, one)),
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
    async run({ app, tx, account }, { domain }, keys) {
      const wanted = readDomain(domain);
      if (wanted === null) throw fault('DOMAIN_INVALID', 'domain.invalid', { value: domain.slice(0, 80) });
      if (mailboxProviders.has(wanted)) throw fault('DOMAIN_INVALID', 'domain.mailbox_provider', { name: wanted });
      const counted = await tx.row<{ count: number }>(sql`
        select count(*)::int as count from sender_domain where account_id = ${account.id}`);
      if (counted!.count >= maxDomains) throw fault('DOMAIN_INVALID', 'domain.too_many', { count: maxDomains });
      if ((await addDomain(app, tx, account.id, wanted, keys)) === undefined)
        throw fault('DOMAIN_INVALID', 'domain.exists', { name: wanted });
      return recordOf(app, await needDomain(tx, account.id, wanted));
    },
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
    async prepare({ app, account }, { domain }) {
      const found = await needDomain(app.db, account.id, domain);
      return { id: found.id, findings: await lookUp(app, found) };
    },
    async run({ app, tx, account }, { domain }, { id, findings }) {
      await keepFindings(tx, account.id, id, findings);
      return recordOf(app, await needDomain(tx, account.id, domain));
    },
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
    async run({ app, tx, account }, { domain }, keys) {
      const found = await needDomain(tx, account.id, domain);
      await rotateKeys(app, tx, account.id, found.id, keys);
      return recordOf(app, await needDomain(tx, account.id, domain));
    },
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
    async run({ tx, account }, { domain }) {
      const { id } = await needDomain(tx, account.id, domain);
      await tx.run(sql`delete from sender_domain where account_id = ${account.id} and id = ${id}`);
      return true;
    },
  }),
];

/** @throws Fault DOMAIN_UNKNOWN */
async function needDomain(db: Queries, accountId: number, text: string): Promise<SenderDomain> {
  const wanted = readDomain(text);
  const [found] = wanted === null ? [] : await senderDomains(db, accountId, wanted);
  if (!found) throw fault('DOMAIN_UNKNOWN', 'domain.unknown', { value: text.slice(0, 80) });
  return found;
}

function recordOf(app: App, one: SenderDomain): z.input<typeof domainRecord> {
  return {
    domain: one.domain,
    status: one.status,
    created_at: formatDate(one.createdAt),
    checked_at: formatDate(one.checkedAt),
    records: recordsOf(app, one),
    checks: one.findings.map(({ name: record, record: asked, expected, found, state, hint }) => ({
      record,
      name: asked,
      expected,
      found,
      ok: state === 'ok',
      state,
      advice: hint,
    })),
    retired: one.keys
      .filter((key) => key.role === 'old')
      .map((key) => ({
        name: dkimRecordName(key.selector, one.domain),
        retired_at: formatDate(key.retiredAt),
      })),
  };
}
