// Postrider behind nginx, Caddy and HAProxy with the configurations of examples/proxies: HTTP/2 at the front, the address of the client,
// kept connections, uploads and event streams that are passed on as they arrive, and a path of a host.

import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createServer } from '../../src/web.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { answered, begin, missingProxy, type ProxyName, RealProxy } from '../support/network/real-proxies.ts';
import { until } from '../support/run/until.ts';

const host = 'mail.example.com';
/** A client in another place than the proxy, which is at 127.0.0.1 and the only one that is trusted. */
const clientIp = '127.0.0.9';

type Program = { app: TestApp; server: FastifyInstance; port: number; uploadsBegun: number };

let plain: Program;
let below: Program;
before(async () => {
  plain = await start(`https://${host}`);
  below = await start('https://www.example.com/mail');
});
after(async () => {
  for (const { app, server } of [plain, below]) {
    await server.close();
    await app.close();
  }
});

async function start(baseUrl: string): Promise<Program> {
  const app = await testApp({ TRUST_PROXY: '127.0.0.1', BASE_URL: baseUrl });
  const server = await createServer(app.app);
  const program = { app, server, port: 0, uploadsBegun: 0 };
  server.get('/address', async (request) => `${request.ip} ${request.headers['x-forwarded-for']}`);
  server.addHook('onRequest', async ({ url }) => {
    if (url.startsWith('/upload')) program.uploadsBegun++;
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  program.port = Number(new URL(url).port);
  return program;
}

const examples: Record<ProxyName, { file: string; below?: string; withPort(text: string): string }> = {
  nginx: {
    file: 'nginx.conf',
    below: 'path/nginx.conf',
    withPort: (text) => text.replaceAll('$remote_addr;', '$remote_addr:$remote_port;'),
  },
  caddy: {
    file: 'Caddyfile',
    below: 'path/Caddyfile',
    withPort: (text) => text.replace('flush_interval -1', 'flush_interval -1\n\t\theader_up X-Forwarded-For {remote}'),
  },
  haproxy: { file: 'haproxy.cfg', withPort: (text) => text.replace('%[src]', '%[src]:%[src_port]') },
};

async function open(t: TestContext, name: ProxyName, change?: (text: string) => string) {
  const proxy = await RealProxy.start(name, {
    target: plain.port,
    host,
    example: examples[name].file,
    ...(change && { change }),
  });
  t.after(() => proxy.close());
  return proxy.open(host, clientIp);
}

for (const name of ['nginx', 'caddy', 'haproxy'] as const) {
  const skip = missingProxy(name);
  const { file, below: path, withPort } = examples[name];

  test(`${file}: the client has its own address, and what it claims is ignored`, { skip }, async (t) => {
    const session = await open(t, name);
    const claims = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' };
    const { status, body } = await answered(begin(session, 'GET', '/address', claims).end());
    assert.deepEqual([status, body], [200, `${clientIp} ${clientIp}`]);
  });

  test(`${file} with ports in X-Forwarded-For: the client has its address without one`, { skip }, async (t) => {
    const session = await open(t, name, withPort);
    const { body } = await answered(begin(session, 'GET', '/address').end());
    assert.match(body, new RegExp(`^${clientIp} ${clientIp}:\\d+$`));
  });

  test(`${file}: calls over kept connections, an upload and an event stream pass without being held back`, {
    skip,
  }, async (t) => {
    const session = await open(t, name);
    const key = { authorization: `Bearer ${plain.app.key}` };
    for (let n = 0; n < 100; n++) {
      const call = begin(session, 'POST', '/api/ping', { ...key, 'content-type': 'application/json' });
      assert.equal((await answered(call.end('{}'))).status, 200);
    }

    // The program gets the beginning of an upload while its client still sends.
    const half = Buffer.from('EMAIL\nreader@example.com\n'.repeat(40_000));
    const begun = plain.uploadsBegun;
    const upload = begin(session, 'POST', '/upload?name=a.csv', { ...key, 'content-type': 'application/octet-stream' });
    const uploaded = answered(upload);
    upload.write(half);
    await until('the program has the beginning', async () => plain.uploadsBegun > begun);
    upload.end(half);
    assert.equal((JSON.parse((await uploaded).body) as { size: number }).size, 2 * half.length);

    const own = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const signIn = begin(session, 'POST', '/session', own);
    const signedIn = await answered(
      signIn.end(JSON.stringify({ email: 'owner@example.com', password: 'correct horse' })),
    );
    assert.equal(signedIn.status, 200, signedIn.body);
    const cookie = (signedIn.headers['set-cookie'] as string[]).map((line) => line.split(';')[0]).join('; ');
    const events = begin(session, 'GET', '/events', { cookie, 'sec-fetch-site': 'same-origin' });
    events.end();
    // The beginning arrives at once, the comment separately after 15 s.
    let text = '';
    events.on('data', (data) => {
      text += data;
    });
    await until('the stream begins', () => text !== '');
    assert.match(text, /^retry: 3000\n\n$/);
    await until('the stream continues', () => text.includes(': still here\n\n'));
    events.close();
  });

  if (path)
    test(`${path}: the program is below a path`, { skip }, async (t) => {
      const www = 'www.example.com';
      const proxy = await RealProxy.start(name, { target: below.port, host: www, example: path });
      t.after(() => proxy.close());
      const session = await proxy.open(www, clientIp);
      const { body } = await answered(begin(session, 'GET', '/mail/address').end());
      assert.equal(body, `${clientIp} ${clientIp}`);
      const beside = await answered(begin(session, 'GET', '/mailbox').end());
      assert.equal(beside.status, 404);
    });
}
