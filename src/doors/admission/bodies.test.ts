// What large bodies may take of the web process's memory, with and without a key in the headers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { bodyLimits } from './bodies.ts';

const kibibyte = 1024;
const usual = structuredClone(bodyLimits);
let app: TestApp;
let base: string;
before(async () => {
  Object.assign(bodyLimits.unproven, { total: 300 * kibibyte, perCaller: 200 * kibibyte });
  Object.assign(bodyLimits.proven, { total: 1_000 * kibibyte, perCaller: 500 * kibibyte });
  app = await testApp();
  base = await app.listen();
});
after(async () => {
  Object.assign(bodyLimits, usual);
  await app.close();
});

/** A call whose body has begun and does not end, after the server has read what was sent. */
async function begin(size: number, headers: Record<string, string> = {}): Promise<ClientRequest> {
  const started = request(`${base}/api/ping`, {
    method: 'POST',
    headers: { 'content-length': 31 * 2 ** 20, ...headers },
  });
  started.on('error', () => {});
  started.write('{"x":"');
  await new Promise((resolve) => started.write(Buffer.alloc(size, 0x61), resolve));
  return started;
}

const ping = (size: number, headers: Record<string, string> = {}) =>
  fetch(`${base}/api/ping`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ apikey: app.key, x: 'a'.repeat(size) }),
  });

/** Calls until the answer has this status: the server reads what others have sent at its own pace. */
async function untilStatus(status: number, ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask();
    if (response.status === status) return response;
    await response.arrayBuffer();
  }
}

test('large bodies beyond the quota are refused with 503, small ones and those of a proven key pass', async () => {
  const bearer = { authorization: `Bearer ${app.key}` };
  const open = [await begin(100 * kibibyte), await begin(100 * kibibyte)];
  const refused = await untilStatus(503, () => ping(60 * kibibyte));
  assert.equal(refused.headers.get('retry-after'), '5');
  assert.match(await refused.text(), /^Too many large requests at once/);
  assert.equal((await ping(kibibyte)).status, 400, 'a small body: an unknown member, but read');
  assert.equal((await ping(60 * kibibyte, bearer)).status, 400, 'a large body with the key in the headers');

  for (const unfinished of open) unfinished.destroy();
  await untilStatus(400, () => ping(60 * kibibyte));
});

test('a request with a body over 32 MiB is refused before it is read', async () => {
  const large = request(`${base}/api/ping`, { method: 'POST', headers: { 'content-length': 33 * 2 ** 20 } });
  large.flushHeaders();
  const [response] = await once(large, 'response');
  assert.equal(response.statusCode, 413);
  large.destroy();
});

test('a JSON body with more than 200,000 values is refused', async () => {
  const body = `{"x":[${'0,'.repeat(200_000)}0]}`;
  const response = await fetch(`${base}/api/ping`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}` },
    body,
  });
  assert.equal(response.status, 400);
  assert.match(((await response.json()) as { error: string }).error, /more than 200000 values/);
});
