// TLS by policy against servers with good, bad, old and no TLS: a message that requires verified TLS is never sent
// without it (F30), and opportunistic TLS falls back to plain text.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { inShort, mailTo, relayTo } from '../../../test/support/builders/smtp.ts';
import { createAuthority, createCertificate } from '../../../test/support/smtp-sink/certificate.ts';
import { type SinkOptions, startSink } from '../../../test/support/smtp-sink/sink.ts';
import type { Relay, TlsPolicy } from '../../base/relay/relay.ts';
import { openConnection } from './open-connection.ts';

const authority = createAuthority();
const stranger = createAuthority('Another Authority');
const yesterday = new Date(Date.now() - 86_400_000);
const certificates = {
  good: createCertificate(authority, ['localhost', '127.0.0.1']),
  expired: createCertificate(authority, ['localhost'], {
    validFrom: new Date(yesterday.getTime() - 86_400_000),
    validTo: yesterday,
  }),
  'for another name': createCertificate(authority, ['mail.elsewhere.example']),
  'by an authority unknown': createCertificate(stranger, ['localhost']),
};

type Server = { name: string; options: SinkOptions };
const starttls = (certificate: keyof typeof certificates, more: Partial<SinkOptions['tls']> = {}): SinkOptions => ({
  tls: { ...certificates[certificate], starttls: true, ...more },
});

const servers: Server[] = [
  { name: 'a good certificate', options: starttls('good') },
  { name: 'an expired certificate', options: starttls('expired') },
  { name: 'a certificate for another name', options: starttls('for another name') },
  { name: 'a certificate by an authority unknown', options: starttls('by an authority unknown') },
  { name: 'only TLS 1.0', options: starttls('good', { minVersion: 'TLSv1', maxVersion: 'TLSv1' }) },
  { name: 'no STARTTLS', options: {} },
  { name: 'a refused STARTTLS', options: { ...starttls('good'), session: { starttls: '454' } } },
  { name: 'noise instead of STARTTLS', options: { ...starttls('good'), session: { starttls: 'garbage' } } },
  { name: 'a connection closed at STARTTLS', options: { ...starttls('good'), session: { starttls: 'drop' } } },
];

/** What comes of it: "TLS", "plain" or the failure. */
const expected: Record<string, Record<'require' | 'opportunistic', RegExp>> = {
  'a good certificate': { require: /^TLS$/, opportunistic: /^TLS$/ },
  'an expired certificate': { require: /^lost at starttls: tls$/, opportunistic: /^TLS, noted$/ },
  'a certificate for another name': { require: /^lost at starttls: tls$/, opportunistic: /^TLS, noted$/ },
  'a certificate by an authority unknown': { require: /^lost at starttls: tls$/, opportunistic: /^TLS, noted$/ },
  'only TLS 1.0': { require: /^lost at starttls: (tls|reset)$/, opportunistic: /^plain, noted$/ },
  'no STARTTLS': { require: /^lost at starttls: tls$/, opportunistic: /^plain, noted$/ },
  'a refused STARTTLS': { require: /^454 at starttls$/, opportunistic: /^plain, noted$/ },
  'noise instead of STARTTLS': { require: /^lost at starttls: garbage$/, opportunistic: /^plain, noted$/ },
  'a connection closed at STARTTLS': { require: /^lost at starttls: closed$/, opportunistic: /^plain, noted$/ },
};

async function attempt(t: TestContext, tls: TlsPolicy, options: SinkOptions, relay: Partial<Relay> = {}) {
  const sink = await startSink({ strict: true, trace: true, ...options });
  t.after(() => sink.close());
  const opened = await openConnection(relayTo(sink.port, { host: 'localhost', tls, ...relay }), {
    ehloName: 'client.example',
    ca: authority.cert,
    timeScale: 0.02,
  });
  if (!opened.ok)
    return { sink, word: inShort(opened.outcome), text: 'text' in opened.outcome ? opened.outcome.text : '' };
  const { connection } = opened;
  assert.equal(inShort(await connection.send(mailTo('ok.1@x.example'))), '250 at dot, dotted');
  const word = `${connection.tls ? 'TLS' : 'plain'}${connection.notes.length > 0 ? ', noted' : ''}`;
  await connection.close();
  return { sink, word, text: connection.notes.join('; ') };
}

