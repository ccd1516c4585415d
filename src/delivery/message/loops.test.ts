// Members of values and loops as recipients get them: one table of cases, each in the subject, the plain text and the HTML of a
// message that is rendered and read back; addresses; and random values that try to leave their place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { content, mailOf, recipient } from '../../../test/support/builders/mail.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { compile } from '../../campaigns/compile/compile.ts';
import { renderArchive, resolveTarget } from '../../campaigns/compile/fill.ts';
import { unrolled } from '../../campaigns/compile/unrolled.ts';
import type { Json } from '../../campaigns/markup/data.ts';
import { readStartTags } from '../../campaigns/markup/scan-html.ts';
import { prepare } from './render.ts';
import { untracked } from './untracked.ts';

const fields = [
  ...['FNAME', 'CITY', 'AGE'].map((tag) => ({ tag, type: 'text', default: '' })),
  { tag: 'EVENT', type: 'data', default: '' },
];
const noTracking = { opens: false, htmlClicks: false, textClicks: false };
const values = { FNAME: 'Ada', CITY: 'Rome AND Oslo', AGE: '36' };

/** The subject, plain text and HTML of a message with this text in all three. */
async function received(text: string, event: Json | undefined, parts: Parameters<typeof content>[0] = {}) {
  const compiled = compile(
    content({
      subject: `[${text}]`,
      plain: `[${text}]`,
      html: `<p>[${text}]</p>`,
      fields,
      tracking: noTracking,
      ...parts,
    }),
  );
  const data = event === undefined ? {} : { data: { EVENT: event } };
  const mail = await PostalMime.parse(mailOf(prepare(compiled).render(recipient({ values, ...data }))));
  const between = (part: string | undefined) => /\[([\s\S]*)\]/.exec(part ?? '')?.[1] ?? '';
  return { subject: between(mail.subject), plain: between(mail.text), html: between(mail.html), compiled };
}

const items = [
  { name: 'Boots', price: 49.95, gift: true },
  { name: 'Socks', price: 5, gift: false },
  { name: 'Hat', price: 12, gift: null },
];
const cart = {
  cart_url: 'https://shop.example/cart/1',
  total: 120,
  customer: { name: 'Ada', 'postal code': '10115', since: null },
  paid: false,
  new: true,
  none: null,
  empty: '',
  blank: ' ',
  zero: 0,
  price: 29.9,
  tiny: 1e-7,
  list: ['a', 'b'],
  items,
  no_items: [],
  no_members: {},
  mixed: ['a', { name: 'b' }, null, 3, ['c']],
  html: '<b onclick="x()">&amp; "q" \'s\'</b>',
  script: '</style><script>alert(1)</script>',
  crlf: 'a\r\nBcc: eve@evil.example\r\n\r\nb',
  tag: '*|FNAME|* #[FNAME]# *[EVENT:total]* *|EACH:EVENT:items|*x*|END:EACH|*',
  rtl: 'שלום עולם مرحبا',
  emoji: '👩‍👩‍👧 🎉',
  long: 'x'.repeat(5000),
  dots: '.\n.\nFrom me',
};
const all = (text: string) => ({ html: text, plain: text, subject: text });
const each = (inner: string, list = 'EVENT:items') => `*|EACH:${list}|*${inner}*|END:EACH|*`;

type Seen = { html: string; plain: string; subject: string };
/** What it is, the text, what is read, and the event where it is another one; null: none. */
type Case = [about: string, text: string, seen: Seen, event?: Json | null];

