// campaignResolve: what is unclear is held by accounts that say so, until somebody decides.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { countBy, Engine, people, type Recipient } from '../../test/support/engine.ts';
import { startSink } from '../../test/support/sink.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';

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
      message: /^email: "nobody@good.example" is no recipient/,
    });
    assert.deepEqual(await call({ action: 'drop', email: 'KEEP-DOT.0@odd.example' }), { resolved: 1 });
    assert.equal((await engine.status(id)).status, 'sending');
    const told = await engine.app.call<{ outcome: string; explanation: string }>('campaignExplain', {
      cid,
      email: 'keep-dot.0@odd.example',
    });
    assert.equal(told.outcome, 'failed');
    assert.match(told.explanation, /may have been sent/);

    const copy = () => sink.accepted().filter((entry) => entry.to === 'keep-dot.1@odd.example').length;
    assert.equal(copy(), 1);
    assert.deepEqual(await call({ action: 'resend' }), { resolved: 1 });
    const again = await engine.until(id, (every) => every.some((one) => one.resent === 1 && one.state === 'unclear'));
    assert.equal(again.find((one) => one.email === 'keep-dot.1@odd.example')?.attempts, 2);
    assert.equal(copy(), 2);
    const ids = sink.accepted().filter((entry) => entry.to === 'keep-dot.1@odd.example');
    assert.equal(new Set(ids.map((entry) => entry.messageId)).size, 1);

    assert.deepEqual(await call({ action: 'drop' }), { resolved: 1 });
    assert.deepEqual(await call({ action: 'drop' }), { resolved: 0 });
    const stats = await engine.app.call<{ generic_bounces: number }>('campaignStats', { cid });
    assert.equal(stats.generic_bounces, 0, 'nobody has refused them');
    await engine.untilStatus(id, 'sent');
    const sums = await engine.progress(id);
    assert.deepEqual([sums.accepted, sums.failed, sums.unclear], [20, 2, 0]);
  } finally {
    await engine.stop();
    await sink.close();
  }
});

test('two calls to send copies again cut one chunk, and those put off by pace are explained', async () => {
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
    const told = async (n: number) =>
      (await engine.app.call<{ explanation: string }>('campaignExplain', { cid, email: `ok.${n}@good.example` }))
        .explanation;
    assert.match(await told(3), /no more than a set number of mails a second/);
    assert.match(await told(4), /being spared/);
  } finally {
    await engine.stop();
    await sink.close();
  }
});

test('with the policy resend a server that keeps mails and says nothing gets a copy at once, then few, at the pace of retries', async () => {
  const sink = await startSink();
  const engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=4` });
  try {
    const id = await engine.send([...people(2), ...people(1, 'odd.example', 'keep-dot')]);
    const odd = (all: Recipient[]) => all.find((one) => one.email === 'keep-dot.0@odd.example')!;
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
