// Which links of both parts are tracked, with which targets, and where links in plain text begin and end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { content, recipient } from '../../../test/support/builders/mail.ts';
import type { CampaignContent } from '../markup/compiled.ts';
import { compile } from './compile.ts';
import { asMailed } from './fill.ts';
import { plainLinks } from './link-table.ts';

const untracked = { opens: false, htmlClicks: false, textClicks: false };
const tracked = { opens: true, htmlClicks: true, textClicks: true };

const found = (text: string) => [...plainLinks(text)].map(({ start, end }) => text.slice(start, end));

const cases: [text: string, ...links: string[]][] = [
  ['See https://e.example/x.', 'https://e.example/x'],
  [
    'See https://e.example/x, https://e.example/y; and (https://e.example/z).',
    'https://e.example/x',
    'https://e.example/y',
    'https://e.example/z',
  ],
  ['https://e.example/x,https://e.example/y', 'https://e.example/x', 'https://e.example/y'],
  ['https://archive.example/2020/https://e.example/x', 'https://archive.example/2020/https://e.example/x'],
  ['https://e.example/a_(b)_c!', 'https://e.example/a_(b)_c'],
  ['[text](https://e.example/x)more', 'https://e.example/x'],
  ['[https://e.example/x](https://e.example/y)', 'https://e.example/x', 'https://e.example/y'],
  ['https://e.example/?a=1&b=[2]&c=3,4', 'https://e.example/?a=1&b=[2]&c=3,4'],
  ['詳しくはhttps://shop.example/newsをご覧ください。次の文。', 'https://shop.example/news'],
  ['https://shop.example/をご覧ください', 'https://shop.example/'],
  ['https://shop.exampleをご覧ください', 'https://shop.example'],
  ['https://shop.example/a/から', 'https://shop.example/a/'],
  ['（https://shop.example/news）です', 'https://shop.example/news'],
  ['「https://shop.example/news」', 'https://shop.example/news'],
  ['(https://shop.example/news)をご覧', 'https://shop.example/news'],
  ['请访问https://shop.example/news，谢谢。', 'https://shop.example/news'],
  ['请访问https://shop.example/news查看详情', 'https://shop.example/news'],
  ['请访问https://shop.example/?id=7查看', 'https://shop.example/?id=7'],
  ['https://shop.example/news。', 'https://shop.example/news'],
  ['https://shop.example/news！', 'https://shop.example/news'],
  ['https://ja.wiki.example/wiki/日本', 'https://ja.wiki.example/wiki/日本'],
  ['https://例え.jp/a 次', 'https://例え.jp/a'],
  ['https://президент.рф/новости-2024-год.', 'https://президент.рф/новости-2024-год'],
  ['https://ru.wiki.example/wiki/Москва, столица', 'https://ru.wiki.example/wiki/Москва'],
  ['https://de.wiki.example/wiki/Zürich!', 'https://de.wiki.example/wiki/Zürich'],
  ['https://shop.example/뉴스 보기', 'https://shop.example/뉴스'],
  ['https://shop.example/news를 보세요', 'https://shop.example/news'],
  ['https://shop.example/에서 확인', 'https://shop.example/'],
  ['อ่านที่https://shop.example/newsได้เลย', 'https://shop.example/news'],
  ['https://shop.example/ได้เลย', 'https://shop.example/'],
  ['اقرأ https://shop.example/news، ثم', 'https://shop.example/news'],
  ['https://shop.example/news؟', 'https://shop.example/news'],
  ['https://shop.example/newsاقرأ', 'https://shop.example/news'],
  ['https://shop.example/news।', 'https://shop.example/news'],
  ['Lies „https://e.example/x“ heute', 'https://e.example/x'],
  ['“https://e.example/x”', 'https://e.example/x'],
  ['« https://e.example/x »', 'https://e.example/x'],
  ['«https://e.example/x»', 'https://e.example/x'],
  ['‘https://e.example/x’', 'https://e.example/x'],
  ["'https://e.example/x'", 'https://e.example/x'],
  ['https://e.example/x’s page', 'https://e.example/x'],
  ['https://e.example/x…', 'https://e.example/x'],
  ['https://e.example/x—read it', 'https://e.example/x'],
  ['https://e.example/x\u200b next', 'https://e.example/x'],
  ['https://e.example/x\u2060', 'https://e.example/x'],
  ['https://e.example/x\u00a0next', 'https://e.example/x'],
  ['`https://e.example/x`', 'https://e.example/x'],
  ['<https://e.example/x>', 'https://e.example/x'],
  ['https://e.example/~a/b-c_d/%E6%97%A5?x=y+z#f:g@h;i', 'https://e.example/~a/b-c_d/%E6%97%A5?x=y+z#f:g@h;i'],
  ['https://e.example/*|FNAME|*.', 'https://e.example/*|FNAME|*'],
  ['https://e.example/?a=#[FNAME]#&b=*[LNAME]*!', 'https://e.example/?a=#[FNAME]#&b=*[LNAME]*'],
  ['https://e.example/?a=*|FNAME:you and me|*を', 'https://e.example/?a=*|FNAME:you and me|*'],
  ['1 *|SITE:https://x.example/d|* end'],
  ['1 #[SITE:https://x.example/d]# end'],
  ['*|SITE:https://x.example/d|* https://e.example/x', 'https://e.example/x'],
  ['https://ja.wiki.example/wiki/日本_の_歴史-に', 'https://ja.wiki.example/wiki/日本_の_歴史-に'],
  ['https://ja.wiki.example/wiki/日本/をご覧ください', 'https://ja.wiki.example/wiki/日本/'],
  ['https://ja.wiki.example/wiki/日本?の', 'https://ja.wiki.example/wiki/日本'],
  ['https://президент.рф.новости/о', 'https://президент.рф.новости/о'],
  ['https://e.example/x…y', 'https://e.example/x'],
  ['https://e.example/a((b)(c))', 'https://e.example/a((b)(c))'],
  ['https://e.example/a{b}[c]) d', 'https://e.example/a{b}[c]'],
  [
    'https://e.example/x;https://e.example/y|HTTPS://e.example/z',
    'https://e.example/x',
    'https://e.example/y',
    'HTTPS://e.example/z',
  ],
  ['https://e.example/x} y', 'https://e.example/x'],
  ['https://例え.jpをご覧ください', 'https://例え.jp'],
  ['https://shop-例え.jp/a', 'https://shop-例え.jp/a'],
  ['https://...'],
  ['https://'],
  ['https:// x'],
];
for (const [text, ...links] of cases)
  test(`links of: ${JSON.stringify(text)}`, () => assert.deepEqual(found(text), links));

