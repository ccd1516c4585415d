import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oddFeeds } from '../../../test/support/samples/feeds/odd.ts';
import { programFeeds } from '../../../test/support/samples/feeds/programs.ts';
import { atom, type FeedSample, item, namespaces, rss } from '../../../test/support/samples/feeds/sample.ts';
import { readFeed } from './read.ts';

const samples = [...programFeeds, ...oddFeeds];

const read = ({ body, contentType = 'application/xml', url = 'https://site.example/feed' }: FeedSample) =>
  readFeed({ bytes: typeof body === 'string' ? Buffer.from(body) : body, contentType, url });

test('there are at least forty samples', () => assert.ok(samples.length >= 40, `${samples.length}`));

for (const sample of samples)
  test(`feed: ${sample.name}`, () => {
    const result = read(sample);
    if (!sample.titles) return assert.equal(result.ok, false);
    assert.ok(result.ok);
    const { feed } = result;
    assert.deepEqual(
      feed.items.map(({ title }) => title),
      sample.titles,
    );
    assert.equal(new Set(feed.items.map(({ key }) => key)).size, feed.items.length);
    if (sample.title !== undefined) assert.equal(feed.title, sample.title);
    const { html = [], date, ...members } = sample.first ?? {};
    const first = feed.items[0];
    for (const [name, value] of Object.entries(members)) assert.equal(first![name as 'url'], value, name);
    if (date !== undefined) assert.equal(first!.at?.toISOString() ?? '', date);
    for (const part of html) assert.ok(first!.html.includes(part), `${part} is not in ${first!.html}`);
    if (sample.without) assert.doesNotMatch(JSON.stringify(feed), sample.without);
    for (const item of feed.items) {
      assert.match(item.url, /^(?:https?:\/\/|$)/);
      assert.match(item.image, /^(?:https?:\/\/|$)/);
      assert.ok(item.summary.length <= 500 && item.title.length <= 300);
    }
  });

test('the same feed gives the same keys, and other texts of an item do not change its key', () => {
  const [sample] = programFeeds;
  const keys = (given: FeedSample) => {
    const result = read(given);
    return result.ok && result.feed.items.map(({ key }) => key);
  };
  assert.deepEqual(keys(sample!), keys(sample!));
  assert.deepEqual(keys({ ...sample!, body: String(sample!.body).replace('Old ropes', 'New ropes') }), keys(sample!));
});

test('a page names its feed, with its address made absolute', () => {
  const result = read(oddFeeds.find(({ name }) => name.includes('names its feed'))!);
  assert.deepEqual(result, { ok: false, why: 'page', feedUrl: 'https://site.example/feed/?a=1&b=2' });
});

const feedOf = (body: string) => {
  const result = read({ name: '', body, titles: [] });
  assert.ok(result.ok);
  return result.feed;
};
const all = `${Object.values(namespaces).join(' ')} xmlns:dcterms="http://purl.org/dc/terms/"`;
/** The first item of an RSS feed with these elements. */
const ofRss = (inner: string) => feedOf(rss(item(`<title>T</title>${inner}`), all)).items[0]!;
/** The first item of an Atom feed with these elements. */
const ofAtom = (inner: string, attributes = '', head = '') =>
  feedOf(atom(`<entry><title>T</title>${inner}</entry>`, `${namespaces.media} ${attributes}`, head)).items[0]!;
const ofJson = (given: object, feed: object = {}) =>
  feedOf(
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'J',
      items: [{ title: 'T', ...given }],
      ...feed,
    }),
  ).items[0]!;
const ofRdf = (inner: string) =>
  feedOf(`<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" ${all}>
    <channel rdf:about="https://site.example/"><title>R</title><link>https://site.example/</link><description>d</description></channel>
    <item rdf:about="https://site.example/about"><title>T</title><link>/a/b</link>${inner}</item></rdf:RDF>`).items[0]!;

const site = 'https://site.example';

