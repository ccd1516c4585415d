// Months of a real database: made ahead, moved out of the default partition, dropped while others write.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { movableClock } from '../../test/support/clock/database-clock.ts';
import { testDatabase } from '../../test/support/database/database.ts';
import { connect, type Database, sql } from './connect.ts';
import {
  alwaysBehind,
  dropPartitions,
  hasRows,
  makePartitions,
  partitionedTables,
  partitionsOf,
} from './partitions.ts';

const impatient = { waitMs: 50, maxAttempts: 2, pauseMs: 1 };
const day = 86_400;

async function database(t: TestContext) {
  const made = await testDatabase();
  const clock = await movableClock(made.url);
  const db = connect(clock.url);
  t.after(async () => {
    await db.close();
    await made.close();
  });
  return { db, clock };
}

/** The first of the month so many months from now, as YYYY-MM-DD, by the clock of this process. */
function month(ahead: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)).toISOString().slice(0, 10);
}
const nameOf = (table: string, first: string) => `${table}_${first.slice(0, 7).replace('-', '_')}`;

const of = (name: string) => ({ name, from: '', to: '' });

const hitAt = (db: Database, at: string, seq = 1) =>
  db.row<{ place: string }>(sql`
    insert into hit (account_id, campaign_id, seq, kind, at)
    values (1, 1, ${seq}, 'open', ${at})
    returning tableoid::regclass::text as place`);
const placesOf = async (db: Database) =>
  (await db.rows<{ place: string }>(sql`select tableoid::regclass::text as place from hit order by at`)).map(
    ({ place }) => place,
  );

test('a migrated database has this month and the next two of every table, a year of events, with the storage of the default partition', async (t) => {
  const { db } = await database(t);
  for (const table of Object.keys(partitionedTables) as (keyof typeof partitionedTables)[]) {
    const found = await partitionsOf(db, table);
    const behind = alwaysBehind[table] ?? 0;
    assert.deepEqual(
      found.map(({ name }) => name),
      Array.from({ length: behind + 3 }, (_, i) => nameOf(table, month(i - behind))),
    );
    const options = await db.rows(sql`
      select distinct reloptions::text as options
      from pg_inherits
      join pg_class on pg_class.oid = inhrelid
      where inhparent = ${table}::text::regclass`);
    assert.equal(options.length, 1);
    assert.match(JSON.stringify(options), /autovacuum/);
  }
  assert.deepEqual(await makePartitions(db), []);
});

test('when months pass, new ones are made, and rows that came before their month had a partition move into it', async (t) => {
  const { db, clock } = await database(t);
  const far = month(4);
  assert.equal((await hitAt(db, `${far} 12:00`))!.place, 'hit_default');
  await hitAt(db, `${month(-30)} 12:00`);
  await clock.set((Date.parse(month(2)) - Date.now()) / 1_000 + day);
  const made = await makePartitions(db);
  assert.deepEqual(
    made.filter((name) => name.startsWith('hit')),
    [3, 4].map((ahead) => nameOf('hit', month(ahead))),
  );
  assert.deepEqual(await placesOf(db), ['hit_default', nameOf('hit', far)]);
  assert.equal((await hitAt(db, `${far} 13:00`))!.place, nameOf('hit', far));
});

test('several processes that make the same months at once make each once', async (t) => {
  const { db, clock } = await database(t);
  await clock.set(200 * day);
  const made = await Promise.all([makePartitions(db), makePartitions(db), makePartitions(db)]);
  assert.equal(new Set(made.flat()).size, made.flat().length);
  const isBehind = (name: string) => Object.keys(alwaysBehind).some((table) => name.startsWith(table));
  const tables = Object.keys(partitionedTables).length - Object.keys(alwaysBehind).length;
  assert.equal(made.flat().filter((name) => !isBehind(name)).length, 3 * tables);
});

test('a month is dropped while rows of others are written, and one that is being read stays', async (t) => {
  const { db } = await database(t);
  const [old, present] = [nameOf('hit', month(1)), month(0)];
  for (let seq = 1; seq <= 50; seq++) await hitAt(db, `${month(1)} 12:00`, seq);
  let written = 0;
  let stop = false;
  const writers = [1, 2, 3].map(async () => {
    while (!stop) {
      await hitAt(db, `${present} 12:00`);
      written++;
    }
  });
  const reading = await db.pool.connect();
  await reading.query('begin');
  await reading.query('select count(*) from hit');
  assert.deepEqual(await dropPartitions(db, 'hit', [of(old)], undefined, impatient), []);
  await reading.query('commit');
  reading.release();
  assert.deepEqual(await dropPartitions(db, 'hit', [of(old)]), [old]);
  stop = true;
  await Promise.all(writers);
  const left = await db.row<{ count: number }>(sql`select count(*) from hit`);
  assert.equal(left!.count, written);
  assert.equal((await db.row<{ gone: boolean }>(sql`select to_regclass(${old}) is null as gone`))!.gone, true);
});

test('a month with rows is not dropped as empty, and a detached one of an interrupted run is removed', async (t) => {
  const { db } = await database(t);
  const [used, empty] = [nameOf('hit', month(0)), nameOf('hit', month(1))];
  await hitAt(db, `${month(0)} 12:00`);
  await db.run(sql`create table public.hit_2001_01 (like hit)`);
  assert.deepEqual(await dropPartitions(db, 'hit', [of(used), of(empty)], hasRows), [empty]);
  assert.deepEqual(await placesOf(db), [used]);
  const loose = await db.row<{ gone: boolean }>(sql`select to_regclass('hit_2001_01') is null as gone`);
  assert.equal(loose!.gone, true);
});
