// Tests the built application: the size of the first screen's script, no server code in it, and how it is served.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildUi, root } from '../support/browser/ui.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

const dist = join(root, 'ui/dist');
let program: TestApp;
let base: string;

before(async () => {
  buildUi();
  program = await testApp();
  base = await program.listen();
});
after(() => program.close());

test('the script of the first screen is at most 170 kB compressed', () => {
  const chunks = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    { file: string; imports?: string[]; isEntry?: boolean }
  >;
  // What a visit to the campaigns loads: the entry with the shell and the screen, one language, and all their imports.
  for (const part of ['src/shell/shell.tsx', 'src/screens/campaigns/campaigns-screen.tsx'])
    assert.ok(!chunks[part], `${part} has a file of its own: ui/vite.config.ts puts it into the first`);
  const first = ['index.html', 'src/locales/en-first.ts'];
  const files = new Set<string>();
  const take = (name: string) => {
    const chunk = chunks[name];
    assert.ok(chunk, `${name} is not built`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const other of chunk.imports ?? []) take(other);
  };
  for (const name of first) take(name);
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
  assert.ok(bytes <= 170_000, `${files.size} files of ${bytes} bytes:\n${[...files].join('\n')}`);
});

test('nothing of the server is in the built files', () => {
  const scripts = globSync('assets/*.js', { cwd: dist });
  assert.ok(scripts.length > 5);
  // Strings from the schemas, an SQL statement, the driver and the list of faults.
  const marks = [
    'is neither a string nor base64',
    'from campaign c',
    'node:crypto',
    'graphile',
    'The request body is not well-formed',
    '$Zod',
  ];
  const everything = scripts.map((file) => readFileSync(join(dist, file), 'utf8')).join('\n');
  for (const mark of marks) assert.ok(!everything.includes(mark), `"${mark}" is in the bundle`);
  // The strings do occur in the server.
  const server = globSync('src/**/*.ts', { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  for (const mark of marks) assert.ok(server.includes(mark), mark);
});

test('the page loads nothing from other hosts', () => {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  for (const [, address] of page.matchAll(/(?:src|href)="([^"]+)"/g)) assert.match(address!, /^\.\//);
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)/, 'a script within the page would be refused by the policy');
});

test('unchanged sources are not rebuilt', () => {
  const builtAt = statSync(join(dist, 'index.html')).mtimeMs;
  execFileSync('sh', [join(root, 'bin/build-ui')]);
  assert.equal(statSync(join(dist, 'index.html')).mtimeMs, builtAt);
});

test('files with a hash in their name are cached permanently, the page is revalidated', async () => {
  const page = await fetch(`${base}/app/`);
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  const script = /src="(\/app\/assets\/[^"]+\.js)"/.exec(await page.text())![1]!;
  const asset = await fetch(base + script);
  assert.equal(asset.status, 200);
  assert.match(asset.headers.get('cache-control')!, /immutable/);
  assert.match(asset.headers.get('content-type')!, /javascript/);
  for (const encoding of ['br', 'gzip']) {
    const packed = await fetch(base + script, { headers: { 'accept-encoding': encoding } });
    assert.equal(packed.headers.get('content-encoding'), encoding);
    assert.match(packed.headers.get('content-type')!, /javascript/);
    assert.match(packed.headers.get('cache-control')!, /immutable/);
    assert.equal(await packed.text(), await (await fetch(base + script)).text());
  }
  const scheme = await fetch(`${base}/app/scheme.js`);
  assert.equal(scheme.headers.get('cache-control'), 'no-cache');
});

test('every screen has a policy that allows only our own scripts', async () => {
  for (const path of ['/app/', '/app/campaigns', '/app/scheme.js']) {
    const { headers } = await fetch(base + path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', path);
    assert.match(policy, /script-src 'self'(;|$)/, path);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
  }
});

test('the URL of a screen returns the page, the URL of a missing file does not', async () => {
  const screen = await fetch(`${base}/app/campaigns/abc/report?page=2`);
  assert.equal(screen.status, 200);
  assert.match(await screen.text(), /<div id="root">/);
  for (const path of [
    '/app/assets/gone-12345678.js',
    '/app/assets/../.vite/manifest.json',
    '/app/assets/%2e%2e/.sources',
  ])
    assert.notEqual((await fetch(base + path)).headers.get('content-type'), 'text/javascript; charset=utf-8', path);
  assert.equal((await fetch(`${base}/app/assets/gone-12345678.js`)).status, 404);
});

test('a browser at the root URL is redirected to the application, a program is not', async () => {
  const browser = await fetch(`${base}/`, { redirect: 'manual', headers: { accept: 'text/html,*/*;q=0.8' } });
  assert.equal(browser.status, 303);
  assert.equal(browser.headers.get('location'), '/app/');
  const tool = await fetch(`${base}/`, { redirect: 'manual', headers: { accept: '*/*' } });
  assert.equal(tool.status, 200);
  assert.match(await tool.text(), /xmlrpc/);
});

test('the URLs of earlier pages redirect to the screens that replaced them', async () => {
  for (const [old, screen] of [
    ['/login', '/app/sign-in'],
    ['/inbox', '/app/inbox'],
    ['/inbox/7', '/app/inbox/7'],
    ['/inbox/..%2f..%2f%2fexample.com', '/app/inbox/..%2F..%2F%2Fexample.com'],
  ] as const) {
    const answer = await fetch(base + old, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [301, screen], old);
  }
});
