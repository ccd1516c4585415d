// The pool against relays that do not say, or say in unknown words, what they limit: a rate, a session, connections at a time, or
// everything. No one's message is charged for it, and a message that is the reason itself is.
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { poolFor, relayFor, sendTo } from '../../../test/support/builders/limited-relay.ts';
import { relayTo } from '../../../test/support/builders/smtp.ts';
import { sample } from '../../../test/support/run/runs.ts';
import type { LimitedRelayOptions } from '../../../test/support/smtp-sink/limited-relay.ts';
import type { RelayPool } from './relay-pool.ts';

const people = (count: number) => Array.from({ length: count }, (_, n) => `p${n}@d${n % 40}.example`);

/** As the send loops do: what was not sent returns. */
async function deliver(pool: RelayPool, to: string) {
  for (;;) {
    const outcome = await sendTo(pool, to);
    if (outcome.kind !== 'notSent') return outcome;
  }
}

const accepted = (outcomes: Awaited<ReturnType<typeof deliver>>[]) =>
  outcomes.filter((outcome) => outcome.kind === 'reply' && outcome.code === 250).length;

const deferrals = ['450 Take your time, friend', '451 4.7.1 Geduld, bitte', '452 busy bees'].flatMap((reply) =>
  (['rcpt', 'dot'] as const).map((step) => ({ reply, step })),
);
for (const { reply, step } of sample(deferrals, 5))
  test(`a relay that takes twenty messages a second and says "${reply}" at ${step} gets sixty, each with one attempt`, async (t) => {
    const judge: LimitedRelayOptions['judge'] = (at, _, { accepted }) => {
      if (at !== step) return undefined;
      const second = Math.floor(performance.now() / 1_000);
      return accepted.filter(({ atMs }) => Math.floor(atMs / 1_000) === second).length >= 20 ? { reply } : undefined;
    };
    const relay = await relayFor(t, { judge });
    const pool = poolFor(t, [relayTo(relay.port, { connections: 5 })]);
    const outcomes = await Promise.all(people(60).map((to) => deliver(pool, to)));
    assert.equal(accepted(outcomes), 60);
    assert.deepEqual([...new Set(relay.copies.values())], [1]);
  });

test('recipients of one domain that are deferred in unknown words are deferred, and the others are not slowed', async (t) => {
  const relay = await relayFor(t, {
    judge: (step, { to }) =>
      step === 'rcpt' && to.endsWith('@slow.example') ? { reply: '450 later, please' } : undefined,
  });
  const pool = poolFor(t, [relayTo(relay.port, { connections: 5 })]);
  const slow = Array.from({ length: 10 }, (_, n) => `s${n}@slow.example`);
  const outcomes = await Promise.all([...people(60), ...slow].map((to) => deliver(pool, to)));
  assert.equal(accepted(outcomes), 60);
  assert.equal(pool.perSecond, undefined);
});

// Each waits for seconds, and computes little.
describe('relays that defer some recipients, or many connections', { concurrency: true }, () => {
  for (const step of sample(['rcpt', 'data', 'dot'] as const, 3))
    test(`recipients of many domains that are always deferred at ${step} in unknown words do not slow the others down`, async (t) => {
      const relay = await relayFor(t, {
        judge: (at, { to }) =>
          at === step && to.startsWith('odd') ? { reply: '451 4.3.5 not today, sorry' } : undefined,
      });
      const pool = poolFor(t, [relayTo(relay.port, { connections: 5 })]);
      const odd = Array.from({ length: 12 }, (_, n) => `odd${n}@o${n}.example`);
      const outcomes = await Promise.all([...odd, ...people(200)].map((to) => deliver(pool, to)));
      assert.equal(accepted(outcomes), 200);
      assert.deepEqual(
        [...new Set(outcomes.slice(0, 12).map((outcome) => outcome.kind === 'reply' && outcome.code))],
        [451],
      );
      assert.equal(pool.perSecond, undefined);
      assert.deepEqual([...new Set(relay.copies.values())], [1]);
    });

  const replies = ['421 4.7.0 Too many concurrent SMTP connections', '421 Too many connections from your IP'];
  const limits = replies.flatMap((reply) => [3, 1].map((limit) => ({ limit, reply })));
  for (const { limit, reply } of sample(limits, 3))
    test(`a relay that takes ${limit} connections and says "${reply}" at MAIL gets as many at once, without a rate`, async (t) => {
      const relay = await relayFor(t, {
        judge: (step, _, { open }) => (step === 'mail' && open > limit ? { reply, closes: true } : undefined),
        replyMs: 5,
      });
      const pool = poolFor(t, [relayTo(relay.port, { connections: 20 })]);
      const outcomes = await Promise.all(people(200).map((to) => deliver(pool, to)));
      assert.equal(accepted(outcomes), 200);
      assert.deepEqual([...new Set(relay.copies.values())], [1]);
      assert.equal(pool.perSecond, undefined, 'no rate is learned');
      assert.ok(relay.refused.length <= 60, `${relay.refused.length} refusals`);
    });
});

for (const step of sample(['rcpt', 'data'] as const, 2))
  test(`a relay that ends every session at ${step} rests, and no message is attempted`, async (t) => {
    let isBroken = true;
    const relay = await relayFor(t, { judge: (at) => (isBroken && at === step ? { closes: true } : undefined) });
    const pool = poolFor(t, [relayTo(relay.port, { connections: 5 })]);
    const outcomes = await Promise.all(people(20).map((to) => sendTo(pool, to)));
    assert.ok(
      outcomes.every(
        (outcome) => outcome.kind === 'notSent' || (outcome.kind === 'lost' && outcome.stage === 'connect'),
      ),
      JSON.stringify(outcomes[0]),
    );
    assert.ok(pool.relays()[0]!.restMs > 0);
    assert.match(pool.relays()[0]!.reason, new RegExp(`at ${step}`));
    // On trial it does the same: still no one is charged.
    const again = await Promise.all(people(5).map((to) => sendTo(pool, to)));
    assert.ok(
      again.every((outcome) => outcome.kind === 'notSent' || (outcome.kind === 'lost' && outcome.stage === 'connect')),
    );
    isBroken = false;
    const later = await Promise.all(
      people(20).map(async (to) => {
        for (;;) {
          const outcome = await sendTo(pool, to);
          if (outcome.kind === 'reply') return outcome;
        }
      }),
    );
    assert.equal(accepted(later), 20);
  });

test('a message that alone makes the server end the session is deferred, while the others are accepted', async (t) => {
  const relay = await relayFor(t, {
    judge: (step, { to }) => (step === 'rcpt' && to === 'poison@x.example' ? { closes: true } : undefined),
  });
  const pool = poolFor(t, [relayTo(relay.port, { connections: 5 })]);
  const outcomes = await Promise.all(['poison@x.example', ...people(60)].map((to) => deliver(pool, to)));
  assert.equal(accepted(outcomes), 60);
  const [poison] = outcomes;
  assert.ok(poison!.kind === 'lost' && poison!.stage === 'rcpt', JSON.stringify(poison));
  // Alone, it says nothing about the relay.
  const alone = await deliver(pool, 'poison@x.example');
  assert.ok(alone.kind === 'lost' && alone.stage === 'rcpt', JSON.stringify(alone));
});
