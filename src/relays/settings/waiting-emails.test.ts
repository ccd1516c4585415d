// A relay that cannot be reached keeps its emails waiting: counted on the relay and on the start page, marked as delivered nowhere, not
// even in the built-in inbox, and sent when it works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBy, Engine, people } from '../../../test/support/delivery/engine.ts';
import { until } from '../../../test/support/run/until.ts';
import { startSink } from '../../../test/support/smtp-sink/sink.ts';
import { formatDate } from '../../method/date.ts';

type Relay = { id: string; state: string; waiting: number; waiting_since: string };
type Summary = { attention: { kind: string; count: number }[] };

test('emails of a relay that fails wait, are counted, and leave when it works', async (t) => {
  const sink = await startSink();
  const engine = await Engine.start({ OUTBOUND_ALLOW: '127.0.0.1/32', INBOX_PORT: '9' });
  t.after(async () => {
    await engine.stop();
    await sink.close();
  });
  const { call } = engine.app;
  const id = await call<string>('relayCreate', { host: '127.0.0.1', port: 9, tls: 'none' });
  const shown = async () => (await call<Relay[]>('relays')).find((relay) => relay.id === id)!;
  const notices = async () => (await call<Summary>('homeSummary')).attention.filter(({ kind }) => kind === 'relay');
  const begun = formatDate(new Date());
  const campaign = await engine.send(people(30));
  await until('the relay has failed, and all wait', async () => {
    const { state, waiting } = await shown();
    return state === 'failing' && waiting === 30;
  });
  assert.ok((await shown()).waiting_since >= begun);
  assert.deepEqual(
    (await notices()).map(({ count }) => count),
    [30],
  );
  assert.deepEqual(
    countBy(await engine.recipients(campaign), ({ state }) => state),
    { queued: 30 },
  );

  // Another relay takes them all: none waits for the first.
  const other = await call<string>('relayCreate', { host: '127.0.0.1', port: sink.port, tls: 'none' });
  await engine.untilStatus(campaign, 'sent');
  assert.equal(sink.counts.accepted, 30);
  const { waiting, waiting_since } = await shown();
  assert.deepEqual([waiting, waiting_since], [0, '']);
  await call('relayDelete', { id: other });
});

test('a relay that is switched off shows what waits for it, and one that is limited to other senders does not', async (t) => {
  const engine = await Engine.start({ OUTBOUND_ALLOW: '127.0.0.1/32', INBOX_PORT: '9' });
  t.after(() => engine.stop());
  const { call } = engine.app;
  const relay = { host: '127.0.0.1', port: 9, tls: 'none', paused: true };
  const open = await call<string>('relayCreate', relay);
  const limited = await call<string>('relayCreate', { ...relay, sender_domains: ['elsewhere.example'] });
  await engine.send(people(4));
  const waiting = async () =>
    Object.fromEntries((await call<Relay[]>('relays')).map((one) => [one.id, one.waiting] as const));
  await until('they wait', async () => (await waiting())[open] === 4);
  assert.deepEqual(await waiting(), { [open]: 4, [limited]: 0 });
});
