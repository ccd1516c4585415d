// The relays as the methods report them: no secrets, a test that shows what went wrong, and the warning of the worker.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { createLog } from '../../base/log.ts';
import { parseSmtpUrl } from '../../base/relay/relay.ts';
import { sql } from '../../db/connect.ts';
import { warnOfUnverifiedRelays } from './relay-tls.ts';

type Relay = { id: string; host: string; built_in: boolean; signs_in: boolean; state: string; reason: string };
type Outcome = { id: string; ok: boolean; stage: string; problem: string; notes: string[] };

let app: TestApp;
let server: SMTPServer;
let good: string;
let bad: string;
let dead: string;
before(async () => {
  server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right-secret' ? done(null, { user: username }) : done(new Error('535 no such user')),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  good = `smtp://ann:right-secret@127.0.0.1:${port}?tls=none`;
  bad = `smtp://bob:wrong-secret@127.0.0.1:${port}?tls=none&weight=0`;
  dead = 'smtp://127.0.0.1:9?tls=none';
  app = await testApp({ SMTP_URL: [good, bad, dead].join(',') });
});
after(async () => {
  await app.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

test('relays are listed without user names and passwords', async () => {
  const relays = await app.call<Relay[]>('relays');
  assert.deepEqual(
    relays.map(({ host, built_in, signs_in, state }) => [host, built_in, signs_in, state]),
    [
      ['127.0.0.1', false, true, 'idle'],
      ['127.0.0.1', false, true, 'idle'],
      ['127.0.0.1', false, false, 'idle'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(relays), /secret|ann|bob/);
});

test('a relay of SMTP_URL is set by the operator and cannot be changed', async () => {
  const relays = await app.call<{ id: string; source: string }[]>('relays');
  assert.deepEqual(new Set(relays.map(({ source }) => source)), new Set(['operator']));
  for (const name of ['relayUpdate', 'relayPause', 'relayResume', 'relayDelete'])
    await assert.rejects(app.call(name, { id: relays[0]!.id }), { message: /id: this relay is set in SMTP_URL/ });
});

test('the state comes from the live workers; an ended worker does not count', async () => {
  const report = async (ended: boolean, connections: number, reason: string) => {
    const row = await app.app.db.row<{ id: number }>(sql`
      insert into worker (host, boot_id, pid, journal, ended_at)
      values ('here', 'boot', 1, 'journal', ${ended ? new Date() : null})
      returning id`);
    const fare = [{ id: parseSmtpUrl(good).id, connections, restMs: 30_000, reason }];
    await app.app.db.run(sql`
      insert into worker_status (worker_id, relays)
      values (${row!.id}, ${JSON.stringify(fare)}::jsonb)`);
  };
  const first = async () => (await app.call<Relay[]>('relays'))[0]!;
  await report(true, 2, '');
  assert.equal((await first()).state, 'idle');
  await report(false, 0, 'connection refused');
  assert.deepEqual([(await first()).state, (await first()).reason], ['resting', 'connection refused']);
  await report(false, 0, '');
  assert.deepEqual([(await first()).state, (await first()).reason], ['ready', '']);
  await report(false, 1, '');
  assert.deepEqual([(await first()).state, (await first()).reason], ['working', '']);
});

test('a test connects and signs in, and names the stage at which it fails', async () => {
  const outcomes = await app.call<Outcome[]>('relayTest');
  assert.deepEqual(
    outcomes.map(({ ok, stage }) => [ok, stage]),
    [
      [true, ''],
      [false, 'auth'],
      [false, 'connect'],
    ],
  );
  assert.match(outcomes[1]!.problem, /535/);
  assert.doesNotMatch(JSON.stringify(outcomes), /secret|ann|bob/);
  const one = await app.call<Outcome[]>('relayTest', { id: parseSmtpUrl(good).id });
  assert.equal(one.length, 1);
});

test('another account than the first gets neither the host nor the words of a relay', async () => {
  const other = await app.anotherAccount();
  const relays = await other.call<Relay[]>('relays');
  assert.deepEqual(
    relays.map(({ id, host }) => [id, host]),
    [
      ['1', ''],
      ['2', ''],
      ['3', ''],
    ],
  );
  const outcomes = await other.call<Outcome[]>('relayTest');
  assert.deepEqual(
    outcomes.map(({ ok, stage }) => [ok, stage]),
    [
      [true, ''],
      [false, 'auth'],
      [false, 'connect'],
    ],
  );
  assert.match(outcomes[1]!.problem, /operator/);
  const [second] = await other.call<Outcome[]>('relayTest', { id: '2' });
  assert.deepEqual([second!.id, second!.stage], ['2', 'auth']);
  await assert.rejects(other.call('relayTest', { id: parseSmtpUrl(good).id }), { fault: 'INVALID_PARAMETER' });
  const text = JSON.stringify([relays, outcomes]);
  assert.doesNotMatch(text, /127\.0\.0\.1|535|ECONNREFUSED/);
});

test('only the first account reads why no relay can be used', async () => {
  await app.app.db.run(sql`
    update worker_status
    set relays = '[{"id": "relay.example:25", "connections": 0, "restMs": 30000, "reason": "554 relay.example is down"}]'`);
  const attention = async (call: TestApp['call']) => {
    const { attention } = await call<{ attention: unknown[] }>('homeSummary');
    return JSON.stringify(attention);
  };
  assert.match(await attention(app.call), /554 relay\.example is down/);
  const other = await app.anotherAccount();
  assert.match(await attention(other.call), /no relay can be used; the operator/);
  assert.doesNotMatch(await attention(other.call), /relay\.example/);
});

test('a key without the scope admin gets nothing about the relays', async () => {
  const { call } = await import('../../doors/call.ts');
  const key = await app.anotherKey('write');
  for (const name of ['relays', 'relayTest'])
    await assert.rejects(call(app.app, name, {}, { kind: 'key', key, ip: '' }, 'json'), { fault: 'NOT_ALLOWED' });
});

test('a relay at a public address without verified TLS is warned of, others are not', async () => {
  const lines: string[] = [];
  const log = createLog('info', 'test', { write: (line) => lines.push(JSON.parse(line).relay) });
  const addresses: Record<string, string[]> = {
    'mx.public.example': ['10.0.0.7', '8.8.8.8'],
    'mx.private.example': ['10.0.0.7', 'fd00::7'],
  };
  const relays = [
    'smtp://mx.public.example',
    'smtp://mx.public.example?tls=none',
    'smtp://8.8.4.4?tls=opportunistic',
    'smtp://mx.public.example?tls=require',
    'smtps://mx.public.example',
    'smtp://ann:secret@mx.public.example',
    'smtp://mx.private.example',
    'smtp://localhost',
    'smtp://gone.example',
  ].map(parseSmtpUrl);
  await warnOfUnverifiedRelays(relays, log, async (host) => {
    if (host === 'gone.example') throw new Error('ENOTFOUND');
    if (host === 'localhost') return [{ address: '127.0.0.1' }, { address: '::1' }];
    return (addresses[host] ?? [host]).map((address) => ({ address }));
  });
  assert.deepEqual(
    lines.map((line) => /^\S+ \(tls \w+/.exec(line)?.[0]),
    ['mx.public.example:25 (tls opportunistic', 'mx.public.example:25 (tls none', '8.8.4.4:25 (tls opportunistic'],
  );
});
