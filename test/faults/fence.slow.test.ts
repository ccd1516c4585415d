// A worker that is stopped for longer than its lease and then continues (fault F53): two real worker processes, one of
// them stopped by SIGSTOP at a step of the conversation that the sink holds. The other takes over its messages, and the
// stopped one sends no further dot when it continues.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { leaseSeconds } from '../../src/delivery/sending/lease.ts';
import { checkInvariants, watchMoves } from '../support/database/invariants.ts';
import { Crew } from '../support/delivery/crew.ts';
import { Engine, people } from '../support/delivery/engine.ts';
import { whose } from '../support/delivery/stage.ts';
import { type Program, startProgram } from '../support/installation/program.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

let engine: Engine;
let sink: Sink;
let dataDir: string;
const workers: Program[] = [];

before(async () => {
  sink = await startSink({ trace: true });
  dataDir = mkdtempSync(join(tmpdir(), 'fence-'));
  const SMTP_URL = `smtp://127.0.0.1:${sink.port}?tls=none&connections=2`;
  engine = await Engine.start({ SMTP_URL }, 0);
  await watchMoves(engine.app.app.db);
  const DATABASE_URL = engine.app.app.db.url;
  for (let n = 0; n < 2; n++) workers.push(startProgram(['work'], { DATABASE_URL, DATA_DIR: dataDir, SMTP_URL }));
  await Promise.all(workers.map((worker) => worker.ready));
});
after(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map((worker) => worker.ended));
  await engine.stop();
  await sink.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Whose lease the recipient is being tried under. */
async function holderOf(id: number, beginning: string): Promise<Program> {
  const row = await engine.app.app.db.row<{ pid: number }>(sql`
    select w.pid
    from delivery d
    join chunk k on k.account_id = d.account_id and k.campaign_id = d.campaign_id
    join worker w on w.id = k.worker_id
    where d.campaign_id = ${id}
      and ((d.state = 1 and k.no = d.chunk_no) or (d.state = 0 and k.marked @> d.seq))
      and starts_with(d.email, ${beginning})`);
  const holder = workers.find((worker) => worker.pid === row?.pid);
  assert.ok(holder, 'one of the two holds it');
  return holder;
}

/** Seven megabytes as sent, which no buffer on the way takes as a whole: the worker sleeps during the body. */
const longHtml = `<p>${'ééééééééé '.repeat(60_000)}</p><p><a href="*|UNSUB|*">Leave</a></p>`;

for (const step of ['mail', 'rcpt', 'data', 'half', 'dot'] as const)
  test(`F53 stopped at ${step} past its lease: ${step === 'dot' ? 'one marked copy, since the dot was sent' : 'sent once by the other worker, no dot by this one'}`, async () => {
    const name = `target-${step}`;
    const emails = [...people(step === 'half' ? 4 : 60, `${step}.example`), `${name}@${step}.example`];
    const hold = sink.hold({ step, to: name });
    const id = await engine.send(emails, step === 'half' ? longHtml : undefined);
    const { connection } = await hold.reached;
    // What was answered before is read and in the journal by then.
    await sleep(1_000);
    const stopped = await holderOf(id, name);
    stopped.kill('SIGSTOP');
    const stoppedAt = performance.now();
    await engine.until(id, (all) => whose(all, name).state === 'accepted', 90);
    const tookMs = performance.now() - stoppedAt;
    // Renewed just before at the best: a quarter of the lease is the least that was left.
    assert.ok(tookMs > leaseSeconds * 500, `taken over after ${tookMs} ms, while it might still have gone on`);
    const contAt = Date.now();
    hold.release();
    stopped.kill('SIGCONT');
    await sleep(3_000);
    const late = sink.log.filter(
      (entry) => entry.connection === connection && entry.atMs >= contAt && entry.event === 'accepted',
    );
    assert.deepEqual(late, [], 'no mail was ended after the fence');
    // The domain was slow, so some of its recipients may have been deferred.
    const all = await engine.until(id, (some) => some.every((recipient) => recipient.state === 'accepted'), 90);
    const checked = await checkInvariants(engine.app.app.db, sink.log, { campaign: id, audience: emails });
    assert.equal(checked.copies, step === 'dot' ? 1 : 0);
    assert.equal(whose(all, name).resent, step === 'dot' ? 1 : 0);
    await engine.untilStatus(id, 'sent', 30);
  });

test('F53 a worker whose lease another worker holds sends no message after its next renewal', async () => {
  const name = 'target-lost';
  const emails = [`${name}@lost.example`];
  const hold = sink.hold({ step: 'data', to: name });
  const id = await engine.send(emails);
  const { connection } = await hold.reached;
  await engine.app.app.db.run(sql`update chunk set lease = lease + 1 where campaign_id = ${id} and state = 'leased'`);
  await sleep(leaseSeconds * 250 + 1_500);
  hold.release();
  await sleep(2_000);
  const ended = sink.log.filter((entry) => entry.connection === connection && entry.to?.startsWith(name));
  assert.deepEqual(
    ended.filter((entry) => entry.event === 'accepted'),
    [],
  );
  // No worker renews that lease, so it is taken over as well.
  await engine.until(id, (recipients) => whose(recipients, name).state === 'accepted', 60);
  const checked = await checkInvariants(engine.app.app.db, sink.log, { campaign: id, audience: emails });
  assert.deepEqual([checked.taken, checked.copies], [1, 0]);
});

test('F53 the stopped workers continue afterwards, and shut down cleanly', async () => {
  const emails = people(400, 'afterwards.example');
  const id = await engine.send(emails);
  await engine.untilStatus(id, 'sent', 60);
  const checked = await checkInvariants(engine.app.app.db, sink.log, { campaign: id, audience: emails });
  assert.deepEqual([checked.taken, checked.copies], [400, 0]);
  assert.deepEqual(await Promise.all(workers.map((worker) => worker.stop())), [0, 0]);
});

test('F53 stopped between its last check of the lease and the journal: sent once by the other worker, no dot by this one', async () => {
  const crew = await Crew.start({ connections: 2 });
  try {
    const stopped = crew.worker('before-dotted 3', { CRASH_BY: 'stop' });
    await stopped.ready;
    const emails = people(30, 'between.example');
    const id = await crew.campaign(emails);
    while (!isStopped(stopped.pid)) await sleep(100);
    await crew.worker().ready;
    const before = await crew.ended(id, emails, { seconds: 90 });
    stopped.kill('SIGCONT');
    await sleep(3_000);
    const afterwards = await crew.ended(id, emails);
    assert.equal(afterwards.in('accepted').length, 30);
    // Of the mail before, whose dot was out, the reply may not have been read: then there is a copy of it, and marked.
    assert.deepEqual(
      [afterwards.copies, afterwards.resent],
      [before.resent, before.resent],
      'no mail was ended after the fence',
    );
    assert.ok(before.resent <= 1, `${before.resent} copies`);
  } finally {
    await crew.close();
  }
});

/** By proc(5): the state follows the name in parentheses. */
const isStopped = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.startsWith('T');
