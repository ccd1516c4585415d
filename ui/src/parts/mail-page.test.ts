// Tests what is taken out of a message before a frame shows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForReaders, shownMail } from './mail-page.ts';

const home = 'http://127.0.0.1:8080/mail';
const shown = (html: string) => shownMail(html, (address) => isForReaders(address, home));

test('pictures that readers can load are asked for, and texts and links stay as they are', () => {
  for (const html of [
    '<img src="https://example.com/a.png" srcset="https://example.com/a.png 1x, https://example.com/b.png 2x">',
    '<img src="data:image/png;base64,AA==">',
    '<img src="http://127.0.0.1:8080/mail/asset/a.png"><img src=https://mail.example.com/asset/a.png>',
    '<td background="https://example.com/b.png" style="background:url(&quot;https://example.com/c.png&quot;)">',
    '<style>.a{background:url(https://example.com/a.png)} .b{fill:url(#shade)}</style>',
    '<p>url(file.png), src="file.png", @import "a.css"; on="x"</p>',
    '<a href="images/a.png">x</a><a href="file:///C:/a.png">y</a>',
    '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">',
    '<style>@font-face{font-family:A;src:url(data:font/woff2;base64,AA==)}</style>',
  ])
    assert.equal(shown(html), html);
});

test('pictures that only the author has are not asked for', () => {
  for (const address of [
    'images/a.png',
    '/a.png',
    '//example.com/a.png',
    'file:///C:/a.png',
    'C:\\a.png',
    'cid:a@example',
    'http://localhost/a.png',
    'http://192.168.1.2/a.png',
    'http://172.20.0.1/a.png',
    'http://[::1]/a.png',
    'http://[fd00::1]/a.png',
    'http://nas/a.png',
    'https://nas.local/a.png',
    'http://',
    '*|LOGO|*',
  ]) {
    assert.equal(shown(`<img alt="A" src="${address}">`), `<img alt="A" data-blocked-src="${address}">`, address);
    assert.equal(shown(`<td style="background:url('${address}') red">`), '<td style="background:none red">', address);
  }
  assert.equal(
    shown('<img src="https://example.com/a.png" srcset="https://example.com/a.png, b.png 2x">'),
    '<img src="https://example.com/a.png" data-blocked-srcset="https://example.com/a.png, b.png 2x">',
  );
});

test('what no mailbox runs or loads is taken out', () => {
  for (const [html, expected] of [
    ['a<script src="x.js">b</script>c', 'ac'],
    ['a<script>if (1 < 2) b', 'a'],
    ['<base href="https://example.com/">a', 'a'],
    ['<iframe src="https://example.com/">', '<iframe data-blocked-src="https://example.com/">'],
    [
      '<link rel="stylesheet" href="https://example.com/a.css">',
      '<link rel="stylesheet" data-blocked-href="https://example.com/a.css">',
    ],
    ['<object data=a.swf>', '<object data-blocked-data=a.swf>'],
    [
      '<video poster="https://example.com/a.png" src="https://example.com/a.mp4">',
      '<video poster="https://example.com/a.png" data-blocked-src="https://example.com/a.mp4">',
    ],
    ['<p onclick="a()">', '<p data-blocked-onclick="a()">'],
    ['<meta http-equiv="refresh" content="0">', '<meta data-blocked-http-equiv="refresh" content="0">'],
    ['<style>@import url("https://example.com/a.css"); p{color:red}</style>', '<style> p{color:red}</style>'],
    ['<style>@font-face{src:url(https://example.com/a.woff2)}p{}</style>', '<style>p{}</style>'],
  ] as const)
    assert.equal(shown(html), expected);
});