const cases: Case[] = [
  ['text', '*|EVENT:cart_url|*', all('https://shop.example/cart/1')],
  ['a member of a member', 'Hi *|EVENT:customer.name|*', all('Hi Ada')],
  ['blanks around names', '*|EVENT: customer . name |*', all('Ada')],
  ['a blank in a name', '*|EVENT:customer.postal code|*', all('10115')],
  ['the other notations', '#[EVENT:total]# *[EVENT:total]*', all('120 120')],
  ['the tag in lower case', '*|event:total|*', all('120')],
  ['the member in another case', '*|EVENT:Total|*', all('')],
  ['a number', '*|EVENT:total|*', all('120')],
  ['a number with decimals, as it was sent', '*|EVENT:price|*', all('29.9')],
  ['a very small number', '*|EVENT:tiny|*', all('1e-7')],
  ['zero', '*|EVENT:zero|*', all('0')],
  ['true', '*|EVENT:new|*', all('true')],
  ['false', '*|EVENT:paid|*', all('false')],
  ['null', '*|EVENT:none|*', all('')],
  ['null with a default', '*|EVENT:none:friend|*', all('friend')],
  ['an empty text with a default', '*|EVENT:empty:friend|*', all('friend')],
  ['blanks with a default', '*|EVENT:blank:friend|*', all('friend')],
  ['missing', '*|EVENT:missing|*', all('')],
  ['missing with a default that has colons', '*|EVENT:missing:at 10:30|*', all('at 10:30')],
  ['a member of what is missing', '*|EVENT:missing.name:x|*', all('x')],
  ['a member of text', '*|EVENT:cart_url.length:x|*', all('x')],
  ['a member of null', '*|EVENT:none.name:x|*', all('x')],
  ['an object', '*|EVENT:customer:x|*', all('x')],
  ['an empty object', '*|EVENT:no_members:x|*', all('x')],
  ['a list', '*|EVENT:list:x|*', all('x')],
  ['an item of a list', '*|EVENT:list.1|* *|EVENT:items.0.name|*', all('b Boots')],
  ['an item beyond the list', '*|EVENT:list.2:x|*', all('x')],
  ['no item but by a number', '*|EVENT:list.length:x|**|EVENT:list.-1:y|**|EVENT:list.01:z|*', all('xyz')],
  ['inherited members', '*|EVENT:constructor.name:x|**|EVENT:__proto__:y|**|EVENT:toString:z|*', all('xyz')],
  ['without a name', '*|EVENT|**|EVENT:|**|EVENT:a..b|*x', all('x')],
  ['no event', '*|EVENT:total:none|*', all('none'), null],
  ['an event that is no object', '*|EVENT:total:none|*', all('none'), 'text'],
  [
    'markup',
    '*|EVENT:html|*',
    {
      html: '&lt;b onclick=&quot;x()&quot;&gt;&amp;amp; &quot;q&quot; &#39;s&#39;&lt;/b&gt;',
      plain: cart.html,
      subject: cart.html,
    },
  ],
  [
    'a script',
    '*|EVENT:script|*',
    { html: '&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;', plain: cart.script, subject: cart.script },
  ],
  [
    'line breaks and what looks like a header',
    '*|EVENT:crlf|*',
    {
      html: 'a<br>Bcc: eve@evil.example<br><br>b',
      plain: 'a\nBcc: eve@evil.example\n\nb',
      subject: 'a Bcc: eve@evil.example b',
    },
  ],
  ['what looks like tags', '*|EVENT:tag|*', all(cart.tag)],
  ['text from right to left', '*|EVENT:rtl|*', all(cart.rtl)],
  ['emoji', '*|EVENT:emoji|*', all(cart.emoji)],
  ['a long text', '*|EVENT:long|*', { html: cart.long, plain: cart.long, subject: cart.long.slice(0, 500) }],
  [
    'lines that begin like SMTP and mailboxes',
    '*|EVENT:dots|*',
    { html: '.<br>.<br>From me', plain: cart.dots, subject: '. . From me' },
  ],
  ['lone surrogates', '*|EVENT:x|*', all('\ufffd'), { x: '\ud800' }],
  ['a loop', each('*|ITEM:name|* *|ITEM:price|*, '), all('Boots 49.95, Socks 5, Hat 12, ')],
  ['a loop in the other notations', '#[EACH:EVENT:items]##[ITEM:name]# #[END:EACH]#', all('Boots Socks Hat ')],
  ['a loop in lower case', '*|each:event:items|**|item:name|* *|end:each|*', all('Boots Socks Hat ')],
  ['a loop over texts', each('*|ITEM|*;', 'EVENT:list'), all('a;b;')],
  ['a default within a loop', each('*|ITEM:size:one size|* '), all('one size one size one size ')],
  ['a loop over an empty list', `a${each('x', 'EVENT:no_items')}b`, all('ab')],
  ['a loop over what is missing', `a${each('x', 'EVENT:missing')}b`, all('ab')],
  ['a loop over an object', `a${each('x', 'EVENT:customer')}b`, all('ab')],
  ['a loop over text', `a${each('x', 'EVENT:cart_url')}b`, all('ab')],
  ['a loop over an unknown name', `a${each('x', 'ORDERS')}b`, all('ab')],
  ['a loop without an event', `a${each('x')}b`, all('ab'), null],
  ['a loop over a list of a member', each('*|ITEM:n|*', 'EVENT:a.b'), all('12'), { a: { b: [{ n: 1 }, { n: 2 }] } }],
  ['a loop over an event that is a list', each('*|ITEM|*', 'EVENT'), all('12'), [1, 2]],
  ['items of several kinds', each('(*|ITEM|*|*|ITEM:name|*)', 'EVENT:mixed'), all('(a|)(|b)(|)(3|)(|)')],
  ['50 items', each('*|ITEM|*', 'EVENT'), all('x'.repeat(50)), Array(50).fill('x')],
  ['51 items', each('*|ITEM|*', 'EVENT'), all('x'.repeat(50)), Array(51).fill('x')],
  ['other values within a loop', each('*|FNAME|**|EVENT:total|* '), all('Ada120 Ada120 Ada120 ')],
  ['two loops', each('*|ITEM:name|* ') + each('*|ITEM|*', 'EVENT:list'), all('Boots Socks Hat ab')],
  [
    'markup in an item',
    each('*|ITEM|*', 'EVENT'),
    { html: '&lt;i&gt;&amp;&quot;', plain: '<i>&"', subject: '<i>&"' },
    ['<i>', '&"'],
  ],
  [
    'line breaks in an item',
    each('*|ITEM|*;', 'EVENT'),
    { html: 'a<br>b;', plain: 'a\nb;', subject: 'a b;' },
    ['a\r\nb'],
  ],
  ['tags in an item', each('*|ITEM|*', 'EVENT'), all('*|ITEM|**|END:EACH|*'), ['*|ITEM|**|END:EACH|*']],
  ['a condition within a loop', each('*|IF:ITEM:gift|*!*|ELSE:|*.*|END:IF|*'), all('!..')],
  ['a comparison within a loop', each('*|IF:ITEM:price>=12|**|ITEM:name|* *|END:IF|*'), all('Boots Hat ')],
  ['the item itself compared', each('*|IF:ITEM=b|*B*|ELSE:|**|ITEM|**|END:IF|*', 'EVENT:list'), all('aB')],
  [
    'a loop within a condition',
    `*|IF:EVENT:items|*${each('*|ITEM:name|* ')}*|ELSE:|*nothing*|END:IF|*`,
    all('Boots Socks Hat '),
  ],
  [
    'a loop within a condition that fails',
    `*|IF:EVENT:no_items|*${each('x')}*|ELSE:|*nothing*|END:IF|*`,
    all('nothing'),
  ],
  ['a number compared', '*|IF:EVENT:total>99|*yes*|ELSE:|*no*|END:IF|*', all('yes')],
  ['a member compared', '*|IF:EVENT:customer.name=ada|*yes*|END:IF|*', all('yes')],
  ['false is not set', '*|IF:EVENT:paid|*paid*|ELSE:|*open*|END:IF|*', all('open')],
  ['false compared', '*|IF:EVENT:paid=false|*open*|END:IF|*', all('open')],
  ['true, zero and an object are set', '*|IF:EVENT:new AND EVENT:zero AND EVENT:customer|*yes*|END:IF|*', all('yes')],
  [
    'null, blanks, {} and [] are not',
    '*|IF:EVENT:none OR EVENT:blank OR EVENT:no_members OR EVENT:no_items|*yes*|ELSE:|*no*|END:IF|*',
    all('no'),
  ],
  ['whether there is an event', '*|IF:EVENT|*yes*|ELSE:|*no*|END:IF|*', all('no'), null],
  ['AND', '*|IF:FNAME=Ada AND EVENT:total>50|*yes*|ELSE:|*no*|END:IF|*', all('yes')],
  ['AND of which one fails', '*|IF:FNAME=Ada AND EVENT:total>500|*yes*|ELSE:|*no*|END:IF|*', all('no')],
  ['OR', '*|IF:FNAME=Eve OR AGE>30|*yes*|ELSE:|*no*|END:IF|*', all('yes')],
  ['AND before OR', '*|IF:FNAME=Ada OR AGE>99 AND CITY=x|*yes*|ELSE:|*no*|END:IF|*', all('yes')],
  ['AND before OR, the other way', '*|IF:AGE>99 AND FNAME=Ada OR CITY=x|*yes*|ELSE:|*no*|END:IF|*', all('no')],
  ['IFNOT of the whole', '*|IFNOT:FNAME=Ada AND AGE>99|*yes*|ELSE:|*no*|END:IF|*', all('yes')],
  ['ELSEIF with AND', '*|IF:AGE>99|*old*|ELSEIF:FNAME AND EVENT:total|*both*|END:IF|*', all('both')],
  ['a value with AND', '*|IF:CITY=Rome AND Oslo|*yes*|ELSE:|*no*|END:IF|*', all('yes')],
  ['a value with AND, and AND', '*|IF:CITY=Rome AND Oslo AND AGE=36|*yes*|ELSE:|*no*|END:IF|*', all('yes')],
  ['a value with AND in quotes', '*|IF:CITY="Rome AND Oslo" AND AGE|*yes*|ELSE:|*no*|END:IF|*', all('yes')],
  ['a comparison in quotes is a value', '*|IF:CITY="x AND AGE=36"|*yes*|ELSE:|*no*|END:IF|*', all('no')],
  ['AND of an unknown field is a value', '*|IF:CITY=Rome AND NOWHERE=1|*yes*|ELSE:|*no*|END:IF|*', all('no')],
];

