// The OpenAPI description over HTTP: compressed, and revalidated by its tag.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

const get = (headers: Record<string, string>) =>
  new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
    request(`${base}/api/openapi.json`, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as Record<string, string>,
          body: Buffer.concat(parts),
        }),
      );
    })
      .on('error', reject)
      .end();
  });

test('the description is compressed for those who take that, and only for them', async () => {
  const plain = await get({});
  assert.equal(plain.headers['content-encoding'], undefined);
  const zipped = await get({ 'accept-encoding': 'br, gzip;q=0.8' });
  assert.equal(zipped.headers['content-encoding'], 'gzip');
  assert.match(zipped.headers['vary']!, /accept-encoding/);
  assert.deepEqual(gunzipSync(zipped.body), plain.body);
  assert.ok(zipped.body.length < plain.body.length / 5, `${zipped.body.length} of ${plain.body.length} bytes`);
  assert.equal((await get({ 'accept-encoding': 'gzip;q=0' })).headers['content-encoding'], undefined);
  assert.equal(JSON.parse(String(plain.body)).openapi, '3.1.0');
});

test('who has it already gets no second copy', async () => {
  const { etag } = (await get({ 'accept-encoding': 'gzip' })).headers;
  const again = await get({ 'if-none-match': etag!, 'accept-encoding': 'gzip' });
  assert.deepEqual([again.status, again.body.length], [304, 0]);
  assert.equal((await get({ 'if-none-match': '"other"' })).status, 200);
});
