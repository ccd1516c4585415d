// The pool against relays with limits: messages per session in every wording, messages a second, connections at the same time,
// amounts per day. A refusal that is about the relay costs no message an attempt.

import assert from 'node:assert/strict';
import test from 'node:test';
import { poolFor, relayFor, sendTo } from '../../../test/support/builders/limited-relay.ts';
import { relayTo } from '../../../test/support/builders/smtp.ts';
import { sample } from '../../../test/support/run/runs.ts';
import { until } from '../../../test/support/run/until.ts';
import type { RelayStep } from '../../../test/support/smtp-sink/limited-relay.ts';
import type { Outcome } from '../verdict/outcome.ts';

const people = (count: number, domains = 40) =>
  Array.from({ length: count }, (_, n) => `p${n}@d${n % domains}.example`);

const isAccepted = (outcome: Outcome) => outcome.kind === 'reply' && outcome.code === 250;

const perSession = [
  '421 Connection closed by server. Maximum message count per session reached. Reopen the connection to send more.',
  '452 4.4.5 Maximum number of messages per session exceeded.',
  '451 4.5.0 Message limit per connection reached',
  '450 4.7.1 Too many messages in this session',
  '550 5.7.0 Too many emails per connection',
  '421 too many messages in this connection',
  '421 4.3.2 relay.example closing transmission channel',
  '421 4.7.0 relay.example Error: too many errors',
  '452 4.5.3 Too many recipients this session',
  '450 Please reconnect to send more messages',
  '451 session exhausted',
  '452 4.3.1 too many transactions',
  '503 5.5.1 Error: nested MAIL command',
  '554 5.5.0 zq enough',
  '',
];

const ways = (['mail', 'rcpt', 'data', 'dot'] as const)
  .flatMap((step) => perSession.map((reply) => ({ step, reply })))
  .flatMap((way) => [true, false].map((closes) => ({ ...way, closes })))
  // A server that closes after the dot without a reply may have taken the message.
  .filter(({ step, reply, closes }) => reply !== '' || (step !== 'dot' && closes));
// Seven has no divisor with the numbers of steps and replies: each is in the sample.
for (const { step, reply, closes } of sample(ways, 7))
  test(`ten messages a session, then ${reply.slice(0, 12) || 'nothing'} at ${step}${closes ? ' and the end' : ''}: the rest takes new connections`, async (t) => {
    const judge = (at: RelayStep, { accepted }: { accepted: number }) =>
      at === step && accepted >= 10
        ? { ...(reply && { reply }), closes: closes || reply.startsWith('421') }
        : undefined;
    const relay = await relayFor(t, { judge });
    const pool = poolFor(t, [relayTo(relay.port, { connections: 5 })]);
    const outcomes = await Promise.all(people(120).map((to) => sendTo(pool, to)));
    assert.deepEqual(
      outcomes.filter((outcome) => !isAccepted(outcome)),
      [],
    );
    assert.equal(relay.copies.size, 120);
    assert.equal(Math.max(...relay.copies.values()), 1);
    assert.ok(relay.maxOpen <= 5 + 5, 'a session that ends is not counted twice');
  });

test('a message opens one connection, however long the greeting and each reply take', async (t) => {
  const relay = await relayFor(t, { greetMs: 900, replyMs: 400 });
  const pool = poolFor(t, [relayTo(relay.port, { connections: 20 })]);
  assert.ok(isAccepted(await sendTo(pool, 'ada@x.example')));
  assert.equal(relay.connections, 1);
});

test('sixty messages that wait open twenty connections at once', async (t) => {
  const relay = await relayFor(t, { greetMs: 300 });
  const pool = poolFor(t, [relayTo(relay.port, { connections: 20 })]);
  const outcomes = await Promise.all(people(60).map((to) => sendTo(pool, to)));
  assert.ok(outcomes.every(isAccepted));
  assert.equal(relay.connections, 20);
});

test('connections without work end with QUIT', async (t) => {
  const relay = await relayFor(t);
  // At this scale thirty seconds are 600 ms: enough for a connection to open on a busy machine.
  const pool = poolFor(t, [relayTo(relay.port, { connections: 5 })], { timeScale: 0.02 });
  await Promise.all(people(30).map((to) => sendTo(pool, to)));
  await until('all connections ended with QUIT', () => relay.open === 0 && relay.quits === relay.connections);
  assert.ok(isAccepted(await sendTo(pool, 'later@x.example')), 'the next message opens another one');
});
