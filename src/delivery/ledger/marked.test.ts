// Recipients that are in flight by their chunk's row: who sees them, what settles them, and what keeps others from them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inFlightElsewhere, leaseOf, mark, report, statesOf } from '../../../test/support/delivery/in-flight.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import { LeaseWatch } from '../recovery/lease-watch.ts';
import { recover } from '../recovery/recover.ts';
import { type Entry, redo } from '../recovery/redo.ts';
import { endChunk, giveBack } from '../sending/lease.ts';
import { markGroup } from './mark-group.ts';

const accepted: Verdict = { kind: 'accepted', code: 250, text: 'OK' };
const deferred: Verdict = { kind: 'later', scope: 'recipient', bounce: 'temporary', code: 450, text: 'later' };
const refused: Verdict = { kind: 'failed', scope: 'recipient', bounce: 'hard', suppress: false, code: 550, text: 'no' };

let stage: Stage;
before(async () => {
  stage = await Stage.start({ workers: 0 });
});
after(() => stage.stop());

const markedIn = async (id: number) =>
  (await stage.db.row<{ marked: string }>(sql`select marked from chunk where campaign_id = ${id} and kind = 'first'`))!
    .marked;

async function tallyOf(id: number) {
  const { queued, trying, accepted, later, failed, unclear } = await stage.engine.progress(id);
  return [queued, trying, accepted, later, failed, unclear];
}

const entryOf = ({ chunk, marked }: Awaited<ReturnType<typeof inFlightElsewhere>>, nth: number): Entry => {
  const { seq, contact, attempts, resent } = marked[nth]!;
  const { account, campaign } = chunk;
  return {
    attempt: { account, campaign, seq, contact, attempts, resent },
    trace: { kind: 'outcome', verdict: accepted },
  };
};

/** Resolves with true when the promise is still pending after a while: something that waits for a lock. */
const isPending = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => false), sleep(300, true, { ref: false })]);

test('a group is marked in its chunk alone, and all who ask see it in flight', async () => {
  const { call } = stage.engine.app;
  const held = await inFlightElsewhere(stage, 2, 4);
  const { id } = held;
  const rows = await stage.db.rows(sql`
    select distinct state, attempts, chunk_no, first_at from delivery where campaign_id = ${id}`);
  assert.deepEqual(rows, [{ state: 0, attempts: 0, chunk_no: null, first_at: null }]);
  assert.equal(await markedIn(id), '{[1,3)}');
  assert.deepEqual(await tallyOf(id), [2, 2, 0, 0, 0, 0]);
  const cid = formatId(id);
  const listed = (filter: string) =>
    call<{ total: number; data: { email: string; state: string; attempts: number }[] }>('campaignRecipients', {
      cid,
      filter,
    });
  const emails = held.marked.map(({ email }) => email);
  const trying = await listed('trying');
  assert.deepEqual(
    [trying.total, trying.data.map(({ email, state, attempts }) => [email, state, attempts])],
    [2, emails.map((email) => [email, 'trying', 1])],
  );
  const queued = await listed('queued');
  assert.deepEqual([queued.total, queued.data.some(({ email }) => emails.includes(email))], [2, false]);
  assert.deepEqual(
    (await listed('all')).data.map(({ state }) => state),
    ['trying', 'trying', 'queued', 'queued'],
  );
  const explained = await call<{ outcome: string }>('campaignExplain', { cid, email: emails[0]! });
  assert.equal(explained.outcome, 'trying');
  const timeline = await call<{ what: string; detail: string }[]>('contactTimeline', { email: emails[0]! });
  assert.deepEqual(
    timeline.filter(({ what }) => what === 'mail').map(({ detail }) => detail),
    ['trying'],
  );
});

