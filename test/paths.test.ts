// Every link of a page goes through `publicPath` (src/base/public-paths.ts, ui/src/api/base-path.ts), so that it keeps the
// path of the public URL: no source file writes the address of a link from the root of the host.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownNames } from '../src/base/public-paths.ts';

const root = join(import.meta.dirname, '..');
const sources = globSync('{src/**/*.{ts,js},ui/src/**/*.{ts,tsx,css}}', { cwd: root }).filter(
  (path) => !/\.test(-d)?\.tsx?$/.test(path),
);

const quote = '[\'"`]';
const patterns = [
  // <a href="/api">, <form action='/p/…'>, <img src={`/asset/…`}>, url(/asset/…)
  /\b(?:href|src|srcset|action|formaction|poster)=\{?['"`]\/(?!\/)/,
  /\burl\(['"]?\/(?!\/)/,
  // redirect('/app/'), location.assign('/app/'), fetch(`/asset/…`), new EventSource('/events'), open('POST', '/upload')
  new RegExp(`\\b(?:redirect|assign|replaceState|fetch|EventSource|push)\\(\\s*${quote}/(?!/)`),
  new RegExp(`\\bopen\\(\\s*${quote}[A-Z]+${quote},\\s*${quote}/`),
  new RegExp(`\\blocation(?:\\.href)?(?: =|\\.replace\\()\\s*${quote}/`),
  // new URL('/mcp', base) takes the path off the base.
  new RegExp(`\\bnew URL\\(\\s*${quote}/`),
  // An address that is given on: { href: `/import/…` }
  new RegExp(`\\b(?:href|src|url): ${quote}/(?!/)`),
];
/** Screens have these names too; links to them go through the router. */
const screens = new Set(['api', 'inbox']);
/** In screens any text that begins like an address of the program, unless it is given to a function that adds the path. */
const inScreens = new RegExp(
  `(?<!publicPath\\(|request\\('[A-Z]+', )${quote}/(?:${[...ownNames].filter((name) => !screens.has(name)).join('|')})(?=[/?#'"\`])`,
);

/** Where the path is added, and the list of addresses whose callers handle 401. */
const adders = new Set(['ui/src/api/base-path.ts', 'ui/src/api/call.ts']);
/** Options of a route, which name what is routed. */
const routes = new Set(['src/doors/mcp/door.ts']);

function linksPast(path: string, text: string): string[] {
  const isScreen = path.startsWith('ui/');
  return text.split('\n').flatMap((line, index) => {
    if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) return [];
    const found = patterns.some((pattern) => pattern.test(line)) || (isScreen && inScreens.test(line));
    return found ? [`${path}:${index + 1}: ${line.trim()}`] : [];
  });
}

test('no source file writes a link from the root of the host', () => {
  assert.ok(sources.length > 500);
  const found = sources
    .filter((path) => !adders.has(path) && !routes.has(path))
    .flatMap((path) => linksPast(path, readFileSync(join(root, path), 'utf8')));
  assert.deepEqual(found, [], 'use publicPath, or a link of the router');
});

test('such links are found however they are written', () => {
  for (const line of [
    'html`<a href="/p/x">`',
    "<form action='/u/x'>",
    '<img src={`/asset/x`} />',
    "return reply.redirect('/app/', 303);",
    'window.location.assign(`/app/`);',
    "window.location.href = '/app/';",
    "await fetch('/health')",
    "request.open('POST', '/upload')",
    'new EventSource(`/events?x`)',
    "new URL('/mcp', app.baseUrl)",
    'const address = { href: `/import/x/errors.csv` };',
    "url.startsWith('/asset/')",
  ])
    assert.equal(linksPast('ui/src/x.tsx', line).length, 1, line);
  for (const line of [
    "publicPath('/asset/x')",
    "await request('POST', '/session', body)",
    '<Link to="/lists">',
    '<a href="https://example.com/">',
    '<script src="//cdn.example.com">',
    "// GET '/session'",
  ])
    assert.deepEqual(linksPast('ui/src/x.tsx', line), [], line);
});