test('every case is read in the HTML, the plain text and the subject', async () => {
  assert.ok(cases.length >= 60, String(cases.length));
  for (const [about, text, seen, event = cart] of cases) {
    const got = await received(text, event === null ? undefined : event);
    const decoded = (part: string) => part.replace(/\r\n/g, '\n');
    assert.equal(decoded(got.html), seen.html, `${about}: HTML`);
    assert.equal(decoded(got.plain), seen.plain, `${about}: plain`);
    assert.equal(got.subject, seen.subject, `${about}: subject`);
  }
});

const tracking = { opens: false, htmlClicks: true, textClicks: true };
const clicks = (html: string) => [...html.matchAll(/\/c\/[\w-]{32}([\w-]+)/g)].map(([, link]) => link);

test('a link in a loop is one link of the campaign, whose click leads to the item', async () => {
  const html = `[${each('<a href="https://shop.example/p?id=*|ITEM:id|*&amp;n=*|FNAME|*">*|ITEM:id|*</a><a href="https://shop.example/all">all</a>')}]`;
  const event = { items: [{ id: 'a&b' }, { id: 'c' }] };
  const { html: got, compiled } = await received('', event, { html, tracking, plain: 'x' });
  assert.deepEqual(compiled.links, [
    { target: 'https://shop.example/p?id=*|EVENT:items[].id|*&n=*|FNAME|*', html: 1, text: 0 },
    { target: 'https://shop.example/all', html: 1, text: 0 },
  ]);
  assert.deepEqual(clicks(got), ['0-0', '1', '0-1', '1']);
  const fill = { recipient: recipient({ values, data: { EVENT: event } }), at: new Date() };
  const target = (no?: number) => resolveTarget(compiled.links[0]!.target, compiled, fill, no);
  assert.equal(target(0), 'https://shop.example/p?id=a%26b&n=Ada');
  assert.equal(target(1), 'https://shop.example/p?id=c&n=Ada');
  for (const no of [2, undefined]) assert.equal(target(no), 'https://shop.example/p?id=&n=Ada');
});

