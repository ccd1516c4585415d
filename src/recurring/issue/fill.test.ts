import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oddFeeds } from '../../../test/support/samples/feeds/odd.ts';
import { textFromHtml } from '../../campaigns/content/plain-text.ts';
import { findTags } from '../../campaigns/markup/merge-tags.ts';
import type { FeedItem } from '../feed/feed.ts';
import { noMarks } from '../feed/marks.ts';
import { readFeed } from '../feed/read.ts';
import { withoutTags } from '../feed/without-tags.ts';
import { type Filling, fillHtml, fillLine, fillPlain, hasItemBlock } from './fill.ts';

const item = (title: string, more: Partial<FeedItem> = {}): FeedItem => ({
  key: title,
  marks: noMarks,
  title,
  url: `https://site.example/${title.toLowerCase().replaceAll(' ', '-')}`,
  author: 'Mara',
  at: new Date('2026-11-20T23:30:00Z'),
  summary: `About ${title}`,
  html: `<p>All about <b>${title}</b></p>`,
  text: `All about ${title}`,
  image: 'https://cdn.example/a.jpg?x=1&y=2',
  ...more,
});
const filling = (items: FeedItem[], more: Partial<Filling> = {}): Filling => ({
  feed: { title: 'Harbour & Co', url: 'https://site.example/', description: 'Notes' },
  items,
  language: 'de',
  timeZone: 'Europe/Berlin',
  now: new Date('2026-11-21T08:00:00Z'),
  ...more,
});
const two = filling([item('One'), item('Two')]);

test('a block is repeated for each item, and everything around it stays', () => {
  const source =
    '<h1>*|RSSFEED:TITLE|*</h1>*|RSSITEMS:|*<p><a href="*|RSSITEM:URL|*">*|RSSITEM:TITLE|*</a> *|RSSITEM:DATE|*</p>*|END:RSSITEMS|*<p>*|FNAME:friend|* *|UNSUB|*</p>';
  assert.equal(
    fillHtml(source, two),
    '<h1>Harbour &amp; Co</h1><p><a href="https://site.example/one">One</a> 21 November 2026</p><p><a href="https://site.example/two">Two</a> 21 November 2026</p><p>*|FNAME:friend|* *|UNSUB|*</p>',
  );
  assert.equal(fillHtml('<p>*|FNAME|*</p>', two), '<p>*|FNAME|*</p>');
  assert.equal(hasItemBlock(source), true);
});

test('two blocks, limits, other notations, and addresses as editors write them', () => {
  assert.equal(fillHtml('*|RSSITEMS:1|*a*|END:RSSITEMS|*-*|RSSITEMS:[$count=2]|*b*|END:RSSITEMS|*', two), 'a-bb');
  assert.equal(fillHtml('#[RSSITEMS]#<i>*[RSSITEM:TITLE]*</i>#[END:RSSITEMS]#', two), '<i>One</i><i>Two</i>');
  assert.equal(fillHtml('<a href="*%7CRSSITEM:URL%7C*">x</a>', two), '<a href="https://site.example/one">x</a>');
});

test('the subject has the first item, and one line', () => {
  assert.equal(
    fillLine('*|RSSFEED:TITLE|*: *|RSSITEM:TITLE|*', filling([item('One\r\nBcc: x')])),
    'Harbour & Co: One Bcc: x',
  );
  assert.equal(fillLine('*|RSSITEM:TITLE|*', filling([])), '');
  assert.equal(fillLine('*|RSSITEM:DATE:d.m.Y|*', two), '21.11.2026');
});

test('plain text', () => {
  assert.equal(
    fillPlain(
      '*|RSSITEMS:|*\n* *|RSSITEM:TITLE|* (*|RSSITEM:AUTHOR|*)\n*|RSSITEM:CONTENT_FULL|*\n*|RSSITEM:URL|**|RSSITEM:IMAGE|*\n*|END:RSSITEMS|*',
      two,
    ),
    '\n* One (Mara)\nAll about One\nhttps://site.example/one\n\n* Two (Mara)\nAll about Two\nhttps://site.example/two\n',
  );
});

test('values are escaped for their place', () => {
  const hostile = filling([item('<b>"\'&', { url: 'javascript:alert(1)', image: 'https://cdn.example/a"b.jpg' })]);
  assert.equal(
    fillHtml('<p title="*|RSSITEM:TITLE|*">*|RSSITEM:TITLE|*</p>', hostile),
    '<p title="&lt;b&gt;&quot;&#39;&amp;">&lt;b&gt;&quot;&#39;&amp;</p>',
  );
  assert.equal(fillHtml('<a href="*|RSSITEM:URL|*">x</a>', hostile), '<a href="">x</a>');
  assert.equal(
    fillHtml('<a href="https://s.example/?t=*|RSSITEM:TITLE|*">x</a>', hostile),
    '<a href="https://s.example/?t=%3Cb%3E%22%27%26">x</a>',
  );
  assert.equal(fillHtml('<a title=*|RSSITEM:TITLE|*>', filling([item('a onclick=x')])), '<a title=a onclickx>');
  assert.equal(fillHtml('<style>p{content:"*|RSSITEM:TITLE|*"}</style>', hostile), '<style>p{content:"b"}</style>');
  assert.match(
    fillHtml('*|RSSITEM:IMAGE|*', two),
    /^<img src="https:\/\/cdn\.example\/a\.jpg\?x=1&amp;y=2" alt="One" /,
  );
  assert.equal(fillHtml('*|RSSITEM:IMAGE|*', filling([item('One', { image: '' })])), '');
});