test('the address of an item is its link, else that of Atom, else a guid that is an address', () => {
  const atomLink = '<atom:link rel="self" href="/self"/><atom:link href="/atom"/>';
  const guid = '<guid>https://site.example/guid</guid>';
  assert.equal(ofRss(`<link>/link</link>${atomLink}${guid}`).url, `${site}/link`);
  assert.equal(ofRss(`${atomLink}${guid}`).url, `${site}/atom`);
  assert.equal(ofRss(`<atom:link rel="alternate" href="/a"/>${guid}`).url, `${site}/a`);
  assert.equal(ofRss(guid).url, `${site}/guid`);
  assert.equal(ofRss('<guid isPermaLink="true">https://site.example/guid</guid>').url, `${site}/guid`);
  assert.equal(ofRss('<guid isPermaLink="false">https://site.example/guid</guid>').url, '');
  assert.equal(ofRss('<guid>tag:1</guid>').url, '');
  assert.equal(ofRdf('').url, `${site}/a/b`);
  const links = '<link rel="edit" href="/edit"/><link rel="alternate" type="text/plain" href="/txt"/>';
  assert.equal(ofAtom(`<id>1</id>${links}<link rel="alternate" type="text/html" href="/html"/>`).url, `${site}/html`);
  assert.equal(ofAtom(`<id>1</id>${links}<link href="/bare"/>`).url, `${site}/bare`);
  assert.equal(ofAtom(`<id>1</id>${links}`).url, `${site}/txt`);
  assert.equal(ofAtom('<id>1</id><link rel="edit" href="/edit"/>').url, '');
  assert.equal(ofAtom('<id>https://site.example/id</id>').url, `${site}/id`);
  assert.equal(ofJson({ id: '1', url: '/url', external_url: '/external' }).url, `${site}/url`);
  assert.equal(ofJson({ id: '1', external_url: '/external' }).url, `${site}/external`);
  assert.equal(ofJson({ id: 'https://site.example/id' }).url, `${site}/id`);
  assert.equal(ofJson({ id: 'tag' }).url, '');
});

test('addresses are relative to the item, else to the page of the site, else to the feed', () => {
  const html = '<content:encoded>&lt;a href="x"&gt;x&lt;/a&gt;</content:encoded>';
  const href = (given: { html: string }) => /href="([^"]*)"/.exec(given.html)?.[1];
  assert.equal(href(ofRss(`<link>/a/b</link>${html}`)), `${site}/a/x`);
  assert.equal(href(ofRss(html)), `${site}/x`);
  assert.equal(href(ofRdf(html)), `${site}/a/x`);
  const bare = '<rss version="2.0"><channel><title>C</title><description>d</description>';
  const withoutHome = feedOf(`${bare}${item('<title>T</title><link>y</link>')}</channel></rss>`);
  assert.deepEqual([withoutHome.url, withoutHome.items[0]!.url], [`${site}/feed`, `${site}/y`]);
  const content = '<content type="html">&lt;a href="x"&gt;x&lt;/a&gt;</content>';
  assert.equal(href(ofAtom(`<id>1</id><link href="/a/b"/>${content}`)), `${site}/a/x`);
  assert.equal(href(ofAtom(`<id>1</id>${content}`)), `${site}/x`);
  assert.equal(
    href(ofAtom(`<id>1</id><link href="/a/b"/>${content}`, 'xml:base="https://base.example/c/"')),
    'https://base.example/a/x',
  );
  assert.equal(href(ofAtom(`<id>1</id>${content.replace('type', 'xml:base="/deep/" type')}`)), `${site}/deep/x`);
  assert.equal(href(ofJson({ id: '1', url: '/a/b', content_html: '<a href="x">x</a>' })), `${site}/a/x`);
  assert.equal(href(ofJson({ id: '1', content_html: '<a href="x">x</a>' })), `${site}/x`);
  assert.equal(feedOf(atom('<entry><id>1</id><title>T</title></entry>')).url, `${site}/feed`);
  assert.equal(
    feedOf(JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'J', items: [] })).url,
    `${site}/feed`,
  );
});

test('the time of an item is that of its publication, else another that it has', () => {
  const at = (given: { at: Date | null }) => given.at?.toISOString().slice(0, 10);
  const dates = [
    '<pubDate>2026-01-01</pubDate>',
    '<dc:date>2026-01-02</dc:date>',
    '<atom:published>2026-01-03</atom:published>',
    '<atom:updated>2026-01-04</atom:updated>',
    '<dcterms:created>2026-01-05</dcterms:created>',
  ];
  for (let n = 0; n < 5; n++) assert.equal(at(ofRss(dates.slice(n).join(''))), `2026-01-0${n + 1}`);
  assert.equal(at(ofRdf(`${dates[1]}${dates[4]}`)), '2026-01-02');
  assert.equal(at(ofRdf(dates[4]!)), '2026-01-05');
  const updated = '<updated>2026-01-02T00:00:00Z</updated>';
  assert.equal(at(ofAtom(`<id>1</id>${updated}<published>2026-01-01T00:00:00Z</published>`)), '2026-01-01');
  assert.equal(at(ofAtom(`<id>1</id>${updated}`)), '2026-01-02');
  assert.equal(at(ofJson({ id: '1', date_modified: '2026-01-02', date_published: '2026-01-01' })), '2026-01-01');
  assert.equal(at(ofJson({ id: '1', date_modified: '2026-01-02' })), '2026-01-02');
});

