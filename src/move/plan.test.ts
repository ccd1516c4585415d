// The plan of a move over the schema: no table with rows of accounts is forgotten, and what the plan names exists.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/database/database.ts';
import { connect, type Database, sql } from '../db/connect.ts';
import { columnsOfPeople, copiedAtTheSwitch, movedSequences, replicatedTables, staysBehind } from './plan.ts';

let database: TestDatabase;
let db: Database;
before(async () => {
  database = await testDatabase();
  db = connect(database.url);
});
after(async () => {
  await db.close();
  await database.close();
});

/** Tables that lead to rows of an account without a column account_id. */
const withoutAccount = {
  account: 'copied at the switch',
  app_user: 'a person may be in accounts of both installations: found there by the address',
  consent_chain: 'how far all records of an installation are linked',
  heartbeat: 'of the installation',
  identity: 'goes with a person who is new there',
  installation: 'of the installation',
  migration: 'of the installation',
  passkey: 'goes with a person who is new there',
  passkey_challenge: 'of a sign-in in progress',
  provider_attempt: 'of a sign-in in progress',
  recovery_code: 'goes with a person who is new there',
  relay: 'of the installation',
  relay_hour: 'of the installation',
  relay_limit: 'of the installation',
  relay_refusal: 'of the installation',
  relay_test: 'of the installation',
  sign_in_link: 'of a sign-in in progress',
  sign_in_try: 'counts callers',
  signup_count: 'counts callers',
  signup_proof: 'counts callers',
  worker: 'of the installation',
  worker_status: 'of the installation',
  account_move: 'the moves themselves',
  moved_address: 'of accounts that have moved',
  moved_hit: 'of accounts that are moving',
};

test('every table is replicated, copied at the switch, or stays for a reason', async () => {
  const tables = await db.rows<{ name: string }>(sql`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p')
      and not relispartition`);
  const replicated = (await replicatedTables(db)).map(({ name }) => name);
  const planned = [...replicated, ...copiedAtTheSwitch, ...Object.keys(staysBehind), ...Object.keys(withoutAccount)];
  assert.deepEqual(
    tables.map(({ name }) => name).filter((name) => !planned.includes(name)),
    [],
    'name it in src/move/plan.ts, or here if it has no rows of accounts',
  );
  assert.deepEqual(
    planned.filter((name) => !tables.some((table) => table.name === name)),
    [],
    'the plan names tables that do not exist',
  );
  assert.ok(replicated.length > 90, `${replicated.length} tables`);
});

test('updates and deletes of every replicated table say which account they are of', async () => {
  const unfollowed = (await replicatedTables(db)).filter(({ isFollowed }) => !isFollowed);
  assert.deepEqual(unfollowed, [], 'its primary key must contain account_id, or its replica identity be full');
});

test('every number of a person is found: in a table copied at the switch, or in a column of the plan', async () => {
  const columns = await db.rows<{ table: string; column: string }>(sql`
    select c.relname as table, a.attname as column
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and a.atttypid = 'int'::regtype
      and a.attname ~ '(^|_)user(_id)?$|^state_user$|_by$'
      and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'account_id')`);
  const known = columns.filter(
    ({ table, column }) =>
      (copiedAtTheSwitch as readonly string[]).includes(table) ||
      table in staysBehind ||
      columnsOfPeople.some(([of, named]) => of === table && named === column),
  );
  assert.deepEqual(known, columns);
  for (const [table, column] of columnsOfPeople)
    assert.ok(
      columns.some((found) => found.table === table && found.column === column),
      `${table}.${column}`,
    );
});

test('the sequences of the account go with it, and those that begin at random do not', async () => {
  const names = (await movedSequences(db)).map(({ name }) => name);
  assert.ok(names.includes('contact_seq') && names.includes('consent_id_seq') && names.includes('chunk_seq'));
  assert.ok(!names.includes('account_seq') && !names.includes('relay_seq'));
});
