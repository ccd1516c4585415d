// Which keys of advisory locks are in use, and how a lock of a table is waited for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LockBusy, lockClasses, locks, retryBlocked } from './locks.ts';

const blocked = (code = '55P03') => Object.assign(new Error('blocked'), { code });
const limits = { waitMs: 2_500, maxAttempts: 3, pauseMs: 20 };

test('the keys are those of all earlier versions, which may run at the same time', () => {
  assert.deepEqual(locks, { migration: 7_067_318, partitions: 7_067_319, restore: 7_067_321, demo: 7_067_322 });
  assert.deepEqual(lockClasses, {
    worker: 7_067_319,
    recovery: 7_067_320,
    assets: 7_311,
    testMessages: 7_312,
    fullDisk: 7_313,
    monthlyQuota: 7_314,
    moved: 7_315,
    mover: 7_316,
  });
});

for (const code of ['55P03', '40P01'])
  test(`work that fails with ${code} is repeated after pauses that grow, until it succeeds`, async () => {
    const times: number[] = [];
    const result = await retryBlocked(limits, async () => {
      times.push(performance.now());
      if (times.length < 3) throw blocked(code);
      return 'done';
    });
    assert.equal(result, 'done');
    // Timers may be a millisecond early.
    assert.ok(times[1]! - times[0]! >= 19);
    assert.ok(times[2]! - times[1]! >= 39);
  });

test('after the last attempt the error names what to do, and the cause', async () => {
  let attempts = 0;
  const cause = blocked();
  await assert.rejects(
    retryBlocked(limits, async () => {
      attempts += 1;
      throw cause;
    }),
    (error: Error) => {
      assert.ok(error instanceof LockBusy);
      assert.equal(
        error.message,
        'another session keeps a table busy that it changes (3 attempts of 2.5 s). ' +
          'End that session (see pg_stat_activity) or stop the workers, then start again.',
      );
      assert.equal(error.cause, cause);
      return true;
    },
  );
  assert.equal(attempts, 3);
});

test('other errors, and what is no error, are thrown at once', async () => {
  for (const thrown of [blocked('42P01'), new Error('no code'), null, 'text']) {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      throw thrown;
    };
    assert.equal(await retryBlocked(limits, work).catch((error) => error), thrown);
    assert.equal(attempts, 1);
  }
});
