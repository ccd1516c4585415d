// A worker that has lost the connection over which it is told of stops keeps the bound of a pause all the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';

const workers = 2;
const connections = 4;

test('a pause that workers cannot hear of lets out what is on the wire and nothing else, and they hear of the next one', async () => {
  const stage = await Stage.start({ workers, sink: { trace: true }, relay: `tls=none&connections=${connections}` });
  try {
    const { engine, sink } = stage;
    const id = await stage.send(Array.from({ length: 400 }, (_, n) => `delay150-dot.${n}@d${n % 40}.example`));
    const cid = formatId(id);
    const accepted = () => sink.log.filter(({ event }) => event === 'accepted').length;
    const untilAccepted = async (count: number) => {
      const deadline = performance.now() + 15_000;
      while (accepted() < count) {
        assert.ok(performance.now() < deadline, `${accepted()} of ${count} were accepted`);
        await sleep(10);
      }
    };
    const pausedAt = async () => {
      await engine.app.call('campaignPause', { cid });
      return Date.now();
    };
    const outAfter = (atMs: number) =>
      sink.log.filter(({ event, atMs: at }) => event === 'accepted' && at > atMs).length;

    await untilAccepted(10);
    const lost = await stage.db.rows(sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where application_name = 'postrider listen'
        and datname = current_database()`);
    assert.equal(lost.length, workers);
    const deafAt = await pausedAt();
    await sleep(800);
    assert.ok(outAfter(deafAt) <= workers * connections, `${outAfter(deafAt)} were sent after the pause`);

    await engine.app.call('campaignResume', { cid });
    await untilAccepted(accepted() + 30);
    const heardAt = await pausedAt();
    await sleep(800);
    assert.ok(outAfter(heardAt) <= workers * connections, `${outAfter(heardAt)} were sent after the second pause`);
    const { queued } = await engine.progress(id);
    assert.ok(queued > 100, `${queued} are left, so the pauses ended something`);
  } finally {
    await stage.stop();
  }
});
