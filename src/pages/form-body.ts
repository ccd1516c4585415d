// Reads the forms of public pages. Several values of one name, as check boxes have them, are one value with commas; PHP's [] or [2]
// after a name is none of it.

export function readFormBody(body: string): Record<string, string> {
  const pairs = [...new URLSearchParams(body)].map(
    ([name, value]) => [name.replace(/\[\d{0,4}\]$/, ''), value] as const,
  );
  return Object.fromEntries(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, same]) => [name, joined(same.map(([, value]) => value))]),
  );
}

/** Each value once. A 0 before others is the hidden input of a box that is ticked. */
export function joined(values: readonly string[]): string {
  const filled = [...new Set(values)].filter((value) => value !== '');
  return (filled.length > 1 && filled[0] === '0' ? filled.slice(1) : filled).join(', ');
}
