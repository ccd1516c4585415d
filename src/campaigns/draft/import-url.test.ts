import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { faultyBehaviours, type HostileServer, startHostileHttp } from '../../../test/support/network/hostile-http.ts';
import { watchSockets } from '../../../test/support/network/watch-sockets.ts';
import { renderMessage } from '../../base/messages.ts';
import { createOutbound } from '../../base/outbound/outbound.ts';
import type { Outbound } from '../../base/outbound-client.ts';
import { absolute } from '../content/absolute.ts';
import { importUrl } from './import-url.ts';

let server: HostileServer;
let outbound: Outbound;
before(async () => {
  server = await startHostileHttp('127.0.0.2');
  outbound = createOutbound({ allow: ['127.0.0.2'] });
});
after(async () => {
  outbound.close();
  await server.close();
});

const quick = { padFailureMs: 0, totalMs: 700 };
const page = (html: string | Buffer, headers: Record<string, string> = { 'Content-Type': 'text/html' }) =>
  server.url('body', { base64: Buffer.from(html).toString('base64'), ...headers });

test('a page is imported as the author wrote it, with absolute URLs', async () => {
  const html = '<!DOCTYPE html>\r\n<P Class=x><IMG SRC="/pic.gif" ALT="ä">\t<a href="b?c=1&d=2#e">go</a></P>';
  const imported = await importUrl(outbound, ` ${page(html)} `, quick);
  assert.ok(imported.ok);
  const root = `http://127.0.0.2:${server.port}/`;
  assert.equal(
    imported.html,
    `<!DOCTYPE html>\r\n<P Class=x><IMG SRC="${root}pic.gif" ALT="ä">\t<a href="${root}b?c=1&amp;d=2#e">go</a></P>`,
  );
  assert.deepEqual(imported.warnings, []);
});

test('relative URLs are resolved against the final URL of the page', async () => {
  const to = page('<a href="x">');
  const imported = await importUrl(outbound, server.url('redirect', { to }), quick);
  assert.ok(imported.ok);
  assert.equal(imported.finalUrl, to);
  assert.equal(imported.html, `<a href="http://127.0.0.2:${server.port}/x">`);
});

test('relative addresses become absolute, others stay', () => {
  const at = 'https://news.example/2024/may/index.html?x=1#top';
  const cases: [string, string][] = [
    ['<a href="a.html">', '<a href="https://news.example/2024/may/a.html">'],
    ['<a href="../a">', '<a href="https://news.example/2024/a">'],
    ['<a href="/a">', '<a href="https://news.example/a">'],
    ['<a href="?y=2">', '<a href="https://news.example/2024/may/index.html?y=2">'],
    ['<a href="//cdn.example/a">', '<a href="https://cdn.example/a">'],
    ['<a href="HTTP://Other.example">', '<a href="HTTP://Other.example">'],
    ['<a href="mailto:a@b.example">', '<a href="mailto:a@b.example">'],
    ['<a href="tel:+1">', '<a href="tel:+1">'],
    ['<a href="javascript:x()">', '<a href="javascript:x()">'],
    ['<img src="data:image/gif;base64,R0lG">', '<img src="data:image/gif;base64,R0lG">'],
    ['<img src="cid:x">', '<img src="cid:x">'],
    ['<a href="#below">', '<a href="#below">'],
    ['<a href="">', '<a href="">'],
    ...['*|UNSUB|*', '*%7CUNSUB%7C*', '*%7cARCHIVE%7c*', '#%5BUNSUB%5D#', '*%5BUPDATE_PROFILE%5D*', '#[UNSUB]#'].map(
      (tag): [string, string] => [`<a href="${tag}">`, `<a href="${tag}">`],
    ),
    ['<img src="*%7CPHOTO%7C*">', '<img src="*%7CPHOTO%7C*">'],
    ['<a href="dir/*%7CFNAME%7C*">', '<a href="https://news.example/2024/may/dir/*%7CFNAME%7C*">'],
    ['<a href="*|UNSUB|*">', '<a href="*|UNSUB|*">'],
    ['<a href="#[UNSUB]#">', '<a href="#[UNSUB]#">'],
    ['<a href="*[UNSUB]*">', '<a href="*[UNSUB]*">'],
    ['<a href="p?e=*|EMAIL|*&x=1">', '<a href="https://news.example/2024/may/p?e=*|EMAIL|*&amp;x=1">'],
    [
      '<img srcset="a.png 1x, b.png 2x">',
      '<img srcset="https://news.example/2024/may/a.png 1x, https://news.example/2024/may/b.png 2x">',
    ],
    ['<td background=bg.gif>', '<td background=https://news.example/2024/may/bg.gif>'],
    [
      '<style>@import "a.css";b{c:url(/d)}</style>',
      '<style>@import url(https://news.example/2024/may/a.css);b{c:url(https://news.example/d)}</style>',
    ],
    ['<p style="background:url(\'i.png\')">', '<p style="background:url(https://news.example/2024/may/i.png)">'],
    [
      '<!--[if mso]><v:fill src="v.png"/><![endif]-->',
      '<!--[if mso]><v:fill src="https://news.example/2024/may/v.png"/><![endif]-->',
    ],
  ];
  for (const [html, expected] of cases) assert.equal(absolute(html, at), expected, html);
});

