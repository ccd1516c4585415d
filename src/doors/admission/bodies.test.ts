// What large bodies may take of the web process's memory, with and without a key in the headers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { bodyLimits } from './bodies.ts';
import { pace } from './body-reader.ts';

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

const address = '/1.3/?output=json&method=ping';

/** A call whose body has begun and does not end, after the server has read what was sent. */
async function begin(size: number): Promise<ClientRequest> {
  const started = request(base + address, {
    method: 'POST',
    headers: { 'content-length': 31 * 2 ** 20, 'content-type': 'application/x-www-form-urlencoded' },
  });
  started.on('error', () => {});
  started.write('x=');
  await new Promise((resolve) => started.write(Buffer.alloc(size, 0x61), resolve));
  return started;
}

type Refused = { error: string; code: number };

const post = (size: number, path = address, headers: Record<string, string> = {}) =>
  fetch(base + path, { method: 'POST', headers, body: `x=${'a'.repeat(size)}&apikey=${app.key}` });

const ping = async (size: number) => (await (await post(size)).json()) as Refused;

const bearer = () => ({ authorization: `Bearer ${app.key}` });
const pingWithKey = (size: number) =>
  fetch(`${base}/api/ping`, { method: 'POST', headers: bearer(), body: JSON.stringify({ x: 'a'.repeat(size) }) });

/** Calls until the answer has this code: the server reads what others have sent at its own pace. */
async function untilCode(code: number, ask: () => Promise<Refused>): Promise<Refused> {
  for (;;) {
    const answer = await ask();
    if (answer.code === code) return answer;
  }
}

test('large bodies beyond the quota are refused, small ones and those of a proven key pass', async () => {
  const open = [await begin(100 * kibibyte), await begin(100 * kibibyte)];
  const refused = await untilCode(-60, () => ping(60 * kibibyte));
  assert.match(refused.error, /^Too many large requests at once/);
  const form = await post(60 * kibibyte);
  assert.deepEqual(
    [form.status, form.headers.get('retry-after')],
    [200, '5'],
    'clients of this door ignore another status',
  );
  const xml = await post(60 * kibibyte, '/xmlrpc', { 'content-type': 'text/xml' });
  assert.equal(xml.status, 200);
  assert.match(await xml.text(), /<methodResponse>.*<int>-60<.*Too many large requests at once/s);
  const json = await post(60 * kibibyte, '/api/ping');
  assert.deepEqual([json.status, json.headers.get('retry-after')], [503, '5']);
  assert.equal(((await json.json()) as Refused).code, -60);
  assert.equal((await ping(kibibyte)).code, -32602, 'a small body: an unknown member, but read');
  assert.equal((await pingWithKey(60 * kibibyte)).status, 400, 'a large body with the key in the headers');

  for (const unfinished of open) unfinished.destroy();
  await untilCode(-32602, () => ping(60 * kibibyte));
});

test('a body that holds a part of the quota and stops is refused, a slow one and a small one are not', async () => {
  const usualPace = { ...pace };
  Object.assign(pace, { everyMs: 300, bytes: 2_000 });
  try {
    const stopped = await begin(60 * kibibyte);
    const small = await begin(4 * kibibyte);
    const slow = await begin(60 * kibibyte);
    const drip = setInterval(() => slow.write(Buffer.alloc(1_500, 0x61)), 50);
    let others = 0;
    for (const one of [small, slow]) one.on('response', () => (others += 1));
    const [response] = await once(stopped, 'response', { signal: AbortSignal.timeout(10_000) });
    let body = '';
    for await (const piece of response) body += piece;
    assert.deepEqual(JSON.parse(body), { error: 'The body arrives too slowly; send it again', code: 556 });
    await new Promise((resolve) => setTimeout(resolve, 700));
    clearInterval(drip);
    assert.equal(others, 0);
    for (const unfinished of [stopped, small, slow]) unfinished.destroy();
  } finally {
    Object.assign(pace, usualPace);
  }
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
