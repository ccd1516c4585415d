// Addresses with white space at their ends and pictures whose addresses have blanks or letters outside of ASCII.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { content, recipient } from '../../../test/support/builders/mail.ts';
import { compile } from './compile.ts';
import { asMailed } from './fill.ts';
import { tidyAddress, tidyAddresses } from './tidy-addresses.ts';

const analytics = { source: 'newsletter', medium: 'email', campaign: 'nl' };
const spaces = [' ', '  ', '\t', '\n', '\r\n ', '\f', '&nbsp;', '&#x200b;', '\ufeff', '\u2003', '&#8288;', '&#173;'];
const tracked = (on: boolean) => ({ opens: false, htmlClicks: on, textClicks: false });
const mailed = (html: string, more: object = {}) => {
  const compiled = compile(content({ html, tracking: tracked(false), ...more }));
  const to = recipient({ values: { FNAME: 'Joe' } });
  return { html: asMailed(compiled, to, to.at, to.tokens).html, links: compiled.links.map(({ target }) => target) };
};

for (const space of spaces)
  for (const [before, after] of [
    ['', space],
    [space, ''],
    [space, space],
  ])
    test(`a link with ${JSON.stringify(before)} before and ${JSON.stringify(after)} after its address`, () => {
      for (const [address, withParameters] of [
        ['https://foo.example/trim', 'https://foo.example/trim?utm_source=newsletter&utm_medium=email&utm_campaign=nl'],
        ['https://foo.example/?a=b', 'https://foo.example/?a=b&utm_source=newsletter&utm_medium=email&utm_campaign=nl'],
        ['https://foo.example/x#y', 'https://foo.example/x?utm_source=newsletter&utm_medium=email&utm_campaign=nl#y'],
        [
          'https://foo.example/*|FNAME|*',
          'https://foo.example/*|FNAME|*?utm_source=newsletter&utm_medium=email&utm_campaign=nl',
        ],
      ] as const) {
        const html = `<a href="${before}${address}${after}">1</a>`;
        assert.deepEqual(mailed(html, { tracking: tracked(true) }).links, [address.replace('FNAME', 'FNAME:friend')]);
        assert.deepEqual(mailed(html, { tracking: tracked(true), analytics }).links, [
          withParameters.replace('FNAME', 'FNAME:friend'),
        ]);
        const filled = (text: string) => text.replace('*|FNAME|*', 'Joe');
        assert.equal(mailed(html).html, `<a href="${filled(address)}">1</a>`);
        assert.equal(
          mailed(html, { analytics }).html,
          `<a href="${filled(withParameters).replaceAll('&', '&amp;')}">1</a>`,
        );
      }
      assert.equal(
        mailed(`<img src="${before}https://foo.example/a.png${after}">`).html,
        '<img src="https://foo.example/a.png">',
      );
    });

for (const [written, sent] of [
  ['https://x.example/Content/person photo.jpg', 'https://x.example/Content/person%20photo.jpg'],
  ['https://x.example/über.png', 'https://x.example/%C3%BCber.png'],
  [
    'https://x.example/写真 1.png?a=b c&amp;d=é#f g',
    'https://x.example/%E5%86%99%E7%9C%9F%201.png?a=b%20c&amp;d=%C3%A9#f%20g',
  ],
  ['https://bücher.example/a.png', 'https://xn--bcher-kva.example/a.png'],
  ['https://x.example/a&quot;b&lt;c&gt;.png', 'https://x.example/a%22b%3Cc%3E.png'],
  ['https://x.example/*|FNAME|*/a b.png', 'https://x.example/Joe/a%20b.png'],
  ['https://x.example/a%20b%C3%BC.png?x=[1]|2', 'https://x.example/a%20b%C3%BC.png?x=[1]|2'],
  ['https://x.example/a&amp;b.png', 'https://x.example/a&amp;b.png'],
  ['https://x.example/\u{1f600}.png', 'https://x.example/%F0%9F%98%80.png'],
] as const)
  test(`the picture ${written} is sent as ${sent}`, () => {
    assert.equal(mailed(`<img src="${written}">`).html, `<img src="${sent}">`);
    assert.equal(mailed(`<td background='${written}'>`).html, `<td background='${sent}'>`);
  });

test('pictures of style sheets and of srcset are encoded too', () => {
  assert.equal(
    mailed('<p style="background:url(\'https://x.example/a b.png\')">').html,
    '<p style="background:url(https://x.example/a%20b.png)">',
  );
  assert.equal(
    mailed('<img srcset="https://x.example/ü.png 1x, https://x.example/b.png 2x">').html,
    '<img srcset="https://x.example/%C3%BC.png 1x, https://x.example/b.png 2x">',
  );
});

test('what is in order stays byte for byte, whatever quotes it has', () => {
  for (const html of [
    `<p style="background:url('https://x.example/a.png')">x</p>`,
    `<p style='background:url("https://x.example/a.png")'>x</p>`,
    '<style>p { background: url("https://x.example/a.png") }</style>',
    '<a href="https://x.example/über b">x</a>',
    '<a href="relative page">x</a>',
    '<img src="relative ü.png">',
  ])
    assert.equal(tidyAddresses(html), html);
  assert.equal(tidyAddress(' \t '), '');
  assert.equal(tidyAddress('a\tb\r\nc'), 'abc');
});