test('<base> is honoured once and then has no further effect', () => {
  const at = 'https://news.example/a/b';
  const base = '<base href="//cdn.example/x/" target="_blank">';
  assert.equal(
    absolute(`${base}<a href="y"><a href="#z"><base href="https://evil.example/">`, at),
    '<base href="" target="_blank"><a href="https://cdn.example/x/y"><a href="https://cdn.example/x/#z"><base href="">',
  );
  assert.equal(
    absolute('<base target="_top"><a href="y">', at),
    '<base target="_top"><a href="https://news.example/a/y">',
  );
  assert.equal(absolute('<base href="data:,x"><a href="y">', at), '<base href=""><a href="https://news.example/a/y">');
  assert.equal(absolute('<base href="http://"><a href="y">', at), '<base href=""><a href="https://news.example/a/y">');
});

test('the encoding is found in header, page or bytes, and the imported page declares UTF-8', async () => {
  const latin = Buffer.from(
    '<meta http-equiv=Content-Type content="text/html; charset=iso-8859-1"><p>Gr\xfc\xdfe',
    'latin1',
  );
  const fromMeta = await importUrl(outbound, page(latin), quick);
  assert.equal(
    fromMeta.ok && fromMeta.html,
    '<meta http-equiv=Content-Type content="text/html; charset=utf-8"><p>Grüße',
  );
  const fromHeader = await importUrl(
    outbound,
    page(Buffer.from('<p>\xd0', 'latin1'), { 'Content-Type': 'text/html;charset="KOI8-R"' }),
    quick,
  );
  assert.equal(fromHeader.ok && fromHeader.html, '<p>п');
  const broken = await importUrl(outbound, page(Buffer.from('<meta charset=utf-8>\xff', 'latin1')), quick);
  assert.deepEqual(broken.ok && broken.warnings.map(({ code }) => code), ['undecodable']);
});

test('only web pages are imported', async () => {
  for (const type of [
    'text/plain',
    'image/png',
    'application/json',
    'application/octet-stream',
    'text/htmlx',
    'text/css',
  ]) {
    const imported = await importUrl(outbound, page('<p>', { 'Content-Type': type }), quick);
    assert.match(imported.ok ? 'accepted' : renderMessage(imported.reason), /is not a web page/, type);
  }
  for (const type of ['text/html', 'TEXT/HTML; charset=utf-8', 'application/xhtml+xml']) {
    assert.equal((await importUrl(outbound, page('<p>', { 'Content-Type': type }), quick)).ok, true, type);
  }
  assert.equal((await importUrl(outbound, page('\n<!-- x --><!doctype HTML><p>', {}), quick)).ok, true);
  assert.equal((await importUrl(outbound, page('GIF89a', {}), quick)).ok, false);
  assert.equal((await importUrl(outbound, page(''), quick)).ok, false);
  for (const code of ['301', '404', '500']) {
    const imported = await importUrl(outbound, server.url('status', { code }), quick);
    assert.equal(!imported.ok && renderMessage(imported.reason), `The server answered ${code} instead of a page.`);
  }
});

test('a page that is compressed without being asked for is read', async () => {
  const headers = { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' };
  const imported = await importUrl(outbound, page(gzipSync('<p>hello'), headers), quick);
  assert.equal(imported.ok && imported.html, '<p>hello');
});

test('linked style sheets and malformed URLs cause warnings', async () => {
  const html = '<link rel="stylesheet" href="a.css"><a href="http//[">x</a><a href="//[x">y</a><link rel=icon href=i>';
  const imported = await importUrl(outbound, page(html), quick);
  assert.deepEqual(imported.ok && imported.warnings.map(({ code }) => code), ['linked_style', 'bad_address']);
});

test('F81: a hostile source fails with the same text as any unreachable host', async () => {
  const reasons = new Map<string, string[]>();
  const tooLarge = ['declared-gigabyte', 'endless', 'endless-chunked', 'gzip-bomb'];
  for (const behaviour of faultyBehaviours()) {
    const totalMs = tooLarge.includes(behaviour) ? 30_000 : 400;
    const imported = await importUrl(outbound, server.url(behaviour), { ...quick, totalMs, maxBytes: 100_000 });
    assert.equal(imported.ok, false, behaviour);
    if (imported.ok) continue;
    const reason = renderMessage(imported.reason);
    reasons.set(reason, [...(reasons.get(reason) ?? []), behaviour]);
  }
  assert.equal(reasons.size, 2);
  assert.deepEqual(reasons.get('The response is too large.')?.sort(), tooLarge);
});

test('a forbidden address is rejected without a connection', async () => {
  const watch = watchSockets();
  for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://169.254.169.254/', 'file:///etc/passwd', 'x', '']) {
    assert.equal((await importUrl(outbound, url, quick)).ok, false, url);
  }
  watch.stop();
  assert.deepEqual(watch.attempts, []);
});