test('incomplete blocks and unknown tags lose no content', () => {
  assert.equal(fillHtml('a*|RSSITEMS:|*b', two), 'ab');
  assert.equal(fillHtml('a*|END:RSSITEMS|*b*|RSSITEM:NOTHING|*c', two), 'abc');
  assert.equal(fillHtml('*|RSSITEMS:|*x*|END:RSSITEMS|*', filling([])), '');
});

test('no value of a feed adds a merge tag, in HTML, in plain text made from it, and in a subject', () => {
  const sample = oddFeeds.find(({ name }) => name === 'merge tags')!;
  const result = readFeed({ bytes: Buffer.from(sample.body), contentType: '', url: 'https://site.example/feed' });
  assert.ok(result.ok);
  const hostile = filling(result.feed.items, { feed: { ...result.feed, title: '|EMAIL|*', description: '[EMAIL]#' } });
  const source =
    '<p title="*|RSSITEM:TITLE|*">*|RSSITEM:TITLE|* *|RSSITEM:CONTENT|* *|RSSITEM:CONTENT_FULL|* #*|RSSFEED:DESCRIPTION|* **|RSSFEED:TITLE|*</p><a href="*|RSSITEM:URL|*">x</a> *|RSSITEM:URL|*';
  const html = fillHtml(source, hostile);
  const plain = fillPlain(source.replaceAll('<', ''), hostile);
  for (const text of [html, textFromHtml(html), plain, fillLine('*|RSSITEM:TITLE|* **|RSSFEED:TITLE|*', hostile)])
    assert.deepEqual([...findTags(text), ...findTags(text, 'address')], [], text);
  assert.equal(findTags('*|EMAIL|*').length, 1);
  assert.equal(withoutTags('5 * 3 # 2 | 1'), '5 * 3 # 2 | 1');
});

// Work that grows with the square of the number of blocks exceeds the time limit of the runner.
test('60 blocks of 50 items and 50,000 blocks that do not end are filled', () => {
  const source = `<p>${'x'.repeat(1_000)}</p>*|RSSITEMS:|*<p>*|RSSITEM:TITLE|*</p>*|END:RSSITEMS|*`.repeat(60);
  const filled = fillHtml(source, filling(Array.from({ length: 50 }, (_, i) => item(`Item ${i}`))));
  assert.equal(filled.split('<p>Item ').length - 1, 60 * 50);
  assert.equal(fillHtml('*|RSSITEMS:|*'.repeat(50_000), two), '');
});

test('each value of a feed is written as its place needs it', () => {
  const items = filling([item('One', { url: 'https://site.example/a?b=1&c=2', image: 'https://cdn.example/a.jpg' })]);
  const inBlock = (inner: string) => fillHtml(`*|RSSITEMS:|*${inner}*|END:RSSITEMS|*`, items);
  assert.equal(inBlock('*|RSSITEM:CONTENT_FULL|*'), '<p>All about <b>One</b></p>');
  assert.equal(inBlock('<a title="*|RSSITEM:CONTENT_FULL|*">'), '<a title="All about One">');
  assert.equal(inBlock('<a href="*|RSSITEM:URL|*">'), '<a href="https://site.example/a?b=1&amp;c=2">');
  assert.equal(inBlock('<a href=" *|RSSITEM:URL|*">'), '<a href=" https://site.example/a?b=1&amp;c=2">');
  assert.equal(
    inBlock('<a href="https://a.example/?u=*|RSSITEM:URL|*">'),
    '<a href="https://a.example/?u=https%3A%2F%2Fsite.example%2Fa%3Fb%3D1%26c%3D2">',
  );
  assert.match(inBlock('*|RSSITEM:IMAGE|*'), /^<img src="https:\/\/cdn\.example\/a\.jpg"/);
  assert.equal(inBlock('<img src="*|RSSITEM:IMAGE|*">'), '<img src="https://cdn.example/a.jpg">');
  assert.equal(fillPlain('*|RSSITEMS:|*[*|RSSITEM:IMAGE|*]*|END:RSSITEMS|*', items), '[]');
  assert.equal(fillPlain('*|RSSITEMS:|**|RSSITEM:CONTENT_FULL|**|END:RSSITEMS|*', items), 'All about One');
  assert.equal(fillHtml('*|RSSFEED:DESCRIPTION|*, *|RSSFEED:DATE|*', items), 'Notes, 21 November 2026');
});

test('a gap that a tag without a value leaves is closed, a longer one of the author stays', () => {
  const none = filling([]);
  assert.equal(fillPlain('a\n\n*|RSSFEED:NONE|*\n\nb', none), 'a\n\nb');
  assert.equal(fillPlain('a\n\n*|RSSFEED:NONE|*\n\nb\n\n\n\nc', none), 'a\n\n\n\nb\n\n\n\nc');
});

test('a condition around the block is no tag of feeds and stays', () => {
  const source = '*|IF:VIP|*<p>*|RSSFEED:TITLE|*</p>*|END:IF|*';
  assert.equal(fillHtml(source, two), '*|IF:VIP|*<p>Harbour &amp; Co</p>*|END:IF|*');
});
