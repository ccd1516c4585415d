// Replies and errors of the database that a group of recipients must survive: everybody comes to an end, nobody is left
// as being tried by nobody, and nobody keeps others from being taken over.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBy, people } from '../../../test/support/delivery/engine.ts';
import { Stage, whose } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import { LeaseWatch } from './lease-watch.ts';
import { recover } from './recover.ts';

const relay = 'tls=none&connections=8';

test('a reply that is cut in the midst of a character is written, and so are those of its group', async () => {
  const says = [`550 5.1.1 x${'😀'.repeat(600)}`];
  const stage = await Stage.start({ relay, sink: { says } });
  try {
    const id = await stage.send([...people(20), 'say0rcpt.a@emoji.example', 'say0dot.b@emoji.example']);
    const { all } = await stage.settled(id);
    assert.deepEqual(
      countBy(all, (one) => one.state),
      { accepted: 20, failed: 2 },
    );
    await stage.engine.untilStatus(id, 'sent');
  } finally {
    await stage.stop();
  }
});

/** Refuses, once, to write the outcome of whoever's address begins so. */
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
      when (old.state = 1 and new.state = 2 and starts_with(new.email, '${name}'))
      execute function refuse_${name}()`);
}

test('a deadlock over the outcomes of a group costs nobody anything, in the group and behind it', async () => {
  const stage = await Stage.start({ relay });
  try {
    await refuseOnce(stage, 'ok', '40P01');
    await refuseOnce(stage, 'delay', '40P01');
    const id = await stage.send([...people(15), 'delay2500-dot.slow@slow.example']);
    const { all, checked } = await stage.settled(id);
    assert.deepEqual(
      countBy(all, (one) => one.state),
      { accepted: 16 },
    );
    assert.equal(checked.copies, 0);
    await stage.engine.untilStatus(id, 'sent');
  } finally {
    await stage.stop();
  }
});

test('outcomes that cannot be written are read from the journal by whoever takes the chunk over', async () => {
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

test('a chunk that cannot be taken over keeps nobody from the others', async () => {
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
    const states = async (id: number) => countBy(await stage.engine.recipients(id), (one) => one.state);
    assert.deepEqual([await states(first), await states(second)], [{ trying: 2 }, { unclear: 2 }]);
  } finally {
    await stage.stop();
  }
});

test('after a crash only those are tried one by one that were under way', async () => {
  const stage = await Stage.start({ relay, workers: 0 });
  try {
    const id = await stage.send(Array.from({ length: 60 }, (_, n) => `delay150-dot.${n}@d${n}.example`));
    await stage.db.run(sql`
      with kept as (
        update chunk set crashes = 1, to_seq = 60 where campaign_id = ${id} and from_seq = 1
      )
      delete from chunk where campaign_id = ${id} and from_seq > 1`);
    // As a takeover leaves them.
    await stage.db.run(sql`
      update delivery d
      set chunk_no = (select no from chunk k where k.campaign_id = d.campaign_id)
      where campaign_id = ${id}
        and seq <= 4`);
    await stage.engine.addWorker();
    await stage.settled(id);
    // So that nobody is taken for the cause of a crash who was one of many under way.
    const [chunk] = await stage.db.rows<{ crashes: number }>(sql`select crashes from chunk where campaign_id = ${id}`);
    assert.deepEqual(chunk, { crashes: 0 });
    // How many were under way at once, as the sink saw it: from the end of the mail before to the end of this one.
    const ends = stage.sink.log.filter((one) => one.event === 'accepted').map((one) => one.atMs);
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