test('a link in the plain text of a loop has the item too', async () => {
  const { plain, compiled } = await received('', cart, {
    html: '<p>x</p>',
    plain: `[${each('https://shop.example/p/*|ITEM:name|* ')}]`,
    tracking,
  });
  assert.equal(compiled.links[0]!.target, 'https://shop.example/p/*|EVENT:items[].name|*');
  assert.deepEqual(clicks(plain), ['0-0', '0-1', '0-2']);
});

test('an address that is a value is tracked if it is of the web, stays if it is of a mailbox, and is nothing otherwise', async () => {
  const addresses: [address: Json, html: string | null, target: string | null][] = [
    ['https://shop.example/a?b=1&c="2"', null, 'https://shop.example/a?b=1&c=%222%22'],
    ['HTTP://SHOP.example', null, 'http://shop.example/'],
    ['shop.example/x', null, 'http://shop.example/x'],
    ['mailto:a@b.example', 'mailto:a@b.example', null],
    ['javascript:alert(1)', '', null],
    [' java\nscript:alert(1)', '', null],
    ['data:text/html,<script>', '', null],
    ['vbscript:x', '', null],
    ['//cdn.shop.example/x', null, 'https://cdn.shop.example/x'],
    ['//localhost/x', '', null],
    ['/relative', '', null],
    ['" onclick="x()', '', null],
    [null, '', null],
    [17, '', null],
    [{ a: 1 }, '', null],
  ];
  for (const [address, inHtml, target] of addresses)
    for (const [event, list, tag] of [
      [{ url: address }, '', 'EVENT:url'],
      [{ items: [{ url: address }] }, 'EVENT:items', 'ITEM:url'],
    ] as const) {
      const link = `<a href="*|${tag}|*">x</a>`;
      const html = `[${list ? each(link, list) : link}]`;
      const { html: got, compiled } = await received('', event, { html, tracking, plain: 'x' });
      const href = /href="([^"]*)"/.exec(got)![1]!;
      assert.equal(compiled.links.length, 1);
      if (inHtml === null) assert.deepEqual(clicks(href), [list ? '0-0' : '0'], JSON.stringify(address));
      else assert.equal(href, inHtml, JSON.stringify(address));
      const fill = { recipient: recipient({ data: { EVENT: event } }), at: new Date() };
      assert.equal(resolveTarget(compiled.links[0]!.target, compiled, fill, list ? 0 : undefined), target);
      // Not counted, for a reader who does not want it.
      const quiet = mailOf(prepare(untracked(compiled)).render(fill.recipient));
      const seen = /href="([^"]*)"/.exec((await PostalMime.parse(quiet)).html!)![1]!;
      assert.equal(seen, inHtml ?? target!.replaceAll('&', '&amp;'), JSON.stringify(address));
    }
});

