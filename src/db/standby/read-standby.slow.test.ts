// Reads on a real standby: every method that may be read there answers as the primary does, callers find what they have changed, and
// nothing fails when the standby is paused, killed, silent, promoted or another server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { type Fixture, fillExample, makeAccount } from '../../../test/conformance/fixture.ts';
import { testDatabase } from '../../../test/support/database/database.ts';
import { DatabaseProxy } from '../../../test/support/database/proxy.ts';
import { ask, missingForReplicas, type Pair, ReplicatedCluster } from '../../../test/support/database/replicated.ts';
import { appOn } from '../../../test/support/installation/app.ts';
import { until } from '../../../test/support/run/until.ts';
import { createKey } from '../../accounts/keys/key.ts';
import { closeApp } from '../../app.ts';
import type { App } from '../../base/context.ts';
import { createLog } from '../../base/log.ts';
import { createMetrics } from '../../delivery/progress/metrics.ts';
import { checkStandby } from '../../doctor/standby.ts';
import { call } from '../../doors/call.ts';
import { methods } from '../../doors/registry.ts';
import { migrateQueue } from '../../jobs/queue-schema.ts';
import { createServer } from '../../web.ts';
import { type Database, sql } from '../connect.ts';
import { parseId } from '../ids.ts';
import { migrate } from '../migrate/migrate.ts';
import { makePartitionsAt } from '../partitions.ts';
import type { ReadOutcome, Standby } from './standby.ts';

const skip = missingForReplicas() ?? false;

let cluster: ReplicatedCluster;
let pair: Pair;
/** Between the program and the standby. */
let proxy: DatabaseProxy;
let web: App & { standby: Standby };
/** Another web process. */
let other: App & { standby: Standby };
/** Without a standby. */
let plain: App;
let own: Fixture;

before(async () => {
  if (skip) return;
  cluster = await ReplicatedCluster.create(async (url) => {
    await migrate(url);
    await migrateQueue(url, createLog('silent', 'test'));
    await makePartitionsAt(url);
  });
  pair = await cluster.pair();
  proxy = await DatabaseProxy.start(pair.replicaUrl);
  const reading = async () => (await appOn(pair.url, { READ_DATABASE_URL: proxy.url })) as App & { standby: Standby };
  [web, other, plain] = [await reading(), await reading(), await appOn(pair.url)];
  own = await makeAccount(web, 'pro', ['inline_img']);
  await used();
});
after(async () => {
  for (const app of [web, other, plain]) if (app) await closeApp(app);
  await proxy?.close();
  await pair?.close();
  await cluster?.close();
});

const used = () => until('both use the standby', async () => web.standby.isUsed && other.standby.isUsed);

/** Waits until the standby has replayed all that there is now. */
async function caughtUp(): Promise<void> {
  const [row] = (await ask(pair.url, 'select pg_current_wal_flush_lsn()::text as lsn')) as { lsn: string }[];
  await until('the standby has caught up', async () => {
    const text = `select pg_last_wal_replay_lsn() >= '${row!.lsn}'::pg_lsn as ok`;
    return ((await ask(pair.replicaUrl, text)) as { ok: boolean }[])[0]?.ok === true;
  });
}

const as = (app: App, name: string, params: Record<string, unknown> = {}) =>
  call(app, name, params, { kind: 'system', accountId: own.accountId }, 'json');

/** Which outcomes a piece of work added. */
async function outcomesOf(
  standby: Standby,
  work: () => Promise<unknown>,
): Promise<Partial<Record<ReadOutcome, number>>> {
  const before = { ...standby.outcomes };
  await work();
  const entries = Object.entries(standby.outcomes) as [ReadOutcome, number][];
  return Object.fromEntries(entries.map(([name, n]) => [name, n - before[name]]).filter(([, n]) => n !== 0));
}

/** What a standby does not have, or does for itself only. */
const onlyPrimary = /pg_locks|pg_stat_|advisory|database_timeline|nextval|temporary|\bset (local|session)\b|pg_notify/i;

/** Only the rehearsal of an automation begins now. */
const withoutNow = (method: string, answer: unknown) =>
  method === 'automationPreview' ? JSON.stringify(answer).replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'then') : answer;

test('every method that may be read elsewhere is answered by the standby, as the primary answers it', {
  skip,
}, async (t) => {
  const texts: string[] = [];
  web.standby.db.pool.on('acquire', (client: pg.PoolClient) => {
    const given = client as pg.PoolClient & { listened?: true };
    if (given.listened) return;
    given.listened = true;
    const query = client.query.bind(client) as (...all: unknown[]) => unknown;
    client.query = ((...all: [string | { text: string }]) => {
      texts.push(typeof all[0] === 'string' ? all[0] : all[0].text);
      return query(...all);
    }) as typeof client.query;
  });
  const read = methods.filter((one) => one.reads && !one.notes && !one.primary && !one.person && !one.operator);
  assert.ok(read.length > 120, String(read.length));
  for (const method of read)
    await t.test(method.name, async () => {
      const params = await fillExample(web, own, method.example.params);
      await caughtUp();
      texts.length = 0;
      let answer: unknown;
      const outcomes = await outcomesOf(web.standby, async () => {
        answer = await as(web, method.name, structuredClone(params));
      });
      assert.deepEqual(outcomes, { standby: 1 });
      const onPrimary = await as(plain, method.name, structuredClone(params));
      assert.deepEqual(withoutNow(method.name, answer), withoutNow(method.name, onPrimary));
      assert.deepEqual(
        texts.filter((text) => onlyPrimary.test(text)),
        [],
      );
    });
});

