// Writes src/db/schema.sql, the present schema in one file: `npm run docs:schema`. A test compares it with a freshly
// migrated database. Tables, constraints, indexes and sequences come from the catalogue: they are what the migrations
// add up to. Comments come from the migrations, as does the text of functions, triggers, views and statistics, which
// PostgreSQL rewrites, differently by version. Throws rather than leave something out.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../src/db/connect.ts';
import { readMigrations } from '../src/db/migration-files.ts';
import { testDatabase } from '../test/support/database/database.ts';
import { type Catalogue, type Index, readCatalogue } from './schema/catalogue.ts';
import { definitionsOf } from './schema/definitions.ts';
import { indexText, sequenceText, tableText } from './schema/text.ts';

export const schemaFile = join(import.meta.dirname, '../src/db/schema.sql');

const head = `-- The present schema: what src/db/migrations adds up to. Written by "npm run docs:schema", for reading only. A test
-- compares it with a freshly migrated database.
`;

if (import.meta.main) {
  const database = await testDatabase();
  writeFileSync(schemaFile, await schemaSql(database.url));
  await database.close();
}

/** The text of the schema of a migrated database. */
export async function schemaSql(url: string): Promise<string> {
  const db = connect(url, { maxConnections: 1 });
  try {
    return textOf(await readCatalogue(db));
  } finally {
    await db.close();
  }
}

/** Objects are shown under the migration that first created them, indexes and sequences with their table. */
function textOf(catalogue: Catalogue): string {
  const { definitions, comments } = definitionsOf(readMigrations());
  const left = new Set(catalogue.objects);
  const order = [...definitions.keys()];
  const inOrder = (indexes: readonly Index[]) =>
    indexes.toSorted((a, b) => order.indexOf(`index ${a.name}`) - order.indexOf(`index ${b.name}`));
  const show = (object: string, text: string): string => {
    if (!left.delete(object)) throw new Error(`${object} does not exist, or is shown twice.`);
    return `${comments.get(object) ?? ''}${text};\n`;
  };
  const showTable = (name: string): string => {
    const table = catalogue.tables.get(name)!;
    left.delete(`table ${name}`);
    return [
      // A table's comment is above its sequences.
      comments.get(`table ${name}`) ?? '',
      ...table.sequences.map((sequence) => show(`sequence ${sequence.name}`, sequenceText(sequence))),
      `${tableText(table, comments)};\n`,
      ...inOrder(table.indexes).map((index) => show(`index ${index.name}`, indexText(index))),
    ].join('');
  };
  const sections = [...Map.groupBy(definitions.values(), ({ migration }) => migration)].map(([migration, defined]) => {
    const texts = defined.flatMap(({ object, kind, name, text }) => {
      if (!catalogue.objects.has(object) || kind === 'index' || kind === 'sequence') return [];
      return [kind === 'table' ? showTable(name) : show(object, text)];
    });
    return texts.length === 0 ? '' : `\n-- ${migration} ${'-'.repeat(116 - migration.length)}\n\n${texts.join('\n')}`;
  });
  if (left.size > 0) throw new Error(`The schema text would leave out: ${[...left].join(', ')}.`);
  return head + sections.join('');
}
