// A pause while no server answers: recipients whose messages had not begun are queued again within seconds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { formatId } from '../../db/ids.ts';
import { assignedAtOnce } from '../../relays/smtp/line/line-connections.ts';

const connections = 4;
const maxBegun = connections * assignedAtOnce;

test('a pause leaves in flight only what the connections have begun, also while no server answers', async () => {
  const stage = await Stage.start({ sink: { trace: true }, relay: `tls=none&connections=${connections}` });
  try {
    const { engine, sink } = stage;
    const id = await stage.send(Array.from({ length: 400 }, (_, n) => `delay5000-dot.${n}@d${n % 40}.example`));
    const until = async (what: string, seconds: number, isReached: () => boolean | Promise<boolean>) => {
      const deadline = performance.now() + seconds * 1_000;
      while (!(await isReached())) {
        assert.ok(performance.now() < deadline, `${what}: ${await trying()}`);
        await sleep(20);
      }
    };
    const begun = () => sink.log.filter(({ event, step }) => event === 'step' && step === 'data').length;
    const trying = async () => (await engine.progress(id)).trying;
    await until('every connection waits for an answer', 15, () => begun() === connections);
    assert.ok((await trying()) > maxBegun, 'more are marked than have begun');
    await engine.app.call('campaignPause', { cid: formatId(id) });
    await until('those that had not begun are queued again', 3, async () => (await trying()) <= maxBegun);
    assert.equal((await engine.progress(id)).accepted, 0, 'no answer has come');
  } finally {
    await stage.stop();
  }
});
