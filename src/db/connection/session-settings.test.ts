// A database or a role may have settings that other programs need. Ours hold in every session of this program.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { testDatabase } from '../../../test/support/database/database.ts';
import { Engine, people } from '../../../test/support/delivery/engine.ts';
import { slowTest } from '../../../test/support/run/runs.ts';
import { startSink } from '../../../test/support/smtp-sink/sink.ts';
import { createLog } from '../../base/log.ts';
import { migrateQueue } from '../../jobs/queue-schema.ts';
import { connect, sql } from '../connect.ts';
import { migrate } from '../migrate/migrate.ts';
import { keepSession } from '../session.ts';

const foreign = {
  datestyle: 'German',
  intervalstyle: 'sql_standard',
  timezone: 'America/New_York',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  extra_float_digits: '-15',
  default_transaction_isolation: 'serializable',
  statement_timeout: '200ms',
};

async function asAdmin(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set statement_timeout = 0');
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function estrange(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  const settings = Object.entries(foreign).map(([key, value]) => `alter database ${name} set ${key} = '${value}'`);
  await asAdmin(url, ...settings);
  return url;
}

const value = sql`
  select timestamptz '2026-03-04 05:06:07.5Z' as at, interval '1 day 2 hours' as span, decode('00ff', 'hex') as bytes,
    0.1::float8 + 0.2 as sum, '2026-03-04'::text::date::text as day, '\\\\n' as text,
    current_setting('default_transaction_isolation') as isolation`;
const expected = {
  at: new Date('2026-03-04T05:06:07.500Z'),
  span: '2 hours 1 days',
  bytes: '00ff',
  sum: 0.1 + 0.2,
  day: '2026-03-04',
  text: '\\\\n',
  isolation: 'read committed',
};
const shown = (row: Record<string, unknown>) => ({
  ...row,
  span: (row['span'] as { toPostgres(): string }).toPostgres(),
  bytes: (row['bytes'] as Buffer).toString('hex'),
});

test('settings of the database do not change what a pool and a kept session read', async () => {
  const database = await testDatabase('empty');
  after(() => database.close());
  await estrange(database.url);
  const db = connect(database.url);
  after(() => db.close());
  assert.deepEqual(shown((await db.row(value))!), expected);
  const read = Promise.withResolvers<Record<string, unknown>>();
  const session = keepSession(database.url, {
    name: 'test',
    onOpen: async (client) => read.resolve((await client.query(value.text, value.values)).rows[0]),
    onFailure: read.reject,
  });
  assert.deepEqual(shown(await read.promise), expected);
  await session.stop();
});

slowTest('a database with foreign settings is migrated, and a campaign is sent from it', async () => {
  const empty = await testDatabase('empty');
  after(() => empty.close());
  await estrange(empty.url);
  await migrate(empty.url);
  await migrateQueue(empty.url, createLog('silent', 'test'));
  const sink = await startSink();
  const engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` }, 1, 1, estrange);
  try {
    const id = await engine.send(people(30));
    await engine.until(id, (every) => every.every(({ state }) => state === 'accepted'), 30);
    await engine.untilStatus(id, 'sent', 20);
    const campaigns = JSON.stringify(await engine.app.call('campaigns'));
    assert.match(campaigns, /"create_time":"20\d\d-\d\d-\d\d/);
  } finally {
    await engine.stop();
    await sink.close();
  }
});

for (const encoding of ['LATIN1', 'SQL_ASCII'])
  test(`an empty database in ${encoding} is refused in one sentence, and has no table`, async () => {
    const database = await testDatabase('empty');
    const name = `${new URL(database.url).pathname.slice(1)}_other`;
    await asAdmin(database.url, `create database ${name} encoding '${encoding}' template template0 locale 'C'`);
    const other = new URL(database.url);
    other.pathname = `/${name}`;
    await assert.rejects(
      migrate(other.href),
      new RegExp(
        `The database "${name}" has the encoding ${encoding}; Postrider needs UTF8: create it with .*template0`,
      ),
    );
    const db = connect(other.href);
    assert.deepEqual(await db.row(sql`select to_regclass('migration')::text as name`), { name: null });
    await db.close();
    await asAdmin(database.url, `drop database ${name} with (force)`);
    await database.close();
  });
