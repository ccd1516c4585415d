// Addresses in style sheets. relink.test.ts has them as parts of a page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CssPlace, cssUrl, editCss, replaceCss } from './css-urls.ts';

/** The addresses of a style sheet, with what an import has after its address. */
function placesOf(css: string): string[] {
  const found: CssPlace[] = [];
  replaceCss(css, (place) => {
    found.push(place);
    return null;
  });
  return found.map(({ kind, address, conditions }) => [kind, address, conditions].filter(Boolean).join(' '));
}

for (const [css, ...expected] of [
  ['a{b:url(x)}', 'url x'],
  ['a{b:url( x )}', 'url x'],
  ['a{b:URL("x y")}', 'url x y'],
  ["a{b:url( 'x' )}", 'url x'],
  ['a{b:url("x" )} c{d:url(y)}', 'url x', 'url y'],
  ['@import "x";', 'import x'],
  ["@import 'x' screen and (color);", 'import x screen and (color)'],
  ['@import url(x) print;@import url("y");', 'import x print', 'import y'],
  ['@IMPORT url(x)', 'import x'],
  ['@import "x" {} a{b:url(y)}', 'url y'],
  ['@imports "x"; @import-x "y";'],
  ['@import "";@import url();'],
  ['a{b:url()} c{d:url("")}'],
  ['a{b:my-url(x)}'],
  ['/* url(x) */a{b:url(y)}', 'url y'],
  ['/**/a{b:url(y)}/*url(z)', 'url y'],
  ['/*/url(x)*/a{b:url(y)}', 'url y'],
  ['a::after{content:"url(x)"} b{c:url(y)}', 'url y'],
  ["a::after{content:'it\\'s url(x)'} b{c:url(y)}", 'url y'],
  ['a::after{content:"unclosed\n} b{c:url(y)}', 'url y'],
  ['a{b:url("unclosed)} c{d:url(y)'],
  ['a{b:url("x"y)} c{d:url(z)}', 'url z'],
  ['a{b:url(x y)} c{d:url(z)}', 'url z'],
  ['a{b:url(x\\)y)}', 'url x)y'],
  ['a{b:url("\\61 b\\0000e9")}', 'url abé'],
  ['a{b:url("a\\\nb\\"c")}', 'url ab"c'],
  ['a{b:url(\\0)} c{d:url(\\110000)} e{f:url(\\10ffff)}', 'url \ufffd', 'url \ufffd', 'url \u{10ffff}'],
] as [string, ...string[]][])
  test(`addresses of ${JSON.stringify(css)}`, () => assert.deepEqual(placesOf(css), expected));

test('a changed address is written so that it fits into any attribute, and everything around stays', () => {
  const edited = (css: string) => editCss(css, (address) => `https://a.example/${address}`);
  assert.equal(edited('a { b: url("x") no-repeat } /* c */'), 'a { b: url(https://a.example/x) no-repeat } /* c */');
  assert.equal(edited('@import "x" print; a{}'), '@import url(https://a.example/x) print; a{}');
  assert.equal(edited("@import 'x';a{}"), '@import url(https://a.example/x);a{}');
  assert.equal(
    editCss('a{b:url("x")}', () => null),
    'a{b:url("x")}',
  );
  assert.equal(
    replaceCss('@import "x"; a{b:url(y)}', ({ kind }) => (kind === 'import' ? '' : null)),
    ' a{b:url(y)}',
  );
  assert.equal(cssUrl(`a"b'c(d)e\\f g<h>`), 'url(a%22b%27c%28d%29e%5Cf%20g%3Ch%3E)');
});

test('a style sheet is read by its tokens', () => {
  const cases: [string, string][] = [
    ['a{b:url(x)}', 'a{b:url([x])}'],
    ['a{b:URL( x )}', 'a{b:url([x])}'],
    ['a{b:url("x y")}', 'a{b:url([x%20y])}'],
    ["a{b:url('x')}", 'a{b:url([x])}'],
    ['a{b:url(x\\)y)}', 'a{b:url([x%29y])}'],
    ['a{b:url("\\78")}', 'a{b:url([x])}'],
    ['/* url(x) */ a{content:"url(x)"}', '/* url(x) */ a{content:"url(x)"}'],
    ['a{b:my-url(x)}', 'a{b:my-url(x)}'],
    ['a{b:url()}', 'a{b:url()}'],
    ['a{b:url(x y)}', 'a{b:url(x y)}'],
    ['@import "x";', '@import url([x]);'],
    ["@import 'x' screen and (a:b);", '@import url([x]) screen and (a:b);'],
    ['@import url(x) print;a{}', '@import url([x]) print;a{}'],
    ['@import url("x")', '@import url([x]);'],
    ['@import "x" {', '@import "x" {'],
    ['@imported "x";', '@imported "x";'],
    ['a{b:"unclosed url(x)\n;c:url(x)}', 'a{b:"unclosed url(x)\n;c:url([x])}'],
    ['/* unclosed url(x)', '/* unclosed url(x)'],
    ['a{b:url("x', 'a{b:url("x'],
    ['a{b:url(x', 'a{b:url(x'],
  ];
  for (const [css, expected] of cases) {
    assert.equal(
      editCss(css, (address) => `[${address}]`),
      expected,
      css,
    );
  }
});
