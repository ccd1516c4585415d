// schema.sql shows people the tables, so it must be what the migrations create.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
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
  'archive_slug_key',
  'automation_webhook_token_hash_key',
  'campaign_archive_key_key',
  'inbox_message_pkey',
  'incoming_webhook_token_hash_key',
  'invitation_token_hash_key',
  'list_by_form_key',
  'notice_source_token_hash_key',
  'report_link_token_hash_key',
  'session_by_id',
  'session_pkey',
];

/** Tables whose rows are not found by their account, and why: small enough to be on every server, or not of one account. */
const notByAccount = {
  account: 'the account itself',
  account_move: 'stays when the account is gone',
  app_user: 'a person may be in several accounts',
  confirmation_asked: 'counts what all accounts ask of a mailbox',
  consent_chain: 'of the installation',
  heartbeat: 'of the installation',
  identity: 'belongs to a person, who may have several accounts',
  inbox_message: 'the built-in inbox does not know every account',
  installation: 'of the installation',
  migration: 'of the installation',
  moved_address: 'leads to an account that is no longer here',
  moved_hit: 'of an account that is about to be elsewhere',
  passkey: 'of a person',
  passkey_challenge: 'found before the person is known',
  provider_attempt: 'found by its state before the person is known',
  recovery_code: 'of a person',
  relay: 'of the installation',
  relay_hour: 'of the installation',
  relay_limit: 'of the installation',
  relay_refusal: 'of the installation',
  relay_test: 'of the installation',
  session: 'found by its token before the account is known',
  sign_in_link: 'found by its token before the person is known',
  sign_in_try: 'counts callers before they are known',
  signup_count: 'counts callers before they are known',
  signup_proof: 'is a digest that belongs to no account',
  worker: 'of the installation',
  worker_status: 'of the installation',
};

async function ownDatabase(t: TestContext) {
  const database = await testDatabase();
  const db = connect(database.url);
  t.after(async () => {
    await db.close();
    await database.close();
  });
  return db;
}

test('the key of every table begins with the account, except for those listed with a reason', async (t) => {
  const db = await ownDatabase(t);
  const tables = await db.rows<{ name: string }>(sql`
    select c.relname as name
    from pg_class c
    left join pg_attribute account on account.attrelid = c.oid and account.attname = 'account_id'
    where c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relnamespace = 'public'::regnamespace
      -- Its primary key; a table without one is found by an index.
      and not exists (
        select from pg_index k
        where k.indrelid = c.oid
          and k.indkey[0] = account.attnum
          and (k.indisprimary or not exists (select from pg_index p where p.indrelid = c.oid and p.indisprimary))
      )
    order by name`);
  assert.deepEqual(
    tables.map(({ name }) => name),
    Object.keys(notByAccount),
  );
});

test('foreign keys between tables of accounts have the account in them', async (t) => {
  const db = await ownDatabase(t);
  const keys = await db.rows<{ name: string }>(sql`
    select f.conrelid::regclass::text || '.' || f.conname as name
    from pg_constraint f
    join pg_attribute here on here.attrelid = f.conrelid and here.attname = 'account_id'
    join pg_attribute there on there.attrelid = f.confrelid and there.attname = 'account_id'
    where f.contype = 'f'
      and f.conrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace and not relispartition)
      and not exists (
        select from unnest(f.conkey, f.confkey) as pair(own, other)
        where pair.own = here.attnum and pair.other = there.attnum
      )
    order by name`);
  assert.deepEqual(keys, []);
});

test('unique keys begin with the account, so that an account can move to another installation', async (t) => {
  const db = await ownDatabase(t);
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

test('the accounts of an installation begin at a random number, so that one can move to another installation', async (t) => {
  const db = await ownDatabase(t);
  const [first] = await db.rows<{ no: number }>(sql`select last_value as no from account_seq`);
  // One in 45 million begins at 1.
  assert.ok(first!.no > 1 && first!.no < 46_000_000, String(first!.no));
});
