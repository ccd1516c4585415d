// Names of domains as they are in addresses. Pure.
import { domainToASCII } from 'node:url';

/** A domain name in lower case and A-labels, as in a From address; null when it cannot sign. */
export function readDomain(text: string): string | null {
  const name = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase();
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  // Room is left for the name of the record before it. RFC 1035 2.3.4
  if (name.length > 200 || !new RegExp(`^(${label}\\.)+${label}$`).test(name) || /\.\d+$/.test(name)) return null;
  return name;
}
