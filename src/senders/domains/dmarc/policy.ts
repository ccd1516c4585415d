// The DMARC policy that receivers apply to a domain: that of its own record, or of the next domain above it that has one.
// What follows from it is left to the checks.
import type { Dns } from '../dns.ts';
import { readTags } from '../txt-tags.ts';

export type DmarcPolicy =
  | { kind: 'found'; records: string[]; tags: Map<string, string>; inheritedFrom: string; policy: string }
  | { kind: 'none' }
  | { kind: 'failed'; why: string };

/** `policy` is in lower case, '' when there is none; `inheritedFrom` is '' for the domain's own record. */
export async function findDmarcPolicy(dns: Dns, domain: string): Promise<DmarcPolicy> {
  const labels = domain.split('.');
  for (let skip = 0; skip < labels.length - 1; skip++) {
    const holder = labels.slice(skip).join('.');
    const answer = await dns.txt(`_dmarc.${holder}`);
    if (answer.kind === 'failed') return answer;
    const records = answer.kind === 'found' ? answer.records.filter(isDmarcRecord) : [];
    if (records.length === 0) continue;
    const tags = readTags(records[0]!);
    const inheritedFrom = skip > 0 ? holder : '';
    const policy = ((inheritedFrom && tags.get('sp')) || tags.get('p') || '').toLowerCase();
    return { kind: 'found', records, tags, inheritedFrom, policy };
  }
  return { kind: 'none' };
}

/** RFC 7489 6.4: the version comes first. */
export const isDmarcRecord = (text: string): boolean => /^v\s*=\s*DMARC1\s*(;|$)/.test(text);
