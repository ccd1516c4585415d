import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { needLinear } from '../../../test/support/run/linear-time.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { layouts } from '../../../test/support/samples/layouts.ts';
import { findTags } from '../markup/merge-tags.ts';
import { plainPartOf, textFromHtml } from './plain-text.ts';

test('links become text and URL, or one of them if both are the same', () => {
  const table: [string, string][] = [
    ['<a href="https://a.example/x?a=1&amp;b=2">Shop</a>', 'Shop (https://a.example/x?a=1&b=2)'],
    ['<a href="https://a.example/">a.example</a>', 'a.example'],
    ['<a href="https://a.example">https://a.example/</a>', 'https://a.example/'],
    ['<a href="mailto:desk@a.example">Write</a>', 'Write (desk@a.example)'],
    ['<a href="mailto:desk@a.example">desk@a.example</a>', 'desk@a.example'],
    ['<a href="tel:+4912">+49 12</a>', '+49 12'],
    ['<a href="#top">Top</a> <a href="">none</a> <a href="javascript:x">js</a> <a>plain</a>', 'Top none js plain'],
    ['<a href="https://a.example/"><img alt="Banner"></a>', 'Banner (https://a.example/)'],
    ['<a href="https://a.example/"><img alt=""></a>', 'https://a.example/'],
    ['<a href="https://a.example/"></a>x', 'x'],
    ['<a href="https://a.example/a b?c=<d>">Odd</a>', 'Odd (https://a.example/a%20b?c=%3Cd%3E)'],
  ];
  for (const [html, expected] of table) assert.equal(textFromHtml(html), expected, html);
});

test('a loop is around the same text', () => {
  const html =
    '<table role="presentation">*|EACH:ITEMS|*<tr><td><a href="*|ITEM:url|*">*|ITEM:name|*</a></td><td>*|ITEM:price|*</td></tr>*|END:EACH|*</table>';
  assert.equal(
    textFromHtml(html).replace(/\s+/g, ' '),
    '*|EACH:ITEMS|* *|ITEM:name|* (*|ITEM:url|*) *|ITEM:price|* *|END:EACH|*',
  );
});

test('lists, tables, images and quotations become readable plain text', () => {
  const html = `<h1>Offer</h1><ul><li>One<li>Two<ol><li>Two and a half</ol></ul><p><img alt="A kettle" src=x> now</p>
<table><thead><tr><th>Cup</th><th>Price</th></tr></thead><tbody><tr><td>blue</td><td>3 €</td></tr><tr><td>large, red</td><td>12 €</td></tr></tbody></table>
<table role="presentation"><tr><td>left</td><td>right</td></tr></table><blockquote>said<br>she</blockquote><hr>`;
  assert.equal(
    textFromHtml(html),
    `Offer

* One
* Two
  1. Two and a half

A kettle now

Cup         Price
blue        3 €
large, red  12 €

left
right

> said
> she

----------------------------------------`,
  );
});

test('terms and what they mean are lines of their own, and places to divide words are left out', () => {
  assert.equal(
    textFromHtml(
      '<p>Be\u00adfore</p><dl><dt>Term<dd>What it means<dd>And more<dt>Other</dt><dd><p>One</p><p>Two</p></dd></dl><p>Af&shy;ter</p>',
    ),
    'Before\n\nTerm\n  What it means\n  And more\nOther\n\n  One\n\n  Two\n\nAfter',
  );
});

test('hidden content and styles are left out', () => {
  const html = `<head><title>T</title><style>s{}</style><meta></head><body><div style="display:none;max-height:0">pre</div>
<div style="DISPLAY: None">header</div><div hidden>h</div><span style="mso-hide:all">m</span><script>x</script><!--[if mso]>outlook<![endif]-->
<!--[if !mso]><!-->seen<!--<![endif]-->${'&zwnj;&nbsp;'.repeat(50)}</body>`;
  assert.equal(textFromHtml(html), 'seen');
});