test('the author is the person of the item, else another that is named', () => {
  const others = '<dc:creator>Cy</dc:creator><itunes:author>Di</itunes:author>';
  assert.equal(ofRss(`<author>a@x.example (Ann)</author>${others}`).author, 'Ann');
  assert.equal(ofRss(`<author>a@x.example</author>${others}`).author, 'a@x.example');
  assert.equal(ofRss(others).author, 'Cy');
  assert.equal(ofRss('<itunes:author>Di</itunes:author>').author, 'Di');
  assert.equal(ofRss('').author, '');
  assert.equal(ofRdf('<dc:creator>Cy</dc:creator>').author, 'Cy');
  const of = '<author><name>Feed</name></author>';
  assert.equal(ofAtom('<id>1</id><author><name>Ann</name></author>', '', of).author, 'Ann');
  assert.equal(ofAtom('<id>1</id>', '', of).author, 'Feed');
  const authors = [{ name: 'Feed' }];
  assert.equal(ofJson({ id: '1', authors: [{ name: 'Ann' }] }, { authors }).author, 'Ann');
  assert.equal(ofJson({ id: '1' }, { authors }).author, 'Feed');
});

test('the picture of an item is the one that the feed names, by type or by name', () => {
  const image = (inner: string) => ofRss(inner).image.replace(site, '');
  assert.equal(
    image('<enclosure url="/a.mp3" type="audio/mpeg"/><enclosure url="/a.jpg" type="image/jpeg"/>'),
    '/a.jpg',
  );
  assert.equal(image('<enclosure url="/a" type="image/png"/>'), '/a');
  assert.equal(image('<enclosure url="/a.PNG?x"/>'), '/a.PNG?x');
  assert.equal(image('<enclosure url="/a.mp3"/><itunes:image href="/i.jpg"/>'), '/i.jpg');
  assert.equal(image('<enclosure url="/a.jpg" type="text/html"/>'), '');
  const thumbnail = '<media:thumbnail url="/t.jpg"/>';
  assert.equal(
    image(`${thumbnail}<media:content url="/v.mp4" type="video/mp4"/><media:content url="/m" medium="image"/>`),
    '/m',
  );
  assert.equal(image(`${thumbnail}<media:content url="/m" type="image/webp"/>`), '/m');
  assert.equal(image(`${thumbnail}<media:content url="/m.gif"/>`), '/m.gif');
  assert.equal(image(`${thumbnail}<media:content url="/v.mp4" type="video/mp4"/>`), '/t.jpg');
  assert.equal(image(`<media:group><media:content url="/g.jpg"/>${thumbnail}</media:group>`), '/g.jpg');
  assert.equal(image(`<media:group>${thumbnail}</media:group>`), '/t.jpg');
  assert.equal(image(`<media:content url="/v.mp4">${thumbnail}</media:content>`), '/t.jpg');
  assert.equal(image('<enclosure url="/a.jpg" type="image/jpeg"/><media:thumbnail url="/t.jpg"/>'), '/t.jpg');
  const links = '<link rel="enclosure" type="audio/mpeg" href="/a.mp3"/><link type="image/png" href="/no.png"/>';
  assert.equal(
    ofAtom(`<id>1</id>${links}<link rel="enclosure" type="image/png" href="/a.png"/>`).image,
    `${site}/a.png`,
  );
  assert.equal(ofAtom(`<id>1</id>${links}`).image, '');
  const described = '<description>&lt;img src="/d.jpg"&gt;</description>';
  assert.equal(image(`${described}<content:encoded>No picture</content:encoded>`), '/d.jpg');
  assert.equal(image(described), '/d.jpg');
  assert.equal(ofRdf('<media:thumbnail url="/t.jpg"/>').image, `${site}/t.jpg`);
  assert.equal(ofJson({ id: '1', image: '/a.jpg', banner_image: '/b.jpg' }).image, `${site}/a.jpg`);
  assert.equal(ofJson({ id: '1', banner_image: '/b.jpg' }).image, `${site}/b.jpg`);
});

