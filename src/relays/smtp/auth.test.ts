// Signing in at a relay: each mechanism with a right and a wrong password, servers that refuse or lack it (F31), and that
// no outcome contains the password.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { inShort, mailTo, relayTo } from '../../../test/support/builders/smtp.ts';
import { createAuthority, createCertificate } from '../../../test/support/smtp-sink/certificate.ts';
import { type SinkOptions, startSink } from '../../../test/support/smtp-sink/sink.ts';
import type { AuthMethod, Relay } from '../../base/relay/relay.ts';
import { authenticate } from './auth.ts';
import type { Ask } from './channel.ts';
import { openConnection } from './open-connection.ts';

const authority = createAuthority();
const certificate = createCertificate(authority, ['127.0.0.1']);
const password = 'hunter2 \u00e4=';
const account = { user: 'anna@sender.example', password };

async function logIn(t: TestContext, options: SinkOptions, relay: Partial<Relay>) {
  const sink = await startSink({
    trace: true,
    auth: { ...account, required: true },
    ...options,
  });
  t.after(() => sink.close());
  const opened = await openConnection(relayTo(sink.port, relay), {
    ehloName: 'client.example',
    ca: authority.cert,
    timeScale: 0.02,
  });
  if (!opened.ok) {
    assert.doesNotMatch(JSON.stringify(opened), /hunter2|aHVudGVyMg/);
    return inShort(opened.outcome);
  }
  const sent = inShort(await opened.connection.send(mailTo('ok.1@x.example')));
  await opened.connection.close();
  return sent;
}

for (const method of ['plain', 'login', 'cram-md5', 'xoauth2', 'oauthbearer'] as const satisfies AuthMethod[]) {
  test(`${method} logs in with the right password`, async (t) => {
    assert.equal(await logIn(t, {}, { auth: { ...account, method } }), '250 at dot, dotted');
  });
  test(`F31 ${method} is refused with 535 and a wrong password`, async (t) => {
    assert.equal(await logIn(t, {}, { auth: { ...account, password: 'hunter2x', method } }), '535 at auth');
  });
  test(`${method} works over TLS`, async (t) => {
    const tls = { ...certificate, starttls: true };
    assert.equal(await logIn(t, { tls }, { tls: 'require', auth: { ...account, method } }), '250 at dot, dotted');
  });
  test(`F31 ${method} meets a server that replies 454, closes or sends garbage`, async (t) => {
    const auth = { ...account, method };
    assert.equal(await logIn(t, { session: { auth: '454' } }, { auth }), '454 at auth');
    assert.equal(await logIn(t, { session: { auth: 'drop' } }, { auth }), 'lost at auth: closed');
    assert.equal(await logIn(t, { session: { auth: 'garbage' } }, { auth }), 'lost at auth: garbage');
    assert.equal(await logIn(t, { session: { auth: '421' } }, { auth }), '421 at auth');
    assert.equal(await logIn(t, { session: { auth: '250' } }, { auth }), 'lost at auth: garbage');
  });
}

test('F31 a mechanism that the server lacks is reported as 504, without an attempt', async (t) => {
  const auth = { ...account, mechanisms: ['GSSAPI'], required: true };
  assert.equal(await logIn(t, { auth }, { auth: account }), '504 at auth');
  const onlyLogin = { ...account, mechanisms: ['LOGIN'], required: true };
  assert.equal(await logIn(t, { auth: onlyLogin }, { auth: { ...account, method: 'plain' } }), '504 at auth');
  assert.equal(await logIn(t, { auth: onlyLogin }, { auth: account }), '250 at dot, dotted');
});

test('a relay without a password is refused at MAIL by a server that requires one', async (t) => {
  assert.equal(await logIn(t, {}, {}), '530 at mail');
});

const asking = (lines: string[], replies: [number, string][]) => async (line: string | undefined) => {
  lines.push(line ?? '');
  const [code, text] = replies.shift()!;
  return { reply: { code, lines: [text] } };
};

