// The pool against relays that take so many messages a second, or a day: the rate is learned, and a relay whose quota is used up
// rests. No message is charged for either.

import assert from 'node:assert/strict';
import dns from 'node:dns';
import test from 'node:test';
import { poolFor, relayFor, sendTo } from '../../../test/support/builders/limited-relay.ts';
import { relayTo } from '../../../test/support/builders/smtp.ts';
import { until } from '../../../test/support/run/until.ts';
import type { LimitedRelayOptions } from '../../../test/support/smtp-sink/limited-relay.ts';

const people = (count: number) => Array.from({ length: count }, (_, n) => `p${n}@d${n % 40}.example`);

/** Accepts so many messages in each second of its clock. */
const perSecond = (count: number, reply: string): LimitedRelayOptions => ({
  judge(step, _, { accepted }) {
    if (step !== 'mail' && step !== 'dot') return undefined;
    const second = Math.floor(performance.now() / 1_000);
    const taken = accepted.filter(({ atMs }) => Math.floor(atMs / 1_000) === second).length;
    return taken >= count ? { reply } : undefined;
  },
});

test('a relay that takes twenty messages a second gets sixty within seconds, each once, and its rate is learned', async (t) => {
  const relay = await relayFor(t, perSecond(20, '454 Throttling failure: Maximum sending rate exceeded.'));
  const pool = poolFor(t, [relayTo(relay.port, { connections: 5 })]);
  let notSent = 0;
  const deliver = async (to: string) => {
    // As the send loops do: what was not sent returns after a moment.
    for (;;) {
      const outcome = await sendTo(pool, to);
      if (outcome.kind !== 'notSent') return outcome;
      notSent += 1;
    }
  };
  const outcomes = await Promise.all(people(60).map(deliver));
  const codes = new Set(outcomes.map((outcome) => outcome.kind === 'reply' && outcome.code));
  assert.deepEqual([...codes], [250], 'no message bears the refusal');
  assert.deepEqual([...new Set(relay.copies.values())], [1]);
  const [known] = pool.knownLimits().values();
  assert.ok(known!.rate!.perSecond > 1 && known!.rate!.perSecond < 40, `${known!.rate!.perSecond} a second`);
  t.diagnostic(`refused ${relay.refused.length}, not sent ${notSent}, learned ${known!.rate!.perSecond.toFixed(1)}/s`);
});

test('a relay whose daily quota is used up rests, others take over, and the time that it names counts', async (t) => {
  const full = await relayFor(t, {
    judge: (step, _, { accepted }) =>
      step === 'mail' && accepted.length >= 10
        ? { reply: '454 4.7.0 Daily message quota exceeded. Try again in 3 hours.' }
        : undefined,
  });
  const other = await relayFor(t);
  const pool = poolFor(t, [relayTo(full.port), relayTo(other.port)]);
  const outcomes = await Promise.all(people(100).map((to) => sendTo(pool, to)));
  assert.ok(outcomes.every((outcome) => outcome.kind === 'reply' && outcome.code === 250));
  assert.equal(full.copies.size + other.copies.size, 100);
  const [status] = pool.relays();
  assert.ok(status!.restMs > 2.9 * 3_600_000 && status!.restMs <= 3 * 3_600_000, `${status!.restMs} ms`);
  assert.match(status!.reason, /Daily message quota/);
  const tried = full.refused.length;
  await Promise.all(people(50).map((to) => sendTo(pool, to)));
  assert.equal(full.refused.length, tried, 'it is not asked again');
});

