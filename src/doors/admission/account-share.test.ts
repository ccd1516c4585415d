import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

test('waiting calls of one account leave connections for another, and all are answered', async () => {
  const { db } = t.app;
  const other = await t.anotherAccount();
  const isLocked = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const holder = db.transaction(async (tx) => {
    await tx.run(sql`lock table list in access exclusive mode`);
    isLocked.resolve();
    await mayEnd.promise;
  });
  await isLocked.promise;
  const size = db.pool.options.max;
  const calls = Array.from({ length: size * 2 }, () => t.call<unknown[]>('lists'));
  const seconds = (count: number) => new Promise<string>((resolve) => setTimeout(resolve, count * 1_000, 'timed out'));
  assert.equal(await Promise.race([other.call<string>('ping'), seconds(3)]), "Everything's Ok!");
  const failed = assert.rejects(other.call('listUpdate', { id: 'a0000000', name: 'name', value: '' }));
  mayEnd.resolve();
  await holder;
  await failed;
  assert.deepEqual(await Promise.all(calls), Array(size * 2).fill([]));
  // A call that failed has given its place back.
  for (let i = 0; i < size; i++) await assert.rejects(t.call('listDelete', { id: 'a0000000' }));
  assert.deepEqual(await t.call('lists'), []);
});
