import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadPool } from './thread-pool.ts';
import { inTurnOf } from './turns.ts';

const code = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', (order) => {
  if (order === 'loop') for (;;);
  if (order === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (order === 'fail') return parentPort.postMessage({ error: new Error('it failed') });
  if (order === 'grow') for (const all = []; ; ) all.push(new Array(1e6).fill(order.length));
  parentPort.postMessage({ value: order * 2 });
});`;
const poolOf = (limits: object = {}) =>
  new ThreadPool(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    threads: 1,
    maxMs: 60_000,
    maxMemoryMb: 32,
    maxWaiting: 10,
    ...limits,
  });

test('work runs in the order of the calls, and one that fails does not hold up the next', async () => {
  const pool = poolOf();
  const results = await Promise.allSettled([pool.run(1), pool.run('fail'), pool.run(3)]);
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : (result.reason as Error).message)),
    [2, 'it failed', 6],
  );
});

test('work that exceeds the time ends, this thread goes on, and so does the pool', async () => {
  const pool = poolOf();
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 10);
  await assert.rejects(pool.run('loop', { maxMs: 600 }), { name: 'OverLimit', limit: 'time' });
  clearInterval(timer);
  assert.ok(ticks > 1, `${ticks} ticks`);
  assert.equal(await pool.run(4), 8);
});

test('work that exceeds the memory ends', async () => {
  await assert.rejects(poolOf().run('grow'), { name: 'OverLimit', limit: 'memory' });
});

test('beyond the length of the queue, work is refused', async () => {
  const pool = poolOf({ maxWaiting: 1 });
  const [running, waiting] = [pool.run(1), pool.run(2)];
  await assert.rejects(pool.run(3), { name: 'OverLimit', limit: 'queue' });
  assert.deepEqual(await Promise.all([running, waiting]), [2, 4]);
});

const orderOfEnds = async (pool: ThreadPool, works: [account: number, order: number][]) => {
  const ends: string[] = [];
  await Promise.all(
    works.map(([account, order]) =>
      inTurnOf(account, () => pool.run(order).then(() => ends.push(`${account}:${order}`))),
    ),
  );
  return ends;
};

test('accounts are served in turns, however much one of them waits for', async () => {
  const many = Array.from({ length: 6 }, (_, n) => [1, n] as [number, number]);
  const ends = await orderOfEnds(poolOf(), [...many, [2, 0], [3, 0], [2, 1]]);
  assert.deepEqual(ends, ['1:0', '1:1', '2:0', '3:0', '1:2', '2:1', '1:3', '1:4', '1:5']);
});

test('of several threads, one account leaves one to the others', async () => {
  const pool = poolOf({ threads: 2 });
  const held = inTurnOf(1, () =>
    ['wait', 'wait'].map((work) => assert.rejects(pool.run(work, { maxMs: 300 }), { limit: 'time' })),
  );
  assert.equal(await inTurnOf(2, () => pool.run(4)), 8);
  await Promise.all(held);
});

test('one account may not fill the queue', async () => {
  const pool = poolOf({ maxWaiting: 10, maxWaitingOfOne: 2 });
  const own = inTurnOf(1, () => [pool.run(1), pool.run(2), pool.run(3)]);
  await assert.rejects(
    inTurnOf(1, () => pool.run(4)),
    { limit: 'queue' },
  );
  assert.equal(await inTurnOf(2, () => pool.run(5)), 10);
  assert.deepEqual(await Promise.all(own), [2, 4, 6]);
});