test('a long text without blanks takes no long time', { timeout: 10_000 }, () => {
  assert.equal(found('https://e.example/'.repeat(20_000)).length, 1);
  assert.equal(found('https://e.example/,'.repeat(20_000)).length, 20_000);
  assert.equal(found(`https://${'('.repeat(200_000)}`).length, 0);
});

/** The text of a message whose links in the text are tracked, with [address] in place of each tracked link. */
function linkedText(plain: string, values: Record<string, string> = {}): string {
  const fields = [{ tag: 'SITE', type: 'text', default: '' }];
  const compiled = compile(content({ html: '', plain, tracking: { ...untracked, textClicks: true }, fields }));
  const to = recipient({ values });
  const text = asMailed(compiled, to, to.at, to.tokens).plain ?? '';
  let no = 0;
  return text.replace(/https?:\/\/\S+?\/c\/[\w-]+/g, () => `[${compiled.links[no++]?.target}]`);
}

test('a tracked link replaces the address and no word of the sentence', () => {
  assert.ok(
    linkedText('詳しくはhttps://shop.example/newsをご覧ください。次の文。').startsWith(
      '詳しくは[https://shop.example/news]をご覧ください。次の文。',
    ),
  );
  assert.ok(linkedText('Lies „https://e.example/x“ heute').startsWith('Lies „[https://e.example/x]“ heute'));
});

test('an address that is the default of a tag is the value of the tag', () => {
  const source = '1 *|SITE:https://x.example/d|* end';
  assert.ok(linkedText(source).startsWith('1 https://x.example/d end'), linkedText(source));
  assert.ok(linkedText(source, { SITE: 'https://mine.example/' }).startsWith('1 https://mine.example/ end'));
});

test('links of a, area and VML shapes are tracked, and each target has one entry', () => {
  const html = `<a href="https://a.example/x?1&amp;2">1</a><area href='https://a.example/x?1&amp;2'>
    <!--[if mso]><v:roundrect href="https://a.example/x?1&amp;2"></v:roundrect><![endif]--><link href="https://a.example/x"><img src="https://a.example/x">`;
  const compiled = compile(content({ html, plain: 'https://a.example/x?1&2', tracking: tracked }));
  assert.deepEqual(compiled.links, [{ target: 'https://a.example/x?1&2', html: 3, text: 1 }]);
});

