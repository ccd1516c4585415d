import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { pictures } from '../../../../test/support/builders/archives.ts';
import { readMessage, renderPacked } from '../../../base/messages.ts';
import type { ArchiveFile } from './collect.ts';
import { findPage } from './find-page.ts';
import { kindOf } from './kinds.ts';
import { ArchiveRefusal } from './limits.ts';
import { assemblePage } from './page.ts';

function filesOf(contents: Record<string, string | Buffer>): ArchiveFile[] {
  return Object.entries(contents).map(([path, content]) => {
    const bytes = Buffer.from(content);
    return { path, bytes, kind: kindOf(path, bytes)!, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
}
const assemble = (contents: Record<string, string | Buffer>) =>
  assemblePage(filesOf(contents), [], 'https://mail.example/asset/');
const url = (picture: Buffer, extension: string) =>
  `https://mail.example/asset/${createHash('sha256').update(picture).digest('hex').slice(0, 32)}.${extension}`;
const png = url(pictures.png, 'png');

test('the page is found level by level', () => {
  const cases: [string[], string][] = [
    [['index.html', 'a.html', 'x/index.html'], 'index.html'],
    [['index.htm', 'index.html'], 'index.html'],
    [['INDEX.HTM', 'a.html'], 'INDEX.HTM'],
    [['Index.Html', 'index.html'], 'index.html'],
    [['mail.html'], 'mail.html'],
    [['mail.html', 'x/index.html'], 'mail.html'],
    [['news/index.html', 'news/x/index.html'], 'news/index.html'],
    [['a/b/c.htm', 'a/b/c/d.html'], 'a/b/c.htm'],
    [['a/x.html', 'b/index.html'], 'b/index.html'],
  ];
  for (const [paths, page] of cases) assert.equal(findPage(paths), page, paths.join());
  for (const paths of [[], ['a.html', 'b.html'], ['a/index.html', 'b/index.html'], ['Index.html', 'INDEX.html']]) {
    assert.throws(() => findPage(paths), ArchiveRefusal, paths.join());
  }
  assert.throws(() => findPage(['b.html', 'a.html']), /"a\.html", "b\.html"/);
});

test('pictures become assets wherever the page names them', () => {
  const html = `<!DOCTYPE html>\r\n<Body Background='img/a.png'><img src=img/a.png srcset="img/a.png 1x, img/b.gif 2x">
<td style="background:url('img/a.png')"><style>p{background:url(img/a.png)}</style><a href="img/a.png">big</a>
<!--[if mso]><v:fill src="img/a.png"/><![endif]--><!-- img/a.png -->`;
  const {
    html: made,
    assets,
    warnings,
  } = assemble({
    'index.html': html,
    'img/a.png': pictures.png,
    'img/b.gif': pictures.gif,
  });
  const gif = url(pictures.gif, 'gif');
  assert.equal(
    made,
    `<!DOCTYPE html>\r\n<Body Background='${png}'><img src=${png} srcset="${png} 1x, ${gif} 2x">
<td style="background:url(${png})"><style>p{background:url(${png})}</style><a href="${png}">big</a>
<!--[if mso]><v:fill src="${png}"/><![endif]--><!-- img/a.png -->`,
  );
  assert.deepEqual(
    assets.map(({ originalPath, contentType, sandbox }) => ({ originalPath, contentType, sandbox })),
    [
      { originalPath: 'img/a.png', contentType: 'image/png', sandbox: false },
      { originalPath: 'img/b.gif', contentType: 'image/gif', sandbox: false },
    ],
  );
  assert.deepEqual(warnings, []);
});

test('an asset is named by its content and stored once', () => {
  const { assets, html } = assemble({
    'index.html': '<img src="a.png"><img src="copy.png"><img src="wrong.jpg"><img src="v.gif#part">',
    'a.png': pictures.png,
    'copy.png': pictures.png,
    'wrong.jpg': pictures.png,
    'v.gif': pictures.gif,
  });
  assert.deepEqual(
    assets.map(({ name, sandbox }) => [name, sandbox]),
    [
      [png.split('/').at(-1), false],
      [url(pictures.gif, 'gif').split('/').at(-1), false],
    ],
  );
  assert.ok(html.endsWith(`<img src="${url(pictures.gif, 'gif')}#part">`));
});

test('an SVG is left out, and so is a file that is missing, each with a warning that names it', () => {
  const source =
    '<img src="images/logo.svg"><p style="background:url(images/logo.svg)"></p><img src="images/missing.png"><img srcset="images/none.png 2x">';
  const { assets, html, warnings } = assemble({ 'index.html': source, 'images/logo.svg': pictures.svg });
  assert.equal(html, source);
  assert.deepEqual(assets, []);
  assert.deepEqual(
    warnings.map(({ code, message }) => [code, readMessage(message)?.values]),
    [
      ['svg', { name: '"images/logo.svg"' }],
      ['missing', { url: '"images/missing.png"' }],
      ['missing', { url: '"images/none.png"' }],
    ],
  );
});

test('files are found regardless of case, slashes and escapes', () => {
  const found = (address: string, path: string, page = 'mail/index.html') => {
    const { html } = assemble({ [page]: `<img src="${address}">`, [path]: pictures.png });
    assert.equal(html, `<img src="${png}">`, `${address} → ${path}`);
  };
  found('a.png', 'mail/a.png');
  found('./a.png', 'mail/a.png');
  found('img/../a.png', 'mail/a.png');
  found('../img/a.png', 'img/a.png');
  found('../../../img/a.png', 'img/a.png');
  found('/img/a.png', 'img/a.png');
  found('/img/a.png', 'mail/img/a.png');
  found('img\\a.png', 'mail/img/a.png');
  found('IMG/A.PNG', 'mail/img/a.png');
  found('a%20b.png', 'mail/a b.png');
  found('a b.png', 'mail/a b.png');
  found('100%25.png', 'mail/100%.png');
  found('100%.png', 'mail/100%.png');
  found('%41.png', 'mail/%41.png');
  found('a.png?v=2', 'mail/a.png');
  found('a\u0308.png', 'mail/\u00e4.png');
  found('a&amp;b.png', 'mail/a&b.png');
});

test('a URL of a missing file stays, with a warning', () => {
  const html =
    '<img src="gone.png"><a href="other.html">o</a><a href="#x">x</a><a href="">e</a><a href="?q">q</a>' +
    '<a href="https://a.example/b.png">w</a><a href="mailto:a@b.example">m</a><a href="*|UNSUB|*">u</a>' +
    '<img src="file:///C:/a.png"><img src="C:\\a.png"><img src="data:image/png;base64,xx"><a href="index.html#top">t</a>';
  const { html: made, warnings } = assemble({ 'index.html': html, 'sub/other.html': '', 'x.png': pictures.png });
  assert.equal(made, html.replace('index.html#top', '#top'));
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['missing', 'missing', 'local_address', 'local_address', 'unused'],
  );
  const linked = assemble({ 'index.html': '<a href="sub/other.html">o</a>', 'sub/other.html': '' });
  assert.deepEqual(
    linked.warnings.map(({ code }) => code),
    ['page_link'],
  );
  assert.equal(
    assemble({ 'index.html': '<img src="//cdn.example/a.png">' }).html,
    '<img src="https://cdn.example/a.png">',
  );
});

test('linked style sheets are put into the page, and their URLs are relative to their own folder', () => {
  const { html, assets, warnings } = assemble({
    'index.html':
      '<head><link rel="stylesheet" href="css/a.css" media="screen and (min-width:1px)"/><LINK HREF=css/c.css REL=StyleSheet>' +
      '<link rel="alternate stylesheet" href="css/a.css"><link rel=icon href=img/a.png></head>',
    'css/a.css': '@charset "utf-8";@import "sub/b.css" print;p{background:url("../img/a.png")}',
    'css/sub/b.css': '@import url(../c.css);b{background:url(../../img/a.png)}',
    'css/c.css': 'c{content:"</style><script>x"}',
    'img/a.png': pictures.png,
  });
  const c = 'c{content:"<\\/style><script>x"}';
  assert.equal(
    html,
    `<head><style type="text/css" media="screen and (min-width:1px)">\n@media print {\n${c}b{background:url(${png})}\n}` +
      `p{background:url(${png})}\n</style><style type="text/css">\n${c}\n</style>` +
      `<link rel="alternate stylesheet" href="css/a.css"><link rel=icon href=${png}></head>`,
  );
  assert.equal(assets.length, 1);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['page_link'],
  );
});

test('imports inside a style element are inlined, and cycles end', () => {
  const { html, warnings } = assemble({
    'index.html': '<style>@import "a.css";@import url(https://w.example/w.css);@import "gone.css";p{}</style>',
    'a.css': '@import "b.css";a{}',
    'b.css': '@import "a.css";b{}',
  });
  const rest = '@import url(https://w.example/w.css);@import "gone.css";p{}</style>';
  assert.equal(html, `<style>b{}a{}b{}a{}${rest}`);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['style_import', 'missing'],
  );
});

