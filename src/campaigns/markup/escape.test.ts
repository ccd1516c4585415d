import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { runs } from '../../../test/support/run/runs.ts';
import { escapeFor, headerText, type Place, safeUrl } from './escape.ts';

// Values that try to leave their place, in addition to those that fast-check generates.
const nasty = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        '-->',
        ']]>',
        '</style>',
        '<script>',
        '\r\n',
        '\0',
        '*|EMAIL|*',
        '`',
        '=',
        ';',
      ),
    )
    .map((parts) => parts.join('')),
);

/** A value without the characters that a message must not carry. */
const visible = (value: string) =>
  value
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');

type Element = DefaultTreeAdapterTypes.Element;

test('in HTML text a value stays text', () => {
  fc.assert(
    fc.property(nasty, (value) => {
      const fragment = parseFragment(`<p>${escapeFor('text', value)}</p>`);
      assert.equal(fragment.childNodes.length, 1);
      const text = (fragment.childNodes[0] as Element).childNodes
        .map((node) => (node.nodeName === 'br' ? '\n' : 'value' in node ? node.value : assert.fail(node.nodeName)))
        .join('');
      assert.equal(text, visible(value));
    }),
    { numRuns: runs(2000) },
  );
});

test('an attribute in either kind of quotes has exactly the value', () => {
  fc.assert(
    fc.property(nasty, fc.constantFrom('"', "'"), (value, quote) => {
      const fragment = parseFragment(`<p title=${quote}${escapeFor('attribute', value)}${quote}>x</p>`);
      const element = fragment.childNodes[0] as Element;
      assert.deepEqual(
        element.attrs.map((attribute) => [attribute.name, attribute.value]),
        [['title', visible(value).replace(/\n/g, ' ')]],
      );
      assert.equal(fragment.childNodes.length, 1);
    }),
    { numRuns: runs(2000) },
  );
});

test('a value does not end a comment or a title', () => {
  fc.assert(
    fc.property(nasty, (value) => {
      const escaped = escapeFor('attribute', value);
      assert.deepEqual(
        parseFragment(`<!-- ${escaped} --><title>${escaped}</title>x`).childNodes.map((node) => node.nodeName),
        ['#comment', 'title', '#text'],
      );
    }),
  );
});

