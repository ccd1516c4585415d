// A pooler that gives each transaction another server connection is refused by every command that needs the database.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { testDatabase } from '../../test/support/database/database.ts';
import { DatabaseProxy } from '../../test/support/database/proxy.ts';
import { TransactionPooler } from '../../test/support/database/transaction-pooler.ts';
import { startProgram } from '../../test/support/installation/program.ts';
import { migrate } from './migrate/migrate.ts';
import { PoolerRefused, refusePooler } from './pooler.ts';

const database = await testDatabase();
const pooler = await TransactionPooler.start(database.url);
const proxy = await DatabaseProxy.start(database.url);
after(async () => {
  await pooler.close();
  await proxy.close();
  await database.close();
});

/** Checks `url` as a program that starts does. */
async function check(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await refusePooler(client, url);
  } finally {
    await client.end();
  }
}

test('through a pooler of transactions, two clients share a session of the server', async () => {
  const clients = await Promise.all(
    [1, 2, 3].map(async () => {
      const client = new pg.Client({ connectionString: pooler.url });
      await client.connect();
      return client;
    }),
  );
  const [first, second, third] = clients as [pg.Client, pg.Client, pg.Client];
  await first.query("set application_name = 'mine'");
  await second.query('begin');
  const { rows } = await second.query('show application_name');
  assert.deepEqual(rows, [{ application_name: 'mine' }]);
  // Both server connections are in use: the third client waits for one.
  await first.query('begin');
  const waiting = third.query('select 1 as one');
  await first.query('rollback');
  assert.deepEqual((await waiting).rows, [{ one: 1 }]);
  await second.query('rollback');
  await Promise.all(clients.map((client) => client.end()));
});

test('a direct connection is accepted, also through a proxy that passes on whole connections', async () => {
  await check(database.url);
  await check(proxy.url);
});

test('a pooler of transactions is refused, whatever its number of server connections', async () => {
  await assert.rejects(check(pooler.url), PoolerRefused);
  await assert.rejects(migrate(pooler.url), /a connection pooler that gives each transaction another connection/);
  const single = await TransactionPooler.start(database.url, 1);
  await assert.rejects(check(single.url), PoolerRefused);
  await single.close();
});

for (const command of ['web', 'work', 'serve', 'migrate'])
  test(`"${command}" does not start behind a pooler of transactions, and reports why`, async () => {
    const program = startProgram([command], {
      DATABASE_URL: pooler.url,
      PORT: '18093',
      SMTP_URL: 'smtp://127.0.0.1:9',
    });
    assert.equal(await program.ended, 1);
    assert.match(program.output, /DATABASE_URL leads to a connection pooler .* pool_mode = session/);
  });