test('merge tags come through as they are, in text, addresses and alternative texts', () => {
  const html = `<p>Dear *|FNAME:very dear friend of this house, whose default is long enough to be wrapped somewhere in it|*, #[LNAME]# *[CITY]*</p>
<h1>*|fname|*</h1><a href="https://a.example/?e=*|EMAIL|*&n=*%7CFNAME%7C*">x</a><a href="*|UNSUB|*">Leave</a><img alt="*|FNAME|*">`;
  const text = textFromHtml(html);
  const tags = (source: string) => findTags(source, 'address').map((tag) => source.slice(tag.start, tag.end));
  assert.deepEqual(tags(text), tags(html.replace('*%7CFNAME%7C*', '*|FNAME|*')));
  assert.match(text, /Leave \(\*\|UNSUB\|\*\)/);
});

test('characters that mark tags inside are dropped from a page', () => {
  assert.equal(textFromHtml('<p>a\ue0000\ue001b\ue002 *|FNAME|*</p>'), 'a0b *|FNAME|*');
});

test('a tag that an editor has percent-encoded in an address is written out in the text', () => {
  const links = ['*%7CUNSUB%7C*', '#%5bUNSUB%5d#', '*%5BUNSUB%5D*', '*%7C%20UNSUB%20%7C*'];
  for (const link of links) {
    const text = textFromHtml(`<a href="${link}">Leave</a>`);
    assert.match(text, /^Leave \((?:\*\| ?UNSUB ?\|\*|#\[UNSUB\]#|\*\[UNSUB\]\*)\)$/, link);
  }
});

test('every merge tag of visible text in the corpus is in the text, and lines are wrapped', () => {
  for (const { name, html } of layouts) {
    const text = textFromHtml(html);
    assert.ok(text.length > 5, name);
    assert.doesNotMatch(text, /[\ue000\ue001]|<\/?(?:td|p|div|table)\b/, name);
    if (html.includes('<p>Dear *|FNAME|*')) assert.match(text, /Dear \*\|FNAME\|\*,/, name);
    for (const one of text.split('\n')) {
      assert.ok(
        one.length <= 78 || !/\S\s+\S.{78}/.test(one) || /https?:|[\u3000-\u9fff]|\*\|/.test(one),
        `${name}: ${one}`,
      );
    }
  }
});

test('any source gives a text in linear time', async () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          '<a href="x">',
          '</a>',
          '<table>',
          '<td>',
          '<th>',
          '</table>',
          '<ul>',
          '<li>',
          '<ol>',
          '</ul>',
          '<p>',
          'x ',
          '*|A|*',
          '<',
          '&',
          '<!--',
          '<img alt=x>',
          '<blockquote>',
          '<pre>',
          '<svg>',
        ),
      ),
      (parts) => {
        assert.equal(typeof textFromHtml(parts.join('')), 'string');
      },
    ),
    { numRuns: runs(1000) },
  );
  for (const part of [
    '<div>',
    '<table><tr><td>',
    '<a href="https://a.example/">l ',
    '<blockquote>',
    '<ul><li>',
    '<b><i><font>',
    '<p>x</p>',
    '<a ',
    '<!--',
    '<',
    '*|',
    '\u200b ',
    '<h1>',
    '</div>',
    '<table><th>',
  ])
    await needLinear(part, 64 * 1024, (size) => textFromHtml(part.repeat(size / part.length)));
});

test('text that directly follows a URL in the page does not become part of it', () => {
  assert.equal(
    textFromHtml(
      '<a href="https://a.example/x">Shop</a><img alt="Sale" src="s.png"> <a href="https://a.example/y">Y</a>.',
    ),
    'Shop (https://a.example/x) Sale Y (https://a.example/y).',
  );
  assert.equal(
    textFromHtml('<a href="https://a.example/x"><img src="s.png"></a><b>Sale</b>'),
    'https://a.example/x Sale',
  );
});

