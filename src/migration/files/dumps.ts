// Rows of database dumps as text: pg_dump (COPY blocks) and mysqldump (INSERT statements), line by line.
import { linesOf, type SourceFile } from './source-file.ts';

/** A row by column; null as in the database. */
export type DumpRow = { table: string; values: Record<string, string | null> };

/** The rows of these tables in a dump of PostgreSQL. */
export async function* pgRows(file: SourceFile, wanted: (table: string) => boolean): AsyncGenerator<DumpRow> {
  let copying: { table: string; columns: string[]; taken: boolean } | undefined;
  for await (const line of linesOf(file)) {
    if (copying === undefined) {
      const found = /^COPY (?:"?[\w]+"?\.)?"?(\w+)"? \((.*)\) FROM stdin;$/.exec(line);
      if (!found) continue;
      const columns = found[2]!.split(', ').map((name) => name.replaceAll('"', ''));
      copying = { table: found[1]!, columns, taken: wanted(found[1]!) };
    } else if (line === '\\.') copying = undefined;
    else if (copying.taken) {
      const cells = line.split('\t');
      yield {
        table: copying.table,
        values: Object.fromEntries(copying.columns.map((name, i) => [name, pgValue(cells[i] ?? '\\N')])),
      };
    }
  }
}

const pgEscapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };

/** PostgreSQL: COPY, text format. */
const pgValue = (cell: string): string | null =>
  cell === '\\N'
    ? null
    : cell.includes('\\')
      ? cell.replace(/\\(.)/gs, (_, sign: string) => pgEscapes[sign] ?? sign)
      : cell;

/** The rows of these tables in a dump of MySQL or MariaDB. */
export async function* mysqlRows(file: SourceFile, wanted: (table: string) => boolean): AsyncGenerator<DumpRow> {
  /** Columns in the order of CREATE TABLE, for statements that do not name them. */
  const columnsOf = new Map<string, string[]>();
  let creating: string[] | undefined;
  for await (const line of linesOf(file)) {
    const created = /^CREATE TABLE (?:IF NOT EXISTS )?`([^`]+)`/.exec(line);
    if (created) {
      creating = [];
      columnsOf.set(created[1]!, creating);
      continue;
    }
    if (creating !== undefined) {
      const column = /^\s+`([^`]+)`/.exec(line);
      if (column) creating.push(column[1]!);
      else if (/^\)/.test(line)) creating = undefined;
      continue;
    }
    const head = /^INSERT (?:IGNORE )?INTO `([^`]+)`\s*(?:\(([^)]*)\)\s*)?VALUES\s*/.exec(line);
    if (!head || !wanted(head[1]!)) continue;
    const table = head[1]!;
    const columns = head[2]?.split(',').map((name) => name.trim().replaceAll('`', '')) ?? columnsOf.get(table) ?? [];
    for (const values of tuplesOf(line, head[0].length))
      yield { table, values: Object.fromEntries(columns.map((name, i) => [name, values[i] ?? null])) };
  }
}

const mysqlEscapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', 0: '\0', Z: '\x1a' };

/** The values of each tuple of an INSERT statement, from the first parenthesis on. */
export function* tuplesOf(text: string, from: number): Generator<(string | null)[]> {
  for (let at = text.indexOf('(', from); at !== -1; ) {
    const values: (string | null)[] = [];
    at++;
    for (;;) {
      const [value, end] = valueAt(text, at);
      values.push(value);
      at = end;
      if (text[at] !== ',') break;
      at++;
    }
    yield values;
    // After the tuple: a comma and the next one, or the end of the statement.
    if (text[at] !== ')' || text[at + 1] !== ',') return;
    at = text.indexOf('(', at + 2);
  }
}

/** A value and where it ends: at a comma or a parenthesis. */
function valueAt(text: string, start: number): [string | null, number] {
  let at = start;
  while (text[at] === ' ') at++;
  const introducer = /^_(?:binary|utf8mb4|utf8)\s*/.exec(text.slice(at, at + 12));
  if (introducer) at += introducer[0].length;
  if (text[at] !== "'") {
    const end = endOfPlain(text, at);
    const word = text.slice(at, end).trim();
    return [word.toUpperCase() === 'NULL' ? null : word, end];
  }
  let value = '';
  let from = ++at;
  for (; at < text.length; at++) {
    const sign = text[at];
    if (sign === '\\') {
      const next = text[at + 1] ?? '';
      value += text.slice(from, at) + (mysqlEscapes[next] ?? next);
      at++;
      from = at + 1;
    } else if (sign === "'") {
      if (text[at + 1] !== "'") break;
      value += `${text.slice(from, at)}'`;
      at++;
      from = at + 1;
    }
  }
  return [value + text.slice(from, at), at + 1];
}

function endOfPlain(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== ',' && text[at] !== ')') at++;
  return at;
}
