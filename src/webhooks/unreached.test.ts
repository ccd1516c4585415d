// Why a request to a receiver had no answer: each cause has its own text, unless the address may not be reached.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { type DnsStub, startDnsStub } from '../../test/support/network/dns-stub.ts';
import { createAuthority, createCertificate } from '../../test/support/smtp-sink/certificate.ts';
import { message, renderMessage } from '../base/messages.ts';
import { createOutbound } from '../base/outbound/outbound.ts';
import { checkUrl, post } from './attempt.ts';

const authority = createAuthority();
let app: TestApp;
let dns: DnsStub;
before(async () => {
  app = await testApp();
  dns = await startDnsStub();
  dns.set('receiver.test', { A: ['127.0.0.2'] });
  dns.set('inside.test', { A: ['127.0.0.1'] });
  app.app.outbound.close();
  app.app.outbound = createOutbound({
    allow: ['127.0.0.2'],
    nameServers: [dns.server],
    caCertificates: [authority.cert],
    hostsFile: '',
  });
});
after(async () => {
  await app.close();
  await dns.close();
});

let webhooks = 0;
/** What the log says about a request to a URL. */
async function reasonFor(url: string, totalMs = 1_000) {
  const attempt = {
    id: 1,
    at: new Date(),
    accountId: 1,
    webhookId: ++webhooks,
    url,
    headers: {},
    body: Buffer.from('{}'),
  };
  const finding = await post(app.app, attempt, totalMs);
  assert.deepEqual([finding.answer, finding.status], [{ unreached: true }, null]);
  return {
    text: renderMessage(finding.reason!),
    key: finding.reason!.key,
    check: (await checkUrl(app.app, url, totalMs)).reason?.key,
  };
}

async function listening<T>(server: Server, work: (port: number) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** A server that writes this after the request, and then ends or waits. */
const answering = (answer: string, end = true) =>
  createServer((socket) => socket.once('data', () => (end ? socket.end(answer) : socket.write(answer))));

const year = 365 * 24 * 3_600_000;
const at = (years: number) => new Date(Date.now() + years * year);

const certificates: [name: string, tls: () => TlsOptions, expected: RegExp][] = [
  [
    'expired',
    () => createCertificate(authority, ['receiver.test'], { validFrom: at(-2), validTo: at(-1) }),
    /certificate of receiver.test has expired/,
  ],
  [
    'not valid yet',
    () => createCertificate(authority, ['receiver.test'], { validFrom: at(1), validTo: at(2) }),
    /not valid yet/,
  ],
  ['for another name', () => createCertificate(authority, ['other.test']), /for another name than receiver.test/],
  [
    'of an unknown authority',
    () => createCertificate(createAuthority(), ['receiver.test']),
    /self-signed|not trusted|chain/,
  ],
];
for (const [name, tls, expected] of certificates)
  test(`a certificate that is ${name}`, async () => {
    await listening(createTlsServer(tls()), async (port) => {
      const { text, key, check } = await reasonFor(`https://receiver.test:${port}/hook`);
      assert.match(text, expected);
      assert.equal(check, key, 'the check says the same');
    });
  });

test('http where https is expected', async () => {
  await listening(answering('HTTP/1.1 200 OK\r\n\r\n'), async (port) => {
    assert.match((await reasonFor(`https://receiver.test:${port}/`)).text, /No TLS connection with receiver.test/);
  });
});

const answers: [name: string, server: () => Server, expected: RegExp][] = [
  ['that is not HTTP', () => answering('SSH-2.0-x\r\n'), /not valid HTTP/],
  ['with a bare LF', () => answering('HTTP/1.1 200 OK\nX: y\n\n'), /not valid HTTP/],
  [
    'with both lengths',
    () => answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok'),
    /not valid HTTP/,
  ],
  [
    'with two lengths',
    () => answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'),
    /not valid HTTP/,
  ],
  [
    'that ends early',
    () => answering('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok'),
    /closed the connection before its answer/,
  ],
  ['that is empty', () => answering(''), /closed the connection before its answer/],
  ['that stays away', () => createServer(() => {}), /127.0.0.2 did not answer within 1 s/],
  ['that stops', () => answering('HTTP/1.1 200 OK\r\nContent-Le', false), /did not answer within 1 s/],
];
for (const [name, server, expected] of answers)
  test(`an answer ${name}`, async () => {
    await listening(server(), async (port) => {
      const { text } = await reasonFor(`http://127.0.0.2:${port}/`);
      assert.match(text, expected);
      assert.doesNotMatch(text, /OUTBOUND_ALLOW|public/);
    });
  });

test('a closed port, and a name that does not exist', async () => {
  const port = await listening(createServer(), async (one) => one);
  for (const host of ['receiver.test', '127.0.0.2'])
    assert.equal(
      (await reasonFor(`http://${host}:${port}/`)).text,
      `Connection refused: no server accepts connections at ${host}, port ${port}`,
    );
  assert.equal(
    (await reasonFor('https://nxdomain.test/')).text,
    'The name nxdomain.test does not exist, or has no address',
  );
});

test('an address that may not be reached stays vague, open or closed', async () => {
  const inside = createServer();
  inside.listen(0, '127.0.0.1');
  await once(inside, 'listening');
  const { port } = inside.address() as AddressInfo;
  const seen = new Set<string>();
  for (const url of [`http://inside.test:${port}/`, 'http://inside.test:9/', 'https://inside.test/'])
    seen.add((await reasonFor(url)).text);
  assert.deepEqual([...seen], [renderMessage(message('fetch.failed'))]);
  assert.match((await reasonFor(`http://127.0.0.1:${port}/`)).text, /is a private address.*OUTBOUND_ALLOW/);
  inside.close();
});
