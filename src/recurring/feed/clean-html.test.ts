// What is left of foreign HTML in a message: elements, attributes and addresses that are allowed, and text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstImage, safeHtml, textOf, titleOf } from './clean-html.ts';

const base = 'https://site.example/blog/';
const safe = (html: string) => safeHtml(html, base);

test('elements of text stay', () => {
  for (const name of 'p b strong i em u s del ins small sub sup code span'.split(' '))
    assert.equal(safe(`<${name}>x</${name}>`), `<${name}>x</${name}>`);
  for (const name of 'blockquote pre ul ol li dl dt dd h1 h2 h3 h4 h5 h6 figure figcaption div'.split(' '))
    assert.equal(safe(`<${name}>x</${name}>`), `<${name}>x</${name}>`);
  const table =
    '<table><caption>c</caption><thead><tr><th colspan="2" rowspan="1">h</th></tr></thead><tbody><tr><td colspan="2" rowspan="3">x</td></tr></tbody><tfoot></tfoot></table>';
  assert.equal(safe(table), table);
  assert.equal(safe('a<br>b<hr>'), 'a<br />b<hr />');
});

test('other elements lose their tags, and those whose content is no text disappear', () => {
  assert.equal(safe('<section><marquee>x</marquee></section>'), 'x');
  for (const name of 'script style textarea option svg math template title object'.split(' '))
    assert.equal(safe(`a<${name}>hidden</${name}>b`), 'ab', name);
  assert.equal(safe('<noscript>hidden</noscript>'), '');
});

test('attributes that style, run or identify are left out', () => {
  assert.equal(safe('<p onclick="x()" style="color:red" id="a" class="b" title="t">x</p>'), '<p>x</p>');
  assert.equal(safe('<td onmouseover="x()" width="1">x</td>'), '<td>x</td>');
});

test('links are absolute, and have no address but those of the web and of email', () => {
  assert.equal(
    safe('<a href=" ../a?b=1&amp;c " title="T" target="_blank">x</a>'),
    '<a href="https://site.example/a?b=1&amp;c" title="T">x</a>',
  );
  assert.equal(safe('<a href="mailto:a@b.example">x</a>'), '<a href="mailto:a@b.example">x</a>');
  for (const href of ['javascript:alert(1)', 'data:text/html,x', 'ftp://a.example/', 'https://', ''])
    assert.equal(safe(`<a href="${href}">x</a>`), '<a>x</a>', href);
  assert.equal(safe('<a>x</a>'), '<a>x</a>');
  assert.equal(
    safeHtml('<a href="/a">x</a><a href="https://a.example/">y</a>', ''),
    '<a>x</a><a href="https://a.example/">y</a>',
  );
});

test('pictures fit the width of the message', () => {
  const picture = (attributes: string) =>
    `<img src="https://site.example/a.jpg"${attributes} style="max-width:100%;height:auto" />`;
  assert.equal(safe('<img src="/a.jpg">'), picture(' alt=""'));
  assert.equal(
    safe('<img src="/a.jpg" alt="A" title="T" width="640" height="9">'),
    picture(' alt="A" title="T" width="640"'),
  );
  for (const width of ['100%', 'auto', '12345', ''])
    assert.equal(safe(`<img src="/a.jpg" width="${width}">`), picture(' alt=""'), width);
  for (const width of ['0', '1']) assert.equal(safe(`<p>x</p><img src="/a.jpg" width="${width}">`), '<p>x</p>', width);
  assert.equal(safe('<p>x</p><img alt="A"><img src="file:///a.jpg">'), '<p>x</p>');
});

test('nothing is read as a merge tag, in a text, a title or an address', () => {
  const html = safe(
    '<p>*|EMAIL|* #[EMAIL]#</p><a href="/*|EMAIL|*" title="*|EMAIL|*">x</a><img src="/*|EMAIL|*.jpg" alt="*|EMAIL|*" title="*|EMAIL|*">',
  );
  assert.doesNotMatch(html, /\*\||#\[/);
  assert.equal(html.match(/EMAIL/g)?.length, 7);
});

test('nothing is left of nothing, and blanks around the content go', () => {
  assert.equal(safe(' \n'), '');
  assert.equal(safe(' <p>x</p>\n'), '<p>x</p>');
});

test('elements nested deeper than sixty lose their tags', () => {
  const html = safe(`${'<div>'.repeat(70)}x${'</div>'.repeat(70)}`);
  assert.equal(html.match(/<div>/g)?.length, 60);
  assert.match(html, /x/);
});

test('the text of HTML is one line, with blanks between blocks', () => {
  assert.equal(textOf('<p>One</p><p>two<br>three</p><ul><li>four</li></ul>\n five', 100), 'One two three four five');
  assert.equal(textOf('a<b>b</b>c &amp;lt; &amp; d<script>x</script>', 100), 'abc &lt; & d');
  assert.equal(textOf('', 100), '');
});

test('a long text is cut between words, or within a word that is too long', () => {
  assert.equal(textOf('one two three', 13), 'one two three');
  assert.equal(textOf('one two three', 12), 'one two…');
  assert.equal(textOf('one two three', 5), 'one…');
  assert.equal(textOf('one two three', 6), 'one t…');
  assert.equal(textOf('one two three', 9), 'one two…');
  assert.equal(textOf('a bcdefghijkl', 8), 'a bcdef…');
  assert.equal(textOf('abcdefghijkl', 8), 'abcdefg…');
  assert.equal(textOf('abcdef😀ijkl', 8), 'abcdef\ufffd…');
});

test('a title is plain text: known elements are taken off, other signs stay', () => {
  assert.equal(titleOf('<b>Two</b> <em class="x">knots</em> &amp; a <i>hitch</i>'), 'Two knots & a hitch');
  assert.equal(titleOf('a < b and <c> of <div>'), 'a < b and <c> of <div>');
  assert.equal(titleOf(' one\n\ttwo\u0007 '), 'one two');
  assert.equal(titleOf('a\ud800'), 'a\ufffd');
});

test('the first picture of HTML is the first with an address of its own', () => {
  assert.equal(firstImage('<p>x</p>'), '');
  assert.equal(firstImage('<a href="/x">x</a><img src="/a.jpg"><img src="/b.jpg">'), '/a.jpg');
  assert.equal(firstImage('<img alt="">'), '');
});
