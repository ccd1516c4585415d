// Migrating real databases: order, locks, what cannot run in a transaction, and databases of other versions.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { testDatabase } from '../../../test/support/database/database.ts';
import { connect } from '../connect.ts';
import { type Migration, noTransactionMarker, readMigrations } from '../migration-files.ts';
import { type MigrationLimits, migrate, needKnownSchema, SchemaMismatch } from './migrate.ts';

const impatient: Partial<MigrationLimits> = { waitMs: 100, concurrentWaitMs: 100, maxAttempts: 3, pauseMs: 1 };

const people: Migration = { name: '0001_people', text: 'create table person (id int, name text);' };
const byName = 'create index concurrently if not exists person_by_name on person (name);';
const concurrently = (...statements: string[]): Migration => ({
  name: '0002_index',
  text: [noTransactionMarker, ...statements].join('\n'),
});

/** An empty database and a connection to it. */
async function emptyDatabase(t: TestContext) {
  const database = await testDatabase('empty');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.close();
  });
  const run = (migrations: readonly Migration[], limits = impatient) => migrate(database.url, { migrations, limits });
  const applied = async () =>
    (await client.query('select name from migration order by name')).rows.map((row) => row.name);
  const indexes = async () =>
    (await client.query("select indisvalid from pg_index where indexrelid = to_regclass('person_by_name')")).rows.map(
      (row) => row.indisvalid as boolean,
    );
  return { url: database.url, client, run, applied, indexes };
}

test('each migration is applied once, in order', async (t) => {
  const { run, applied } = await emptyDatabase(t);
  const pets = { name: '0002_pets', text: 'alter table person add column pets int' };
  assert.deepEqual(await run([people]), ['0001_people']);
  assert.deepEqual(await run([people, pets]), ['0002_pets']);
  assert.deepEqual(await run([people, pets]), []);
  assert.deepEqual(await applied(), ['0001_people', '0002_pets']);
});

test('of two simultaneous migrations one waits and finds nothing left to do', async (t) => {
  const { run } = await emptyDatabase(t);
  const slow = { name: '0001_people', text: `${people.text} select pg_sleep(0.3);` };
  const both = await Promise.all([run([slow]), run([slow])]);
  assert.deepEqual(both.flat(), ['0001_people']);
});

test('a migration that fails changes nothing and is named; those before it stay', async (t) => {
  const { run, applied, client } = await emptyDatabase(t);
  const broken = { name: '0002_broken', text: 'create table pet (id int); select 1 / 0;' };
  await assert.rejects(run([people, broken]), /Migration 0002_broken failed: division by zero/);
  assert.deepEqual(await applied(), ['0001_people']);
  assert.equal((await client.query("select to_regclass('pet') as pet")).rows[0].pet, null);
});

test('a migration with a number below the last applied one is refused', async (t) => {
  const { run, applied } = await emptyDatabase(t);
  const third = { name: '0003_c', text: '' };
  await run([people, third]);
  await assert.rejects(run([people, { name: '0002_b', text: '' }, third]), /0002_b comes before 0003_c/);
  assert.deepEqual(await applied(), ['0001_people', '0003_c']);
});

test('a database of a newer version is refused', async (t) => {
  const { run, url } = await emptyDatabase(t);
  await migrate(url);
  await run([...readMigrations(), { name: '9999_future', text: '' }]);
  await assert.rejects(migrate(url), new SchemaMismatch(['9999_future']));
  const db = connect(url);
  t.after(() => db.close());
  await assert.rejects(needKnownSchema(db), /made by a newer Postrider \(it has 9999_future\)/);
});

test('a database of a development version is refused and not changed', async (t) => {
  const { run, url, client } = await emptyDatabase(t);
  await run([{ name: '0001_foundation', text: 'create table account (id int)' }]);
  await assert.rejects(migrate(url), /made by a development version before 0\.1\.0.*start with an empty database/);
  assert.deepEqual((await client.query('select name from migration')).rows, [{ name: '0001_foundation' }]);
});

test('a lock is waited for briefly and asked for again', async (t) => {
  const { run, applied, client } = await emptyDatabase(t);
  await run([people]);
  await client.query('begin');
  await client.query('lock table person in access share mode');
  const change = run([people, { name: '0002_b', text: 'alter table person add column b int' }], {
    waitMs: 50,
    maxAttempts: 100,
    pauseMs: 1,
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await client.query('commit');
  assert.deepEqual(await change, ['0002_b']);
  assert.deepEqual(await applied(), ['0001_people', '0002_b']);
});

test('a lock that cannot be had ends the migration with nothing changed', async (t) => {
  const { run, applied, client } = await emptyDatabase(t);
  await run([people]);
  await client.query('begin');
  await client.query('lock table person in access share mode');
  const change = { name: '0002_b', text: 'create table pet (id int); alter table person add column b int' };
  await assert.rejects(
    run([people, change]),
    /Migration 0002_b failed: another session keeps a table busy .*\(3 attempts of 0\.1 s\).*pg_stat_activity/,
  );
  await client.query('commit');
  assert.deepEqual(await applied(), ['0001_people']);
  assert.equal((await client.query("select to_regclass('pet') as pet")).rows[0].pet, null);
});

test('a marked migration builds an index concurrently', async (t) => {
  const { run, applied, indexes } = await emptyDatabase(t);
  await run([people, concurrently(byName, 'comment on table person is $$People; all$$;')]);
  assert.deepEqual(await indexes(), [true]);
  assert.deepEqual(await applied(), ['0001_people', '0002_index']);
});

test('without the marker such a migration fails with the reason', async (t) => {
  const { run } = await emptyDatabase(t);
  await assert.rejects(run([people, { name: '0002_index', text: byName }]), /cannot run inside a transaction block/);
});

test('a marked migration that fails midway is not recorded, and runs again from its first statement', async (t) => {
  const { run, applied, indexes } = await emptyDatabase(t);
  const next = 'create index concurrently if not exists person_by_id on person (id);';
  await assert.rejects(run([people, concurrently(byName, 'select 1 / 0;', next)]), /division by zero/);
  assert.deepEqual([await applied(), await indexes()], [['0001_people'], [true]]);
  assert.deepEqual(await run([people, concurrently(byName, next)]), ['0002_index']);
});

test('an invalid index left by an interrupted run is built again', async (t) => {
  const { run, client, indexes } = await emptyDatabase(t);
  await run([people]);
  await client.query('begin');
  await client.query("insert into person values (1, 'a')");
  const blocked = run([people, concurrently(byName)], { ...impatient, maxAttempts: 1 });
  await assert.rejects(blocked, /another session keeps a table busy/);
  assert.deepEqual(await indexes(), [false], 'the interrupted run has left an invalid index');
  await client.query('commit');
  await run([people, concurrently(byName)]);
  assert.deepEqual(await indexes(), [true]);
});

test('a migration killed while it builds an index is completed by the next run', async (t) => {
  const { run, client, applied, indexes } = await emptyDatabase(t);
  await run([people]);
  await client.query('begin');
  await client.query("insert into person values (1, 'a')");
  const killed = assert.rejects(run([people, concurrently(byName)], { ...impatient, concurrentWaitMs: 60_000 }));
  while ((await indexes()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'postrider migrate' and datname = current_database()",
  );
  await killed;
  await client.query('commit');
  assert.deepEqual([await applied(), await indexes()], [['0001_people'], [false]]);
  await run([people, concurrently(byName)]);
  assert.deepEqual([await applied(), await indexes()], [['0001_people', '0002_index'], [true]]);
});
