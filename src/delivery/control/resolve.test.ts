// campaignResolve: unclear recipients are held in accounts with the setting hold, until a call decides.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { countBy, Engine, people, type Recipient } from '../../../test/support/delivery/engine.ts';
import { Stage, whose } from '../../../test/support/delivery/stage.ts';
import { slowTest } from '../../../test/support/run/runs.ts';
import { startSink } from '../../../test/support/smtp-sink/sink.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { Chunk } from '../ledger/chunk.ts';
import { markGroup } from '../ledger/mark-group.ts';
import type { Result } from '../outcomes/outcome.ts';
import { writeOutcomes } from '../outcomes/write-outcomes.ts';
import { decideHeldRecipients } from './held-recipients.ts';

test('with the policy hold unclear recipients are kept, the campaign is not sent, and one call resends or drops them', async () => {
  const sink = await startSink();
  const engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=4` });
  try {
    const { app } = engine.app;
    await app.db.run(sql`update account set settings = settings || '{"unclear": "hold"}'`);
    const id = await engine.send([...people(20), ...people(2, 'odd.example', 'keep-dot')]);
    const cid = formatId(id);
    const all = await engine.settled(id);
    assert.deepEqual(
      countBy(all, (one) => one.state),
      { accepted: 20, unclear: 2 },
    );
    assert.equal((await engine.status(id)).status, 'sending');
    const call = (params: Record<string, unknown>) => engine.app.call<unknown>('campaignResolve', { cid, ...params });
    assert.deepEqual(await call({ action: 'drop', email: 'ok.1@good.example' }), { resolved: 0 });
    await assert.rejects(call({ action: 'drop', email: 'nobody@good.example' }), {
      fault: 'ADDRESS_UNKNOWN',
      message: /^email: "nobody@good.example" is not a recipient/,
    });
    assert.deepEqual(await call({ action: 'drop', email: 'KEEP-DOT.0@odd.example' }), { resolved: 1 });
    assert.equal((await engine.status(id)).status, 'sending');
    const shown = await engine.app.call<{ outcome: string; explanation: string }>('campaignExplain', {
      cid,
      email: 'keep-dot.0@odd.example',
    });
    assert.equal(shown.outcome, 'failed');
    assert.match(shown.explanation, /may have been sent/);

    const copy = () => sink.accepted().filter((entry) => entry.to === 'keep-dot.1@odd.example').length;
    assert.equal(copy(), 1);
    assert.deepEqual(await call({ action: 'resend' }), { resolved: 1 });
    const again = await engine.until(id, (every) =>
      every.some((item) => item.resent === 1 && item.state === 'unclear'),
    );
    assert.equal(again.find((item) => item.email === 'keep-dot.1@odd.example')?.attempts, 2);
    assert.equal(copy(), 2);
    const ids = sink.accepted().filter((entry) => entry.to === 'keep-dot.1@odd.example');
    assert.equal(new Set(ids.map((entry) => entry.messageId)).size, 1);

    assert.deepEqual(await call({ action: 'drop' }), { resolved: 1 });
    assert.deepEqual(await call({ action: 'drop' }), { resolved: 0 });
    const stats = await engine.app.call<{ generic_bounces: number }>('campaignStats', { cid });
    assert.equal(stats.generic_bounces, 0, 'no server has refused them');
    await engine.untilStatus(id, 'sent');
    const sums = await engine.progress(id);
    assert.deepEqual([sums.accepted, sums.failed, sums.unclear], [20, 2, 0]);
  } finally {
    await engine.stop();
    await sink.close();
  }
});

test('what is held says so, notifies the owner once after an hour, and ends without a decision', async () => {
  const sink = await startSink();
  const engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=4` });
  try {
    const { app } = engine.app;
    await engine.app.call('accountUpdate', { name: 'unclear', value: 'hold' });
    const id = await engine.send([...people(3), ...people(2, 'odd.example', 'keep-dot')]);
    const cid = formatId(id);
    await engine.settled(id);
    type Shown = { held: number; held_until: string; waits_for: string; status_reason: string; finish_at: string };
    const progress = () => engine.app.call<Shown>('campaignProgress', { cid });
    const attention = async () =>
      (
        await engine.app.call<{ attention: { kind: string; id: string; count: number }[] }>('homeSummary')
      ).attention.filter(({ kind }) => kind === 'held');
    const shown = await progress();
    assert.deepEqual([shown.held, shown.waits_for], [2, 'decision']);
    assert.match(shown.status_reason, /could not be confirmed: 2/);
    assert.deepEqual(
      (await attention()).map((item) => [item.id, item.count]),
      [[cid, 2]],
    );
    const notices = async () =>
      (
        await app.db.rows<{ subject: string }>(sql`
          select j.payload ->> 'subject' as subject
          from graphile_worker._private_jobs j
          join graphile_worker._private_tasks k on k.id = j.task_id
          where k.identifier = 'sendAccountNotice'`)
      ).filter(({ subject }) => /waits for your decision/.test(subject)).length;
    const pass = (hours: number) =>
      app.db.run(sql`update held_recipient set since = since - make_interval(hours => ${hours}::int)`);
    assert.equal(await decideHeldRecipients(app.db), 0);
    assert.equal(await notices(), 0);
    await pass(1);
    await Promise.all([decideHeldRecipients(app.db), decideHeldRecipients(app.db)]);
    await decideHeldRecipients(app.db);
    assert.equal(await notices(), 1);
    const explained = await engine.app.call<{ explanation: string }>('campaignExplain', {
      cid,
      email: 'keep-dot.0@odd.example',
    });
    assert.match(explained.explanation, /without a decision it counts as not delivered at/);
    // One gets a copy whose outcome is unclear too: its time begins again.
    await engine.app.call('campaignResolve', { cid, action: 'resend', email: 'keep-dot.1@odd.example' });
    await decideHeldRecipients(app.db);
    await engine.until(id, (every) => every.some((item) => item.resent === 1 && item.state === 'unclear'));
    await decideHeldRecipients(app.db);
    await pass(71);
    assert.equal(await decideHeldRecipients(app.db), 1);
    assert.equal((await engine.status(id)).status, 'sending');
    await pass(2);
    assert.equal(await decideHeldRecipients(app.db), 1);
    assert.equal((await engine.status(id)).status, 'sent');
    const sums = await engine.progress(id);
    assert.deepEqual([sums.accepted, sums.failed, sums.unclear], [3, 2, 0]);
    assert.deepEqual([(await progress()).held, await attention()], [0, []]);
    assert.equal(await notices(), 1);
    assert.deepEqual(await app.db.rows(sql`select from held_recipient`), []);
  } finally {
    await engine.stop();
    await sink.close();
  }
});

