// Whole campaigns through relays with limits: each recipient gets the message once, with one attempt and without a wait, however the
// relay says that it takes no more. The times are printed and bounded by what the limits allow.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Engine } from '../../../test/support/delivery/engine.ts';
import {
  LimitedRelay,
  type LimitedRelayOptions,
  type RelayStep,
} from '../../../test/support/smtp-sink/limited-relay.ts';

async function sent(t: TestContext, count: number, options: LimitedRelayOptions): Promise<number> {
  const relay = await LimitedRelay.start(options);
  const engine = await Engine.start({ SMTP_URL: relay.url('&connections=5') });
  t.after(async () => {
    await engine.stop();
    await relay.close();
  });
  const startedAt = performance.now();
  const id = await engine.send(Array.from({ length: count }, (_, n) => `p${n}@d${n % 40}.example`));
  const all = await engine.until(id, (all) => all.every(({ state }) => state === 'accepted'), 120);
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.deepEqual([...new Set(all.map(({ attempts, resent }) => `${attempts} ${resent}`))], ['1 0']);
  assert.equal(relay.copies.size, count);
  assert.deepEqual([...new Set(relay.copies.values())], [1]);
  t.diagnostic(
    `${count} in ${seconds.toFixed(1)} s, ${relay.refused.length} refusals, ${relay.connections} connections`,
  );
  return seconds;
}

const tooFast = [
  '454 Throttling failure: Maximum sending rate exceeded.',
  '451 4.7.1 Rate limit exceeded, please slow down',
  '450 4.7.1 Error: too much mail from 192.0.2.1',
  '421 4.7.0 Too many messages, try again later',
];
for (const reply of tooFast)
  for (const step of ['mail', 'dot'] as const)
    test(`60 recipients through a relay that takes 5 a second, and says "${reply}" at ${step}`, async (t) => {
      const judge: LimitedRelayOptions['judge'] = (at, _, { accepted }) => {
        if (at !== step) return undefined;
        const second = Math.floor(performance.now() / 1_000);
        const taken = accepted.filter(({ atMs }) => Math.floor(atMs / 1_000) === second).length;
        return taken >= 5 ? { reply, closes: reply.startsWith('421') } : undefined;
      };
      assert.ok((await sent(t, 60, { judge })) <= 60);
    });

const perSession = [
  '421 4.7.0 Maximum message count per session reached. Reopen the connection to send more.',
  '452 4.4.5 Maximum number of messages per session exceeded.',
  '451 4.5.0 Message limit per connection reached',
  '450 4.7.1 Too many messages in this session',
  '550 5.7.0 Too many emails per connection',
  '421 relay.example closing transmission channel',
  '450 Please reconnect to send more messages',
  '452 4.3.1 too many transactions',
  '',
];
for (const [n, reply] of perSession.entries()) {
  const step = (['mail', 'dot', 'rcpt', 'data'] as const satisfies RelayStep[])[reply === '' ? 0 : n % 4]!;
  test(`400 recipients with ten messages a session, then ${reply ? `"${reply}"` : 'a silent end'} at ${step}`, async (t) => {
    const judge: LimitedRelayOptions['judge'] = (at, { accepted }) =>
      at === step && accepted >= 10
        ? { ...(reply && { reply }), closes: reply === '' || reply.startsWith('421') }
        : undefined;
    assert.ok((await sent(t, 400, { judge })) <= 20);
  });
}

test('400 recipients through a relay that closes after each tenth acceptance', async (t) => {
  assert.ok((await sent(t, 400, { closesAfter: 10 })) <= 20);
});
