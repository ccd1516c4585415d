// An installation below a path of its host, over HTTP: behind a reverse proxy that takes the path off and one that does not, what
// the program answers is the same, and every address in it has the path.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { ownNames } from '../base/public-paths.ts';
import { createServer } from '../web.ts';
import { pageAt } from './application.ts';

let program: TestApp;
let server: Awaited<ReturnType<typeof createServer>>;
before(async () => {
  program = await testApp({ BASE_URL: 'https://www.example.com/mail' });
  server = await createServer(program.app);
});
after(async () => {
  await server.close();
  await program.close();
});

/** The answer, which must be the same for both kinds of proxy. */
async function ask(path: string, options: InjectOptions = {}) {
  const [kept, stripped] = await Promise.all([`/mail${path}`, path].map((url) => server.inject({ ...options, url })));
  assert.deepEqual([kept!.statusCode, kept!.body], [stripped!.statusCode, stripped!.body], path);
  assert.equal(kept!.headers.location, stripped!.headers.location, path);
  return kept!;
}

test('redirects, pages and descriptions lead to addresses below the path', async () => {
  const browser = { headers: { accept: 'text/html' } };
  assert.equal((await ask('/', browser)).headers.location, '/mail/app/');
  assert.equal((await server.inject({ url: '/mail', ...browser })).headers.location, '/mail/app/');
  for (const [path, location] of [
    ['/app', '/mail/app/'],
    ['/login', '/mail/app/sign-in'],
    ['/inbox', '/mail/app/inbox'],
    ['/inbox/7', '/mail/app/inbox/7'],
  ] as const)
    assert.equal((await ask(path)).headers.location, location);
  for (const path of ['/', '/api', '/api/ping']) {
    const { body } = await ask(path, { headers: { accept: '*/*' } });
    const links = [...body.matchAll(/(?:href|src|action)="(?!data:)([^"]+)"/g)].map(([, link]) => link!);
    assert.ok(links.length > 0, path);
    for (const link of links) assert.match(link, /^\/mail\//, `${path} ${link}`);
  }
  const { servers } = (await ask('/api/openapi.json')).json<{ servers: { url: string }[] }>();
  assert.deepEqual(servers, [{ url: 'https://www.example.com/mail' }]);
  const llms = (await ask('/llms.txt')).body;
  assert.match(llms, /https:\/\/www\.example\.com\/mail\/mcp/);
  assert.doesNotMatch(llms, /example\.com\/(?!mail)/);
  assert.match((await ask('/xmlrpc')).body, /reference is at \/mail\/api\./);
  assert.equal((await server.inject('/mailbox')).statusCode, 404);
});

test('calls work at the public URL itself, through every door', async () => {
  const json = { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' };
  assert.equal((await ask('/api/ping', { method: 'POST', headers: json, payload: '{}' })).statusCode, 200);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const payload = `apikey=${program.key}`;
  const query = '?output=json&method=ping';
  for (const url of [`/mail${query}`, `/mail/${query}`, `/mail/1.3/${query}`, `/1.3/${query}`])
    assert.equal((await server.inject({ method: 'POST', url, headers: form, payload })).statusCode, 200, url);
  const call = `<?xml version="1.0"?><methodCall><methodName>ping</methodName><params><param><value><struct><member><name>apikey</name><value>${program.key}</value></member></struct></value></param></params></methodCall>`;
  for (const url of ['/mail', '/mail/', '/mail/xmlrpc', '/xmlrpc']) {
    const answer = await server.inject({ method: 'POST', url, headers: { 'content-type': 'text/xml' }, payload: call });
    assert.match(answer.body, /methodResponse/, url);
    assert.doesNotMatch(answer.body, /fault/, url);
  }
  const tools = {
    method: 'POST',
    headers: { ...json, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  } as const;
  assert.match((await ask('/mcp', tools)).body, /"tools"/);
});

test('cookies go to the path only, over TLS only', async () => {
  const answer = await server.inject({
    method: 'POST',
    url: '/mail/session',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    payload: JSON.stringify({ email: 'owner@example.com', password: 'correct horse' }),
  });
  assert.equal(answer.statusCode, 200, answer.body);
  const lines = [answer.headers['set-cookie']].flat() as string[];
  assert.equal(lines.length, 2);
  for (const line of lines)
    assert.match(line, /^__Secure-postrider_(?:session|browser)=.+; Path=\/mail; HttpOnly; Secure; SameSite=Lax$/);
  const [session] = lines.map((line) => line.split(';')[0]!);
  const info = await ask('/api/sessionGet', {
    method: 'POST',
    headers: { cookie: session!, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    payload: '{}',
  });
  assert.equal(info.statusCode, 200);
});

test('the page of the web application has the path in its addresses, and nothing else changes', () => {
  const built = `<meta charset="utf-8" /><a title="./x"></a><link rel="icon" href="./icon.svg" /><script src="./a.js"></script>`;
  assert.equal(
    pageAt('', built),
    '<meta charset="utf-8" /><a title="./x"></a><link rel="icon" href="/app/icon.svg" /><script src="/app/a.js"></script>',
  );
  assert.equal(
    pageAt('/mail', built),
    '<meta charset="utf-8" /><meta name="base-path" content="/mail" /><a title="./x"></a><link rel="icon" href="/mail/app/icon.svg" /><script src="/mail/app/a.js"></script>',
  );
});

test('a public URL cannot begin with an address of the program, and the list of them is complete', async () => {
  await server.ready();
  // One line for each route; those with four more spaces at their front belong to the one above.
  const routes = server.printRoutes({ commonPrefix: false }).split('\n').slice(1);
  const names = routes.flatMap((line) => /^ {4}[├└]── ([^/ :*]+)/.exec(line)?.[1] ?? []);
  assert.ok(names.length > 20);
  // The list prints /c/* as *.
  assert.deepEqual([...new Set([...names, 'c'])].sort(), [...ownNames].sort());
});
