// The doors over HTTP as a client sees them: paths, content types, results and faults.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { phpUnserialize } from '../../test/support/builders/php-unserialize.ts';
import { decodeResponse, encodeCall } from '../../test/support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

const xmlrpc = async (path: string, method: string, params: unknown[]) => {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: encodeCall(method, params),
  });
  return { status: response.status, answer: decodeResponse(new Uint8Array(await response.arrayBuffer())) };
};

for (const path of ['/', '/xmlrpc', '/RPC2', '/1.0', '/1.3/']) {
  test(`XML-RPC is answered at ${path}`, async () => {
    const { status, answer } = await xmlrpc(path, 'PING', [{ apikey: app.key }]);
    assert.equal(status, 200);
    assert.deepEqual(answer, { value: `Everything's Ok!` });
  });
}

test('a fault travels with HTTP 200 over XML-RPC, its code an integer', async () => {
  const { status, answer } = await xmlrpc('/', 'ping', [{ apikey: '0'.repeat(32) }]);
  assert.equal(status, 200);
  assert.deepEqual(answer, { fault: { code: 104, message: 'apikey is not a valid key, or has been revoked' } });
});

test('an unknown member is refused by name', async () => {
  const { answer } = await xmlrpc('/', 'apikeys', [{ apikey: app.key, colour: 'red' }]);
  assert.ok(
    'fault' in answer && answer.fault.code === -32602 && /colour/.test(answer.fault.message),
    JSON.stringify(answer),
  );
});

for (const [output, read] of [
  ['json', (text: string) => JSON.parse(text)],
  ['php', (text: string) => phpUnserialize(text)],
] as const) {
  test(`form posts are answered as ${output}, faults with exactly error and code`, async () => {
    const post = (body: string) =>
      fetch(`${base}/1.0/?output=${output}&method=ping`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      });
    const good = await post(`apikey=${app.key}`);
    assert.equal(good.status, 200);
    assert.equal(read(await good.text()), `Everything's Ok!`);
    const bad = await post('apikey=nonsense');
    assert.equal(bad.status, 200);
    assert.deepEqual(
      { ...(read(await bad.text()) as object) },
      { error: 'apikey is not a valid key, or has been revoked', code: 104 },
    );
  });
}

test('the JSON door answers with the status of the fault', async () => {
  const post = (path: string, body: string, key = app.key) =>
    fetch(`${base}/api/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
  assert.equal(await (await post('ping', '{}')).json(), `Everything's Ok!`);
  assert.equal((await post('ping', '{}', 'x')).status, 401);
  assert.equal((await post('nothing', '{}')).status, 404);
  assert.equal((await post('ping', '{')).status, 400);
  assert.equal((await post('ping', '[]')).status, 400);
});

test('a POST in none of the three forms gets 415 and a description of what to send', async () => {
  const response = await fetch(`${base}/`, { method: 'POST', headers: { 'content-type': 'image/png' }, body: 'x' });
  assert.equal(response.status, 415);
  assert.match(await response.text(), /XML-RPC/);
});

test('an unknown path answers 404 with a text, whatever the method', async () => {
  for (const [path, method] of [
    ['/nothing/here', 'GET'],
    ['/nothing/here?apikey=x', 'POST'],
    ['/api/ping/more', 'DELETE'],
  ]) {
    const response = await fetch(base + path, { method: method! });
    assert.equal(response.status, 404, path);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(await response.text(), 'Not found\n');
  }
});

test('system.multicall answers results and faults in order', async () => {
  const { answer } = await xmlrpc('/', 'system.multicall', [
    [
      { methodName: 'ping', params: [{ apikey: app.key }] },
      { methodName: 'nothing', params: [] },
      { methodName: 'system.multicall', params: [[]] },
      { methodName: 'system.listMethods', params: [] },
    ],
  ]);
  assert.ok('value' in answer && Array.isArray(answer.value));
  const [first, second, third, fourth] = answer.value as unknown[];
  assert.deepEqual(first, [`Everything's Ok!`]);
  assert.equal((second as { faultCode: { value: number } }).faultCode.value, -32601);
  assert.equal((second as { faultString: string }).faultString.includes('nothing'), true);
  assert.ok('faultCode' in (third as object));
  assert.ok((fourth as string[][])[0]!.includes('ping'));
});

test('introspection needs no key; signatures are arrays of arrays', async () => {
  assert.deepEqual((await xmlrpc('/', 'system.methodSignature', ['ping'])).answer, { value: [['string', 'struct']] });
  assert.match(JSON.stringify((await xmlrpc('/', 'system.methodHelp', ['apikeyAdd'])).answer), /scope/);
});

test('OpenAPI and the reference pages are served', async () => {
  const description = (await (await fetch(`${base}/api/openapi.json`)).json()) as {
    openapi: string;
    paths: Record<string, unknown>;
  };
  assert.equal(description.openapi, '3.1.0');
  assert.ok(description.paths['/api/ping']);
  assert.match(await (await fetch(`${base}/api/apikeyAdd`)).text(), /<code>label<\/code>/);
  assert.equal((await fetch(`${base}/api/nothing`)).status, 404);
});

test('a read key may not change anything', async () => {
  const key = await app.anotherKey('read');
  const { answer } = await xmlrpc('/', 'apikeyAdd', [{ apikey: key }]);
  assert.ok('fault' in answer && answer.fault.code === 120);
});

test('GET on an API URL shows a short page', async () => {
  for (const path of ['/', '/xmlrpc', '/RPC2', '/1.3', '/1.3/']) {
    const response = await fetch(base + path);
    assert.equal(response.status, 200, path);
    assert.match(await response.text(), /XML-RPC/);
  }
});