test('imports that multiply exponentially are stopped', () => {
  const many = Array.from({ length: 20 }, (_, i) => `@import "${(i % 3) + 1}.css";`).join('');
  assert.throws(
    () => assemble({ 'index.html': '<style>@import "1.css";</style>', '1.css': many, '2.css': many, '3.css': many }),
    /more than 100 style sheets/,
  );
  const big = `p{}${' '.repeat(1_500_000)}`;
  assert.throws(
    () => assemble({ 'index.html': '<link rel=stylesheet href=a.css><link rel=stylesheet href=a.css>', 'a.css': big }),
    /too long/,
  );
});

test('<base> is honoured in the archive and on the web', () => {
  const inside = assemble({
    'index.html': '<base href="mail/"><img src="a.png">',
    'mail/a.png': pictures.png,
  });
  assert.equal(inside.html, `<base href=""><img src="${png}">`);
  const outside = assemble({
    'index.html': '<base href="https://w.example/x/"><img src="a.png"><img src="b.png"><a href="#y">',
    'a.png': pictures.png,
  });
  assert.equal(outside.html, `<base href=""><img src="${png}"><img src="https://w.example/x/b.png"><a href="#y">`);
  assert.deepEqual(outside.warnings, []);
});

test('a page in an old encoding becomes UTF-8 and declares it', () => {
  const { html, warnings } = assemble({
    'index.html': Buffer.from('<meta charset="iso-8859-1"><p>Gr\xfc\xdfe', 'latin1'),
  });
  assert.equal(html, '<meta charset="utf-8"><p>Grüße');
  assert.deepEqual(warnings, []);
  const broken = assemble({ 'index.html': Buffer.from('<meta charset="utf-8"><p>\xff', 'latin1') });
  assert.deepEqual(
    broken.warnings.map(({ code }) => code),
    ['undecodable'],
  );
});

