import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadPool } from './thread-pool.ts';

const code = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', (order) => {
  if (order === 'loop') for (;;);
  if (order === 'fail') return parentPort.postMessage({ error: new Error('it failed') });
  if (order === 'grow') for (const all = []; ; ) all.push(new Array(1e6).fill(order.length));
  parentPort.postMessage({ value: order * 2 });
});`;
const poolOf = (limits: object = {}) =>
  new ThreadPool(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    threads: 1,
    maxMs: 5_000,
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
  const pool = poolOf({ maxMs: 1_000 });
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 10);
  await assert.rejects(pool.run('loop'), { name: 'OverLimit', limit: 'time' });
  clearInterval(timer);
  assert.ok(ticks > 5, `${ticks} ticks`);
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
