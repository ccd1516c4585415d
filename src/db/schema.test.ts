// schema.sql shows people the tables, so it must be what the migrations create.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { schemaFile, schemaSql } from '../../scripts/schema-sql.ts';
import { testDatabase } from '../../test/support/database/database.ts';
import { connect, sql } from './connect.ts';

test('schema.sql shows the schema of a freshly migrated database; "npm run docs:schema" writes it', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  assert.equal(readFileSync(schemaFile, 'utf8'), await schemaSql(database.url));
});

/** Unique without the account: found by a secret or before the account is known, and small enough to be on every server. */
const foundWithoutAccount = [
  'api_key_key_hash_key',
  'campaign_archive_key_key',
  'inbox_message_pkey',
  'invitation_token_hash_key',
  'list_by_form_key',
  'notice_source_token_hash_key',
  'session_by_id',
  'session_pkey',
];

test('unique keys begin with the account, so that accounts can be spread over several servers', async (t) => {
  const database = await testDatabase();
  const db = connect(database.url);
  t.after(async () => {
    await db.close();
    await database.close();
  });
  const keys = await db.rows<{ name: string }>(sql`
    select k.indexrelid::regclass::text as name
    from pg_index k
    join pg_attribute account on account.attrelid = k.indrelid and account.attname = 'account_id'
    where k.indisunique
      and k.indkey[0] <> account.attnum
      and k.indrelid in (select oid from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace)
    order by name`);
  assert.deepEqual(
    keys.map(({ name }) => name),
    foundWithoutAccount,
  );
});
