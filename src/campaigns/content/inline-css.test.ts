import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withInlineCss } from './inline-css.ts';

test('rules become style attributes, and those that an attribute cannot hold stay in the style element', () => {
  const style =
    '<style>p { color: red } p:hover { color: blue } @media (max-width: 400px) { p { color: green } }</style>';
  const html = withInlineCss(`<html><head>${style}</head><body><p>a</p><b>b</b></body></html>`);
  assert.match(html, /<p style="color: red;">a<\/p><b>b<\/b>/);
  assert.ok(html.includes(style), 'the style element stays as it was');
});

test("an author's style attribute wins over a rule, and a more specific rule over a general one", () => {
  const html = withInlineCss(
    '<style>p { color: red } .x { color: blue }</style><p style="color: green">a</p><p class="x">b</p>',
  );
  assert.match(html, /<p style="color: green;">a<\/p>/);
  assert.match(html, /<p class="x" style="color: blue;">b<\/p>/);
});

test('merge tags, conditions between table rows and entities stay where they are', () => {
  const rows = '*|IF:FNAME|*<tr><td>*|FNAME|* &amp; &nbsp;co</td></tr>*|END:IF|*';
  const html = withInlineCss(
    `<style>td { padding: 1px }</style><table>${rows}</table><a href="https://example.com/?a=1&amp;b=*|EMAIL|*">x</a>`,
  );
  assert.match(
    html,
    /<table>\*\|IF:FNAME\|\*<tr><td style="padding: 1px;">\*\|FNAME\|\* &amp; &nbsp;co<\/td><\/tr>\*\|END:IF\|\*<\/table>/,
  );
  assert.match(html, /href="https:\/\/example\.com\/\?a=1&amp;b=\*\|EMAIL\|\*"/);
});

test('comments for Outlook, and HTML without a style element, stay unchanged', () => {
  const outlook = '<!--[if mso]><table><tr><td><![endif]--><p>a</p><!--[if mso]></td></tr></table><![endif]-->';
  const html = withInlineCss(`<style>p { color: red }</style>${outlook}`);
  assert.ok(html.includes('<!--[if mso]><table><tr><td><![endif]-->'));
  assert.ok(html.includes('<!--[if mso]></td></tr></table><![endif]-->'));
  const none = '<P CLASS=x>&copy<br>';
  assert.equal(withInlineCss(none), none);
});

test('a style element that cannot be read leaves the HTML as it is', () => {
  for (const css of [
    'p { color: red',
    '}}}',
    'p:not( { color: red }',
    '@import "https://example.com/a.css"; p { color: }',
  ]) {
    const html = `<style>${css}</style><p>a</p>`;
    assert.match(withInlineCss(html), /<p[^>]*>a<\/p>/, css);
  }
});

test('rules become nothing but style attributes', () => {
  const html = withInlineCss(
    '<style>td, img, table { width: 10px; height: 20px; background-color: red; text-align: center; vertical-align: top }</style><table><tr><td><img src="a.png"></td></tr></table>',
  );
  assert.doesNotMatch(html, /\s(?:width|height|bgcolor|align|valign)="/);
});