test('the type of a file is decided by its name and its bytes together', () => {
  const cases: [string, Buffer | string, string | undefined][] = [
    ['a.png', pictures.png, 'image/png'],
    ['a.PNG', pictures.png, 'image/png'],
    ['a.jpeg', pictures.jpg, 'image/jpeg'],
    ['a.jpg', pictures.gif, 'image/gif'],
    ['a.webp', pictures.webp, 'image/webp'],
    ['a.svg', pictures.svg, 'image/svg+xml'],
    ['a.svg', '<!-- c --> <svg>', 'image/svg+xml'],
    ['a.svg', '<html><svg>', undefined],
    ['a.svg', '<!DOCTYPE html><svg>', undefined],
    ['a.png', '<svg>', undefined],
    ['a.png', '<html>', undefined],
    ['a.gif', '', undefined],
    ['a.html', '<p>', 'text/html'],
    ['a.html', pictures.png, undefined],
    ['a.htm', Buffer.from('a\0b'), undefined],
    ['a.htm', Buffer.from('\ufeff<p>', 'utf16le'), 'text/html'],
    ['a.css', 'p{}', 'text/css'],
    ['a.woff2', 'wOF2xxxx', 'font/woff2'],
    ['a.woff2', pictures.png, undefined],
    ['a.exe', 'MZ', undefined],
    ['a.js', 'x', undefined],
    ['a.txt', 'x', undefined],
    ['a.zip', 'PK\x03\x04', undefined],
    ['a.php', '<?php', undefined],
    ['png', pictures.png, undefined],
    ['a.toString', 'x', undefined],
    ['a.constructor', 'x', undefined],
  ];
  for (const [path, content, contentType] of cases) {
    assert.equal(kindOf(path, Buffer.from(content))?.contentType, contentType, path);
  }
});

