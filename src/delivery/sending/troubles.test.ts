// Replies and database errors that a group of recipients must survive: every recipient gets an outcome, none is left in
// state trying, and none prevents others from being taken over.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBy, people } from '../../../test/support/delivery/engine.ts';
import { Stage, whose } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import { LeaseWatch } from '../recovery/lease-watch.ts';
import { recover } from '../recovery/recover.ts';

const relay = 'tls=none&connections=8';

test('a reply that is cut inside a character is written, and so are the others of its group', async () => {
  const says = [`550 5.1.1 user unknown ${'😀'.repeat(600)}`];
  const stage = await Stage.start({ relay, sink: { says } });
  try {
    const id = await stage.send([...people(20), 'say0rcpt.a@emoji.example', 'say0dot.b@emoji.example']);
    await stage.engine.untilStatus(id, 'sent');
    // On a busy machine, a domain may have been spared for a while.
    const { all } = await stage.settled(id);
    assert.deepEqual(
      countBy(all, (recipient) => recipient.state),
      { accepted: 20, failed: 2 },
    );
  } finally {
    await stage.stop();
  }
});

/** Refuses, once, to write the outcome of a recipient whose address starts with `name`. */
async function refuseOnce(stage: Stage, name: string, state: string): Promise<void> {
  await stage.db.pool.query(`
    create sequence once_${name};
    create function refuse_${name}() returns trigger language plpgsql as $$
      begin
        if nextval('once_${name}') = 1 then
          raise exception 'on purpose' using errcode = '${state}';
        end if;
        return new;
      end $$;
    create trigger refuse_${name} before update on delivery
      for each row
      when (new.state = 2 and starts_with(new.email, '${name}'))
      execute function refuse_${name}()`);
}

test('a deadlock while outcomes are written costs no recipient anything, in the group and after it', async () => {
  const stage = await Stage.start({ relay });
  try {
    await refuseOnce(stage, 'ok', '40P01');
    await refuseOnce(stage, 'delay', '40P01');
    const id = await stage.send([...people(15), 'delay2500-dot.slow@slow.example']);
    const { all, checked } = await stage.settled(id);
    assert.deepEqual(
      countBy(all, (recipient) => recipient.state),
      { accepted: 16 },
    );
    assert.equal(checked.copies, 0);
    await stage.engine.untilStatus(id, 'sent');
  } finally {
    await stage.stop();
  }
});

test('outcomes that cannot be written are read from the journal by the worker that takes over', async () => {
  const stage = await Stage.start({ relay });
  try {
    await refuseOnce(stage, 'delay', 'P0001');
    const id = await stage.send([...people(15), 'delay2500-dot.slow@slow.example']);
    const { all, checked } = await stage.settled(id);
    assert.equal(whose(all, 'delay2500-dot').state, 'accepted');
    assert.equal(checked.copies, 0);
    await stage.engine.untilStatus(id, 'sent');
  } finally {
    await stage.stop();
  }
});

test('a chunk that cannot be taken over does not keep the others waiting', async () => {
  const stage = await Stage.start({ relay, workers: 0 });
  try {
    const { db } = stage;
    const [first, second] = [await stage.send(people(2, 'a.example')), await stage.send(people(2, 'b.example'))];
    await db.run(sql`insert into worker (host, boot_id, pid, journal) values ('elsewhere', 'another', 1, '')`);
    for (const id of [first, second]) {
      await db.run(sql`
        update chunk
        set state = 'leased', lease = 1, worker_id = (select max(id) from worker), leased_until = '-infinity'
        where campaign_id = ${id}`);
      await db.run(sql`
        update delivery d
        set state = 1, attempts = 1, chunk_no = (select no from chunk k where k.campaign_id = d.campaign_id), first_at = now()
        where campaign_id = ${id}`);
      await db.run(sql`update tally set queued = 0, trying = 2 where campaign_id = ${id}`);
    }
    await db.pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'on purpose'; end $$;
      create trigger refuse before update on delivery
        for each row when (old.campaign_id = ${first}) execute function refuse()`);
    const { app } = stage.engine.app;
    assert.equal(await recover(app, app.log, { watch: new LeaseWatch(15_000), holds: () => false }), 1);
    const states = async (id: number) => countBy(await stage.engine.recipients(id), (recipient) => recipient.state);
    assert.deepEqual([await states(first), await states(second)], [{ trying: 2 }, { unclear: 2 }]);
  } finally {
    await stage.stop();
  }
});

test('after a crash only the recipients that were in flight are attempted one by one', async () => {
  const stage = await Stage.start({ relay, workers: 0 });
  try {
    const id = await stage.send(Array.from({ length: 60 }, (_, n) => `delay150-dot.${n}@d${n}.example`));
    await stage.db.run(sql`
      with kept as (
        update chunk set crashes = 1, to_seq = 60 where campaign_id = ${id} and from_seq = 1
      )
      delete from chunk where campaign_id = ${id} and from_seq > 1`);
    // As after a takeover.
    await stage.db.run(sql`
      update delivery d
      set chunk_no = (select no from chunk k where k.campaign_id = d.campaign_id)
      where campaign_id = ${id}
        and seq <= 4`);
    await stage.engine.addWorker();
    await stage.settled(id);
    // So that a recipient that was one of many in flight does not count as the cause of a crash.
    const [chunk] = await stage.db.rows<{ crashes: number }>(sql`select crashes from chunk where campaign_id = ${id}`);
    assert.deepEqual(chunk, { crashes: 0 });
    // How many were in flight at once, as the sink saw it: from the end of one message to the end of the next.
    const ends = stage.sink.log.filter((entry) => entry.event === 'accepted').map((entry) => entry.atMs);
    const gaps = ends.slice(1).map((at, i) => at - ends[i]!);
    assert.ok(
      gaps.slice(0, 3).every((ms) => ms >= 140),
      `one by one at first: ${gaps.slice(0, 6)}`,
    );
    assert.ok(gaps.filter((ms) => ms < 100).length > 30, `together afterwards: ${gaps}`);
  } finally {
    await stage.stop();
  }
});
