// A worker that has lost its connection for stop notifications still keeps the promise of a pause.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseProxy } from '../../../test/support/database/proxy.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';

const workers = 2;
const connections = 4;

test('a pause during which notifications are lost sends only what is on the wire, and the next pause is notified again', async () => {
  const stage = await Stage.start({
    workers,
    sink: { trace: true },
    relay: `tls=none&connections=${workers * connections}`,
  });
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
    const unheardAt = await pausedAt();
    await sleep(800);
    assert.ok(outAfter(unheardAt) <= workers * connections, `${outAfter(unheardAt)} were sent after the pause`);

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

test('sending resumes when the server came back without answering the connections that were opened first', async () => {
  let proxy: DatabaseProxy | undefined;
  const stage = await Stage.start({
    relay: 'tls=none&connections=4',
    async through(target) {
      proxy = await DatabaseProxy.start(target);
      return proxy.url;
    },
  });
  try {
    const id = await stage.send(Array.from({ length: 300 }, (_, n) => `delay50-dot.${n}@d${n % 40}.example`));
    while (stage.sink.counts.accepted < 10) await sleep(10);
    proxy!.frozen = true;
    proxy!.cutAll();
    // The connections for notifications and for the lock of the worker, at least.
    const { connections } = proxy!.counts;
    while (proxy!.counts.connections < connections + 3) await sleep(10);
    proxy!.frozen = false;
    const { checked } = await stage.settled(id, 30);
    assert.deepEqual([checked.taken, checked.copies], [300, 0]);
  } finally {
    await stage.stop();
    await proxy!.close();
  }
});
