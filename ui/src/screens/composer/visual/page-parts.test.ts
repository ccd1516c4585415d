// Splitting and joining pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyStyle, joinPage, lostParts, pageParts, unstyled, withBodyStyle } from './page-parts.ts';

const page =
  '<!doctype html>\n<html><head><style>p { color: red }</style></head>\n<body class="a" style="margin:0">\n<p>Hi</p>\n</body>\n</html>\n';

test('the content is what is between the body tags; styles are returned separately', () => {
  const parts = pageParts(page);
  assert.equal(parts.content, '\n<p>Hi</p>\n');
  assert.equal(parts.css, 'p { color: red }');
  assert.equal(parts.bodyStyle, 'margin:0');
  assert.equal(joinPage(parts, '<p>Ho</p>'), page.replace('\n<p>Hi</p>\n', '<p>Ho</p>'));
});

test('a fragment is all content; without </body> the content ends with the page', () => {
  assert.deepEqual(
    [pageParts('<p>x</p>').content, pageParts('<!doctype html><p>x</p>').content, pageParts('<body><p>x').content],
    ['<p>x</p>', '<p>x</p>', '<p>x'],
  );
});

test('style sheets in the content stay where they are', () => {
  const parts = pageParts('<body><p>a</p><style>b{}</style><p>c</p></body>');
  assert.equal(unstyled(parts.content), '<p>a</p><p>c</p>');
  assert.equal(joinPage(parts, parts.content), '<body><p>a</p><style>b{}</style><p>c</p></body>');
});

test('splitting and joining keeps a page unchanged', () => {
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
      const rejoined = joinPage(parts, parts.content);
      assert.equal(rejoined, html);
    }),
  );
});

for (const [content, lost] of [
  ['<p>x</p><!-- note -->', []],
  ['<!--[if mso]><table><![endif]--><!--[if !mso]><!--><p>x</p><!--<![endif]-->', []],
  ['<![if !mso]><p>x</p><![endif]>', ['condition']],
  ['<style>a{}</style><SCRIPT>1</SCRIPT>', ['script']],
  ['<form action="/x"><input></form>', ['form']],
] as const)
  test(`the visual editor loses ${lost.join(', ') || 'nothing'} of ${content}`, () =>
    assert.deepEqual(lostParts(content), lost));

test('a style of the body is set, and the others and the rest of the page stay', () => {
  const html = '<html><body class="x" style="margin:0; background-color:#fff"><p>x</p></body></html>';
  const changed = withBodyStyle(html, 'background-color', '#eee');
  assert.equal(changed, '<html><body class="x" style="margin:0; background-color:#eee;"><p>x</p></body></html>');
  assert.equal(bodyStyle(changed, 'background-color'), '#eee');
  assert.equal(withBodyStyle('<body><p>x</p>', 'color', '#123'), '<body style="color:#123;"><p>x</p>');
  assert.equal(withBodyStyle('<p>x</p>', 'color', '#123'), '<p>x</p>');
});