test('outcomes leave the range as they are written, and the rest of it is neither marked again nor ended', async () => {
  const held = await inFlightElsewhere(stage, 3, 4);
  const { id, chunk, worker, marked } = held;
  await report(stage, held, [marked[1]!], [accepted]);
  assert.equal(await markedIn(id), '{[1,2),[3,4)}');
  assert.deepEqual(await tallyOf(id), [1, 2, 1, 0, 0, 0]);
  const next = (await mark(stage, held, 10))!;
  assert.deepEqual([next.touched, next.marked.map(({ seq }) => seq)], [1, [4]]);
  assert.equal((await mark(stage, held, 10))!.touched, 0);
  assert.equal(await stage.db.transaction((tx) => endChunk(tx, chunk, worker)), false);
  await giveBack(stage.db, chunk, worker, 0);
  assert.equal(await markedIn(id), '{[1,2),[3,5)}', 'with recipients in flight the lease stays');
  await report(stage, held, [marked[0]!, marked[2]!, next.marked[0]!], [deferred, { kind: 'notSent' }, refused]);
  assert.deepEqual(await statesOf(stage, id), [
    ['later', 1, 0],
    ['accepted', 1, 0],
    ['queued', 0, 0],
    ['failed', 1, 0],
  ]);
  assert.deepEqual(await tallyOf(id), [1, 0, 1, 1, 1, 0]);
  assert.equal(await markedIn(id), '{}');
  await report(stage, held, marked, [accepted, refused, accepted]);
  assert.deepEqual(
    await tallyOf(id),
    [1, 0, 1, 1, 1, 0],
    'outcomes of recipients that are not in flight change nothing',
  );
  assert.deepEqual((await mark(stage, held, 10))!.again, true, 'it was in flight in this chunk before');
});

test('a recipient that another chunk has queued again stays with that one', async () => {
  const held = await inFlightElsewhere(stage, 1, 2);
  const { id, worker, chunk } = held;
  await held.report([deferred]);
  const retry = { worker, chunk: await leaseOf(stage, id, worker, sql`kind = 'retry'`) };
  const { marked } = (await mark(stage, retry, 10))!;
  assert.equal(marked.length, 1);
  await report(stage, retry, marked, [{ kind: 'notSent' }]);
  assert.deepEqual(
    (await mark(stage, held, 10))!.marked.map(({ seq }) => seq),
    [2],
    'one is left to the other chunk',
  );
  assert.deepEqual(
    (await mark(stage, retry, 10))!.marked.map(({ seq }) => seq),
    [1],
  );
  assert.deepEqual(await tallyOf(id), [0, 2, 0, 0, 0, 0]);
  await report(stage, held, (await inRow(id, 2))!, [accepted]);
  assert.equal(await stage.db.transaction((tx) => endChunk(tx, chunk, worker)), true, 'it does not wait for that one');
});

const inRow = (id: number, seq: number) =>
  stage.db.rows<Awaited<ReturnType<typeof inFlightElsewhere>>['marked'][number]>(sql`
    select seq, contact_id as contact, list_id as list, email, 1 as attempts, resent, now() as "firstAt"
    from delivery
    where campaign_id = ${id}
      and seq = ${seq}`);

test('a redo waits for a group that is being marked, and then takes its recipients from it', async () => {
  const { app } = stage.engine.app;
  const held = await inFlightElsewhere(stage, 1, 3);
  const { id, chunk, worker } = held;
  let redoing: ReturnType<typeof redo> | undefined;
  const group = await stage.db.transaction(async (tx) => {
    const marked = (await markGroup(tx, chunk, worker, 1, 3_600))!;
    redoing = redo(app, 7, [entryOf(held, 0), entryOf({ ...held, marked: marked.marked }, 0)]);
    assert.ok(await isPending(redoing), 'it waits for the chunk');
    return marked.marked;
  });
  assert.deepEqual(await redoing, { outcomes: 2, unclear: 0, lost: 0 });
  assert.deepEqual(await tallyOf(id), [1, 0, 2, 0, 0, 0]);
  assert.equal(await markedIn(id), '{}');
  await report(stage, held, [...held.marked, ...group], [refused, { kind: 'notSent' }]);
  assert.deepEqual(await statesOf(stage, id), [
    ['accepted', 1, 0],
    ['accepted', 1, 0],
    ['queued', 0, 0],
  ]);
  assert.deepEqual(await tallyOf(id), [1, 0, 2, 0, 0, 0]);
});