slowTest('two calls to resend cut one chunk, and copies deferred by pace are explained', async () => {
  const sink = await startSink();
  const engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=4` }, 0);
  try {
    const { app } = engine.app;
    const id = await engine.send(people(6));
    const cid = formatId(id);
    await app.db.run(sql`update delivery set state = 6 where email < 'ok.3'`);
    await app.db.run(
      sql`update delivery set state = 3, reason = 'rate', next_at = now() where email = 'ok.3@good.example'`,
    );
    await app.db.run(
      sql`update delivery set state = 3, reason = 'spared', next_at = now() where email = 'ok.4@good.example'`,
    );
    const results = await Promise.all(
      [1, 2, 3].map(() => engine.app.call<{ resolved: number }>('campaignResolve', { cid, action: 'resend' })),
    );
    assert.equal(
      results.reduce((all, one) => all + one.resolved, 0),
      3,
    );
    const shown = async (n: number) =>
      (await engine.app.call<{ explanation: string }>('campaignExplain', { cid, email: `ok.${n}@good.example` }))
        .explanation;
    assert.match(await shown(3), /rate limit of its domain/);
    assert.match(await shown(4), /is slow or has asked for fewer messages/);
  } finally {
    await engine.stop();
    await sink.close();
  }
});

test('with the policy resend a server that accepts messages without a reply gets a copy at once, then few, at the pace of retries', async () => {
  const sink = await startSink();
  const engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=4` });
  try {
    const id = await engine.send([...people(2), ...people(1, 'odd.example', 'keep-dot')]);
    const odd = (all: Recipient[]) => all.find((item) => item.email === 'keep-dot.0@odd.example')!;
    const again = await engine.until(id, (all) => odd(all).resent === 1 && odd(all).state === 'unclear');
    assert.ok(odd(again).nextAt!.getTime() - Date.now() > 5 * 60_000);
    await sleep(500);
    assert.equal(odd(await engine.recipients(id)).attempts, 2);
    for (const resent of [2, 3]) {
      await engine.hurry(id);
      await engine.until(id, (all) => odd(all).resent === resent && odd(all).state !== 'trying');
    }
    const end = odd(await engine.recipients(id));
    assert.deepEqual([end.state, end.reason, end.attempts], ['failed', 'unclear', 4]);
    await engine.untilStatus(id, 'sent');
    assert.equal(sink.accepted().filter((entry) => entry.to === 'keep-dot.0@odd.example').length, 4);
  } finally {
    await engine.stop();
    await sink.close();
  }
});

