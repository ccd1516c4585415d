// Where links in plain text begin and end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { content, recipient } from '../../../test/support/builders/mail.ts';
import { compile } from './compile.ts';
import { asMailed } from './fill.ts';
import { plainLinks } from './link-table.ts';

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
function tracked(plain: string, values: Record<string, string> = {}): string {
  const tracking = { opens: false, htmlClicks: false, textClicks: true };
  const fields = [{ tag: 'SITE', type: 'text', default: '' }];
  const compiled = compile(content({ html: '', plain, tracking, fields }));
  const to = recipient({ values });
  const text = asMailed(compiled, to, to.at, to.tokens).plain ?? '';
  let no = 0;
  return text.replace(/https?:\/\/\S+?\/c\/[\w-]+/g, () => `[${compiled.links[no++]?.target}]`);
}

test('a tracked link replaces the address and no word of the sentence', () => {
  assert.ok(
    tracked('詳しくはhttps://shop.example/newsをご覧ください。次の文。').startsWith(
      '詳しくは[https://shop.example/news]をご覧ください。次の文。',
    ),
  );
  assert.ok(tracked('Lies „https://e.example/x“ heute').startsWith('Lies „[https://e.example/x]“ heute'));
});

test('an address that is the default of a tag is the value of the tag', () => {
  const source = '1 *|SITE:https://x.example/d|* end';
  assert.ok(tracked(source).startsWith('1 https://x.example/d end'), tracked(source));
  assert.ok(tracked(source, { SITE: 'https://mine.example/' }).startsWith('1 https://mine.example/ end'));
});