test('what follows an address that is a value is a part of it', async () => {
  const html = '[<a href="*|EVENT:url|*?a=1&amp;b=*|FNAME|*">x</a>]';
  const { compiled } = await received('', {}, { html, tracking, plain: 'x' });
  const { target } = compiled.links[0]!;
  const at = new Date();
  const resolved = (url: Json) =>
    resolveTarget(target, compiled, { recipient: recipient({ values, data: { EVENT: { url } } }), at });
  assert.equal(resolved('https://shop.example/x'), 'https://shop.example/x?a=1&b=Ada');
  assert.equal(resolved('javascript:x'), null);
  assert.equal(resolved(null), null);
});

test('no other value decides where a tracked link leads', async () => {
  for (const href of ['*|FNAME|*', 'https://*|EVENT:host|*/x', '*|EVENT:scheme|*://shop.example/']) {
    const html = `[<a href="${href}">x</a>]`;
    const { compiled } = await received('', {}, { html, tracking, plain: 'x' });
    assert.deepEqual(
      compiled.links.map(({ target }) => target).filter((target) => !target.startsWith('*|EVENT:scheme')),
      [],
      href,
    );
  }
});

test('a default of a field that has the name of an event stays a default in a link', () => {
  const event = [{ tag: 'EVENT', type: 'text', default: '' }];
  const html = '<a href="https://shop.example/?e=*|EVENT:a.b:c[]|*">x</a>';
  const compiled = compile(content({ html, fields: event }));
  const at = new Date();
  assert.equal(
    resolveTarget(compiled.links[0]!.target, compiled, { recipient: null, at }),
    'https://shop.example/?e=a.b%3Ac%5B%5D',
  );
  const withValue = recipient({ values: { EVENT: 'x' }, data: { EVENT: { a: { b: 'wrong' } } } });
  assert.equal(
    resolveTarget(compiled.links[0]!.target, compiled, { recipient: withValue, at }),
    'https://shop.example/?e=x',
  );
});

