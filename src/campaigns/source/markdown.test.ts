// Markdown to HTML: merge tags and conditions stay as they are, and nothing in the source can run or take long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needLinear } from '../../../test/support/run/linear-time.ts';
import { compile } from '../compile/compile.ts';
import { preview } from '../compile/fill.ts';
import { plainPartOf } from '../content/plain-text.ts';
import { plainBrand } from '../model/plain-brand.ts';
import { htmlOfMarkdown } from './markdown.ts';

const look = { brand: plainBrand, language: 'en' };

/** The content of the page without its styles. */
function content(source: string): string {
  const [, inside] = /<td class="sheet"[^>]*>\n([\s\S]*)<\/td>\n<\/tr>\n<\/table>\n<!--\[if mso\]>/.exec(
    htmlOfMarkdown(source, look),
  )!;
  return inside!.replace(/ style="[^"]*"/g, '').trim();
}

const cases: [what: string, source: string, html: string][] = [
  ['a tag in a heading', '# Hi *|FNAME|*', '<h1>Hi *|FNAME|*</h1>'],
  ['a tag at the start of a paragraph', '*|FNAME|*, hello', '<p>*|FNAME|*, hello</p>'],
  ['a tag in bold', '**Hi *|FNAME|***', '<p><strong>Hi *|FNAME|*</strong></p>'],
  ['a tag in italics', '_*|FNAME|*_', '<p><em>*|FNAME|*</em></p>'],
  ['the notation with brackets', 'Hi #[FNAME]# and *[LNAME]*', '<p>Hi #[FNAME]# and *[LNAME]*</p>'],
  ['two tags side by side', '*|FNAME|**|LNAME|*', '<p>*|FNAME|**|LNAME|*</p>'],
  ['a default with signs of Markdown', '*|FNAME:_dear_ **you**|*', '<p>*|FNAME:_dear_ **you**|*</p>'],
  [
    'a tag in an address',
    '[x](https://a.example/?e=*|EMAIL|*)',
    '<p><a href="https://a.example/?e=*|EMAIL|*">x</a></p>',
  ],
  [
    'a default with quotes in an address',
    '[x](https://a.example/?n=*|FNAME:"a b"|*&z=1)',
    '<p><a href="https://a.example/?n=*|FNAME:&quot;a b&quot;|*&amp;z=1">x</a></p>',
  ],
  ['a tag as an address', '[Leave](*|UNSUB|*)', '<p><a href="*|UNSUB|*">Leave</a></p>'],
  [
    'a tag as the text of a link',
    '[*|FNAME|*](https://a.example/)',
    '<p><a href="https://a.example/">*|FNAME|*</a></p>',
  ],
  ['a link by reference', '[x][1]\n\n[1]: *|LIST:URL|*', '<p><a href="*|LIST:URL|*">x</a></p>'],
  [
    'an address in running text',
    'See https://a.example/*|EMAIL|*.',
    '<p>See <a href="https://a.example/*|EMAIL|*">https://a.example/*|EMAIL|*</a>.</p>',
  ],
  ['a name that looks like a host', 'Write to a.example', '<p>Write to a.example</p>'],
  [
    'a picture with tags',
    '![*|FNAME|*](https://a.example/a.png "for *|LNAME|*")',
    '<p><img src="https://a.example/a.png" alt="*|FNAME|*" title="for *|LNAME|*"></p>',
  ],
  [
    'a tag in a picture address',
    '![](https://a.example/*|PIC|*.png)',
    '<p><img src="https://a.example/*|PIC|*.png" alt=""></p>',
  ],
  [
    'a picture with blanks and brackets in its address',
    '![A b](a (2).png)',
    '<p><img src="a%20(2).png" alt="A b"></p>',
  ],
  ['a picture with blanks and a title', '![](my pic.png "T")', '<p><img src="my%20pic.png" alt="" title="T"></p>'],
  [
    'a link with blanks',
    '[**My** file](https://a.example/my file.pdf) x',
    '<p><a href="https://a.example/my%20file.pdf"><strong>My</strong> file</a> x</p>',
  ],
  ['a script with blanks', '[x](javascript:alert( 1 ))', '<p>[x](javascript:alert( 1 ))</p>'],
  ['brackets after brackets', '[a] (b c) [x](y "z) [1]', '<p>[a] (b c) [x](y &quot;z) [1]</p>'],
  [
    'a task list',
    '- [ ] one\n- [x] **two**\n- [X] three\n- [y] no',
    '<ul>\n<li>☐ one</li>\n<li>☑ <strong>two</strong></li>\n<li>☑ three</li>\n<li>[y] no</li>\n</ul>',
  ],
  [
    'footnotes',
    'A[^b] b[^1], again[^b].\n\n[^1]: note *|FNAME|*\n[^b]: **first**\n    continued\n\nEnd [^none]\n\n[^c]: alone',
    '<p>A<sup>1</sup> b<sup>2</sup>, again<sup>1</sup>.</p>\n<p>End [^none]</p>\n<hr>\n<ol>\n<li><strong>first</strong>\ncontinued</li>\n<li>note *|FNAME|*</li>\n<li>alone</li>\n</ol>',
  ],
  ['no footnote in code', '`[^1]`\n\n    [^1]: x', '<p><code>[^1]</code></p>\n<pre>[^1]: x\n</pre>'],
  [
    'a condition within a line',
    '*|IF:AGE<18|*young*|ELSE:|*old*|END:IF|*',
    '<p>*|IF:AGE<18|*young*|ELSE:|*old*|END:IF|*</p>',
  ],
  ['a condition around a paragraph', '*|IF:VIP|*\n\na\n\n*|END:IF|*', '*|IF:VIP|*\n<p>a</p>\n*|END:IF|*'],
  [
    'a condition without blank lines',
    'a\n*|IF:VIP|*\nb\n*|END:IF|*\nc',
    '<p>a</p>\n*|IF:VIP|*\n<p>b</p>\n*|END:IF|*\n<p>c</p>',
  ],
  [
    'both branches around headings',
    '*|IF:CITY="Berlin"|*\n# B\n*|ELSE:|*\n# C\n*|END:IF|*',
    '*|IF:CITY="Berlin"|*\n<h1>B</h1>\n*|ELSE:|*\n<h1>C</h1>\n*|END:IF|*',
  ],
  ['conditions of both kinds in a line', '*|END:IF|* *|IFNOT:A|*\nx', '*|END:IF|* *|IFNOT:A|*\n<p>x</p>'],
  ['the bracket notation of a condition', '#[IF:X]#\n\n## T\n\n#[END:IF]#', '#[IF:X]#\n<h2>T</h2>\n#[END:IF]#'],
  [
    'a condition around items of a list',
    '- a\n*|IF:X|*\n- b\n*|END:IF|*\n- c',
    '<ul>\n<li>a</li>\n</ul>\n*|IF:X|*\n<ul>\n<li>b</li>\n</ul>\n*|END:IF|*\n<ul>\n<li>c</li>\n</ul>',
  ],
  [
    'a condition within an item',
    '- a\n\n  *|IF:X|*\n\n  b\n\n  *|END:IF|*',
    '<ul>\n<li>\n<p>a</p>\n*|IF:X|*\n<p>b</p>\n*|END:IF|*\n</li>\n</ul>',
  ],
  [
    'a condition after a quotation',
    '> q\n*|IF:X|*\n> r\n*|END:IF|*',
    '<blockquote>\n<p>q</p>\n</blockquote>\n*|IF:X|*\n<blockquote>\n<p>r</p>\n</blockquote>\n*|END:IF|*',
  ],
  ['a condition above a rule', '*|IF:X|*\n---\n*|END:IF|*', '*|IF:X|*\n<hr>\n*|END:IF|*'],
  ['a condition that is code', '    *|IF:X|*', '<pre>*|IF:X|*\n</pre>'],
  [
    'a condition in a cell',
    '| a | b |\n|---|--:|\n| *|FNAME|* | *|IF:X|*2*|END:IF|* |',
    '<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>*|FNAME|*</td>\n<td>*|IF:X|*2*|END:IF|*</td>\n</tr>\n</tbody>\n</table>',
  ],
  [
    'items of a feed',
    '*|RSSITEMS:|*\n## *|RSSITEM:TITLE|*\n*|END:RSSITEMS|*',
    '*|RSSITEMS:|*\n<h2>*|RSSITEM:TITLE|*</h2>\n*|END:RSSITEMS|*',
  ],
  [
    'a loop around a heading',
    '*|EACH:ITEMS|*\n## *|ITEM:name|*\n*|END:EACH|*',
    '*|EACH:ITEMS|*\n<h2>*|ITEM:name|*</h2>\n*|END:EACH|*',
  ],
  ['a tag in code', '`*|FNAME|*`', '<p><code>*|FNAME|*</code></p>'],
  ['a block of code', '```js\na < b && *|FNAME|*\n```', '<pre>a &lt; b &amp;&amp; *|FNAME|*\n</pre>'],
  ['HTML with a tag', "<a href='*|UNSUB|*'>x</a>", "<p><a href='*|UNSUB|*'>x</a></p>"],
  ['quotes in an attribute', '<b title=\'*|FNAME:"a"|*\'>q</b>', "<p><b title='*|FNAME:&quot;a&quot;|*'>q</b></p>"],
  ['a link to a script', '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
  ['a link to data', '[x](data:text/html,x)', '<p>[x](data:text/html,x)</p>'],
  ['an attribute that ends its value', '![" onload="x](a.png)', '<p><img src="a.png" alt="&quot; onload=&quot;x"></p>'],
  [
    'text that looks like a word for a tag',
    'mergetag0t Mergetagq1c *|FNAME|*',
    '<p>mergetag0t Mergetagq1c *|FNAME|*</p>',
  ],
  ['text that is no tag', 'a *|nothing b | c', '<p>a *|nothing b | c</p>'],
  ['line ends of Windows', 'a\r\n\r\n*|IF:X|*\r\nb\r\n*|END:IF|*', '<p>a</p>\n*|IF:X|*\n<p>b</p>\n*|END:IF|*'],
];

for (const [what, source, html] of cases) test(`Markdown: ${what}`, () => assert.equal(content(source), html));

const reader = (fields: Record<string, string>) => ({
  email: 'ann@example.com',
  emailType: 'html' as const,
  values: fields,
  list: 1,
});

function received(source: string, fields: Record<string, string>) {
  const html = htmlOfMarkdown(source, look);
  const compiled = compile({
    html,
    plain: plainPartOf(html),
    subject: 'S',
    fromName: 'A',
    toName: '',
    fromEmail: 'a@example.com',
    replyTo: 'a@example.com',
    fields: Object.keys(fields).map((tag) => ({ tag, type: 'text', default: '' })),
    lists: [{ id: 1, publicId: 'l', name: 'L', company: 'C', address: 'A', url: '' }],
    language: 'en',
    timeZone: 'UTC',
    tracking: { opens: false, htmlClicks: false, textClicks: false },
    baseUrl: 'https://mail.example',
    archiveUrl: 'https://mail.example/a',
    campaign: 'c',
    account: 'a',
    linkTexts: { unsubscribe: 'u', profile: 'p', view: 'v' },
  });
  assert.deepEqual([compiled.badConditions, compiled.unknownTags], [[], []]);
  return preview(compiled, reader(fields), new Date());
}

test('a recipient gets the blocks of its branch, in both parts', () => {
  const source =
    '# Hi *|FNAME|*\n*|IF:PLAN="pro"|*\n- one\n- two\n*|ELSE:|*\n[Upgrade](https://a.example/)\n*|END:IF|*\nBye';
  const pro = received(source, { FNAME: 'Ann', PLAN: 'pro' });
  assert.match(pro.html!, /Hi Ann<\/h1>[\s\S]*<li[^>]*>one/);
  assert.doesNotMatch(pro.html!, /Upgrade|IF:/);
  assert.match(pro.plain!, /Hi Ann\s+\* one\s+\* two\s+Bye/);
  const free = received(source, { FNAME: 'Bo', PLAN: 'free' });
  assert.match(free.html!, /Upgrade/);
  assert.doesNotMatch(free.html!, /<li/);
  assert.doesNotMatch(free.plain!, /one|IF/);
});

test('a condition between the rows of a table decides about the rows after it', () => {
  const source = '| a |\n|---|\n| first |\n*|IF:VIP|*\n| second |\n*|END:IF|*\n| third |';
  const rows = ({ html }: { html: string | null }) => [...html!.matchAll(/first|second|third/g)].map(String);
  const [yes, no] = [received(source, { VIP: '1' }), received(source, { VIP: '' })];
  assert.deepEqual(
    [rows(yes), rows(no)],
    [
      ['first', 'second', 'third'],
      ['first', 'third'],
    ],
  );
  assert.doesNotMatch(no.plain!, /second|IF/);
  assert.match(no.html!, /<td style="padding:0;border:0;/);
});

test('the page has the brand and the language of the account, and no second frame', () => {
  const brand = {
    ...plainBrand,
    colour: '#0a7d33',
    font: 'georgia' as const,
    logoUrl: 'https://a.example/l.png?a=1&b=2',
  };
  const html = htmlOfMarkdown('[x](https://a.example/)', { brand, language: 'pt-BR' });
  assert.match(html, /^<!doctype html>\n<html lang="pt-BR"/);
  assert.match(html, /<a href="https:\/\/a\.example\/" style="color:#0a7d33;/);
  assert.match(html, /font-family:Georgia,serif/);
  assert.match(html, /src="https:\/\/a\.example\/l\.png\?a=1&amp;b=2"/);
});

test('sources made to be slow are converted in linear time', async () => {
  const units = ['[', '*a_ ', '> ', '`', '![[', '<', '*|IF:X|*\n', '*|FNAME|*', '- ', 'http://', '&#'];
  for (const unit of units)
    await needLinear(unit, 16 * 1024, (size) => htmlOfMarkdown(unit.repeat(size / unit.length), look));
  const table = (rows: number) => `${'|a'.repeat(100)}\n${'|-'.repeat(100)}\n${'|b\n'.repeat(rows)}`;
  await needLinear('a table', 1_000, (rows) => htmlOfMarkdown(table(rows), look));
});

test('code, tables and headings have the styles of the brand in their own attributes', () => {
  const styleOf = (source: string, name: string) =>
    new RegExp(`<${name}\\b[^>]* style="([^"]*)"[^>]*>[^<]*shown`).exec(htmlOfMarkdown(source, look))?.[1] ?? '';
  const fence = styleOf('```\nshown\n```', 'pre');
  assert.match(fence, /:/);
  assert.equal(styleOf('    shown', 'pre'), fence);
  assert.match(styleOf('a `shown` b', 'code'), /:/);
  assert.match(styleOf('| a |\n| :-: |\n| shown |', 'td'), /:.*;\s*text-align:\s*center/);
  assert.match(styleOf('# shown', 'h1'), /:/);
  assert.doesNotMatch(htmlOfMarkdown('# a\n\n```\nb\n```\n\n- c', look), /style="null"|<\/\w+ style/);
});

test('a row with a condition and other words is shown, one of conditions alone is not', () => {
  const table = (row: string) => htmlOfMarkdown(`| a | b |\n|---|---|\n| ${row} |\n| x | y |\n\n*|END:IF|*`, look);
  assert.match(table('*|IF:VIP|* | '), /font-size:0/);
  assert.doesNotMatch(table('*|IF:VIP|* | words'), /font-size:0/);
});

test('a condition ends a list, as it ends a paragraph', () => {
  assert.equal(content('- a\n*|IF:X|*\nb\n\n*|END:IF|*'), '<ul>\n<li>a</li>\n</ul>\n*|IF:X|*\n<p>b</p>\n*|END:IF|*');
});