test('each caller finds its last change, in every web process, while the standby follows', { skip }, async () => {
  await used();
  let last = '';
  const outcomes = await outcomesOf(other.standby, async () => {
    for (let n = 0; n < 60; n++) {
      last = `Letter ${n}`;
      await as(web, 'listUpdate', { id: own.list, name: 'title', value: last });
      const { title } = (await as(other, 'listGet', { id: own.list })) as { title: string };
      assert.equal(title, last);
    }
  });
  assert.equal((outcomes.standby ?? 0) + (outcomes.behind ?? 0), 60, JSON.stringify(outcomes));
});

test('while the replay is paused, changes are found, and after a few seconds nothing asks it', { skip }, async () => {
  await caughtUp();
  await used();
  const stranger = await makeAccount(plain, 'pro');
  await caughtUp();
  await ask(pair.replicaUrl, 'select pg_wal_replay_pause()');
  try {
    await as(web, 'listUpdate', { id: own.list, name: 'title', value: 'Paused' });
    for (const app of [web, other])
      assert.deepEqual(
        await outcomesOf(app.standby, async () => {
          const { title } = (await as(app, 'listGet', { id: own.list })) as { title: string };
          assert.equal(title, 'Paused');
        }),
        { behind: 1 },
      );
    // Nothing of this account has changed: the standby has all of it.
    const theirs = () => call(web, 'lists', {}, { kind: 'system', accountId: stranger.accountId }, 'json');
    assert.deepEqual(await outcomesOf(web.standby, theirs), { standby: 1 });
    await until('it is too far behind', async () => !web.standby.isUsed);
    assert.equal(web.standby.why, 'its replay is paused');
    assert.deepEqual(await outcomesOf(web.standby, theirs), { unused: 1 });
  } finally {
    await ask(pair.replicaUrl, 'select pg_wal_replay_resume()');
  }
  await used();
  await caughtUp();
  assert.deepEqual(await outcomesOf(web.standby, () => as(web, 'listGet', { id: own.list })), { standby: 1 });
});

test('calls on the standby leave the primary alone', { skip }, async () => {
  await used();
  await caughtUp();
  const outcomes = await outcomesOf(web.standby, async () => {
    for (let n = 0; n < 100; n++) await as(web, 'listMembers', { id: own.list });
  });
  assert.deepEqual(outcomes, { standby: 100 });
});

/** A method that waits on the standby, until `end` is called. */
async function heldBack(db: Database) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const locking = db.transaction(async (tx) => {
    await tx.run(sql`lock table list in access exclusive mode`);
    await tx.run(sql`select pg_switch_wal()`).catch(() => {});
    held.resolve();
    await promise;
  });
  await held.promise;
  return async () => {
    resolve();
    await locking;
  };
}

const waiting = () =>
  until('a statement waits on the standby', async () => {
    const text = "select from pg_stat_activity where application_name = 'postrider reads' and wait_event_type = 'Lock'";
    return (await ask(pair.replicaUrl, text)).length > 0;
  });

test('the doctor says why a server is not used, and the metrics show who answered', { skip }, async () => {
  await used();
  await caughtUp();
  const look = async (url: string) => {
    const found = await checkStandby(plain.db, { ...plain.config, readDatabaseUrl: url }, 0.2);
    return found.map(({ state, text }) => `${state} ${text}`);
  };
  assert.deepEqual(await look(''), []);
  assert.deepEqual(await look(pair.replicaUrl), ['ok follows the primary']);
  assert.deepEqual(await look(pair.url), [
    'problem The server in READ_DATABASE_URL is no standby: it was promoted, or it is the primary.',
  ]);
  const shared = await testDatabase();
  assert.deepEqual(await look(shared.url), [
    'problem The server in READ_DATABASE_URL is no copy of the database in DATABASE_URL.',
  ]);
  await shared.close();
  const [gone] = await look('postgres://nobody@127.0.0.1:9/postgres');
  assert.match(
    gone!,
    /^problem The server in READ_DATABASE_URL cannot be asked: nothing is listening at 127\.0\.0\.1:9\.$/,
  );
  await ask(pair.replicaUrl, 'select pg_wal_replay_pause()');
  await as(web, 'listUpdate', { id: own.list, name: 'title', value: 'Looked at' });
  const [paused] = await look(pair.replicaUrl);
  assert.match(paused!, /^warning .* its replay is paused\.$/);
  await ask(pair.replicaUrl, 'select pg_wal_replay_resume()');
  const text = await createMetrics(web).text();
  assert.match(text, /^postrider_web_reads_total\{outcome="standby"\} [1-9]/m);
  assert.match(text, /^postrider_web_standby_used 1$/m);
  assert.match(text, /^postrider_web_standby_lag_seconds [0-9.]+$/m);
  assert.doesNotMatch(await createMetrics(plain).text(), /standby/);
});