test('over plain text only CRAM-MD5 is used unless the operator allows more', async () => {
  const lines: string[] = [];
  const denied = await authenticate(asking(lines, []), account, ['PLAIN', 'LOGIN', 'XOAUTH2'], false, false);
  assert.deepEqual(lines, []);
  assert.ok(denied?.kind === 'reply' && denied.code === 538 && denied.local);
  for (const method of ['plain', 'login', 'xoauth2'] as const) {
    const result = await authenticate(
      asking(lines, []),
      { ...account, method },
      ['PLAIN', 'LOGIN', 'XOAUTH2'],
      false,
      false,
    );
    assert.ok(result?.kind === 'reply' && result.code === 538);
  }
  assert.deepEqual(lines, []);
  const allowed = await authenticate(
    asking(lines, [
      [334, Buffer.from('<1@x>').toString('base64')],
      [235, 'ok'],
    ]),
    account,
    ['PLAIN', 'CRAM-MD5'],
    false,
    false,
  );
  assert.equal(allowed, undefined);
  assert.equal(lines[0], 'AUTH CRAM-MD5');
});

test('CRAM-MD5 answers the challenge of RFC 2195 with the digest given there', async () => {
  const lines: string[] = [];
  const challenge = 'PDE4OTYuNjk3MTcwOTUyQHBvc3RvZmZpY2UucmVzdG9uLm1jaS5uZXQ+';
  const result = await authenticate(
    asking(lines, [
      [334, challenge],
      [235, 'ok'],
    ]),
    { user: 'tim', password: 'tanstaaftanstaaf', method: 'cram-md5' },
    ['CRAM-MD5'],
    false,
    true,
  );
  assert.equal(result, undefined);
  assert.equal(lines[1], 'dGltIGI5MTNhNjAyYzdlZGE3YTQ5NWI0ZTZlNzMzNGQzODkw');
});

test('a server that keeps asking is cancelled, and its 334 is not success', async () => {
  const lines: string[] = [];
  const denied = await authenticate(
    asking(lines, [
      [334, ''],
      [334, ''],
      [334, ''],
      [501, 'cancelled'],
    ]),
    { ...account, method: 'login' },
    ['LOGIN'],
    true,
    true,
  );
  assert.equal(lines.at(-1), '*');
  assert.ok(denied?.kind === 'reply' && denied.code === 501);
});

test('F31 a server that repeats what we sent puts no password into the outcome', async () => {
  for (const echo of [
    password,
    Buffer.from(`\0${account.user}\0${password}`).toString('base64'),
    encodeURIComponent(password),
  ]) {
    // Reply lines are octets.
    const octets = Buffer.from(`5.7.8 no such login: ${echo}`).toString('latin1');
    const ask: Ask = async () => ({ reply: { code: 535, lines: [octets] } });
    const outcome = await authenticate(ask, { ...account, method: 'plain' }, ['PLAIN'], true, true);
    assert.ok(outcome?.kind === 'reply');
    assert.ok(!outcome.text.includes(echo), outcome.text);
    assert.match(outcome.text, /no such login/);
  }
});

for (const [tls, offered, chosen] of [
  ['require', ['CRAM-MD5', 'LOGIN', 'PLAIN'], 'AUTH PLAIN'],
  ['require', ['CRAM-MD5', 'LOGIN'], 'AUTH LOGIN'],
  ['require', ['CRAM-MD5'], 'AUTH CRAM-MD5'],
  ['none', ['PLAIN', 'LOGIN', 'CRAM-MD5'], 'AUTH CRAM-MD5'],
  ['none', ['PLAIN', 'LOGIN'], 'AUTH PLAIN'],
] as const) {
  test(`of ${offered.join(', ')} with tls ${tls} it chooses ${chosen}`, async () => {
    const sent: string[] = [];
    const ask: Ask = async (line) => {
      sent.push(line!);
      return { reply: { code: 535, lines: ['no'] } };
    };
    await authenticate(ask, account, offered, tls === 'require', true);
    assert.equal(sent[0]!.split(' ').slice(0, 2).join(' '), chosen);
  });
}
