// However a path is spelled, it is treated like its plain spelling or answered with 404; and no header
// or parameter turns one method of HTTP into another.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { Browser } from '../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';

let app: TestApp;
let base: string;
let cookie: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
  const browser = new Browser(base);
  await browser.signIn('owner@example.com', 'correct horse');
  cookie = `postrider_session=${browser.cookie}`;
});
after(() => app.close());

/** The status of a request whose path is sent as it stands; fetch would tidy it. */
function ask(method: string, path: string, headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      resolve(response.statusCode!);
      // A stream of events would never end.
      response.destroy();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const json = { 'content-type': 'application/json' };
const routes: [method: string, path: string, headers: Record<string, string>, body: string][] = [
  ['POST', '/session', json, '{"email":"owner@example.com","password":"wrong"}'],
  ['POST', '/session/first-run', json, '{}'],
  ['POST', '/session/reset', json, '{"token":"x","password":"y"}'],
  ['POST', '/api/sessionGet', json, '{}'],
  ['POST', '/api/sessions', json, '{}'],
  ['POST', '/api/users', json, '{}'],
  ['POST', '/api/apikeys', json, '{}'],
  ['GET', '/events', {}, ''],
  ['GET', '/upload/1', {}, ''],
  ['GET', '/export/list-1.csv', {}, ''],
  ['POST', '/xmlrpc', { 'content-type': 'application/x-www-form-urlencoded' }, 'method=users'],
];

const credentials = (): Record<string, Record<string, string>> => ({
  nothing: {},
  'a wrong key': { authorization: `Bearer ${'f'.repeat(32)}` },
  'a key': { authorization: `Bearer ${app.key}` },
  'the cookie, from our page': { cookie, 'sec-fetch-site': 'same-origin' },
  'the cookie, from a foreign page': { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  'the cookie, from who knows where': { cookie },
  'an ended session': { cookie: `postrider_session=${'x'.repeat(43)}`, 'sec-fetch-site': 'same-origin' },
});

const spellings: Record<string, (path: string) => string> = {
  'a slash at its end': (path) => `${path}/`,
  'two slashes at its end': (path) => `${path}//`,
  'two slashes at its beginning': (path) => `/${path}`,
  'two slashes within': (path) => path.replace(/(?<=.)\//, '//'),
  'a dot': (path) => `/.${path}`,
  'two dots': (path) => `/x/..${path}`,
  'two dots and a semicolon': (path) => `/x/..;${path}`,
  'a semicolon': (path) => `${path};a=b`,
  'a coded slash at its beginning': (path) => `/%2f${path.slice(1)}`,
  'a coded slash at its end': (path) => `${path}%2f`,
  'coded slashes within': (path) => `/${path.slice(1).replaceAll('/', '%2f')}`,
  'a coded letter': (path) => path.replace(/s/, '%73'),
  'a letter coded twice': (path) => path.replace(/s/, '%2573'),
  'large letters': (path) => path.toUpperCase(),
  'a large first letter': (path) => path.replace(/\/(\w)/, (_all, letter: string) => `/${letter.toUpperCase()}`),
  'a backslash': (path) => path.replace(/\/(?=[^/]*$)/, '\\'),
  'a question mark': (path) => `${path}?`,
  'a query': (path) => `${path}?a=b`,
  'an end of a string': (path) => `${path}%00`,
  'a space': (path) => `${path}%20`,
  'a name of a file': (path) => `${path}.json`,
  'a whole address': (path) => `http://other.example${path}`,
};

const nothingThere = [400, 404, 405, 414, 415];

for (const [method, path, headers, body] of routes) {
  test(`${method} ${path}: every spelling gets the same decision or 404`, async () => {
    for (const [who, credential] of Object.entries(credentials())) {
      const send = async (spelled: string, more: Record<string, string> = {}, as = method) => {
        await app.app.db.run(sql`delete from sign_in_try`);
        return ask(as, spelled, { ...headers, ...credential, ...more }, body);
      };
      const plain = await send(path);
      assert.ok(plain < 500, `${who}: ${plain}`);
      for (const [what, spell] of Object.entries(spellings)) {
        const status = await send(spell(path));
        assert.ok(status === plain || nothingThere.includes(status), `${who}, ${what}: ${status} instead of ${plain}`);
      }
      for (const override of ['GET', 'POST', 'DELETE', 'PUT'])
        for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override'])
          assert.equal(await send(path, { [name]: override }), plain, `${who}, ${name}: ${override}`);
      assert.equal(await send(`${path}?_method=DELETE`), plain, who);
      for (const name of ['x-original-url', 'x-rewrite-url'])
        assert.equal(await send(path, { [name]: '/health' }), plain, `${who}, ${name}`);
      // A question about the head of a page is the question for the page.
      if (method === 'GET' && path !== '/events') assert.equal(await send(path, {}, 'HEAD'), plain, `${who}, HEAD`);
      assert.ok(nothingThere.includes(await send(path, {}, 'OPTIONS')), `${who}, OPTIONS`);
    }
  });
}

test('no route answers a CORS preflight of a foreign page', async () => {
  for (const [, path] of routes) {
    const response = await fetch(base + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    assert.equal(response.headers.get('access-control-allow-credentials'), null);
  }
});
