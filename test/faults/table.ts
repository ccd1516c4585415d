// The table of the fault matrix: how many tests of which file cover each row, and their results. Pure.

export type Result = { name: string; passed: boolean; seconds: number };

/** What the rows are about, in a few words. */
const rows: Record<string, string> = {
  F01: 'kill -9 of a worker before the final dot',
  F02: 'kill -9 with the dot in the journal and not sent',
  F03: 'kill -9 between dot and reply, and before the reply is in the journal',
  F04: 'kill -9 with the reply in the journal, and around the commit',
  F05: 'kill -9 of workers at random',
  F06: 'kill -9 of the parent process alone',
  F07: 'SIGTERM during a campaign',
  F08: 'a recipient that crashes workers',
  F09: 'a truncated or corrupt journal',
  F10: 'kill -9 of a PostgreSQL session',
  F11: 'kill -9 of all of PostgreSQL',
  F12: 'the database is unavailable for a while',
  F13: 'database connections that are cut, or open and silent',
  F14: 'a COMMIT whose answer is lost',
  F15: 'a slow database, locks, an exhausted pool',
  F16: 'the disk of the database is full',
  F17: 'the disk of the program is full',
  F18: 'limits of files, threads, memory',
  F19: 'a fail-over to a replica that lacks the last commits',
  F20: '421 at any step',
  F21: '45x at any step',
  F22: '55x at any step',
  F23: 'everything is refused',
  F24: 'a server that stops answering',
  F25: 'a connection lost before the dot',
  F26: 'a connection lost after the dot',
  F27: 'a connection lost after the last reply',
  F28: 'a server that replies byte by byte, floods or sends garbage',
  F29: 'a server that reads slowly',
  F30: 'TLS that fails',
  F31: 'a password that is refused',
  F32: 'greylisting',
  F33: 'servers that lack an SMTP extension',
  F34: 'a relay whose name does not resolve',
  F35: 'several relays, one dies',
  F36: 'one domain is dead, others are not',
  F37: 'relays that change during sending',
  F40: 'the clock jumps',
  F41: 'clocks that differ between machines',
  F42: 'changes to and from daylight saving time',
  F43: 'impossible dates and offsets',
  F44: 'the machine was off at the due time',
  F45: 'a restored backup, a cloned server',
  F50: 'many schedulers',
  F51: 'concurrent calls',
  F52: 'a call repeated after a lost answer',
  F53: 'a worker that sleeps past its lease',
  F54: 'two versions on one database',
  F60: 'pause during sending',
  F61: 'deletion during sending',
  F62: 'contacts who unsubscribe during sending',
  F63: 'contacts changed after the start',
  F64: 'changes to a campaign during sending',
  F65: 'restarts while sending at recipients’ local times',
  F66: 'a launch that is interrupted',
  F67: 'unscheduling at the due time',
  F68: 'kill -9 during an A/B test',
  F70: 'a webhook receiver that is down for days',
  F71: 'a webhook receiver that is slow',
  F72: 'a webhook receiver that redirects',
  F73: 'replies of a webhook receiver',
  F74: 'a webhook receiver with endless replies',
  F75: 'kill -9 of the webhook dispatcher',
  F76: 'a new secret while events wait',
  F77: 'a webhook deleted or changed while events wait',
  F78: 'a storm of events',
  F80: 'an import that is killed',
  F81: 'a source URL that is slow, hangs or sends wrong data',
  F82: 'many archive bombs at once',
  F83: 'slow and huge requests',
  F90: 'upgrades',
  F91: 'an older program on a newer database',
  F92: 'an index that was not finished',
  F93: 'backups during sending',
  F94: 'a log that no process reads',
  F95: 'a signing key that is missing or wrong',
};

/** The rows that the name of a test begins with: "F40 F41 …", "F71, F72: …". */
export function rowsOf(name: string): string[] {
  const [lead = ''] = /^(?:F\d\d[,:–]?\s*(?:and\s+)?)*/.exec(name)!;
  return lead.match(/F\d\d/g) ?? [];
}

export type Line = { row: string; file: string; tests: number; passed: number; seconds: number };

/** The results of one file, by row. */
export function linesOf(file: string, results: readonly Result[]): Line[] {
  const lines = new Map<string, Line>();
  for (const result of results)
    for (const row of rowsOf(result.name)) {
      const line = lines.get(row) ?? { row, file, tests: 0, passed: 0, seconds: 0 };
      line.tests += 1;
      line.passed += result.passed ? 1 : 0;
      line.seconds += result.seconds;
      lines.set(row, line);
    }
  return [...lines.values()];
}

export function tableOf(lines: readonly Line[]): string {
  const sorted = [...lines].sort((a, b) => (a.row + a.file < b.row + b.file ? -1 : 1));
  return table(
    ['row', 'fault', 'file', 'tests', 'passed', 'failed', 'seconds'],
    sorted.map(({ row, file, tests, passed, seconds }) =>
      [row, rows[row] ?? '', file, tests, passed, tests - passed, seconds.toFixed(1)].map(String),
    ),
  );
}

/** Cells padded to their column, the last four to the right: as the formatter of the documents wants them. */
export function table(head: string[], lines: string[][], numbers = 4): string {
  const right = (n: number) => n >= head.length - numbers;
  const widths = head.map((name, n) => Math.max(3, name.length, ...lines.map((cells) => cells[n]!.length)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, n) => (right(n) ? cell.padStart(widths[n]!) : cell.padEnd(widths[n]!))).join(' | ')} |`;
  const rule = `| ${widths.map((width, n) => (right(n) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`;
  return [line(head), rule, ...lines.map(line)].join('\n');
}

/** The lines that a table in a document has. */
export function readLines(text: string): Line[] {
  return [...text.matchAll(/^\| (F\d\d) +\|[^|]*\| (\S+) +\| +(\d+) \| +(\d+) \| +\d+ \| +([\d.]+) \|$/gm)].map(
    (found) => ({
      row: found[1]!,
      file: found[2]!,
      tests: Number(found[3]),
      passed: Number(found[4]),
      seconds: Number(found[5]),
    }),
  );
}

/** The document with another text between the markers of that name. */
export function within(text: string, name: string, inner: string): string {
  const begin = `<!-- ${name}: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the document has no markers ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${inner}\n\n${text.slice(to)}`;
}
