// Campaigns through a real Postfix, with the limits that its administrators set. What it hands on is the truth to compare with.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Engine, people } from '../../../test/support/delivery/engine.ts';
import { startPostfix } from '../../../test/support/network/postfix.ts';
import { until } from '../../../test/support/run/until.ts';
import { startSink } from '../../../test/support/smtp-sink/sink.ts';
import { sql } from '../../db/connect.ts';

async function engineThrough(t: TestContext, settings: Record<string, string>, access = '') {
  const sink = await startSink();
  const postfix = await startPostfix(sink.port, settings, access);
  const engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${postfix.port}?tls=none&connections=5` });
  t.after(async () => {
    await engine.stop();
    await postfix.close();
    await sink.close();
  });
  /** How often each recipient's message came out of Postfix, once all have. */
  const handedOn = async (count: number) => {
    await until(`${count} messages came out`, () => sink.accepted().length >= count, 60);
    const copies = new Map<string, number>();
    for (const { to } of sink.accepted()) copies.set(to!, (copies.get(to!) ?? 0) + 1);
    return copies;
  };
  return { engine, handedOn };
}

const spread = (count: number) => people(count).map((email, n) => email.replace('good', `d${n % 40}`));

async function eachOnce(t: TestContext, count: number, settings: Record<string, string>) {
  const { engine, handedOn } = await engineThrough(t, settings);
  const startedAt = performance.now();
  const id = await engine.send(spread(count));
  const all = await engine.until(id, (all) => all.every(({ state }) => state === 'accepted'), 120);
  t.diagnostic(`${count} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  assert.deepEqual([...new Set(all.map(({ attempts }) => attempts))], [1], 'no recipient pays for a limit');
  const copies = await handedOn(count);
  assert.equal(copies.size, count);
  assert.deepEqual([...new Set(copies.values())], [1]);
}

test('400 recipients', (t) => eachOnce(t, 400, {}));

test('20 messages in two seconds ("450 4.7.1 Error: too much mail")', (t) =>
  eachOnce(t, 100, { smtpd_client_message_rate_limit: '20', anvil_rate_time_unit: '2s' }));

test('40 recipients in two seconds ("450 4.7.1 Error: too many recipients")', (t) =>
  eachOnce(t, 100, { smtpd_client_recipient_rate_limit: '40', anvil_rate_time_unit: '2s' }));

test('2 connections at the same time ("421 4.7.0 Error: too many connections")', (t) =>
  eachOnce(t, 200, { smtpd_client_connection_count_limit: '2' }));

test('5 connections in two seconds ("421 4.7.0 Error: too many connections")', (t) =>
  eachOnce(t, 200, { smtpd_client_connection_rate_limit: '5', anvil_rate_time_unit: '2s' }));

test('every client must sign in ("554 5.7.1 Relay access denied"): the campaign pauses, and no recipient is lost', async (t) => {
  const { engine } = await engineThrough(t, { mynetworks: '192.0.2.1/32', smtpd_relay_restrictions: 'reject' });
  const id = await engine.send(spread(100));
  await engine.untilStatus(id, 'paused');
  const { reason } = await engine.status(id);
  assert.match(reason, /denied|rejected/i);
  await engine.until(id, (all) => all.every(({ state }) => state === 'queued' || state === 'later'), 20);
  assert.deepEqual(await engine.app.app.db.rows(sql`select value from suppression`), []);
});

test('addresses that Postfix does not know between those that it does are bounces', async (t) => {
  const access = 'gone@d1.example 550 5.1.1 User unknown\ngone@d2.example 550 5.1.1 User unknown\n';
  const { engine, handedOn } = await engineThrough(t, {}, access);
  const id = await engine.send([...spread(60), 'gone@d1.example', 'gone@d2.example']);
  const all = await engine.until(id, (all) => all.every(({ state }) => state === 'accepted' || state === 'failed'), 30);
  const failed = all.filter(({ state }) => state === 'failed');
  assert.deepEqual(failed.map(({ email, reason }) => `${email} ${reason}`).sort(), [
    'gone@d1.example hard',
    'gone@d2.example hard',
  ]);
  assert.equal((await handedOn(60)).size, 60);
});
