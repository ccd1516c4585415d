// Writing a change into the author's HTML.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { common, pagePatch, tokens } from './page-patch.ts';

const decode = (text: string) => text.replaceAll('&middot;', '·').replaceAll('&amp;', '&');

const source = `<TABLE width=100%>\n<tr><td STYLE='color:red;margin:0'>One &middot; two<br>three</td></tr>\n<!-- note --><tr><td>Four<p>five</table>`;
const shown = `<table width="100%">\n<tbody><tr><td style="margin:0;color:red;">One · two<br/>three</td></tr>\n<!-- note --><tr><td>Four<p>five</p></td></tr></tbody></table>`;

test('without a change the source stays as it is', () => {
  assert.equal(pagePatch(source, shown, decode)(shown), source);
});

for (const [what, next, expected] of [
  ['a text', shown.replace('Four', 'Six'), source.replace('Four', 'Six')],
  [
    'an attribute',
    shown.replace('"margin:0;color:red;"', '"color:blue;"'),
    source.replace(`<td STYLE='color:red;margin:0'>`, '<td style="color:blue;">'),
  ],
  [
    'a new row',
    shown.replace('</td></tr>\n<!--', '</td></tr><tr><td>new</td></tr>\n<!--'),
    source.replace('</td></tr>\n<!--', '</td></tr><tr><td>new</td></tr>\n<!--'),
  ],
  [
    'a row that is gone',
    shown.replace('<tr><td style="margin:0;color:red;">One · two<br/>three</td></tr>', ''),
    source.replace(`<tr><td STYLE='color:red;margin:0'>One &middot; two<br>three</td></tr>`, ''),
  ],
] as const)
  test(`${what} changes nothing else`, () => assert.equal(pagePatch(source, shown, decode)(next), expected));

test('what the editor does not know stays beside what it follows', () => {
  const patch = pagePatch('<p>a</p><style>b{}</style><p>c</p>', '<p>a</p><p>c</p>', decode);
  assert.equal(patch('<p>a</p><p>d</p>'), '<p>a</p><style>b{}</style><p>d</p>');
  assert.equal(patch('<p>a</p><p>new</p><p>c</p>'), '<p>a</p><style>b{}</style><p>new</p><p>c</p>');
});

test('the same spelling on both sides: the result is the next content', () => {
  const piece = fc.constantFrom('<p>', '</p>', 'x', '<br>', '<!-- c -->', '<td style="a:b">', '</td>', '\n');
  const content = fc.array(piece).map((pieces) => pieces.join(''));
  fc.assert(fc.property(content, content, (first, next) => assert.equal(pagePatch(first, first, decode)(next), next)));
});

test('tokens put together are the text, and common parts are increasing and equal', () => {
  fc.assert(fc.property(fc.string(), (text) => assert.equal(tokens(text).join(''), text)));
  const letters = fc.array(fc.constantFrom('a', 'b', 'c'));
  fc.assert(
    fc.property(letters, letters, (a, b) => {
      const pairs = common(a, b);
      for (const [at, [x, y]] of pairs.entries()) {
        assert.equal(a[x], b[y]);
        const last = pairs[at - 1];
        assert.ok(!last || (last[0] < x && last[1] < y));
      }
    }),
  );
});