test('a message that may have been sent is never reported as not sent: unsubscribed, no relay for the copy, or stopped', async () => {
  const stage = await Stage.start();
  const { engine, db, sink } = stage;
  const call = <T>(method: string, id: number, more = {}) => engine.app.call<T>(method, { cid: formatId(id), ...more });
  const explained = (id: number, email: string) =>
    call<{ outcome: string; explanation: string }>('campaignExplain', id, { email });
  /** To one whose mail the sink takes and never answers to, and one it answers to. */
  const unclear = async (name: string) => {
    const id = await stage.send([`keep-dot.${name}@odd.example`, `ok.${name}@good.example`]);
    await engine.settled(id);
    return id;
  };
  try {
    await db.run(sql`update account set settings = settings || '{"unclear": "hold"}'`);
    const [left, stopped] = [await unclear('left'), await unclear('stopped')];
    await db.run(sql`
      update subscription
      set status = 'unsubscribed'
      where contact_id = (select contact_id from delivery where campaign_id = ${left} and email like 'keep-dot%')`);
    assert.deepEqual(await call('campaignResolve', left, { action: 'resend' }), { resolved: 1 });
    await engine.untilStatus(left, 'sent');
    const gone = whose(await engine.recipients(left), 'keep-dot');
    assert.deepEqual([gone.state, gone.reason, gone.attempts, gone.resent], ['failed', 'unclear', 1, 0]);
    assert.match((await explained(left, gone.email)).explanation, /^It may have been sent/);
    await stage.check(left);

    // A relay that takes no recipient: no copy is sent.
    sink.session = { connect: '421' };
    sink.hangUp();
    assert.deepEqual(await call('campaignResolve', stopped, { action: 'resend' }), { resolved: 1 });
    const tried = sql`
      select from chunk where campaign_id = ${stopped} and kind = 'resend' and lease > 0 and state = 'waiting'`;
    while ((await db.rows(tried)).length === 0) await sleep(20);
    await call('campaignPause', stopped);
    const held = whose(await engine.settled(stopped), 'keep-dot');
    assert.deepEqual([held.state, held.attempts, held.resent], ['unclear', 1, 0]);
    assert.equal((await engine.progress(stopped)).resent, 0);
    await stage.check(stopped);

    assert.equal(await untilStopped(() => call<number>('campaignStop', stopped)), 0);
    const ended = whose(await engine.recipients(stopped), 'keep-dot');
    assert.deepEqual([ended.state, ended.reason], ['failed', 'unclear']);
    assert.match((await explained(stopped, ended.email)).explanation, /^It may have been sent/);
    await assert.rejects(call('campaignResolve', stopped, { action: 'resend' }), {
      fault: 'CAMPAIGN_STATE_CONFLICT',
      message: /^The campaign has already been sent; copies are sent only/,
    });
    assert.deepEqual(await call('campaignResolve', stopped, { action: 'drop' }), { resolved: 0 });
    await stage.check(stopped);
  } finally {
    await stage.stop();
  }
});

slowTest('a copy that is deferred by pace stays unclear and is sent at its time', async () => {
  const stage = await Stage.start({ workers: 0 });
  const { engine, db } = stage;
  try {
    const id = await stage.send(people(3));
    await db.run(
      sql`update delivery set state = 6, attempts = 1, first_at = now() where campaign_id = ${id} and seq > 1`,
    );
    await db.run(sql`update tally set queued = 1, unclear = 2 where campaign_id = ${id} and recipients > 0`);
    const chunk = (await db.row<Chunk>(sql`
      insert into chunk (account_id, campaign_id, kind, seqs, due_at, state, worker_id, lease)
      values (${engine.app.account.id}, ${id}, 'resend', '{2,3}', now(), 'leased', 1, 1)
      returning account_id as account, campaign_id as campaign, (select month::text from campaign where id = campaign_id) as month,
        no, kind, from_seq as "fromSeq", to_seq as "toSeq", seqs,
        lease, crashes`))!;
    const mark = () => db.transaction((tx) => markGroup(tx, chunk, 1, 10, 3_600));
    const settle = (verdict: Result) =>
      db.transaction(async (tx) => {
        const { marked } = (await markGroup(tx, chunk, 1, 1, 3_600))!;
        await writeOutcomes(tx, chunk, 1, [{ marked: marked[0]!, verdict }]);
      });
    await settle({ kind: 'deferred', ms: 60_000, why: 'rate' });
    await settle({ kind: 'notSent' });
    const rows = await engine.recipients(id);
    assert.deepEqual(
      rows.slice(1).map((item) => [item.state, item.attempts, item.resent, item.nextAt !== null]),
      [
        ['unclear', 1, 0, true],
        ['unclear', 1, 0, false],
      ],
    );
    const cut = await db.rows<{ kind: string; seqs: number[] }>(
      sql`select kind, seqs from chunk where campaign_id = ${id} and state = 'waiting' and kind <> 'first'`,
    );
    assert.deepEqual(cut, [{ kind: 'resend', seqs: [2] }]);
    const { marked, again } = (await mark())!;
    const seqs = marked.map((item) => item.seq);
    assert.deepEqual(
      { seqs, again },
      { seqs: [3], again: true },
      'the same chunk retakes the recipient that was not sent to',
    );
  } finally {
    await stage.stop();
  }
});

/** Until nothing is on the wire any more. */
async function untilStopped<T>(stop: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await stop();
    } catch (error) {
      if (tries > 100 || (error as { fault?: string }).fault !== 'CAMPAIGN_STATE_CONFLICT') throw error;
      await sleep(50);
    }
  }
}
