// Where details are not public, a visitor gets neither version nor reference; signed-in users and programs lose nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { version } from '../base/version.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp({ PUBLIC_DETAILS: 'no' });
  base = await app.listen();
});
after(() => app.close());

const textOf = async (path: string) => (await fetch(base + path)).text();

test('visitors get no version, no reason and no list of methods', async () => {
  assert.deepEqual(JSON.parse(await textOf('/health')), { status: 'ok' });
  assert.equal(JSON.parse(await textOf('/ready')).reason, '');
  const home = await textOf('/');
  assert.ok(!home.includes(version) && !/\d+ methods/.test(home), home);
  for (const path of ['/api', '/api/openapi.json', '/api/ping', '/api/ping.md', '/llms.txt'])
    assert.deepEqual([(await fetch(base + path)).status, await textOf(path)], [404, 'Not found\n'], path);
});

test('signed-in users read the reference, and programs call methods', async () => {
  const browser = new Browser(base);
  await browser.signIn('owner@example.com', 'correct horse');
  for (const path of ['/api', '/api/openapi.json', '/api/ping', '/api/ping.md', '/llms.txt'])
    assert.equal((await browser.ask('GET', path)).status, 200, path);
  const answer = await fetch(`${base}/api/ping`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}`, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(await answer.json(), "Everything's Ok!");
  browser.cookie = 'x'.repeat(43);
  assert.equal((await browser.ask('GET', '/api')).status, 404);
});
