// Pictures that readers cannot see, wherever their address is.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pictureProblem, pictureProblems, picturesNotChosen } from './picture-problems.ts';

const own = 'http://localhost:3000';

for (const [address, expected] of [
  ['pic.png', 'picture_relative'],
  ['images/pic.png', 'picture_relative'],
  ['/pic.png', 'picture_relative'],
  ['../pic.png', 'picture_relative'],
  ['www.example.com/pic.png', 'picture_relative'],
  ['//cdn.example/a.png', 'picture_relative'],
  ['file:///C:/Users/x/a.png', 'picture_scheme'],
  ['FILE:///a.png', 'picture_scheme'],
  ['C:\\a.png', 'picture_scheme'],
  ['c:/a.png', 'picture_scheme'],
  ['\\\\server\\share\\a.png', 'picture_scheme'],
  ['cid:logo', 'picture_scheme'],
  ['blob:https://x.example/1', 'picture_scheme'],
  ['about:blank', 'picture_scheme'],
  ['webkit-fake-url://1/a.png', 'picture_scheme'],
  ['data:image/png;base64,iVBORw0KGgo=', 'picture_scheme'],
  ['data:image/svg+xml,<svg/>', 'picture_svg'],
  ['http://localhost/a.png', 'picture_private'],
  ['http://localhost:8080/a.png', 'picture_private'],
  ['http://127.0.0.1/a.png', 'picture_private'],
  ['http://0x7f.1/a.png', 'picture_private'],
  ['https://192.168.1.20/a.png', 'picture_private'],
  ['https://10.0.0.1/a.png', 'picture_private'],
  ['https://172.16.5.4/a.png', 'picture_private'],
  ['http://169.254.1.1/a.png', 'picture_private'],
  ['http://[::1]/a.png', 'picture_private'],
  ['http://[fd00::1]/a.png', 'picture_private'],
  ['http://nas/a.png', 'picture_private'],
  ['http://nas.local/a.png', 'picture_private'],
  ['http://dev.localhost/a.png', 'picture_private'],
  ['http://wiki.internal/a.png', 'picture_private'],
  ['http:///a.png', 'picture_broken'],
  ['https://', 'picture_broken'],
  ['http:example.com/a.png', 'picture_broken'],
  ['https://exa mple.com/a.png', 'picture_broken'],
  ['https://e.example/a.svg', 'picture_svg'],
  ['https://e.example/a.SVGZ?x=1#y', 'picture_svg'],
  [' ', 'picture_empty'],
  ['\u200b', 'picture_empty'],
  ['http://localhost:3000/asset/a/b.png', null],
  ['https://e.example/a%20b.png', null],
  ['https://e.example/a b.png', null],
  ['https://e.example/über.png', null],
  ['https://e.example/a.png', null],
  ['https://8.8.8.8/a.png', null],
  ['https://[2606:4700::1111]/a.png', null],
  ['*|IMAGE|*', null],
  ['*%7CIMAGE%7C*', null],
  ['https://*|HOST|*/a.png', null],
  ['https://e.example/*|FNAME|*.png', null],
  ['data:font/woff2;base64,AA', null],
] as const)
  test(`the picture ${address}: ${expected ?? 'in order'}`, () => assert.equal(pictureProblem(address, own), expected));

for (const html of [
  '<img src="pic.png" alt="">',
  "<img src=' pic.png '>",
  '<td background="pic.png">x</td>',
  '<body background=pic.png>',
  '<p style="background:url(pic.png)">x</p>',
  '<p style="background-image: url( &quot;pic.png&quot; )">x</p>',
  '<style>.a { background: url("pic.png") }</style>',
  '<img src="https://e.example/a.png" srcset="https://e.example/b.png 1x, pic.png 2x">',
  '<picture><source srcset="pic.png"><img src="https://e.example/a.png"></picture>',
  '<input type="image" src="pic.png">',
  '<!--[if mso]><v:fill type="frame" src="pic.png"/><![endif]-->',
])
  test(`found: ${html}`, () =>
    assert.deepEqual([...pictureProblems(html, own, false)], [['picture_relative', ['pic.png']]]));

test('the placeholders of the visual editor are images that have not been chosen', () => {
  const engine = readFileSync(join(import.meta.dirname, '../../../node_modules/grapesjs/dist/grapes.mjs'), 'utf8');
  const attributes = /svgAttrs = '([^']+)'/.exec(engine)![1]!;
  const drawings = [...engine.matchAll(/(?:src|fallback): "<svg "\.concat\(svgAttrs, "([^;]+?<\/svg>)"/g)].map(
    ([, rest]) => `<svg ${attributes}${JSON.parse(`"${rest}"`)}`,
  );
  assert.equal(drawings.length, 2);
  for (const drawing of drawings) {
    const address = `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`;
    const html = `<p>x</p><img src="${address}" alt="">`;
    assert.deepEqual([...pictureProblems(html, own, true)], [['picture_not_chosen', [address]]]);
    assert.deepEqual(picturesNotChosen(html), [address]);
  }
  assert.deepEqual(picturesNotChosen('<img src="data:image/svg+xml;base64,PHN2Zz4=">'), []);
});

test('a picture without an address is quoted', () => {
  const found = pictureProblems('<img alt="a"><img src="" alt="b"><img src=" ">', own, false);
  assert.deepEqual([...found], [['picture_empty', ['<img alt="a">', '<img src="" alt="b">', '<img src=" ">']]]);
});

test('data is in order where it is embedded; SVG in the page is not shown', () => {
  const data = '<img src="data:image/png;base64,AA">';
  assert.deepEqual([...pictureProblems(data, own, true)], []);
  assert.deepEqual(
    [...pictureProblems(`<p style="background:url(data:image/png;base64,AA)">`, own, true).keys()],
    ['picture_scheme'],
  );
  assert.deepEqual(
    [...pictureProblems('<svg viewBox="0 0 1 1"><path d=""/></svg>', own, true)],
    [['picture_svg', ['<svg>']]],
  );
});

test('what is no picture is left alone', () => {
  const html =
    '<a href="page.html">x</a><link href="a.css"><script src="a.js"></script><iframe src="a.html"></iframe><style>@font-face{src:url(f.woff2?x)} @import "a.css";</style>';
  assert.deepEqual([...pictureProblems(html, own, false)], []);
});

test('the tag of a picture without an address is quoted up to 100 characters', () => {
  const quoted = (length: number) => {
    const html = `<img alt="${'x'.repeat(length - 12)}">`;
    return pictureProblems(html, own, false).get('picture_empty')?.[0];
  };
  assert.equal(quoted(100)?.length, 100);
  assert.equal(quoted(100)?.endsWith('>'), true);
  assert.equal(quoted(101)?.length, 100);
  assert.equal(quoted(101)?.endsWith('x…'), true);
});

test('pictures of VML and AMP are looked at, and data in a background is embedded', () => {
  for (const name of ['v:fill', 'v:imagedata', 'v:image', 'amp-img'])
    assert.deepEqual(
      [...pictureProblems(`<!--[if mso]><${name} src="pic.png"/><![endif]-->`, own, false).values()],
      [['pic.png']],
      name,
    );
  const data = 'data:image/png;base64,AA';
  assert.deepEqual([...pictureProblems(`<td background="${data}">x</td>`, own, true)], []);
  assert.deepEqual([...pictureProblems(`<td background="${data}">x</td>`, own, false).keys()], ['picture_scheme']);
  assert.deepEqual([...pictureProblems(`<video poster="pic.png"></video>`, own, true).values()], [['pic.png']]);
});
