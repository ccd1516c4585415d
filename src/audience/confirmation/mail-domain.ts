// Whether a domain can receive email, for forms that ask for it: a mistyped domain is corrected by the visitor, who still is there.
// Only a clear "no" counts: while the name servers fail, every domain is taken.

import type { App } from '../../base/context.ts';
import { remember } from '../../base/remember.ts';
import { createDns } from '../../senders/domains/dns.ts';

/** A visitor waits for it. */
const timeoutMs = 1_500;
const deadlineMs = 4_000;
/** A domain that is set up today can be used soon; one that works goes on working. */
const validMs = { yes: 3_600_000, no: 60_000 };
const maxDomains = 10_000;

const known = new Map<string, { takes: boolean; until: number }>();

/** @param domain in ASCII, as `parseAddress` returns it */
export async function takesMail({ config: { dnsServers } }: Pick<App, 'config'>, domain: string): Promise<boolean> {
  const now = performance.now();
  const key = `${domain} ${dnsServers.join(' ')}`;
  const found = known.get(key);
  if (found && found.until > now) return found.takes;
  const dns = createDns({ ...(dnsServers.length > 0 && { servers: dnsServers }), timeoutMs, deadlineMs });
  const answer = await dns.mailHosts(domain);
  if (answer.kind === 'failed') return true;
  const takes = answer.kind === 'found';
  remember(known, key, { takes, until: now + (takes ? validMs.yes : validMs.no) }, maxDomains);
  return takes;
}