test('warnings name the files and addresses that they are about', () => {
  const contents = {
    'index.html': '<img src="C:\\x.png"><a href="b.html">b</a><a href="index.html">i</a>',
    'b.html': '',
  };
  const unused = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`${i}.png`, pictures.png]));
  const { html, warnings } = assemblePage(filesOf({ ...contents, ...unused }), ['wrong.png'], '');
  assert.equal(html, contents['index.html']);
  assert.deepEqual(
    warnings.map(({ code, message }) => [code, renderPacked(message)]),
    [
      ['mismatched', '"wrong.png" is not of the type that its name suggests and was left out.'],
      ['local_address', 'Leads to a file on a local computer: "C:\\x.png"'],
      ['page_link', 'Only the page itself is sent, not this one: "b.html"'],
      ['page_link', 'Only the page itself is sent, not this one: "index.html"'],
      ['unused', 'Not used by the page (6): "0.png", "1.png", "2.png", "3.png", "4.png".'],
    ],
  );
});

test('a fragment of a missing page stays, and an address that a base on the web cannot complete as well', () => {
  for (const html of ['<a href="gone.html#x">', '<base href=""><a href="/&#9;/[">'])
    assert.equal(assemble({ 'index.html': html }).html, html);
  const outside = assemble({ 'index.html': '<base href="https://w.example/"><a href="/&#9;/["><a href="b">' });
  assert.equal(outside.html, '<base href=""><a href="/&#9;/["><a href="https://w.example/b">');
});

test('at most 50 warnings are given', () => {
  const images = (count: number) => Array.from({ length: count }, (_, i) => `<img src="${i}.png">`).join('');
  const count = (missing: number) => assemble({ 'index.html': images(missing) }).warnings.length;
  assert.deepEqual([count(49), count(50), count(51)], [49, 50, 50]);
});

test('a style sheet declares its encoding within its first 100 bytes', () => {
  const page = (spaces: number) =>
    assemble({
      'index.html': '<link rel=stylesheet href=a.css>',
      'a.css': Buffer.from(`@charset "${' '.repeat(spaces)}koi8-r";/*\xd0*/`, 'latin1'),
    }).html;
  assert.match(page(0), /\/\*п\*\//);
  assert.match(page(82), /\/\*п\*\//);
  assert.match(page(83), /\/\*Ð\*\//);
});

test('a page and its style sheets have at most 2 MiB together', () => {
  const page = (length: number) => ({
    'index.html': '<link rel=stylesheet href=a.css>',
    'a.css': ' '.repeat(length - 32),
  });
  assert.ok(assemble(page(2_097_152)).html.length > 2_097_152);
  assert.throws(() => assemble(page(2_097_153)), /too long/);
});

test('at most 100 style sheets are inlined, and imports up to four levels deep', () => {
  const sheets = (count: number) => ({
    'index.html': '<link rel=stylesheet href=a.css>'.repeat(count),
    'a.css': 'p{}',
  });
  assert.equal(assemble(sheets(100)).html.match(/p\{\}/g)?.length, 100);
  assert.throws(() => assemble(sheets(101)), /more than 100 style sheets/);
  const chain = (depth: number) =>
    Object.fromEntries(Array.from({ length: depth }, (_, i) => [`${i}.css`, `@import "${i + 1}.css";p${i}{}`]));
  const deep = assemble({ 'index.html': '<style>@import "0.css";</style>', ...chain(6), '6.css': '' });
  assert.equal(deep.html, '<style>p3{}p2{}p1{}p0{}</style>');
  assert.deepEqual(
    deep.warnings.map(({ code }) => code),
    ['style_import', 'unused'],
  );
});