test('the tags of a loop may be in comments around a row, as the visual editor writes them', async () => {
  const html = '[<table><!--*|EACH:EVENT:items|*--><tr><td>*|ITEM:name|*</td></tr><!--*|END:EACH|*--></table>]';
  const { html: got } = await received('', cart, { html });
  assert.equal(
    got.replace(/<!---->/g, ''),
    '<table><tr><td>Boots</td></tr><tr><td>Socks</td></tr><tr><td>Hat</td></tr></table>',
  );
  assert.equal((await received('', {}, { html })).html.replace(/<!---->/g, ''), '<table></table>');
});

test('a picture is one of the web', async () => {
  const html = `[${each('<img src="*|ITEM|*" alt="*|ITEM|*">', 'EVENT')}]`;
  const { html: got } = await received('', ['https://a.example/1.png?a&b', 'javascript:x', '"><b>'], { html });
  assert.equal(
    got,
    '<img src="https://a.example/1.png?a&amp;b" alt="https://a.example/1.png?a&amp;b"><img src="" alt="javascript:x"><img src="" alt="&quot;&gt;&lt;b&gt;">',
  );
});

test('values in attributes, styles and addresses are escaped for their place', async () => {
  const html = `[${each('<p title="*|ITEM|*" style="color:*|ITEM|*"><a href="https://a.example/*|ITEM|*">x</a>', 'EVENT')}]`;
  const { html: got } = await received('', ['"red;}<'], { html });
  assert.equal(got, '<p title="&quot;red;}&lt;" style="color:red"><a href="https://a.example/%22red%3B%7D%3C">x</a>');
});

test('the page of the archive has no items, and a link to a value leads nowhere', () => {
  const html = `<p>${each('x')}<a href="*|EVENT:cart_url|*">cart</a>*|EVENT:total:none|*</p>`;
  const page = renderArchive(compile(content({ html, fields, tracking })), new Date());
  assert.equal(page, '<p><a href="#">cart</a>none</p>');
});

