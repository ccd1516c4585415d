// What a caller may send before its key is known to be valid, at every address that takes a body.
import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { encodeCall } from '../../../test/support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { isAdmitted } from './bodies.ts';

const mebibyte = 1024 * 1024;
const routes: RouteOptions[] = [];
diagnostics.subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRoute', (route) => void routes.push(route));
});

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

/** A request whose headers are sent, and no body. */
async function answerTo(
  path: string,
  headers: Record<string, string | number>,
  method = 'POST',
): Promise<IncomingMessage> {
  const sent = request(base + path, { method, headers });
  sent.on('error', () => {});
  sent.flushHeaders();
  try {
    return await responseTo(sent);
  } finally {
    sent.destroy();
  }
}

async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response', { signal: AbortSignal.timeout(5_000) })) as [IncomingMessage];
  return response;
}

const withBodies = () =>
  routes.flatMap(({ method, url }) =>
    [method]
      .flat()
      .filter((name) => /^(POST|PUT|PATCH|DELETE)$/.test(name))
      .map((name) => ({ method: name, url })),
  );

test('every address with a body goes through admission', async () => {
  assert.ok(withBodies().length > 20);
  const outside = routes
    .filter(({ method, url }) =>
      withBodies().some((route) => route.url === url && [method].flat().includes(route.method)),
    )
    .filter((route) => !isAdmitted(route))
    .map(({ url }) => url);
  // An upload is passed on as a stream, after the key was checked.
  assert.deepEqual([...new Set(outside)].sort(), ['/upload', '/upload/:id']);
});

test('every address refuses a body of 40 MiB, and an encoding that it does not read, before it arrives', async () => {
  for (const { method, url } of withBodies()) {
    const path = url.replace(/:version\([^)]*\)/, '1.3').replace(/:\w+(\([^)]*\))?|\*/g, 'none');
    const type = /^\/(session|mcp)/.test(url) ? 'application/json' : 'application/x-www-form-urlencoded';
    const headers = { 'content-type': type, 'content-length': 40 * mebibyte, 'sec-fetch-site': 'same-origin' };
    const large = await answerTo(path, headers, method).catch(() => undefined);
    assert.match(String(large?.statusCode), /^4|^200$/, `${method} ${url}`);
    const encoded = await answerTo(
      path,
      { ...headers, 'content-length': 100, 'content-encoding': 'zstd' },
      method,
    ).catch(() => undefined);
    assert.match(String(encoded?.statusCode), /^4/, `${method} ${url} with zstd`);
  }
});

test('a wrong key in the header is refused before a large body arrives', async () => {
  for (const path of ['/api/ping', '/mcp'])
    for (const authorization of ['Bearer 0123456789abcdef0123456789abcdef', 'Bearer nonsense']) {
      const type = { 'content-type': 'application/json', authorization };
      assert.equal((await answerTo(path, { ...type, 'content-length': 2 * mebibyte })).statusCode, 401, path);
      assert.equal((await answerTo(path, { ...type, 'transfer-encoding': 'chunked' })).statusCode, 401, path);
    }
});

test('the MCP door refuses a body without a key, before it arrives', async () => {
  for (const size of [100, 3 * mebibyte]) {
    const response = await answerTo('/mcp', { 'content-type': 'application/json', 'content-length': size });
    assert.equal(response.statusCode, 401);
    assert.match(String(response.headers['www-authenticate']), /^Bearer/);
  }
});

const padded = (size: number, more: Record<string, string> = {}) => JSON.stringify({ ...more, x: 'a'.repeat(size) });

test('a JSON body without a key in the header may have 1 MiB; with it, 32 MiB', async () => {
  const json = { 'content-type': 'application/json' };
  for (const [path, more] of [
    ['/api/ping', {}],
    ['/', { method: 'ping' }],
    ['/xmlrpc?method=ping', {}],
  ] as const) {
    const ask = (size: number, headers = {}) =>
      fetch(base + path, {
        method: 'POST',
        headers: { ...json, ...headers },
        body: padded(size, { ...more, apikey: app.key }),
      });
    const refused = await ask(1.1 * mebibyte);
    assert.equal(refused.status, 413, path);
    const { error, code } = (await refused.json()) as { error: string; code: number };
    assert.equal(code, 555);
    assert.match(error, /^Without a valid key in the header Authorization, a JSON body may have at most 1 MiB/);
    assert.equal((await ask(0.9 * mebibyte)).status, 400, 'read: an unknown member');
    assert.equal((await ask(1.1 * mebibyte, { authorization: `Bearer ${app.key}` })).status, 400, 'read with the key');
  }
  const xml = await fetch(`${base}/xmlrpc`, {
    method: 'POST',
    body: encodeCall('ping', [{ apikey: app.key, x: 'a'.repeat(2 * mebibyte) }]),
  });
  assert.match(await xml.text(), /-32602/, 'XML-RPC has no key in the header');
});

test('a JSON body in pieces counts as well', async () => {
  const sent = request(`${base}/api/ping`, { method: 'POST', headers: { 'content-type': 'application/json' } });
  sent.on('error', () => {});
  sent.write('{"x":"');
  sent.write(Buffer.alloc(1.5 * mebibyte, 'a'));
  assert.equal((await responseTo(sent)).statusCode, 413);
  sent.destroy();
});

test('the size of a JSON body is counted before it is parsed', async () => {
  const parse = JSON.parse;
  let parsed = 0;
  JSON.parse = (text: string, ...more) => {
    parsed = Math.max(parsed, text.length);
    return parse(text, ...more);
  };
  try {
    const bodies = [
      `{"x":[${'[],'.repeat(200_000)}0]}`,
      `{"x":[${'0,'.repeat(200_000)}0]}`,
      `{"x":[${'"",'.repeat(200_000)}0]}`,
      `{${'"a":0,'.repeat(200_001)}"b":0}`,
      `{"x":${'['.repeat(500_000)}`,
      `{"x":${'{"x":'.repeat(100_000)}`,
      `{"x":[${'"\\",[",'.repeat(120_000)}${'[0],'.repeat(60_000)}0]}`,
    ];
    for (const body of bodies) {
      const response = await fetch(`${base}/api/ping`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.key}` },
        body,
      });
      assert.equal(response.status, 400);
      assert.match(
        ((await response.json()) as { error: string }).error,
        /more than (200000 values|32 levels)/,
        body.slice(0, 20),
      );
    }
    assert.ok(parsed < 1_000, `${parsed}`);
  } finally {
    JSON.parse = parse;
  }
});

test('refused bodies are answered in the form of the door', async () => {
  const size = { 'content-length': 40 * mebibyte };
  const text = async (path: string, headers: Record<string, string>) => {
    const sent = request(base + path, { method: 'POST', headers: { ...headers, ...size } });
    sent.on('error', () => {});
    sent.flushHeaders();
    const response = await responseTo(sent);
    let body = '';
    for await (const piece of response) body += piece;
    sent.destroy();
    return { status: response.statusCode, type: String(response.headers['content-type']), body };
  };
  const json = await text('/api/ping', {});
  assert.deepEqual([json.status, JSON.parse(json.body).code], [413, 555]);
  const xml = await text('/xmlrpc', { 'content-type': 'text/xml' });
  assert.deepEqual([xml.status, xml.type], [200, 'text/xml; charset=utf-8']);
  assert.match(xml.body, /<methodResponse>.*faultCode.*555/s);
  const php = await text('/1.3/?output=php&method=ping', {});
  assert.equal(php.status, 200);
  assert.match(php.body, /^a:2:\{s:5:"error"/);
});
