import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5';
import { needLinear } from '../../../test/support/run/linear-time.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { editCss } from './css-urls.ts';
import { addressKind, editHtml, firstBase } from './relink.ts';

const mark = (address: string) => `<${address}>`;
const marked = (html: string) => editHtml(html, { address: mark });

test('addresses are found in every attribute that holds one, quoted in any way', () => {
  const cases: [string, string][] = [
    ['<a href="a">', '<a href="<a>">'],
    ["<a href='a'>", "<a href='<a>'>"],
    ['<a href=a>', '<a href=&#60;a&#62;>'],
    ['<A HREF = "a" Title="x">', '<A HREF = "<a>" Title="x">'],
    ['<img src=" a ">', '<img src="<a>">'],
    ['<td background="a&amp;b">', '<td background="<a&amp;b>">'],
    ['<v:fill src="a" />', '<v:fill src="<a>" />'],
    ['<object data="a"><li data="a">', '<object data="<a>"><li data="a">'],
    ['<form action="a"><button formaction=b>', '<form action="<a>"><button formaction=&#60;b&#62;>'],
    ['<!--[if mso]><img src="a"><![endif]-->', '<!--[if mso]><img src="<a>"><![endif]-->'],
    ['<!--[if !mso]><!--><img src="a"><!--<![endif]-->', '<!--[if !mso]><!--><img src="<a>"><!--<![endif]-->'],
    ['<p style="background: url(a) no-repeat">', '<p style="background: url(%3Ca%3E) no-repeat">'],
    ['<p style=\'background:url("a")\'>', "<p style='background:url(%3Ca%3E)'>"],
    ['<style>p { background: url( "a" ) }</style>', '<style>p { background: url(%3Ca%3E) }</style>'],
    ['<img srcset="a 1x, b 2x">', '<img srcset="<a> 1x, <b> 2x">'],
    ['<link imagesrcset="a 1x">', '<link imagesrcset="<a> 1x">'],
    ['<img srcset="a,b 2x,c">', '<img srcset="<a,b> 2x,<c>">'],
    ['<img srcset=" a 100w , ,b (x,y) 2x, c,">', '<img srcset=" <a> 100w , ,<b> (x,y) 2x, <c>,">'],
  ];
  for (const [html, expected] of cases) assert.equal(marked(html), expected, html);
});

test('everything that is not an address stays byte for byte', () => {
  for (const html of [
    '',
    '<',
    '<a href',
    '<a href="x',
    '<a href>x</a><a href="">',
    '<!-- <a href="a"> -->',
    '<script>var a = \'<a href="a">\';</script>',
    '<textarea><img src="a"></textarea><title><img src=a></title>',
    '<p title="src=a" data-src="a" class="url(a)">url(a)</p>',
    '<a href=\r\n"#" ></a >\0<b\t/>',
  ]) {
    assert.equal(editHtml(html, { address: (address) => (address === 'a' ? 'changed' : null) }), html);
  }
});

test('an edit that changes nothing leaves any source as it is', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<a href="',
      '">',
      '<style>',
      '</style>',
      '<!--[if mso]>',
      '<![endif]-->',
      'url(',
      ')',
      '@import ',
      '"',
    ),
    fc.constantFrom("'", '\\', '<img srcset=', '=', ' ', '>', '<', '&amp;', '/*', '*/', '\n', ';', 'x'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join('');
      assert.equal(editHtml(html, { address: () => null, tag: () => null, value: () => null }), html);
    }),
    { numRuns: runs(2_000) },
  );
});

test('no new address can break out of its attribute or url()', () => {
  const shape = (html: string) => {
    const skeleton: string[] = [];
    const walk = (node: DefaultTreeAdapterTypes.Node) => {
      skeleton.push(node.nodeName);
      if ('childNodes' in node) node.childNodes.forEach(walk);
    };
    walk(parse(html));
    return skeleton.join(' ');
  };
  const sources = [
    '<p><a href="x">l</a>',
    "<p><a href='x'>l</a>",
    '<p><a href=x>l</a>',
    '<p><img srcset="x 1x, x 2x">',
    '<p style="background:url(x)">l</p>',
    '<style>p{background:url(x)}</style><p>l</p>',
  ];
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'"\'<>=`& \n)(;/\\x*{}!-') }),
      fc.constantFrom(...sources),
      (to, html) => {
        const edited = editHtml(html, { address: () => to });
        assert.equal(shape(edited), shape(html), edited);
      },
    ),
    { numRuns: runs(2_000) },
  );
});

test('a new address is parsed back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.constantFrom('"', "'", ''), (to, quote) => {
      const text =
        to
          .toWellFormed()
          .replace(/[\0\r]/g, '-')
          .trim() || '-';
      const html = editHtml(`<a href=${quote}x${quote}>l</a>`, { address: () => text });
      let read = '';
      const remember = (address: string) => {
        read = address;
        return null;
      };
      editHtml(html, { address: remember });
      assert.equal(read, text);
      assert.equal(serialize(parse(html)).includes('>l</a>'), true);
    }),
  );
});

test('any unclosed construct is parsed in linear time', async () => {
  for (const piece of ['"\\', 'url(', "url('", '@import ', '/*', '\\"', 'url( ', '"', '@import "x" ', '("']) {
    const all = (size: number) => {
      const css = piece.repeat(size / piece.length);
      editCss(css, mark);
      editHtml(`<style>${css}`, { address: mark });
      editHtml(`<p style="${css.replaceAll('"', '&quot;')}">`, { address: mark });
    };
    await needLinear(piece, 128 * 1024, all);
  }
});

test('an address is absolute, a fragment, a merge tag or relative', () => {
  const kinds: Record<string, ReturnType<typeof addressKind>> = {
    ...{ 'https://a.example/': 'absolute', 'mailto:a@b.example': 'absolute', '//a.example/': 'absolute' },
    ...{
      '\\\\a.example': 'absolute',
      '*|UNSUB|*': 'tag',
      '#[LINK]#': 'tag',
      '*[LINK]*': 'tag',
      '*%7CUNSUB%7C*': 'tag',
    },
    ...{ '#top': 'fragment', 'a/*|NAME|*': 'relative', '/a': 'relative', '': 'relative', '1a:b': 'relative' },
  };
  for (const [address, kind] of Object.entries(kinds)) assert.equal(addressKind(address), kind, address);
});

test('the first base with an address counts', () => {
  assert.equal(firstBase('<p>x</p>'), undefined);
  assert.equal(
    firstBase('<base target="_top"><BASE href=" https://a.example/ "><base href="/b">'),
    'https://a.example/',
  );
  assert.equal(firstBase('<!-- <base href="/b"> -->'), undefined);
});
