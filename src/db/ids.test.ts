import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { testDatabase } from '../../test/support/database/database.ts';
import { formatId, parseId } from './ids.ts';

test('an id has 8 hexadecimal digits that no client takes for a number, and can be parsed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 * 16 ** 7 - 1 }), (id) => {
      const text = formatId(id);
      assert.match(text, /^[abcdf][0-9a-f]{7}$/);
      assert.equal(parseId(text), id);
    }),
  );
});

test('any other text is parsed as an id that no row has', () => {
  for (const text of ['', 'e0000000', 'A0000000', 'a000000', 'a00000000', '12345678', ' a0000000']) {
    assert.equal(parseId(text), -1, JSON.stringify(text));
  }
});

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
