// The TLS of relays as the methods report it: real workers and sinks with good, bad and no certificates, and the warning.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Engine } from '../../../test/support/delivery/engine.ts';
import { until } from '../../../test/support/run/until.ts';
import { createAuthority, createCertificate } from '../../../test/support/smtp-sink/certificate.ts';
import { type Sink, type SinkOptions, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { parseSmtpUrl } from '../../base/relay/relay.ts';
import type { LastConnection } from '../smtp/line/line-status.ts';
import { tlsWarning } from './relay-tls.ts';

type Relay = {
  id: string;
  port: number;
  tls: string;
  tls_warning: string;
  last_connection: {
    at: string;
    protocol: string;
    cipher: string;
    certificate: string;
    verified: boolean;
    problem: string;
  };
};
type Outcome = { ok: boolean; tls: string; cipher: string; certificate: string; verified: boolean };

const authority = createAuthority();
const usual = getCACertificates('default');
const good = createCertificate(authority, ['localhost']);
const other = createCertificate(authority, ['mx.elsewhere.example']);
const relays: { tls: string; options: SinkOptions }[] = [
  { tls: 'require', options: { tls: { ...good, starttls: true } } },
  { tls: 'implicit', options: { tls: { ...good, implicit: true, maxVersion: 'TLSv1.2' } } },
  { tls: 'opportunistic', options: { tls: { ...other, starttls: true } } },
  { tls: 'opportunistic', options: {} },
  { tls: 'none', options: { tls: { ...good, starttls: true } } },
];
const sinks: Sink[] = [];
let engine: Engine;

before(async () => {
  setDefaultCACertificates([...usual, authority.cert]);
  for (const { options } of relays) sinks.push(await startSink(options));
  const urls = relays.map(({ tls }, index) => {
    const { port } = sinks[index]!;
    return tls === 'implicit' ? `smtps://localhost:${port}` : `smtp://localhost:${port}?tls=${tls}`;
  });
  engine = await Engine.start({ SMTP_URL: urls.join(','), OUTBOUND_ALLOW: '127.0.0.1/32' });
});
after(async () => {
  await engine?.stop();
  for (const sink of sinks) await sink.close();
  setDefaultCACertificates(usual);
});

const list = (call = engine.app.call) => call<Relay[]>('relays');

test('each relay shows its policy and the TLS that its last connection had', async () => {
  assert.deepEqual(new Set((await list()).map(({ last_connection: { at } }) => at)), new Set(['']));
  const audience = Array.from({ length: 75 }, (_, n) => `delay20-dot.${n}@d${n % 5}.example`);
  const id = await engine.send(audience);
  await engine.untilStatus(id, 'sent');
  await until('a connection of every relay is reported', async () =>
    (await list()).every(({ last_connection: { at } }) => at !== ''),
  );
  const shown = (await list()).map(({ tls, last_connection: last }) => [
    tls,
    last.protocol,
    last.certificate,
    last.verified,
    last.problem,
  ]);
  assert.deepEqual(shown, [
    ['require', 'TLSv1.3', 'localhost', true, ''],
    ['implicit', 'TLSv1.2', 'localhost', true, ''],
    ['opportunistic', 'TLSv1.3', 'mx.elsewhere.example', false, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['opportunistic', '', '', false, ''],
    ['none', '', '', false, ''],
  ]);
  for (const { last_connection: last } of await list()) {
    assert.match(last.at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.match(last.cipher, last.protocol === '' ? /^$/ : /^TLS_[A-Z0-9_]+$/);
  }
});

test('a test of the connection reports the same, and the certificate is for the operator only', async () => {
  const outcomes = await engine.app.call<Outcome[]>('relayTest');
  assert.deepEqual(
    outcomes.map(({ ok, tls, certificate, verified }) => [ok, tls, certificate, verified]),
    [
      [true, 'TLSv1.3', 'localhost', true],
      [true, 'TLSv1.2', 'localhost', true],
      [true, 'TLSv1.3', 'mx.elsewhere.example', false],
      [true, '', '', false],
      [true, '', '', false],
    ],
  );
  assert.match(outcomes[0]!.cipher, /^TLS_/);
  const { call } = await engine.app.anotherAccount();
  const seen = await list(call);
  assert.deepEqual(
    seen.map(({ last_connection: last }) => [last.protocol !== '', last.verified]),
    [
      [true, true],
      [true, true],
      [true, false],
      [false, false],
      [false, false],
    ],
  );
  assert.doesNotMatch(JSON.stringify([seen, await call('relayTest')]), /localhost|elsewhere|ALTNAME/);
});

test('the operator is warned of a relay at a public address without verified TLS, and not of one on this machine', async () => {
  assert.deepEqual(new Set((await list()).map(({ tls_warning }) => tls_warning)), new Set(['']));
  const create = (tls: string) => engine.app.call<string>('relayCreate', { host: '8.8.8.8', tls, paused: true });
  const ids = { none: await create('none'), opportunistic: await create('opportunistic') };
  const required = await create('require');
  const { call } = await engine.app.anotherAccount();
  const warnings = async (by = engine.app.call) =>
    new Map((await list(by)).map(({ id, tls_warning }) => [id, tls_warning]));
  const found = await warnings();
  assert.match(found.get(ids.none)!, /plain text over a public network/);
  assert.match(found.get(ids.opportunistic)!, /is not verified/);
  assert.equal(found.get(required), '');
  assert.deepEqual(new Set((await warnings(call)).values()), new Set(['']));
  await engine.app.call('relayUpdate', { id: ids.none, tls: 'require' });
  assert.equal((await warnings()).get(ids.none), '');
});

const tls = (verified: boolean): LastConnection['tls'] => ({
  protocol: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  certificate: 'mx.example',
  verified,
  problem: verified ? '' : 'CERT_HAS_EXPIRED',
});
for (const [policy, remote, last, expected] of [
  ['none', true, undefined, 'relay.tls_plain'],
  ['none', false, undefined, undefined],
  ['opportunistic', true, undefined, 'relay.tls_unverified'],
  ['opportunistic', true, null, 'relay.tls_plain'],
  ['opportunistic', true, tls(false), 'relay.tls_unverified'],
  ['opportunistic', true, tls(true), 'relay.tls_not_required'],
  ['opportunistic', false, tls(false), undefined],
  ['require', true, tls(true), undefined],
] as const) {
  const had = last === undefined ? 'no connection' : last === null ? 'plain text' : last.problem || 'verified TLS';
  test(`policy ${policy}, ${remote ? 'remote' : 'local'}, last ${had}: ${expected ?? 'no warning'}`, () => {
    const connection = last === undefined ? null : { at: '2026-11-22T10:00:00.000Z', tls: last };
    const warning = tlsWarning(parseSmtpUrl(`smtp://mx.example?tls=${policy}`), remote, connection);
    assert.equal(warning?.key, expected);
  });
}
