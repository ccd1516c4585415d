// The doors over HTTP as a client sees them: paths, content types, results and faults.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { phpUnserialize } from '../../test/support/builders/php-unserialize.ts';
import { decodeResponse, encodeCall } from '../../test/support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { methods } from './registry.ts';

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

for (const path of ['/', '/xmlrpc', '/xmlrpc/', '/RPC2', '/RPC2/', '/1.0', '/1.3/']) {
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

test('the JSON door reports what the rate limit leaves of the calls of a key', async () => {
  const { config } = app.app;
  const usual = config.apiRate;
  config.apiRate = 2;
  try {
    const key = await app.anotherKey('read');
    const ping = async (digits: string) => {
      const { status, headers } = await fetch(`${base}/api/ping`, {
        method: 'POST',
        headers: { authorization: `Bearer ${digits}` },
        body: '{}',
      });
      return [status, ...['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`))];
    };
    assert.deepEqual(await ping(key), [200, '2', '1', '30']);
    assert.deepEqual((await ping(key)).slice(0, 3), [200, '2', '0']);
    assert.deepEqual((await ping(key)).slice(0, 3), [429, '2', '0']);
    assert.deepEqual(await ping('0'.repeat(32)), [401, null, null, null]);
  } finally {
    config.apiRate = usual;
  }
});

test('a POST in none of the three forms gets 415 and a description of what to send', async () => {
  const response = await fetch(`${base}/`, { method: 'POST', headers: { 'content-type': 'image/png' }, body: 'x' });
  assert.equal(response.status, 415);
  assert.match(await response.text(), /XML-RPC/);
});

/** A POST with exactly this Content-Type, or with none, which fetch would add. */
const postAs = (type: string | undefined, body: string, path = '/'): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { ...(type !== undefined && { 'content-type': type }), 'content-length': Buffer.byteLength(body) };
    const sent = request(base + path, { method: 'POST', headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() });
    });
    sent.on('error', reject);
    sent.end(body);
  });

for (const type of [undefined, 'text/plain', 'application/octet-stream', 'application/x-www-form-urlencoded'])
  test(`XML-RPC is recognized by its first bytes with the Content-Type ${type}`, async () => {
    const call = encodeCall('ping', [{ apikey: app.key }]);
    const withoutDeclaration = call.slice(call.indexOf('<methodCall'));
    for (const body of [
      call,
      withoutDeclaration,
      `\uFEFF${call}`,
      `\n${withoutDeclaration}`,
      `<!-- x -->${withoutDeclaration}`,
    ]) {
      const { status, text } = await postAs(type, body);
      assert.equal(status, 200, body.slice(0, 20));
      assert.deepEqual(decodeResponse(Buffer.from(text)), { value: `Everything's Ok!` }, body.slice(0, 20));
    }
  });

test('a form is recognized by its first bytes without a Content-Type', async () => {
  const { status, text } = await postAs(undefined, `apikey=${app.key}&method=ping&output=json`);
  assert.deepEqual([status, JSON.parse(text)], [200, `Everything's Ok!`]);
  assert.equal((await postAs(undefined, '')).status, 415);
  assert.equal((await postAs(undefined, '<html>')).status, 415);
  assert.equal((await postAs('multipart/form-data; boundary=x', '--x\r\nname="a"\r\n')).status, 415);
});

test('a JSON object is recognized by its first byte; its method is in the query or a member', async () => {
  for (const type of [undefined, 'application/json', 'text/plain']) {
    const named = await postAs(type, JSON.stringify({ method: 'ping', apikey: app.key }));
    assert.deepEqual([named.status, JSON.parse(named.text)], [200, `Everything's Ok!`]);
    const asked = await postAs(type, JSON.stringify({ apikey: app.key, limit: 5 }), '/1.3/?method=lists');
    assert.deepEqual([asked.status, Array.isArray(JSON.parse(asked.text))], [200, true]);
  }
  const nameless = await postAs(undefined, '{}');
  assert.deepEqual([nameless.status, (JSON.parse(nameless.text) as { code: number }).code], [404, -32601]);
  assert.equal((await postAs(undefined, '{"method":"ping"}')).status, 401);
  assert.equal((await postAs(undefined, '{"method":')).status, 400);
});

test('the JSON of the form door has neither \\" nor \\\\, which a published client would strip', async () => {
  const name = 'a "quoted" \\ back\\slash "';
  await app.call('listCreate', { title: name });
  const { text } = await postAs(undefined, `apikey=${app.key}`, '/1.0/?output=json&method=lists');
  assert.ok(!/\\["\\]/.test(text), text);
  assert.equal((JSON.parse(text) as { name: string }[])[0]!.name, name);
  assert.doesNotThrow(() => JSON.parse(text.replaceAll('\\', '')));
  const fault = await postAs(undefined, `apikey=${app.key}&cid="x"`, '/1.0/?output=json&method=campaignDelete');
  assert.ok(fault.text.includes('\\u0022') && !fault.text.includes('\\"'), fault.text);
  assert.equal((JSON.parse(fault.text.replaceAll('\\', '')) as { code: number }).code, 300);
});

test('an unknown path answers 404 with a text, whatever the method', async () => {
  for (const [path, method] of [
    ['/nothing/here', 'GET'],
    ['/nothing/here?apikey=x', 'POST'],
    ['/api/ping/more', 'DELETE'],
    ['/api/%zz', 'GET'],
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

test('system.multicall takes the help and signature of every method at once, and 200 other calls', async () => {
  const listed = (await xmlrpc('/', 'system.listMethods', [])).answer;
  const names = ('value' in listed ? listed.value : []) as string[];
  const calls = names.flatMap((name) =>
    ['system.methodHelp', 'system.methodSignature'].map((methodName) => ({ methodName, params: [name] })),
  );
  assert.ok(calls.length > 250);
  const answered = async (given: unknown[]) => {
    const { answer } = await xmlrpc('/', 'system.multicall', [given]);
    return 'value' in answer ? (answer.value as unknown[]).length : answer.fault.code;
  };
  const wrong = Array.from({ length: 200 }, () => ({ methodName: 'nothing', params: [] }));
  assert.equal(await answered([...calls, ...wrong]), calls.length + 200);
  assert.equal(await answered([...wrong, wrong[0]]), 555);
  assert.equal(await answered(Array.from({ length: 1_001 }, () => calls[0])), 555);
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
  for (const path of ['/api', '/api/apikeyAdd', '/api/nothing']) {
    const { headers } = await fetch(base + path);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'unsafe-inline';/, path);
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', path);
  }
});

test('the reference is served as Markdown, with an index that names every method', async () => {
  const index = await (await fetch(`${base}/llms.txt`)).text();
  const pages = [...index.matchAll(/\((\S+\/api\/(\w+)\.md)\)/g)].map(([, url, name]) => ({ url: url!, name: name! }));
  assert.deepEqual(
    methods.map(({ name }) => name).filter((name) => !pages.some((page) => page.name === name)),
    [],
  );
  const { url } = pages.find(({ name }) => name === 'apikeyAdd')!;
  const page = await fetch(`${base}${new URL(url).pathname}`);
  assert.equal(page.headers.get('content-type'), 'text/markdown; charset=utf-8');
  assert.match(await page.text(), /^# apikeyAdd\n[\s\S]*\| label \| string \|/);
  assert.match(await (await fetch(`${base}/api/README.md`)).text(), /## Faults/);
  assert.equal((await fetch(`${base}/api/nothing.md`)).status, 404);
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