test('URLs that are not on the web, and personal URLs, are not tracked', () => {
  const left = [
    'mailto:a@b.example',
    'tel:+49',
    'sms:+49',
    '#',
    '#top',
    '',
    '/x',
    '//a.example',
    'javascript:x',
    'ftp://a.example/',
    'https:',
    'http:///x',
  ];
  const html = [...left, '*|UNSUB|*', '#[UPDATE_PROFILE]#', '*[ARCHIVE]*', 'https://a.example/?u=*|UNSUB|*']
    .map((href) => `<a href="${href}">x</a>`)
    .join('');
  const compiled = compile(
    content({ html, plain: '', tracking: tracked, analytics: { source: 's', medium: 'm', campaign: 'c' } }),
  );
  assert.deepEqual(compiled.links, []);
  const page =
    compile(content({ html, tracking: untracked }))
      .html?.filter((piece) => typeof piece === 'string')
      .join('') ?? '';
  for (const href of left) assert.ok(page.includes(`<a href="${href}">`), href);
});

test('a link with a merge tag in its scheme or host is not tracked, so no contact value decides where a click leads', () => {
  const own = [
    '*|SITE|*',
    'https://*|SITE|*/x',
    'https://*|SITE|*',
    'https://a.example*|SITE|*',
    'https://a.example:*|SITE|*/',
    'https://*|FNAME|*@a.example/',
    '*|SITE|*/x',
    'http*|SITE|*://a.example/',
  ];
  for (const href of own) {
    const compiled = compile(content({ html: `<a href="${href}">x</a>`, plain: href, tracking: tracked }));
    assert.deepEqual(compiled.links, [], href);
  }
});

test('a target stores its tags by field name with their defaults', () => {
  const html =
    '<a href="https://a.example/*|MERGE0|*?n=#[FNAME]#&amp;l=*[LNAME:no|body]*&amp;m=*|LNAME:a b|*&amp;x=*|NOPE|*&amp;d=*|DATE:Y-m|*#*|LIST:NAME|*">x</a>';
  const compiled = compile(content({ html, tracking: tracked }));
  assert.equal(
    compiled.links[0]?.target,
    'https://a.example/*|EMAIL|*?n=*|FNAME:friend|*&l=*|LNAME:no%7Cbody|*&m=*|LNAME:a%20b|*&x=&d=*|DATE:Y-m|*#Customers',
  );
  assert.deepEqual(compiled.unknownTags, ['NOPE']);
});

test('links in plain text are tracked without the punctuation of their sentence', () => {
  const table: [string, string, string][] = [
    ['See https://a.example/x.', 'https://a.example/x', '.'],
    ['(https://a.example/x)', 'https://a.example/x', ')'],
    ['(https://a.example/x_(y))', 'https://a.example/x_(y)', ')'],
    ['<https://a.example/x>', 'https://a.example/x', '>'],
    ['[x](https://a.example/x)!', 'https://a.example/x', ')!'],
    ['"https://a.example/x", it read', 'https://a.example/x', '", it read'],
    ['HTTPS://A.example/x?a=1&b=2#c', 'HTTPS://A.example/x?a=1&b=2#c', ''],
    ['https://a.example/*|FNAME|*.', 'https://a.example/*|FNAME:friend|*', '.'],
    ['https://a.example/#[FNAME:a b]# x', 'https://a.example/*|FNAME:a%20b|*', ' x'],
  ];
  for (const [plain, target, rest] of table) {
    const compiled = compile(content({ plain, tracking: tracked }));
    assert.ok(
      compiled.links.some((link) => link.target === target && link.text === 1),
      `${plain}: ${JSON.stringify(compiled.links)}`,
    );
    assert.equal(compiled.plain?.at(-1), rest === '' ? compiled.plain?.at(-1) : rest, plain);
  }
  const off = compile(content({ plain: 'https://a.example/x', tracking: untracked }));
  assert.deepEqual(off.plain, ['https://a.example/x']);
});

test('analytics parameters are added to every web link, tracked or not, in both parts', () => {
  const analytics = { source: 'letter', medium: 'email', campaign: 'May' };
  const html = '<a href="https://a.example/?x=1&amp;y=*|FNAME|*#z">x</a><a href="mailto:a@b.example">m</a>';
  const untrackedPage = compile(content({ html, analytics, tracking: untracked }));
  const to = recipient();
  assert.equal(
    asMailed(untrackedPage, to, to.at, to.tokens).html,
    '<a href="https://a.example/?x=1&amp;y=Joe&amp;utm_source=letter&amp;utm_medium=email&amp;utm_campaign=May#z">x</a><a href="mailto:a@b.example">m</a>',
  );
  const compiled = compile(content({ html, plain: 'https://a.example/', analytics, tracking: tracked }));
  assert.deepEqual(
    compiled.links.map((link) => link.target),
    [
      'https://a.example/?x=1&y=*|FNAME:friend|*&utm_source=letter&utm_medium=email&utm_campaign=May#z',
      'https://a.example/?utm_source=letter&utm_medium=email&utm_campaign=May',
    ],
  );
});

