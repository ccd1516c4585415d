// Tests reading again after changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { limitedRate } from './limited-rate.ts';

test('changes share one reading, and the next waits for its answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let begun = 0;
  let answer = () => {};
  const reading = limitedRate(() => {
    begun++;
    return new Promise<void>((resolve) => {
      answer = resolve;
    });
  }, 2_000);
  reading.changed();
  reading.changed();
  assert.equal(begun, 0);
  t.mock.timers.tick(2_000);
  assert.equal(begun, 1);
  reading.changed();
  t.mock.timers.tick(10_000);
  assert.equal(begun, 1, 'the first has no answer yet');
  answer();
  await turn();
  t.mock.timers.tick(2_000);
  assert.equal(begun, 2, 'what changed while it was read is read');
  answer();
  await turn();
  t.mock.timers.tick(10_000);
  assert.equal(begun, 2, 'nothing has changed since');
});

test('nothing is read after the end, and a reading that fails does not end the others', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let begun = 0;
  const reading = limitedRate(async () => {
    begun++;
    throw new Error('no connection');
  }, 2_000);
  for (const expected of [1, 2]) {
    reading.changed();
    t.mock.timers.tick(2_000);
    await turn();
    assert.equal(begun, expected);
  }
  reading.changed();
  reading.stop();
  t.mock.timers.tick(10_000);
  assert.equal(begun, 2);
});
