// The form that DKIM, DMARC, BIMI, MTA-STS and TLS-RPT records share: `tag=value; tag=value`. Which tags a record needs, and
// which version comes first, is left to its check.

/** The first of two tags with the same name counts. RFC 6376 3.2 */
export function readTags(text: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const tag = /^\s*([a-zA-Z][a-zA-Z0-9_]*)\s*=\s*([\s\S]*)$/.exec(part);
    if (tag && !tags.has(tag[1]!)) tags.set(tag[1]!, tag[2]!.trimEnd());
  }
  return tags;
}