test('in a style or a script only harmless characters are left', () => {
  fc.assert(
    fc.property(nasty, (value) => {
      assert.match(escapeFor('raw', value), /^[\p{L}\p{M}\p{N} _.,#%-]{0,500}$/u);
    }),
  );
  assert.equal(escapeFor('raw', '#ff0000; background:url(//x)'), '#ff0000 backgroundurlx');
});

test('inside a URL a value is one component', () => {
  fc.assert(
    fc.property(nasty, (value) => {
      const part = escapeFor('url-part', value);
      assert.match(part, /^[A-Za-z0-9_.~%-]*$/);
      assert.equal(decodeURIComponent(part), value.toWellFormed());
    }),
    { numRuns: runs(2000) },
  );
});

test('at the start of a URL only http, https and mailto are let through', () => {
  const table: [string, string][] = [
    ['https://shop.example/a?b=1&c=2', 'https://shop.example/a?b=1&c=2'],
    ['HTTP://Shop.Example', 'http://shop.example/'],
    ['mailto:joe@reader.example', 'mailto:joe@reader.example'],
    ['www.shop.example/x', 'http://www.shop.example/x'],
    ['  https://shop.example/  ', 'https://shop.example/'],
    ['javascript:alert(1)', ''],
    ['JaVaScRiPt:alert(1)', ''],
    ['java\nscript:alert(1)', ''],
    ['\u0001javascript:alert(1)', ''],
    ['data:text/html,<script>', ''],
    ['vbscript:x', ''],
    ['file:///etc/passwd', ''],
    ['//cdn.shop.example/p.png', 'https://cdn.shop.example/p.png'],
    ['//localhost/p.png', ''],
    ['///shop.example', ''],
    ['/path', ''],
    ['x', ''],
    ['', ''],
    ['https://', ''],
    ['https://a b/', ''],
  ];
  for (const [value, expected] of table) assert.equal(safeUrl(value), expected, value);
  fc.assert(
    fc.property(
      fc.oneof(
        nasty,
        nasty.map((value) => `https://x.example/${value}`),
      ),
      (value) => {
        const url = escapeFor('whole-url', value);
        assert.match(url, /^(?:$|https?:|mailto:)/);
        assert.doesNotMatch(url, /["'<>\s()*|]/);
      },
    ),
    { numRuns: runs(2000) },
  );
});

test('a header value stays on one line', () => {
  fc.assert(
    fc.property(nasty, (value) => {
      assert.doesNotMatch(headerText(value), /[\x00-\x1f\x7f-\x9f\u2028\u2029]/);
      assert.doesNotMatch(escapeFor('header', value), /[\x00-\x1f\x7f-\x9f\u2028\u2029]/);
    }),
  );
  assert.equal(headerText('a\r\nBcc: x@y'), 'a Bcc: x@y');
});

test('a value that looks like a merge tag stays a value', () => {
  assert.equal(escapeFor('text', '*|EMAIL|*'), '*|EMAIL|*');
  assert.equal(escapeFor('plain', '#[EMAIL]#'), '#[EMAIL]#');
  assert.equal(escapeFor('url-part', '*|EMAIL|*'), '%2A%7CEMAIL%7C%2A');
});

test('each place escapes a value as it needs', () => {
  const table: [place: Place, value: string, expected: string][] = [
    ['text', `a&b<c>d"e'f`, 'a&amp;b&lt;c&gt;d&quot;e&#39;f'],
    ['text', 'a\r\nb\rc\nd\u2028e\u2029f', 'a<br>b<br>c<br>d<br>e<br>f'],
    ['text', 'a\tb\x00c\x7fd\x9fe\x0bf', 'a\tbcdef'],
    ['text', '\ud800', '\ufffd'],
    ['attribute', 'a\r\nb\nc', 'a b c'],
    ['attribute', `'"`, '&#39;&quot;'],
    ['whole-url', 'https://x.example/?a=1&b=2', 'https://x.example/?a=1&amp;b=2'],
    ['url-part', `a b!'()*|\\/?&=é😀`, 'a%20b%21%27%28%29%2A%7C%5C%2F%3F%26%3D%C3%A9%F0%9F%98%80'],
    ['url-part', 'A.b_c~d-9', 'A.b_c~d-9'],
    ['url-part', '\ud800', '%EF%BF%BD'],
    ['raw', 'é 9_.,#%-<>"\';:()', 'é 9_.,#%-'],
    ['header', 'a\r\n\t b\u2028c\ufeffd\x85e', 'a  b c d e'],
    ['plain', 'a\r\nb\rc\u2028d\u2029e\x85f\tg\x00h\x7f', 'a\nb\nc\nd\ne\nf\tgh'],
    ['plain', '<b>&', '<b>&'],
    ['plain', 'é\ud800', 'é\ufffd'],
  ];
  for (const [place, value, expected] of table) assert.equal(escapeFor(place, value), expected, `${place} ${value}`);
});

test('a value in a header or a style is cut off after 500 characters, elsewhere it is whole', () => {
  for (const place of ['raw', 'header'] as const)
    for (const [length, expected] of [
      [499, 499],
      [500, 500],
      [501, 500],
      [2_000, 500],
    ] as const)
      assert.equal(escapeFor(place, 'x'.repeat(length)).length, expected, `${place} ${length}`);
  for (const place of ['text', 'attribute', 'url-part', 'plain'] as const)
    assert.equal(escapeFor(place, 'x'.repeat(2_000)).length, 2_000, place);
  assert.equal(headerText('x'.repeat(2_000)).length, 2_000);
});

test('a host name gets a scheme only when it has a dot and a top-level domain', () => {
  const table: [value: string, expected: string][] = [
    ['shop.example', 'http://shop.example/'],
    ['shop.example:8080', 'http://shop.example:8080/'],
    ['shop.example?x', 'http://shop.example/?x'],
    ['shop.example#x', 'http://shop.example/#x'],
    ['a-1.shop.example', 'http://a-1.shop.example/'],
    ['shop.e', ''],
    ['shop.example!', ''],
    ['mailto:', 'mailto:'],
    [`https://x.example/a'b(c)d*e|f`, 'https://x.example/a%27b%28c%29d%2Ae%7Cf'],
    ['ftp://x.example', ''],
  ];
  for (const [value, expected] of table) assert.equal(safeUrl(value), expected, value);
});

test('an address that is not parsed is the one that parsing would give', () => {
  const parsed = (url: string) =>
    new URL(url).href.replace(/['()*|\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  for (const url of [
    'https://a.example/',
    'https://a.example/x/../y',
    'https://a.example/./x',
    'https://a.example/.hidden',
    'https://a.example/a.b/c..d',
    'https://a.example/%2e%2E/x',
    'https://a.example/%zz?%',
    'https://a.example/?a=b&c#d/../e',
    'https://a.example/#*|X|*',
    "https://a.example/'()",
    'https://A.example/X',
    'HTTPS://a.example/',
    'https://a.example',
    'https://a.example:443/',
    'https://user@a.example/',
    'https://xn--bcher-kva.example/',
    'https://a.xn--bcher-kva.example/',
    'https://1.2.3.4/',
    'https://a.example/ä b',
    'https://a.example/x\n',
    `https://a.example/${'x'.repeat(2000)}`,
  ])
    assert.equal(safeUrl(url), parsed(url.trim()), url);
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) =>
      assert.equal(safeUrl(url), parsed(url)),
    ),
  );
});
