// Compressed requests at the API doors: read within the limits of a body, or refused with one sentence.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { encodeCall } from '../../../test/support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';

const mebibyte = 1024 * 1024;
let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

const packers: [encoding: string, pack: (body: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['identity', (body) => body],
  ['identity, gzip', gzipSync],
  ['', (body) => body],
];

const post = (path: string, body: Uint8Array, headers: Record<string, string>) =>
  fetch(base + path, { method: 'POST', headers, body: new Uint8Array(body) });

const doors: [name: string, path: string, type: string, body: (note: string) => Buffer][] = [
  [
    'XML-RPC',
    '/xmlrpc',
    'text/xml',
    (note) => Buffer.from(encodeCall('ping', [{ apikey: app.key, ...(note && { note }) }])),
  ],
  [
    'form',
    '/1.3/?output=json&method=ping',
    'application/x-www-form-urlencoded',
    (note) => Buffer.from(new URLSearchParams({ apikey: app.key, ...(note && { note }) }).toString()),
  ],
  [
    'JSON',
    '/api/ping',
    'application/json',
    (note) => Buffer.from(JSON.stringify({ apikey: app.key, ...(note && { note }) })),
  ],
  [
    'JSON at a shared address',
    '/',
    'application/json',
    (note) => Buffer.from(JSON.stringify({ method: 'ping', apikey: app.key, ...(note && { note }) })),
  ],
];

for (const [door, path, type, body] of doors) {
  for (const [encoding, pack] of packers)
    test(`${door}: Content-Encoding "${encoding}" is read`, async () => {
      const response = await post(path, pack(body('')), { 'content-type': type, 'content-encoding': encoding });
      assert.equal(response.status, 200);
      assert.match(await response.text(), /Everything/);
    });

  for (const encoding of ['compress', 'zstd', 'gzip, br', 'nonsense', 'gzip;q=1'])
    test(`${door}: Content-Encoding "${encoding}" is refused with 415 and one sentence`, async () => {
      const response = await post(path, body(''), { 'content-type': type, 'content-encoding': encoding });
      assert.equal(response.status, 415);
      assert.equal(response.headers.get('accept-encoding'), 'gzip, deflate, br, identity');
      assert.match(await response.text(), /Content-Encoding.*gzip, deflate, br/);
    });

  test(`${door}: what is not in the encoding that its header names, or is cut, is not well-formed`, async () => {
    const cut = gzipSync(body('x'.repeat(500))).subarray(0, -12);
    for (const sent of [body(''), cut, gzipSync(body('')).fill(7, 12, 30)]) {
      const response = await post(path, sent, { 'content-type': type, 'content-encoding': 'gzip' });
      assert.match(await response.text(), /-32700/);
      assert.equal(response.status, door.startsWith('JSON') ? 400 : 200);
    }
  });
}

test('the limit of a body counts what it inflates to', async () => {
  const bomb = gzipSync(Buffer.alloc(140 * mebibyte, ' '));
  const bearer = { authorization: `Bearer ${app.key}` };
  const json = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const before = process.memoryUsage().arrayBuffers;
  assert.equal((await post('/api/ping', bomb, { ...json, ...bearer })).status, 413);
  assert.equal((await post('/api/ping', bomb, json)).status, 413);
  const form = await post('/?output=json&method=ping', bomb, { 'content-encoding': 'gzip' });
  assert.deepEqual(await form.json(), { error: 'The body is too large', code: 555 });
  const xml = await post('/xmlrpc', bomb, { 'content-type': 'text/xml', 'content-encoding': 'gzip' });
  assert.match(await xml.text(), /<int>555<\/int>.*The body is too large/s);
  assert.ok(process.memoryUsage().arrayBuffers - before < 90 * mebibyte);
});

test('large compressed bodies within the limit are read', async () => {
  const rows = Array.from({ length: 40_000 }, (_, n) => `contact${n * 7919}@example${n % 97}.com`).join('\n');
  for (const [door, path, type, body] of doors) {
    if (door.startsWith('JSON')) continue;
    const response = await post(path, gzipSync(body(rows)), { 'content-type': type, 'content-encoding': 'gzip' });
    assert.match(await response.text(), /unknown|note/, door);
  }
});