test('while the only relay rests because of its quota, messages count as not attempted', async (t) => {
  const relay = await relayFor(t, {
    judge: (step) => (step === 'dot' ? { reply: '550 5.4.5 Daily user sending limit exceeded.' } : undefined),
  });
  let notified = 0;
  const pool = poolFor(t, [relayTo(relay.port)], { onLimit: () => (notified += 1) });
  const outcomes = await Promise.all(people(40).map((to) => sendTo(pool, to)));
  assert.ok(
    outcomes.every((outcome) => outcome.kind === 'notSent' || (outcome.kind === 'lost' && outcome.stage === 'connect')),
  );
  assert.equal(notified, 1);
  const [known] = pool.knownLimits().values();
  assert.equal(known!.rest!.why, 'quota');
  // An operator has raised the limit: another process cleared it.
  relay.options.judge = () => undefined;
  pool.adoptLimits([...pool.knownLimits().keys()][0]!, { rate: undefined, rest: undefined });
  const outcome = await sendTo(pool, 'ada@x.example');
  assert.ok(outcome.kind === 'reply' && outcome.code === 250);
});

test('the reply of a used-up quota, which other accounts may see, does not name its recipient', async (t) => {
  const relay = await relayFor(t, {
    judge: (step) =>
      step === 'dot' ? { reply: '550 5.4.5 ada@x.example: daily user sending limit exceeded.' } : undefined,
  });
  const pool = poolFor(t, [relayTo(relay.port)]);
  await sendTo(pool, 'ada@x.example');
  const [known] = pool.knownLimits().values();
  assert.equal(known!.rest!.reply, '550 5.4.5 …: daily user sending limit exceeded.');
  assert.doesNotMatch(JSON.stringify(pool.relays()), /ada@/);
});

test("what another process has learned is kept to, with this process's share of it", async (t) => {
  const relay = await relayFor(t);
  const pool = poolFor(t, [relayTo(relay.port, { connections: 4 })], { workers: () => ({ count: 2, place: 0 }) });
  const [id] = pool.knownLimits().keys();
  pool.adoptLimits(id!, { rate: { perSecond: 10, ceiling: 20 }, rest: undefined });
  assert.equal(pool.perSecond, 5);
  assert.equal(pool.knownLimits().get(id!)!.rate!.perSecond, 10);
});

test('a relay that accepts connections and says nothing is silent after a while, and works again when it answers', async (t) => {
  let isSilent = true;
  const relay = await relayFor(t, { judge: (step) => (isSilent && step === 'mail' ? { silent: true } : undefined) });
  // At this scale thirty seconds are 300 ms.
  const pool = poolFor(t, [relayTo(relay.port)], { timeScale: 0.01 });
  const outcomes = Promise.all(people(6).map((to) => sendTo(pool, to)));
  await until('it is shown as silent', () => pool.relays()[0]!.silent === true);
  for (const outcome of await outcomes)
    assert.ok(outcome.kind === 'lost' && outcome.stage === 'connect', 'the messages are not attempted');
  isSilent = false;
  await until('it works again', async () => {
    const outcome = await sendTo(pool, 'ada@x.example');
    return outcome.kind === 'reply' && outcome.code === 250;
  });
  const [status] = pool.relays();
  assert.deepEqual([status!.silent, status!.reason, status!.restMs], [undefined, '', 0]);
});

test('a relay whose name no name server answers for is not said to accept connections', async (t) => {
  const relay = await relayFor(t);
  const { lookup } = dns;
  const ask: (...given: unknown[]) => void = (host, ...rest) =>
    host === 'mute.example' ? undefined : (lookup as (...given: unknown[]) => void)(host, ...rest);
  dns.lookup = ask as typeof lookup;
  t.after(() => {
    dns.lookup = lookup;
  });
  const pool = poolFor(t, [relayTo(relay.port, { host: 'mute.example' })], { timeScale: 0.01 });
  const outcomes = await Promise.all(people(3).map((to) => sendTo(pool, to)));
  assert.ok(outcomes.every((outcome) => outcome.kind === 'lost' && outcome.stage === 'connect'));
  const [status] = pool.relays();
  assert.equal(status!.silent, undefined);
  assert.match(status!.reason, /mute\.example|connect/);
  assert.doesNotMatch(status!.reason, /not_answering/);
});
