// The records of a domain as a zone file (RFC 1035, 5), which DNS providers import.

type Entry = { type: string; name: string; zone: string };

const ttlSeconds = 3_600;

export function zoneFileOf(domain: string, records: readonly Entry[]): string {
  const lines = records.map(({ type, name, zone }) => `${name}.\t${ttlSeconds}\tIN\t${type}\t${zone}`);
  return [`; ${domain}`, ...lines, ''].join('\n');
}
