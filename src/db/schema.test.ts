// schema.sql shows people the tables, so it must be what the migrations create.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { schemaFile, schemaSql } from '../../scripts/schema-sql.ts';
import { testDatabase } from '../../test/support/database/database.ts';

test('schema.sql shows the schema of a freshly migrated database; "npm run docs:schema" writes it', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  assert.equal(readFileSync(schemaFile, 'utf8'), await schemaSql(database.url));
});
