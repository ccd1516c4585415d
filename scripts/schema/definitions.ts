// What the catalogue does not have, read from the migrations: which file first created an object, the last statement that
// created it, and the comments above objects and columns. Reads lines, so it relies on the form of the migrations: a
// statement begins at the start of a line with "create" or "alter table", a column on a line of its own.
import type { Migration } from '../../src/db/migration-files.ts';
import { splitStatements } from '../../src/db/statements.ts';

export type Kind = 'table' | 'index' | 'sequence' | 'function' | 'trigger' | 'view' | 'statistics';

export type Definition = {
  /** Kind and name, such as "table contact". */
  object: string;
  kind: Kind;
  name: string;
  /** The first migration that created it. */
  migration: string;
  /** The last statement that created it. */
  text: string;
};

const creation =
  /^create (?:or replace )?(?:unlogged |unique )*(table|index|sequence|function|trigger|view|statistics) (?:concurrently )?(?:if not exists )?(\w+)/;
const change = /^alter table (?:if exists )?(\w+)/;
const column = /^ +(?:add column )?(\w+) /;

/** Definitions in the order of their creation; comments by object ("table contact") or column ("contact.email"). */
export function definitionsOf(migrations: readonly Migration[]): {
  definitions: Map<string, Definition>;
  comments: Map<string, string>;
} {
  const definitions = new Map<string, Definition>();
  const comments = new Map<string, string>();
  for (const { name: migration, text } of migrations) {
    for (const statement of splitStatements(text)) {
      const [, kind, name] = creation.exec(statement) ?? [];
      if (kind === undefined || name === undefined) continue;
      const object = `${kind} ${name}`;
      const first = definitions.get(object)?.migration ?? migration;
      definitions.set(object, { object, kind: kind as Kind, name, migration: first, text: statement });
    }
    readComments(text, comments);
  }
  return { definitions, comments };
}

function readComments(text: string, comments: Map<string, string>): void {
  let table = '';
  let block = '';
  for (const line of text.split('\n')) {
    if (/^ *--/.test(line)) {
      block += `${line}\n`;
      continue;
    }
    const [, kind, name] = creation.exec(line) ?? [];
    if (kind !== undefined) table = kind === 'table' ? name! : '';
    table = change.exec(line)?.[1] ?? table;
    const about = kind === undefined ? table !== '' && `${table}.${column.exec(line)?.[1]}` : `${kind} ${name}`;
    // A comment above the sequence of a table is about the table, in the next line.
    if (kind === 'sequence') continue;
    if (about && block !== '') comments.set(about, block);
    block = '';
  }
}
