// The pool against relays that give every recipient the same permanent refusal: it is about us, and the relay rests until it accepts
// a message.
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { poolFor, relayFor, sendTo } from '../../../test/support/builders/limited-relay.ts';
import { mailTo, relayTo } from '../../../test/support/builders/smtp.ts';
import { signatureOf } from '../rates/same-reply.ts';
import type { Outcome } from '../verdict/outcome.ts';

const people = (count: number) => Array.from({ length: count }, (_, n) => `p${n}@d${n % 40}.example`);
const refusedBy = (outcomes: readonly Outcome[]) =>
  outcomes.filter((outcome) => outcome.kind === 'reply' && outcome.code >= 500).length;
const acceptedBy = (outcomes: readonly Outcome[]) =>
  outcomes.filter((outcome) => outcome.kind === 'reply' && outcome.code < 300).length;

test('others take over from a relay that refuses everything in unknown words, at no cost', async (t) => {
  const refusing = await relayFor(t, {
    judge: (step, { to }) => (step === 'rcpt' ? { reply: `550 5.1.1 <${to}> zq says no` } : undefined),
  });
  const other = await relayFor(t);
  const pool = poolFor(t, [relayTo(refusing.port), relayTo(other.port)]);
  const outcomes = await Promise.all(people(200).map((to) => sendTo(pool, to)));
  // An acceptance by the other relay says nothing about this one.
  assert.deepEqual([refusedBy(outcomes), acceptedBy(outcomes)], [0, 200]);
  const [status] = pool.relays();
  assert.ok(status!.restMs > 50_000 && status!.restMs <= 60_000, `${status!.restMs} ms`);
  assert.match(status!.reason, /zq says no/);
  assert.doesNotMatch(status!.reason, /@d\d+\.example/, 'other accounts see this reason');
});

test('the rest ends with the next message that is accepted, and doubles while none is', async (t) => {
  let isDown = true;
  const relay = await relayFor(t, {
    judge: (step) => (isDown && step === 'dot' ? { reply: '554 zq says no' } : undefined),
  });
  const pool = poolFor(t, [relayTo(relay.port)], { timeScale: 0.005 });
  const first = await Promise.all(people(40).map((to) => sendTo(pool, to)));
  assert.equal(refusedBy(first), 20);
  assert.equal(pool.relays()[0]!.reason.includes('zq says no'), true);
  const rests = new Set<number>();
  for (let n = 0; n < 400 && rests.size < 3; n++) {
    void sendTo(pool, `again${n}@d.example`);
    await sleep(20);
    const { rest } = [...pool.knownLimits().values()][0]!;
    if (rest) rests.add(Math.ceil(Math.log2(rest.ms / 300)));
  }
  assert.ok(rests.size >= 3, `rests of ${[...rests]}`);
  isDown = false;
  let outcome: Outcome;
  do outcome = await sendTo(pool, 'now@d.example');
  while (outcome.kind !== 'reply');
  assert.equal(acceptedBy([outcome]), 1);
  assert.equal(pool.relays()[0]!.reason, '');
  assert.equal(acceptedBy(await Promise.all(people(40).map((to) => sendTo(pool, to)))), 40);
});

test('refusals that a person has confirmed, few domains, and refusals between acceptances let no relay rest', async (t) => {
  const relay = await relayFor(t, {
    judge: (step, { to }) =>
      step === 'rcpt' && to.startsWith('dead') ? { reply: '550 5.1.1 user unknown' } : undefined,
  });
  const pool = poolFor(t, [relayTo(relay.port)]);
  const sender = { account: 1, domain: 'sender.example' };
  const confirmed = [signatureOf(550, '5.1.1 user unknown', 'x@x.example')];
  const dead = people(60).map((to) => `dead${to}`);
  assert.equal(refusedBy(await Promise.all(dead.map((to) => pool.send({ ...mailTo(to), sender, confirmed })))), 60);
  const oneDomain = Array.from({ length: 60 }, (_, n) => `dead${n}@one.example`);
  assert.equal(refusedBy(await Promise.all(oneDomain.map((to) => sendTo(pool, to)))), 60);
  const mixed: Outcome[] = [];
  for (const to of dead) mixed.push(await sendTo(pool, to), await sendTo(pool, `ok.${to}`));
  assert.deepEqual([refusedBy(mixed), acceptedBy(mixed)], [60, 60]);
  assert.equal(pool.relays()[0]!.restMs, 0);
});