test('a conflict with the replay repeats the call on the primary', { skip }, async () => {
  await used();
  await caughtUp();
  await ask(pair.replicaUrl, "alter system set max_standby_streaming_delay = '100ms'");
  await ask(pair.replicaUrl, 'select pg_reload_conf()');
  const reader = { accountId: own.accountId, writes: {} };
  const outcomes = await outcomesOf(web.standby, async () => {
    const reading = web.standby.read(reader, async (tx) => {
      await tx.rows(sql`select from list`);
      const end = await heldBack(plain.db);
      await end();
      await tx.rows(sql`select pg_sleep(30)`);
    });
    assert.equal(await reading, undefined);
  });
  assert.deepEqual(outcomes, { failed: 1 });
  await used();
});

test('a standby that falls silent in the middle of a call is given up, and the primary answers', { skip }, async () => {
  await used();
  await caughtUp();
  const end = await heldBack(plain.db);
  await caughtUp();
  const reading = as(web, 'lists');
  await waiting();
  proxy.frozen = true;
  await until('it is not used', async () => !web.standby.isUsed, 20_000);
  await end();
  assert.deepEqual(await reading, await as(plain, 'lists'));
  assert.deepEqual(await outcomesOf(web.standby, () => as(web, 'lists')), { unused: 1 });
  proxy.frozen = false;
  await used();
});

test('an export continues on the primary when the standby goes in its middle', { skip }, async (t) => {
  await plain.db.run(sql`
    with made as (
      insert into contact (account_id, email, email_key, domain)
      select ${own.accountId}::int, address, address, 'example.net'
      from generate_series(1, 4500) n, lateral (select format('reader%s@example.net', n) as address) a
      returning account_id, id
    )
    insert into subscription (account_id, list_id, contact_id, status, optin_at)
    select account_id, ${parseId(own.list)}::int, id, 'subscribed', now()
    from made`);
  await used();
  await caughtUp();
  const server = await createServer(web);
  t.after(() => server.close());
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const { key } = await createKey(web.db, own.accountId, { label: 'export', scope: 'full' });
  const lines = async () => {
    const response = await fetch(`${url}/export/${own.list}.csv`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(response.status, 200);
    return (await response.text()).trim().split('\r\n').length;
  };
  let count = 0;
  const whole = await outcomesOf(web.standby, async () => {
    count = await lines();
  });
  assert.equal(count, 4_502);
  assert.ok((whole.standby ?? 0) >= 4 && Object.keys(whole).length === 1, JSON.stringify(whole));
  // From the third statement on.
  const { read } = web.standby;
  let reads = 0;
  t.mock.method(web.standby, 'read', function (this: Standby, ...given: Parameters<typeof read>) {
    reads += 1;
    if (reads === 3) proxy.goDown();
    return read.apply(this, given) as ReturnType<typeof read>;
  });
  assert.equal(await lines(), 4_502);
  assert.ok(reads > 3);
  proxy.gone = false;
  await used();
});

test('a killed standby fails no call, and a promoted one or another server is not used', { skip }, async () => {
  const end = await heldBack(plain.db);
  await caughtUp();
  const reading = as(web, 'lists');
  await waiting();
  await pair.killReplica();
  await until('its loss is noticed', async () => !web.standby.isUsed && !other.standby.isUsed);
  await end();
  assert.deepEqual(await reading, await as(plain, 'lists'));
  proxy.leadTo(await pair.startReplica());
  await used();
  // Another system: the primary of another cluster.
  const foreign = await ReplicatedCluster.create(async (url) => {
    await migrate(url);
  });
  const second = await foreign.pair();
  try {
    proxy.goDown();
    proxy.leadTo(second.replicaUrl);
    proxy.gone = false;
    await until('it is recognised', async () => web.standby.why === 'it is no copy of the database in DATABASE_URL');
  } finally {
    await second.close();
    await foreign.close();
  }
  proxy.goDown();
  proxy.leadTo(pair.replicaUrl);
  proxy.gone = false;
  await used();
  await pair.promote();
  const outcomes = await outcomesOf(web.standby, async () => {
    assert.deepEqual(await as(web, 'lists'), await as(plain, 'lists'));
  });
  assert.equal(outcomes.standby, undefined, JSON.stringify(outcomes));
  await web.standby.check();
  assert.equal(web.standby.why, 'it is no standby: it was promoted, or it is the primary');
});
