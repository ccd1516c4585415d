// The sequences of public ids and the function that spreads them, on a migrated database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { testDatabase } from '../../test/support/database/database.ts';
import { maxId } from './ids.ts';

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

test('public_id maps each number to another id, and the numbers of a block to neighbours', async (t) => {
  const database = await testDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.close();
  });
  const { rows } = await client.query(`
    select count(distinct public_id(block * 4096))::int as ids, min(public_id(block * 4096)),
      max(public_id(block * 4096 + 4095)), bool_and(public_id(block * 4096 + 4095) = public_id(block * 4096) + 4095) as ascends
    from generate_series(0, 327679) block`);
  assert.deepEqual(rows, [{ ids: 327_680, min: 0, max: maxId, ascends: true }]);
});
