// Tables, indexes and sequences in the form in which migrations are written by hand.
import type { Column, Constraint, Index, Sequence, Table } from './catalogue.ts';

const maxWidth = 120;

export function tableText(table: Table, comments: ReadonlyMap<string, string>): string {
  const inline = (name: string) =>
    table.constraints.filter(({ columns }) => columns.length === 1 && columns[0] === name).map(inlineText);
  const lines = [
    ...table.columns.map((column) => ({
      comment: comments.get(`${table.name}.${column.name}`) ?? '',
      text: columnText(column, inline(column.name)),
    })),
    ...table.constraints
      .filter(({ columns }) => columns.length !== 1)
      .map(({ definition }) => ({ comment: '', text: tidy(definition) })),
  ];
  const body = lines.map(({ comment, text }, i) => `${comment}  ${text}${i < lines.length - 1 ? ',' : ''}\n`).join('');
  const options = table.options
    ? ` with (${table.options.map((option) => option.replace('=', ' = ')).join(', ')})`
    : '';
  const partitions = table.partitionedBy === null ? '' : ` partition by ${tidy(table.partitionedBy)}`;
  return `create ${table.unlogged ? 'unlogged ' : ''}table ${table.name} (\n${body})${partitions}${options}`;
}

export function indexText({ definition }: Index): string {
  const text = tidy(definition).replace(/(\w+)='(\w+)'/g, '$1 = $2');
  return text.length <= maxWidth ? text : text.replace(/ where /, '\n  where ');
}

export function sequenceText({ name, start }: Sequence): string {
  return `create sequence ${name}${start === 1 ? '' : ` start ${start}`}`;
}

function columnText(
  { name, type, notNull, identity, generated, storage, fallback }: Column,
  inline: readonly string[],
): string {
  const words = [
    name,
    tidy(type),
    storage !== null && `storage ${storage}`,
    identity && 'generated always as identity',
    notNull && !identity && !inline.includes('primary key') && 'not null',
    fallback !== null && !generated && `default ${tidy(fallback)}`,
    generated && `generated always as (${tidy(fallback!).replace(/\s+/g, ' ').trim()}) stored`,
    ...inline,
  ];
  const text = words.filter((word) => word !== false).join(' ');
  return text.length < maxWidth - 2 ? text : text.replace(/ (?=check \(|generated always as \()/, '\n    ');
}

/** A constraint of one column, as it is written after the column. */
function inlineText({ kind, definition }: Constraint): string {
  const text = tidy(definition);
  if (kind === 'p' || kind === 'u') return text.replace(/ \(.*/, '');
  return kind === 'f' ? text.replace(/^foreign key \(\w+\) /, '') : text;
}

/** PostgreSQL's spelling made that of the migrations: lower case, short names of types, no casts of literals. */
function tidy(text: string): string {
  const lower = text.replace(/'(?:[^']|'')*'|"[^"]*"|[^'"]+/g, (piece) =>
    /^['"]/.test(piece) ? piece : piece.toLowerCase(),
  );
  return lower
    .replace(/'::(?:text|jsonb|bigint|regclass|date|interval|timestamp with(?:out)? time zone)(?:\[\])?/g, "'")
    .replace(/= any \(array\[(.*?)\]\)/g, 'in ($1)')
    .replace(/ ~~ /g, ' like ')
    .replace(/\btimestamp with time zone\b/g, 'timestamptz')
    .replace(/\binteger\b/g, 'int')
    .replace(/ using btree/, '')
    .replace(/\bon (?:only )?(?:public\.)?/, 'on ');
}