test('clicks are tracked in the parts that are chosen, and counted for each target', () => {
  const links = (tracking: Partial<typeof tracked>, overrides: Partial<CampaignContent> = {}) =>
    compile(
      content({
        html: '<a href="https://a.example/1">x</a><a href="https://a.example/1">y</a>',
        plain: 'https://a.example/1 https://a.example/2',
        tracking: { ...untracked, ...tracking },
        ...overrides,
      }),
    ).links.map(({ target, html, text }) => `${target} ${html} ${text}`);
  assert.deepEqual(links({}), []);
  assert.deepEqual(links({ htmlClicks: true }), ['https://a.example/1 2 0']);
  assert.deepEqual(links({ textClicks: true }), ['https://a.example/1 0 1', 'https://a.example/2 0 1']);
  assert.deepEqual(links({ htmlClicks: true, textClicks: true }), [
    'https://a.example/1 2 1',
    'https://a.example/2 0 1',
  ]);
});

test('links are tracked when their host is fixed, with tags as they are written', () => {
  const target = (href: string) =>
    compile(content({ html: `<a href="${href}">x</a>`, plain: '', tracking: tracked })).links[0]?.target;
  for (const [href, expected] of [
    ['https://a.example', 'https://a.example'],
    [' https://a.example/\n1 ', 'https://a.example/1'],
    ['https://a.example/*|FNAME|*?b=*|DATE:Y|*', 'https://a.example/*|FNAME:friend|*?b=*|DATE:Y|*'],
    ['https://a.example/*|LNAME|*', 'https://a.example/*|LNAME|*'],
    ['https://a.example*|FNAME|*/', undefined],
    ['https://*|FNAME|*.example/', undefined],
    ['*|SITE|*', undefined],
    ['mailto:a@a.example', undefined],
    ['#top', undefined],
    ['/relative', undefined],
    ['', undefined],
    ['https://a.example/?u=*|UNSUB|*', undefined],
    ['*|LIST:URL|*', 'https://shop.example/'],
    [' *|LIST:URL|*x?y', 'https://shop.example/x?y'],
    ['https://a.example/?u=*|LIST:URL|*', 'https://a.example/?u=https%3A%2F%2Fshop.example%2F'],
  ] as const)
    assert.equal(target(href), expected, href);
});

test('at most 20,000 distinct links are tracked', () => {
  const html = Array.from({ length: 20_001 }, (_, i) => `<a href="https://a.example/${i}">x</a>`).join('');
  assert.equal(compile(content({ html, plain: '', tracking: tracked })).links.length, 20_000);
});

test('where the lists of a campaign differ, a target stores the fact of the list by its name', () => {
  const [list] = content().lists;
  const lists = [list!, { ...list!, id: 8, publicId: 'a0000008', name: 'Friends' }];
  const compiled = compile(
    content({ html: '<a href="https://a.example/?l=*|LIST:NAME|*">x</a>', lists, plain: '', tracking: tracked }),
  );
  assert.deepEqual(compiled.links, [{ target: 'https://a.example/?l=*|LIST:NAME|*', html: 1, text: 0 }]);
});

test('a link with a condition, in itself or in the subject it contains, is not tracked', () => {
  const targets = (href: string, subject: string) =>
    compile(content({ html: `<a href="${href}">x</a>`, plain: '', subject, tracking: tracked })).links.map(
      ({ target }) => target,
    );
  assert.deepEqual(targets('https://a.example/?s=*|CAMPAIGN:SUBJECT|*', 'News'), ['https://a.example/?s=News']);
  assert.deepEqual(targets('https://a.example/?s=*|CAMPAIGN:SUBJECT|*', '*|IF:FNAME|*Hi*|END:IF|*'), []);
  assert.deepEqual(targets('https://a.example/*|IF:FNAME|*x*|END:IF|*', 'News'), []);
});

test('white space before an address counts for nothing in a header of the operator either', () => {
  const header = { html: '<a href=" *|LIST:URL|*x">h</a>', plain: '' };
  const compiled = compile(content({ html: '<p>x</p>', plain: '', header, tracking: tracked }));
  assert.deepEqual(
    compiled.links.map(({ target }) => target),
    ['https://shop.example/x'],
  );
});

test('the name of a member is percent-encoded in a target', () => {
  const html = '<a href="https://a.example/?q=*|EVENT:cart.two words|*">x</a>';
  const fields = [{ tag: 'EVENT', type: 'data', default: '' }];
  const [link] = compile(content({ html, fields, plain: '', tracking: tracked })).links;
  assert.equal(link?.target, 'https://a.example/?q=*|EVENT:cart.two%20words:|*');
});