test('what is incomplete is shown once, to everyone, and reported', async () => {
  const wrong: [text: string, expected: string, loops: string[], conditions?: string[]][] = [
    ['a*|EACH:EVENT:items|*b*|ITEM:name|*c', 'abc', ['open *|EACH:EVENT:items|*']],
    [each(`${each('-', 'ITEM:sizes')}*|ITEM:name|*`), '-Boots-Socks-Hat', ['nested *|EACH:ITEM:sizes|*']],
    ['a*|END:EACH|*b', 'ab', ['end *|END:EACH|*']],
    ['a*|ITEM:name|*b', 'ab', ['outside *|ITEM:name|*']],
    ['a*|IF:ITEM:name|*x*|ELSE:|*y*|END:IF|*b', 'ayb', ['outside *|IF:ITEM:name|*']],
    [each(`*|ITEM:name|*${each('-', 'ITEM:sizes')}`), 'Boots-Socks-Hat-', ['nested *|EACH:ITEM:sizes|*']],
    [each(`a*|EACH:EVENT:list|*b`), 'ab', ['nested *|EACH:EVENT:list|*', 'open *|EACH:EVENT:items|*']],
    [
      '*|EACH:EVENT:list|*a*|IF:FNAME|*b*|END:EACH|*c*|END:IF|*',
      'ababc',
      ['crossed *|EACH:EVENT:list|*'],
      ['*|IF:FNAME|*', '*|END:IF|*'],
    ],
    [
      '*|IF:FNAME|*a*|EACH:EVENT:list|*b*|END:IF|*c*|END:EACH|*d',
      'abcbcd',
      ['crossed *|EACH:EVENT:list|*'],
      ['*|END:IF|*', '*|IF:FNAME|*'],
    ],
    ['*|EACH:EVENT:list|*a*|END:IF|*b*|END:EACH|*', 'abab', [], ['*|END:IF|*']],
  ];
  for (const [text, expected, loops, conditions = []] of wrong) {
    const { html, plain, subject, compiled } = await received(text, cart);
    assert.deepEqual({ html, plain, subject }, all(expected), text);
    const found = (compiled.badLoops ?? []).map(({ problem, text }) => `${problem} ${text}`);
    assert.deepEqual(found.sort(), [...loops].sort(), text);
    assert.deepEqual([...compiled.badConditions].sort(), [...conditions].sort(), text);
  }
});

test('names that stand for nothing are reported', () => {
  const unknown = (html: string) => compile(content({ html, plain: '', subject: '', toName: '', fields })).unknownTags;
  assert.deepEqual(unknown(each('x', 'ORDERS')), ['ORDERS']);
  assert.deepEqual(unknown(each('x', 'FNAME')), ['FNAME']);
  assert.deepEqual(unknown('*|EVENT|**|EVENT:a..b|*'), ['EVENT']);
  assert.deepEqual(unknown('*|EACH|**|EACH:EVENT:a..b|**|ITEM|*'), ['EACH', 'ITEM']);
  assert.deepEqual(unknown('*|IF:NOPE AND FNAME|*x*|END:IF|*'), ['NOPE']);
  assert.deepEqual(unknown('*|IF:FNAME=a AND NOPE=b|*x*|END:IF|*'), ['NOPE']);
  assert.deepEqual(unknown(each('*|IF:ITEM=a OR ITEM:b|**|ITEM|**|END:IF|*')), []);
});

test('fields with the names of these tags keep their meaning', async () => {
  const own = ['EVENT', 'ITEM', 'EACH'].map((tag) => ({ tag, type: 'text', default: '' }));
  const { html, compiled } = await received('*|EVENT:a|* *|ITEM:b|* *|EACH:EVENT:items|*', cart, {
    fields: own,
    toName: '',
  });
  assert.equal(html, 'a b EVENT:items');
  assert.deepEqual([compiled.unknownTags, compiled.badLoops], [[], undefined]);
  // Within a loop the item is meant, which no text had before there were loops.
  const loop = await received(each('*|ITEM:name|*', 'EVENT:items'), cart, { fields: [...fields, own[1]!] });
  assert.equal(loop.html, 'BootsSocksHat');
});

test('the links of a message for one recipient have no tags left, whatever they were', () => {
  const html = `${each('<a href="*|ITEM:url|*">x</a>')}<a href="https://shop.example/?q=*|-">y</a>`;
  const compiled = compile(content({ html, plain: 'x', fields, tracking }));
  const event = {
    items: [
      { url: 'https://a.example/*|FNAME|*' },
      { url: 'mailto:a@b.example' },
      { url: 'https://a.example/*|FNAME|*' },
    ],
  };
  const { links, html: pieces } = unrolled(compiled, {
    recipient: recipient({ data: { EVENT: event } }),
    at: new Date(),
  });
  assert.deepEqual(links, [
    { target: 'https://a.example/%2A%7CFNAME%7C%2A', html: 2, text: 0 },
    { target: 'https://shop.example/?q=%2A%7C-', html: 1, text: 0 },
  ]);
  assert.ok(pieces!.some((piece) => piece === 'mailto:a@b.example'));
});

