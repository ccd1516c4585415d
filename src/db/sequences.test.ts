// The sequences of public ids, on a migrated database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { testDatabase } from '../../test/support/database/database.ts';

test('no two tables draw the same id', async (t) => {
  const database = await testDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.close();
  });
  const { rows } = await client.query<{ sequence: string }>(`
    select distinct substring(column_default from '''(\\w+)''') as sequence
    from information_schema.columns
    where column_default like '%public_id(nextval(%'`);
  assert.ok(rows.length >= 10, `found ${rows.map((row) => row.sequence)}`);
  const drawn = await Promise.all(
    rows.map(async ({ sequence }) => (await client.query('select nextval($1) as value', [sequence])).rows[0]!.value),
  );
  assert.equal(new Set(drawn).size, rows.length, `first values: ${drawn}`);
});