const asks = (steps: { step: string; event: string }[], step: string) =>
  steps.some((item) => item.event === 'step' && item.step === step);

for (const { name, options } of servers) {
  for (const policy of ['require', 'opportunistic'] as const) {
    test(`F30 a server with ${name}, policy ${policy}: ${expected[name]![policy].source}`, async (t) => {
      const { sink, word, text } = await attempt(t, policy, options);
      assert.match(word, expected[name]![policy], text);
      // Where it ended, not even a sender was named.
      assert.equal(asks(sink.log, 'mail'), /^(TLS|plain)/.test(word));
    });
  }
  test(`F30 a server with ${name} is not asked for TLS under policy none`, async (t) => {
    const { sink, word } = await attempt(t, 'none', options);
    assert.equal(word, 'plain');
    assert.equal(asks(sink.log, 'starttls'), false);
  });
}

for (const [name, outcome] of [
  ['good', /^TLS$/],
  ['expired', /^lost at connect: tls$/],
  ['for another name', /^lost at connect: tls$/],
  ['by an authority unknown', /^lost at connect: tls$/],
] as const)
  test(`F30 TLS from the first byte with a certificate ${name}: ${outcome.source}`, async (t) => {
    const { word, text } = await attempt(t, 'implicit', { tls: { ...certificates[name], implicit: true } });
    assert.match(word, outcome, text);
  });

test('F30 a server that speaks no TLS is lost to a relay with TLS from the first byte', async (t) => {
  const { word } = await attempt(t, 'implicit', {});
  assert.match(word, /^lost at connect: (tls|closed|reset)$/);
});

test('a certificate for an IP address is valid for a relay with that address', async (t) => {
  const { word, text } = await attempt(t, 'require', starttls('good'), { host: '127.0.0.1' });
  assert.equal(word, 'TLS', text);
});

/** A server in plain text that answers each line from a table and records the lines. */
async function plainServer(t: TestContext, answer: (line: string) => string | undefined) {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write('220 mx.example\r\n');
    socket.on('data', (chunk) => {
      for (const line of chunk.toString('latin1').split('\r\n')) {
        if (line === '') continue;
        received.push(line);
        const reply = answer(line);
        if (reply !== undefined) socket.write(reply);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { received, port: (server.address() as { port: number }).port };
}

for (const [what, slipped] of [
  ['a whole reply', '250-mx.example\r\n250 AUTH PLAIN\r\n'],
  ['half a reply', '250-mx.ex'],
] as const)
  test(`F30 ${what} injected behind the 220 of STARTTLS ends the connection`, async (t) => {
    const { received, port } = await plainServer(t, (line) =>
      line.startsWith('EHLO') ? '250-mx.example\r\n250 STARTTLS\r\n' : `220 go ahead\r\n${slipped}`,
    );
    const opened = await openConnection(
      relayTo(port, { tls: 'require', auth: { user: 'anna', password: 'hunter2' } }),
      { ehloName: 'client.example', ca: authority.cert, timeScale: 0.02 },
    );
    assert.ok(!opened.ok);
    assert.equal(inShort(opened.outcome), 'lost at starttls: garbage');
    assert.deepEqual(received, ['EHLO client.example', 'STARTTLS']);
  });

test('F30 after STARTTLS the client sends EHLO again', async (t) => {
  const { word, sink } = await attempt(t, 'require', starttls('good'));
  assert.equal(word, 'TLS');
  assert.equal(sink.log.filter((entry) => entry.event === 'step' && entry.step === 'ehlo').length, 2);
  assert.equal(sink.log.filter((entry) => entry.event === 'step' && entry.step === 'starttls').length, 1);
});