test('the content is that of the item, else its description; the summary the other way round', () => {
  const both = ofRss('<description>Short</description><content:encoded>&lt;p&gt;Long&lt;/p&gt;</content:encoded>');
  assert.deepEqual([both.summary, both.html, both.text], ['Short', '<p>Long</p>', 'Long']);
  const short = ofRss('<description>Short</description>');
  assert.deepEqual([short.summary, short.html], ['Short', 'Short']);
  const long = ofRss('<content:encoded>&lt;p&gt;Long&lt;/p&gt;</content:encoded>');
  assert.deepEqual([long.summary, long.html], ['Long', '<p>Long</p>']);
  assert.deepEqual([ofRss('').summary, ofRss('').html, ofRss('').text], ['', '', '']);
  assert.equal(ofRss('<itunes:summary>I</itunes:summary>').summary, 'I');
  assert.equal(ofRss('<media:description>M</media:description>').summary, 'M');
  for (const [type, expected] of [
    ['', 'a &lt;b&gt; c'],
    ['type="text"', 'a &lt;b&gt; c'],
    ['type="text/plain"', 'a &lt;b&gt; c'],
    ['type="html"', 'a <b> c</b>'],
  ])
    assert.equal(ofAtom(`<id>1</id><content ${type}>a &lt;b&gt; c</content>`).html, expected, type);
  const json = ofJson({ id: '1', content_text: 'One\n\nTwo <b>', summary: 'S <b>' });
  assert.deepEqual([json.html, json.summary], ['<p>One<br />Two &lt;b&gt;</p>', 'S <b>']);
});

test('a title is cut at 300 characters, and one made of the text at 80', () => {
  const title = (length: number) =>
    feedOf(rss(item(`<title>${'x'.repeat(length)}</title><guid>1</guid>`))).items[0]!.title;
  assert.equal(title(300), 'x'.repeat(300));
  assert.equal(title(301), `${'x'.repeat(299)}…`);
  const made = (text: string) => feedOf(rss(item(`<description>${text}</description>`))).items[0]!.title;
  assert.equal(made('x'.repeat(80)), 'x'.repeat(80));
  assert.equal(made('x'.repeat(81)), `${'x'.repeat(79)}…`);
  assert.equal(made(`${'x'.repeat(78)} yz`), `${'x'.repeat(78)}…`);
  assert.equal(ofRss(`<description>${'x'.repeat(600)}</description>`).summary, `${'x'.repeat(499)}…`);
});

test('an item without a title, an address and a text is none; one with any of them is', () => {
  const items = (inner: string) => feedOf(rss(item(inner), all)).items.length;
  assert.equal(items('<guid isPermaLink="false">1</guid>'), 0);
  for (const inner of [
    '<title>T</title>',
    '<link>/a</link>',
    '<description>d</description>',
    '<content:encoded>c</content:encoded>',
  ])
    assert.equal(items(inner), 1, inner);
});

test('a key depends on the guid, else on the address, else on title, date and text', () => {
  const key = (inner: string) => feedOf(rss(item(inner), all)).items[0]!.key;
  assert.match(key('<title>T</title>'), /^[\w-]{24}$/);
  assert.equal(key('<title>T</title><guid>1</guid>'), key('<title>U</title><guid> 1 </guid><link>/a</link>'));
  assert.equal(key('<title>T</title><link>/a</link>'), key('<title>U</title><link>/a</link>'));
  const keys = ['<title>T</title>', '<title>U</title>', '<title>T</title><pubDate>2026-01-01</pubDate>'];
  const others = ['<title>T</title><description>d</description>', '<title>T</title><link>/a</link>'];
  assert.equal(new Set([...keys, ...others].map(key)).size, 5);
});

test('a page that names feeds gives the first one that is read, and another text is no feed', () => {
  const page = (head: string) => read({ name: '', body: `<!-- x --><!doctype html><head>${head}</head>`, titles: [] });
  const found = (feedUrl: string) => ({ ok: false, why: 'page', feedUrl });
  const style = '<link rel="stylesheet" href="/s.css">';
  assert.deepEqual(page(`${style}<link rel=alternate type='application/feed+json' href='/j'>`), found(`${site}/j`));
  assert.deepEqual(page('<link rel="alternate" type="application/atom+xml" href="/a">'), found(`${site}/a`));
  assert.deepEqual(page('<link rel="alternate" hreflang="de" href="/de">'), found(''));
  assert.deepEqual(page('<link rel="edit" type="application/atom+xml" href="/edit">'), found(''));
  assert.deepEqual(read({ name: '', body: 'just a text', titles: [] }), { ok: false, why: 'not_a_feed', feedUrl: '' });
});

test('the charset of the response is used, and NUL characters are left out', () => {
  const body = Buffer.from(rss(item('<title>Z\u00fcrich\0</title>')).replace(/<\?xml[^>]*>/, ''), 'latin1');
  for (const charset of ['iso-8859-1', '"ISO-8859-1"']) {
    const result = read({ name: '', body, contentType: `text/xml; charset=${charset}`, titles: [] });
    assert.equal(result.ok && result.feed.items[0]!.title, 'Zürich');
  }
});
