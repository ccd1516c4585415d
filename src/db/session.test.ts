// A session survives a server that is silent, on a new connection and on an open one.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestDatabase, testDatabase } from '../../test/support/database/database.ts';
import { DatabaseProxy } from '../../test/support/database/proxy.ts';
import { connect, type Database, sql } from './connect.ts';
import { keepSession } from './session.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let db: Database;
before(async () => {
  database = await testDatabase('empty');
  proxy = await DatabaseProxy.start(database.url);
  db = connect(database.url, { maxConnections: 1 });
});
after(async () => {
  await db.close();
  await proxy.close();
  await database.close();
});

async function until(what: string, check: () => boolean): Promise<void> {
  for (const deadline = performance.now() + 15_000; !check(); await sleep(20))
    assert.ok(performance.now() < deadline, what);
}

function session(t: TestContext) {
  const seen = { opened: 0, lost: 0, failed: 0, notified: [] as string[] };
  const kept = keepSession(proxy.url, {
    name: 'postrider test',
    pingMs: 100,
    // Time for a busy machine to connect; the silence is waited out twice.
    answerMs: 3_000,
    async onOpen(client) {
      await client.query('listen news');
      seen.opened += 1;
    },
    onNotification: (_, payload) => seen.notified.push(payload),
    onLost: () => {
      seen.lost += 1;
    },
    onFailure: () => {
      seen.failed += 1;
    },
  });
  // A failed test would otherwise leave it reconnecting, and the process would not end.
  t.after(() => kept.stop());
  return { kept, seen };
}

test('a server that accepts a connection and never answers is tried again', async (t) => {
  proxy.frozen = true;
  const { kept, seen } = session(t);
  await kept.attempted;
  assert.deepEqual([seen.opened, seen.failed], [0, 1]);
  proxy.frozen = false;
  await until('it opens', () => seen.opened === 1);
  await db.run(sql`select pg_notify('news', 'first')`);
  await until('it is notified', () => seen.notified.includes('first'));
  assert.equal(seen.lost, 0);
  await kept.stop();
});

test('an open connection that goes silent is replaced, and so is one that is cut', async (t) => {
  const { kept, seen } = session(t);
  await until('it opens', () => seen.opened === 1);
  proxy.frozen = true;
  await until('the silence is noticed', () => seen.lost === 1);
  proxy.frozen = false;
  await until('it opens again', () => seen.opened === 2);
  proxy.cutAll();
  await until('it opens a third time', () => seen.opened === 3);
  await db.run(sql`select pg_notify('news', 'second')`);
  await until('it is notified', () => seen.notified.includes('second'));
  assert.equal(seen.lost, 2);
  await kept.stop();
  assert.equal(seen.lost, 2, 'a stop is no loss');
});
