// A sender domain with all records published, without any DNS: for tests of signing.

import type { App } from '../../../src/base/context.ts';
import { sql } from '../../../src/db/connect.ts';
import { addDomain, makeKeys, recordsOf, senderDomains } from '../../../src/senders/domains/sender-domain.ts';
import type { Records } from '../judges/dkim-verifiers.ts';

/** Makes a domain active; returns the TXT records that verifiers are to find. */
export async function activeDomain(app: App, accountId: number, domain: string): Promise<Records> {
  const keys = await makeKeys();
  const id = await app.db.transaction((tx) => addDomain(app, tx, accountId, domain, keys));
  if (id === undefined) throw new Error(`the account has ${domain} already`);
  await app.db.run(sql`update sender_domain set active = true where account_id = ${accountId} and id = ${id}`);
  await app.db.run(sql`
    update sender_domain_key set published = true where account_id = ${accountId} and domain_id = ${id}`);
  const [found] = await senderDomains(app.db, accountId, domain);
  return Object.fromEntries(
    recordsOf(app, found!)
      .filter((record) => record.purpose === 'dkim')
      .map((record) => [record.name, record.value]),
  );
}
