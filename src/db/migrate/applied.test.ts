// A database whose migrations had other contents is refused before anything is changed; one that fits is upgraded without a word.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, type TestContext, test } from 'node:test';
import pg from 'pg';
import { testDatabase } from '../../../test/support/database/database.ts';
import { appOn } from '../../../test/support/installation/app.ts';
import { sample, slowTest } from '../../../test/support/run/runs.ts';
import { makeBackup } from '../../backup/backup.ts';
import { backupBeforeMigration } from '../../backup/before-migration.ts';
import { readConfig } from '../../config.ts';
import { connect } from '../connect.ts';
import { hashOf, type Migration, readMigrations } from '../migration-files.ts';
import { makePartitionsAt } from '../partitions.ts';
import { migrate, needKnownSchema, planMigration, SchemaMismatch } from './migrate.ts';

/** The files of the last version that recorded no hashes. */
const withoutHashes = readMigrations().filter(({ name }) => name < '0012');

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** As a program without hashes does it. */
async function applyFiles(client: pg.Client, files: readonly Migration[]): Promise<void> {
  await client.query('create table migration (name text primary key, applied_at timestamptz not null default now())');
  for (const { name, text } of files) {
    await client.query(text);
    await client.query('insert into migration (name) values ($1)', [name]);
  }
}

/** A database made by `files`, and what is in it. */
async function oldDatabase(t: TestContext, files: readonly Migration[] = withoutHashes) {
  const database = await testDatabase('empty');
  const client = await connected(database.url);
  t.after(() => client.end().then(database.close));
  await applyFiles(client, files);
  const content = async () =>
    JSON.stringify([
      (await client.query('select * from migration order by name')).rows,
      (
        await client.query(
          "select relname, relnatts from pg_class where relnamespace = 'public'::regnamespace order by 1",
        )
      ).rows,
      (await client.query("select nspname from pg_namespace where nspname !~ '^pg_' order by 1")).rows,
    ]);
  return { url: database.url, client, content };
}

/** One that fits, made once; copies are cheap. */
const fitting = (async () => {
  const database = await testDatabase('empty');
  const client = await connected(database.url);
  await applyFiles(client, withoutHashes);
  await client.end();
  return {
    async copy(t: TestContext) {
      const copy = await testDatabase({ copyOf: database.url });
      const own = await connected(copy.url);
      t.after(() => own.end().then(copy.close));
      return { url: copy.url, client: own };
    },
    close: database.close,
  };
})();
after(async () => (await fitting).close());

test('a database from before the hashes that fits is upgraded, and has a hash for each file then', async (t) => {
  const { url, client } = await (await fitting).copy(t);
  await makePartitionsAt(url);
  // What an operator may have added.
  await client.query('create index mine on contact (created_at); create table report (id int)');
  const missing = readMigrations().filter(({ name }) => name >= '0012');
  assert.deepEqual(
    await migrate(url),
    missing.map(({ name }) => name),
  );
  const { rows } = await client.query('select name, hash from migration order by name');
  assert.deepEqual(
    rows,
    readMigrations().map((file) => ({ name: file.name, hash: hashOf(file) })),
  );
  assert.deepEqual(await migrate(url), []);
});

slowTest('so is one whose upgrade was interrupted after some files', async (t) => {
  const { url } = await oldDatabase(t, withoutHashes.slice(0, 8));
  assert.equal((await migrate(url))[0], withoutHashes[8]!.name);
});

const refused = (error: Error) => {
  assert.ok(error instanceof SchemaMismatch, String(error));
  assert.match(error.message, /^The database does not have the tables that its migrations make \(.+\)/);
  assert.match(error.message, /nothing was changed\.$/);
  return true;
};

const changes = [
  ['a column is missing', 'alter table campaign drop column best_hour'],
  ['a column has another type', 'alter table campaign_attachment alter column name type varchar(200)'],
  ['a column may be null', 'alter table contact alter column email drop not null'],
  ['a column has no default', 'alter table heartbeat alter column beat drop default'],
  ['a column is left over', 'alter table contact add column old_name text not null'],
  ['a table is missing', 'drop table campaign_attachment cascade'],
  ['a constraint is missing', 'alter table heartbeat drop constraint heartbeat_single_check'],
  ['a constraint is left over', 'alter table contact add constraint old check (length(email) < 100)'],
  ['a function differs', 'create or replace function database_timeline() returns int language sql as $$ select 1 $$'],
  ['a table is not partitioned', 'drop table delivery cascade; create table delivery (campaign_id int)'],
] as const;
for (const [what, change] of sample(changes, 4))
  test(`a database from before the hashes is refused when ${what}`, async (t) => {
    const { client } = await (await fitting).copy(t);
    await client.query(change);
    await assert.rejects(planMigration(client), refused);
  });

test('every process refuses such a database, and none changes anything', async (t) => {
  const files = withoutHashes.map((file) => ({
    ...file,
    text: file.text.replace('  content_type text not null,', ''),
  }));
  const { url, content } = await oldDatabase(t, files.slice(0, 4));
  const before = await content();
  await assert.rejects(migrate(url), refused);
  await assert.rejects(appOn(url), refused);
  await assert.rejects(backupBeforeMigration(readConfig({ DATABASE_URL: url }), url), refused);
  const backup = makeBackup(url, new PassThrough(), { passphrase: 'correct horse battery', sealKey: '', cost: 1 });
  await assert.rejects(backup, refused);
  assert.equal(await content(), before);
});

test('a file that was edited after it was applied is named, and nothing is changed', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  const files = readMigrations();
  const changed = files.map((file, i) => (i === 2 ? { ...file, text: `${file.text}\nselect 1;` } : file));
  const migrations = [...changed, { name: '9998_next', text: 'create table next_one (id int)' }];
  await assert.rejects(
    migrate(database.url, { migrations }),
    (error: Error) =>
      error instanceof SchemaMismatch && /\(0003_audience\).*nothing was changed\.$/.test(error.message),
  );
  // The database of that other version, seen by every process of this one.
  const db = connect(database.url);
  t.after(() => db.close());
  await db.pool.query("update migration set hash = repeat('0', 64) where name = '0003_audience'");
  await assert.rejects(needKnownSchema(db), /other contents of migrations than this Postrider has \(0003_audience\)/);
  await assert.rejects(appOn(database.url), SchemaMismatch);
  await assert.rejects(migrate(database.url), SchemaMismatch);
});

test('a process does not start on a database that was not migrated', async (t) => {
  const { url } = await (await fitting).copy(t);
  await assert.rejects(appOn(url), /lacks migrations of this Postrider \(0012_.*\)\. Run "postrider migrate"/);
});

test('line endings, a byte order mark and the end of a file do not count', () => {
  const file = { name: '0001_a', text: 'select 1;\nselect 2;\n' };
  for (const text of ['select 1;\r\nselect 2;\r\n', 'select 1;\nselect 2;', '\ufeffselect 1;\nselect 2;\n\n'])
    assert.equal(hashOf({ ...file, text }), hashOf(file), JSON.stringify(text));
  for (const text of ['select 1;\nselect 3;\n', 'select 1; select 2;\n'])
    assert.notEqual(hashOf({ ...file, text }), hashOf(file), JSON.stringify(text));
});
