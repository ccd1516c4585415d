// A job that ends while the database is away: its end is reported later, and the process continues.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseProxy } from '../../test/support/database/proxy.ts';
import { appOn, type TestApp, testApp } from '../../test/support/installation/app.ts';
import type { App } from '../base/context.ts';
import { sql } from '../db/connect.ts';
import { enqueue, runJobs } from './queue.ts';
import { queuePool } from './queue-pool.ts';

let t: TestApp;
let proxy: DatabaseProxy;
let worker: App;
before(async () => {
  t = await testApp();
  proxy = await DatabaseProxy.start(t.app.db.url);
  worker = await appOn(proxy.url);
});
after(async () => {
  await worker.db.close();
  await proxy.close();
  await t.close();
});

const membership = { account_id: 1, list_id: 1, contact_id: 1 };
const untilTrue = async (isTrue: () => boolean | Promise<boolean>) => {
  for (const deadline = Date.now() + 20_000; !(await isTrue()); ) {
    assert.ok(Date.now() < deadline, 'it took too long');
    await sleep(20);
  }
};
const jobs = () =>
  t.app.db.rows<{ task: string; locked: boolean; error: string | null }>(sql`
    select k.identifier as task, j.locked_at is not null as locked, j.last_error as error
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier in ('sendWelcome', 'sendGoodbye')`);

test('jobs that fail or succeed while the database is away end once it is back', async () => {
  await enqueue(t.app.db, 'sendWelcome', membership);
  await enqueue(t.app.db, 'sendGoodbye', membership);
  let running = 0;
  const { promise: isDown, resolve: goDown } = Promise.withResolvers<void>();
  const runner = await runJobs(
    worker,
    {
      async sendWelcome() {
        running += 1;
        await isDown;
        await worker.db.row(sql`select 1`);
      },
      async sendGoodbye() {
        running += 1;
        await isDown;
      },
    },
    2,
  );
  await untilTrue(() => running === 2);
  proxy.goDown();
  goDown();
  await untilTrue(() => proxy.counts.refused > 3);
  proxy.gone = false;
  await untilTrue(async () => (await jobs()).every(({ locked }) => !locked));
  const left = await jobs();
  assert.deepEqual(
    left.map(({ task }) => task),
    ['sendWelcome'],
  );
  assert.match(left[0]!.error!, /onnect/);
  await runner.stop();
});

test('a job whose error has characters that PostgreSQL cannot store fails like any other', async () => {
  await t.app.db.run(sql`delete from graphile_worker._private_jobs`);
  await enqueue(t.app.db, 'sendWelcome', membership);
  const runner = await runJobs(
    t.app,
    {
      async sendWelcome() {
        throw new Error('not a page: \0\ud800');
      },
    },
    1,
  );
  await untilTrue(async () => (await jobs()).every(({ locked, error }) => !locked && error !== null));
  assert.deepEqual(
    (await jobs()).map(({ error }) => error),
    ['not a page: \ufffd\ufffd'],
  );
  await runner.stop();
});

test('what is left to report when the worker has stopped is given up, without an error that no one handles', async () => {
  const { pool, retire } = queuePool(t.app.db.pool);
  const client = await pool.connect();
  retire();
  const calls = Promise.race([pool.connect(), client.query('select 1')]);
  assert.equal(await Promise.race([calls, sleep(100, 'pending')]), 'pending');
  // The library would release it after the answer; the pool could not be closed. Others may still be on their way back.
  await untilTrue(() => t.app.db.pool.totalCount === t.app.db.pool.idleCount);
});