test('a group is marked only after a redo of its recipients has ended, and without them', async () => {
  const { app } = stage.engine.app;
  const held = await inFlightElsewhere(stage, 1, 2);
  const { id } = held;
  await held.report([{ kind: 'notSent' }]);
  // The redo has locked the chunk and waits for the recipient's row.
  const client = await stage.db.pool.connect();
  await client.query('begin');
  await client.query('select from delivery where campaign_id = $1 and seq = 1 for update', [id]);
  const redoing = redo(app, 7, [entryOf(held, 0)]);
  assert.ok(await isPending(redoing));
  const marking = mark(stage, held, 10);
  assert.ok(await isPending(marking), 'it waits for the redo');
  await client.query('commit');
  client.release();
  assert.deepEqual(await redoing, { outcomes: 1, unclear: 0, lost: 0 });
  assert.deepEqual(
    (await marking)!.marked.map(({ seq }) => seq),
    [2],
  );
  assert.deepEqual(await tallyOf(id), [0, 1, 1, 0, 0, 0]);
});

test('a takeover without a journal makes a marked range unclear, and the next lease marks none of it', async () => {
  const { app } = stage.engine.app;
  const held = await inFlightElsewhere(stage, 2, 3);
  const { id, worker } = held;
  await recover(app, app.log, { watch: new LeaseWatch(0), holds: (no) => no !== held.chunk.no });
  assert.deepEqual(await tallyOf(id), [1, 0, 0, 0, 0, 2]);
  const next = { worker, chunk: await held.lease() };
  assert.deepEqual(
    (await mark(stage, next, 10))!.marked.map(({ seq }) => seq),
    [3],
  );
  await report(stage, next, held.marked, [refused, refused]);
  assert.deepEqual(await tallyOf(id), [0, 1, 0, 0, 0, 2]);
});

test('while a range is marked its campaign can be neither stopped nor changed, and an erased recipient gets its outcome', async () => {
  const { call, account } = stage.engine.app;
  const held = await inFlightElsewhere(stage, 2);
  const cid = formatId(held.id);
  await call('campaignPause', { cid });
  await assert.rejects(call('campaignStop', { cid }), /flight|wire|sent/i);
  await stage.db.run(sql`
    update delivery
    set email = 'x@erased.invalid', domain = 'erased.invalid'
    where account_id = ${account.id} and campaign_id = ${held.id} and seq = 1`);
  await held.report([{ ...accepted, text: 'OK for someone@ok.example' }, { kind: 'notSent' }]);
  assert.deepEqual(await tallyOf(held.id), [1, 0, 1, 0, 0, 0]);
  const row = await stage.db.row(sql`select reply from delivery where campaign_id = ${held.id} and seq = 1`);
  assert.deepEqual(row, { reply: null });
});

test('a contact that has unsubscribed is skipped in its row, and the others are marked', async () => {
  const held = await inFlightElsewhere(stage, 1, 3);
  const { id } = held;
  await stage.db.run(sql`
    update subscription s set status = 'unsubscribed'
    from delivery d
    where d.campaign_id = ${id} and d.seq = 2 and s.list_id = d.list_id and s.contact_id = d.contact_id`);
  const group = (await mark(stage, held, 10))!;
  assert.deepEqual([group.touched, group.marked.map(({ seq }) => seq)], [2, [3]]);
  assert.equal(await markedIn(id), '{[1,2),[3,4)}');
  const { skipped, trying } = (await stage.engine.progress(id)) as Record<string, unknown>;
  assert.deepEqual([skipped, trying], [1, 2]);
});