test('a message is the same bytes each time it is made', () => {
  const compiled = compile(
    content({ html: `<p>${each('<a href="*|ITEM:url|*">*|ITEM:name|*</a>')}`, fields, tracking }),
  );
  const to = recipient({ data: { EVENT: cart } });
  const bytes = mailOf(prepare(compiled).render(to));
  assert.deepEqual(mailOf(prepare(JSON.parse(JSON.stringify(compiled))).render(to)), bytes);
});

test('whatever the values are, no tag is left, nothing leaves its place, and lines are short', async () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom(
      '*|ITEM:a|*',
      '*|',
      '<script>',
      '"><img src=x onerror=x>',
      '\r\nBcc: x',
      'javascript:x',
      '|*',
      "' style='",
      '.',
    ),
    fc.webUrl({ withQueryParameters: true }),
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  );
  const event = fc.record({ a: hostile, items: fc.array(fc.record({ a: hostile, b: hostile }), { maxLength: 3 }) });
  const html = `<p>${each('<a href="*|ITEM:a|*" title="*|ITEM:b|*" style="color:*|ITEM:b|*"><img src="*|ITEM:b|*" alt="*|ITEM:a|*"></a>*|ITEM:b|*')}*|EVENT:a|*</p>`;
  const compiled = compile(
    content({
      html,
      plain: each('*|ITEM:a|* *|ITEM:b|*'),
      subject: 's *|EVENT:a|* *|EVENT:items.0.b|*',
      fields,
      tracking,
    }),
  );
  const renderer = prepare(compiled);
  const empty = structureOf(compiledHtml(renderer, { a: '', items: [] }));
  await fc.assert(
    fc.asyncProperty(event, async (data) => {
      const bytes = mailOf(renderer.render(recipient({ values, data: { EVENT: data } })));
      const text = bytes.toString('latin1');
      assert.ok(text.split('\r\n').every((line) => line.length <= 998 && !line.startsWith('.')));
      assert.doesNotMatch(text.slice(0, text.indexOf('\r\n\r\n')), /^(?:Bcc|Cc):/im);
      const mail = await PostalMime.parse(bytes);
      const withoutTags = mail.html!.replace(/&[^;]+;/g, '');
      const { elements, attributes } = structureOf(mail.html!);
      const count = data.items.length;
      assert.equal(elements.filter((name) => name === 'a').length, count);
      assert.equal(elements.filter((name) => name === 'img').length, count);
      assert.equal(
        elements.filter((name) => name !== 'a' && name !== 'img' && name !== 'br').length,
        empty.elements.length,
      );
      for (const name of attributes) assert.ok(['href', 'title', 'style', 'src', 'alt'].includes(name), name);
      for (const [, address] of mail.html!.matchAll(/(?:href|src)="([^"]*)"/g))
        assert.match(address!, /^(?:https?:|mailto:|$)/i);
      assert.doesNotMatch(withoutTags, /<script|onerror=x>/i);
      // Only a value has what looks like a tag.
      const raw = JSON.stringify(data);
      if (!raw.includes('*|')) assert.ok(![mail.html, mail.text, mail.subject].join().includes('*|'));
    }),
    { numRuns: runs(40) },
  );
});

const compiledHtml = (renderer: ReturnType<typeof prepare>, data: Json) =>
  mailOf(renderer.render(recipient({ data: { EVENT: data } })))
    .toString('latin1')
    .split('text/html')[1]!;

/** The elements of a page and the names of their attributes, as a browser reads them. */
function structureOf(html: string): { elements: string[]; attributes: string[] } {
  const tags = readStartTags(html);
  return {
    elements: tags.map(({ name }) => name),
    attributes: tags
      .filter(({ name }) => name === 'a' || name === 'img')
      .flatMap(({ attributes }) => [...attributes.keys()]),
  };
}