test('the rows and cells of a layout table become lines without empty ones between them', () => {
  const cells = (...texts: string[]) => `<tr>${texts.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  const table = `<table role="presentation">${cells('a', 'b')}${cells('c')}</table>`;
  assert.equal(textFromHtml(`<div>x${table}y</div>`), 'x\na\nb\nc\ny');
});

test('quotations and lists are set in by at most 12 levels, and what follows them is not', () => {
  const levels = (tag: string, count: number, inside: string) =>
    `${`<${tag}>`.repeat(count)}${inside}${`</${tag}>`.repeat(count)}`;
  const quotes = textFromHtml(`${levels('blockquote', 30, 'deep')}<p>out</p>${levels('blockquote', 2, 'again')}`);
  assert.deepEqual(quotes.split(/\n+/), [`${'> '.repeat(12)}deep`, 'out', '> > again']);
  for (const list of ['ul', 'ol']) {
    const lines = textFromHtml(`<p>in</p>${levels(list, 30, '<li>deep</li>')}<p>out</p>`).split(/\n+/);
    assert.equal(lines.at(-1), 'out');
    assert.ok(/\S/.exec(lines[1]!)!.index < 60, lines[1]);
  }
});

test('blanks that do not break and invisible characters become one blank', () => {
  assert.equal(textFromHtml('<p>a&nbsp;b</p>'), 'a b');
  assert.equal(textFromHtml(`<p>a${'&zwnj;&nbsp;'.repeat(20)}b</p>`), 'a b');
});

test('a table holds figures unless it says otherwise, contains a table or has no header cells', () => {
  const rows = '<tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr>';
  assert.equal(textFromHtml(`<table>${rows}</table>`), 'a  b\n1  2');
  for (const layout of [
    `<table role="presentation">${rows}</table>`,
    `<table role="none">${rows}</table>`,
    '<table><tr><th>a</th><td>b</td></tr><tr><td><table><tr><td>1</td></tr></table></td><td>2</td></tr></table>',
  ])
    assert.doesNotMatch(textFromHtml(layout), /a {2}b/, layout);
});

test('a default with angle brackets is in the text part as it is written in HTML with references', () => {
  assert.equal(
    textFromHtml('<p>*|FNAME:&lt;you&gt;|* *|FNAME:a&#62;b &quot;c&quot;|*</p>'),
    '*|FNAME:<you>|* *|FNAME:a>b "c"|*',
  );
});

test('the default of a tag is text in the text part', () => {
  assert.equal(textFromHtml('<p>*|FNAME:A &amp; B|* #[FNAME:caf&eacute;]#</p>'), '*|FNAME:A & B|* #[FNAME:café]#');
  assert.equal(textFromHtml('<p>*|FNAME:&quot;dear&quot; friend|*</p>'), '*|FNAME:"dear" friend|*');
  // What would end the tag is put between brackets.
  for (const [html, text] of [
    ['*|FNAME:a&#124;b|*', '#[FNAME:a|b]#'],
    ['*|FNAME:a&#124;[b]|*', '#[FNAME:a|(b)]#'],
    ['#[FNAME:a&#93;b]#', '#[FNAME:a)b]#'],
    ['*|FNAME:a&#10;b|*', '#[FNAME:a b]#'],
  ] as const)
    assert.equal(textFromHtml(`<p>${html}</p>`), text);
});

test('a page that has only pictures says where to see it', () => {
  assert.equal(plainPartOf('<img src="a.png">'), '*|CAMPAIGN:SUBJECT|*\n\n*|ARCHIVE|*');
  assert.equal(plainPartOf('<p>x</p>'), 'x');
});

test('there are two empty lines at most, and no link in another', () => {
  assert.equal(textFromHtml('<p>a</p><br><br><br><br><br><br><p>b</p>'), 'a\n\n\nb');
  assert.equal(
    textFromHtml('<a href="https://a.example/1">x<a href="https://a.example/2">y</a></a>'),
    'x (https://a.example/1) y (https://a.example/2)',
  );
  assert.equal(textFromHtml('</a>x<a href="https://a.example/">y</a>'), 'xy (https://a.example/)');
});
