// Relays that change while a campaign is being sent: real workers, real SMTP sinks, and every recipient compared at the end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { checkInvariants, watchMoves } from '../../../test/support/database/invariants.ts';
import { countBy, Engine, people } from '../../../test/support/delivery/engine.ts';
import { until } from '../../../test/support/run/until.ts';
import { type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { formatId } from '../../db/ids.ts';

const slow = (count: number, domains = 5) =>
  Array.from({ length: count }, (_, n) => `delay20-dot.${n}@d${n % domains}.example`);
const settings = { OUTBOUND_ALLOW: '127.0.0.1/32', INBOX_PORT: '9' };
const relay = (sink: Sink, more: Record<string, unknown> = {}) => ({
  host: '127.0.0.1',
  port: sink.port,
  tls: 'none',
  connections: 3,
  ...more,
});
const accepted = (sinks: readonly Sink[]) => sinks.reduce((sum, sink) => sum + sink.counts.accepted, 0);

test('F37 relays created, paused, changed, resumed and deleted in mid-campaign lose and double no recipient', async (t) => {
  const sinks = [await startSink(), await startSink(), await startSink()];
  const [first, second, third] = sinks as [Sink, Sink, Sink];
  const engine = await Engine.start(settings, 2);
  t.after(async () => {
    await engine.stop();
    for (const sink of sinks) await sink.close();
  });
  await watchMoves(engine.app.app.db);
  const call = engine.app.call;
  const after = (count: number) => until(`${count} messages`, () => accepted(sinks) >= count);
  const growsTo = (sink: Sink, more: number) => {
    const before = sink.counts.accepted;
    return until(`${more} messages at one relay`, () => sink.counts.accepted >= before + more);
  };

  const a = await call<string>('relayCreate', relay(first));
  const audience = slow(450);
  const id = await engine.send(audience);
  await after(20);
  const b = await call<string>('relayCreate', relay(second, { weight: 2 }));
  await growsTo(second, 20);
  await call('relayPause', { id: a });
  await quiet(first);
  await growsTo(second, 20);
  assert.equal(first.open, 0, 'the connections of a paused relay are closed');
  // Another server under the same id, and other limits of a relay that is in use.
  await call('relayUpdate', { id: b, port: third.port });
  await growsTo(third, 20);
  await quiet(second);
  await call('relayUpdate', { id: b, connections: 1, rate: 100 });
  await growsTo(third, 20);
  await call('relayResume', { id: a });
  await growsTo(first, 20);
  await call('relayDelete', { id: b });
  await quiet(third);
  await engine.untilStatus(id, 'sent');

  const all = await engine.recipients(id);
  assert.deepEqual(
    countBy(all, ({ state }) => state),
    { accepted: 450 },
  );
  assert.ok(all.every(({ attempts, resent }) => attempts === 1 && resent === 0));
  const log = sinks.flatMap((sink) => sink.log);
  assert.deepEqual(
    await checkInvariants(engine.app.app.db, log, { campaign: id, audience }).then(({ taken, copies }) => [
      taken,
      copies,
    ]),
    [450, 0],
  );
});

test('without any relay left, and while all are paused, everything waits and the reason is shown', async (t) => {
  const sinks = [await startSink(), await startSink()];
  const engine = await Engine.start(settings);
  t.after(async () => {
    await engine.stop();
    for (const sink of sinks) await sink.close();
  });
  const call = engine.app.call;
  const a = await call<string>('relayCreate', relay(sinks[0]!));
  const id = await engine.send(slow(200));
  await until('30 messages', () => accepted(sinks) >= 30);
  await call('relayPause', { id: a });
  await quiet(sinks[0]!);
  const why = async () => JSON.stringify((await call<{ attention: unknown[] }>('homeSummary')).attention);
  await until('the reason', async () => /no relay takes messages/.test(await why()));
  await call('relayDelete', { id: a });
  assert.match(await why(), /no relay takes messages/);
  const left = (await engine.progress(id)).queued;
  assert.ok(left > 0);
  await call('relayCreate', relay(sinks[1]!));
  await engine.untilStatus(id, 'sent');
  assert.equal(accepted(sinks), 200);
  assert.equal((await engine.recipients(id)).filter(({ attempts }) => attempts !== 1).length, 0);
});

test('a limited relay takes the messages of its accounts and domains, and no others, also while it is paused', async (t) => {
  const sinks = [await startSink(), await startSink(), await startSink()];
  const [open, byAccount, byDomain] = sinks as [Sink, Sink, Sink];
  const engine = await Engine.start(settings);
  t.after(async () => {
    await engine.stop();
    for (const sink of sinks) await sink.close();
  });
  const { call } = engine.app;
  const other = await engine.app.anotherAccount('pro');
  await call('relayCreate', relay(open));
  await call('relayCreate', relay(byAccount, { accounts: [formatId(other.account.id)] }));
  const limited = await call<string>('relayCreate', relay(byDomain, { sender_domains: ['example.com'], paused: true }));
  // From of the first account is at example.com, whose relay is paused; that of the second is not.
  const waiting = await engine.send(people(40, 'first.example'));
  const list = await listOf(other, people(40, 'second.example'));
  await launchedTo({ ...other, app: engine.app.app }, list);
  await until('the messages of the second account', () => byAccount.counts.accepted === 40);
  assert.deepEqual([open.counts.accepted, byDomain.counts.accepted], [0, 0]);
  const { queued, status_reason } = await engine.progress(waiting);
  assert.equal(queued, 40);
  assert.match(status_reason, /reserved for this sender are paused/);
  await call('relayResume', { id: limited });
  await engine.untilStatus(waiting, 'sent');
  assert.deepEqual(
    sinks.map((sink) => sink.counts.accepted),
    [0, 40, 40],
  );
});

/** Resolves when a relay that gets no more messages has closed its connections. */
async function quiet(sink: Sink): Promise<void> {
  await until('the end of the connections', () => sink.open === 0);
}
