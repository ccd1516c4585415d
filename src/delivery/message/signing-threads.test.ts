// How many threads sign, and that signatures wait in order for a place among them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolThreads, SigningQueue } from './signing-threads.ts';

test('one worker gets a thread for each core, several share the cores, and no pool is smaller than that of Node.js', () => {
  assert.equal(poolThreads(1, 32), 32);
  assert.equal(poolThreads(4, 32), 8);
  assert.equal(poolThreads(3, 32), 11);
  assert.equal(poolThreads(32, 32), 4);
  assert.equal(poolThreads(64, 2), 4);
  assert.equal(poolThreads(1, 1), 4);
});

test('no more than four signatures for each thread are in the pool; the others begin in order as those end', async () => {
  const queue = new SigningQueue(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 12 }, (_, i) =>
    queue.run(() => {
      begun.push(i);
      return new Promise<number>((resolve) => ends.push(() => resolve(i)));
    }),
  );
  await null;
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.equal(queue.waiting, 4);
  // The order in which signatures end does not matter.
  ends[5]!();
  assert.equal(await all[5], 5);
  ends[0]!();
  assert.equal(await all[0], 0);
  assert.deepEqual(begun.slice(8), [8, 9]);
  for (let i = 0; i < 12; i++) {
    ends[i]!();
    await all[i];
  }
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.equal(queue.waiting, 0);
});

test('a signature that fails makes room for the next one', async () => {
  const queue = new SigningQueue(1);
  const failing = Array.from({ length: 9 }, () => queue.run(() => Promise.reject(new Error('no signature'))));
  for (const result of await Promise.allSettled(failing)) assert.equal(result.status, 'rejected');
  assert.equal(await queue.run(async () => 'signed'), 'signed');
  assert.equal(queue.waiting, 0);
});

test('a queue lets signatures begin when the size of the pool is not set', async () => {
  const before = process.env['UV_THREADPOOL_SIZE'];
  delete process.env['UV_THREADPOOL_SIZE'];
  try {
    const queue = new SigningQueue();
    assert.equal(await queue.run(() => Promise.resolve(1)), 1);
    const held = Array.from({ length: 16 }, () => queue.run(() => new Promise(() => {})));
    assert.equal(held.length, 16);
    assert.equal(queue.waiting, 0);
  } finally {
    if (before !== undefined) process.env['UV_THREADPOOL_SIZE'] = before;
  }
});
