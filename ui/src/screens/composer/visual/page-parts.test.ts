// Pages taken apart and put together again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { joined, lostParts, pageParts } from './page-parts.ts';

const page =
  '<!doctype html>\n<html><head><style>p { color: red }</style></head>\n<body class="a" style="margin:0">\n<p>Hi</p>\n</body>\n</html>\n';

test('a page has its content between body and body, and its styles for showing', () => {
  const parts = pageParts(page);
  assert.equal(parts.content, '\n<p>Hi</p>\n');
  assert.equal(parts.css, 'p { color: red }');
  assert.equal(parts.bodyStyle, 'margin:0');
  assert.equal(joined(parts, '<p>Ho</p>'), page.replace('\n<p>Hi</p>\n', '<p>Ho</p>'));
});

test('a fragment is all content; a page without an end is content to its end', () => {
  assert.deepEqual(
    [pageParts('<p>x</p>').content, pageParts('<!doctype html><p>x</p>').content, pageParts('<body><p>x').content],
    ['<p>x</p>', '<p>x</p>', '<p>x'],
  );
});

test('style sheets in the content move before it', () => {
  const parts = pageParts('<body><p>a</p><style>b{}</style><p>c</p></body>');
  assert.equal(parts.content, '<p>a</p><p>c</p>');
  assert.equal(joined(parts, parts.content), '<body><style>b{}</style><p>a</p><p>c</p></body>');
});

test('put together unchanged, a page without a style sheet in its content is what it was; with one, nothing is lost', () => {
  const piece = fc.constantFrom(
    '<body>',
    '<BODY bgcolor=x>',
    '</body>',
    '<p>',
    'text',
    '<style>a</style>',
    '<!doctype html>',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const html = pieces.join('');
      const parts = pageParts(html);
      const once = joined(parts, parts.content);
      if (!html.includes('<style>')) assert.equal(once, html);
      assert.equal(once.split('<style>a</style>').length, html.split('<style>a</style>').length);
    }),
  );
});

for (const [content, lost] of [
  ['<p>x</p><!-- note -->', []],
  ['<!--[if mso]><table><![endif]-->', ['condition']],
  ['<style>a{}</style><SCRIPT>1</SCRIPT>', ['script']],
  ['<form action="/x"><input></form>', ['form']],
] as const)
  test(`of ${content} is lost: ${lost.join(', ') || 'nothing'}`, () => assert.deepEqual(lostParts(content), lost));
