// A campaign to two recipients does not wait for one to hundreds, whether of another account or of the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';

test('two recipients of another account, and two of the same, are sent to while hundreds wait for a slow relay', async () => {
  const stage = await Stage.start({ relay: 'tls=none&connections=4&rate=20/s' });
  try {
    const { app } = stage.engine;
    const other = { ...app, ...(await app.anotherAccount()) };
    const own = await listOf(app, people(2, 'own.example'));
    const others = await listOf(other, people(2, 'other.example'));
    const big = await stage.send(people(400, 'big.example'));
    while (stage.seen('ok.').length === 0) await sleep(20);
    const small = [await launchedTo(app, own), await launchedTo(other, others)];
    const startedAt = performance.now();
    for (const id of small) {
      const all = await stage.engine.until(id, (rows) => rows.every((row) => row.state === 'accepted'), 8);
      assert.equal(all.length, 2);
    }
    const ms = performance.now() - startedAt;
    assert.ok(ms < 5_000, `it took ${ms} ms`);
    const { queued } = await stage.engine.progress(big);
    assert.ok(queued > 200, `${queued} of the hundreds are left, so it was really busy`);
  } finally {
    await stage.stop();
  }
});
