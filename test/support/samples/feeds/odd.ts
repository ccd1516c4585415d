// Feeds that are old, odd, broken or hostile, as they are found on the web.
import { atom, type FeedSample, item, namespaces, rss } from './sample.ts';

const { content } = namespaces;
const dated = (title: string, day: number, more = '') =>
  item(
    `<title>${title}</title><guid isPermaLink="false">${title}</guid><pubDate>${day} Nov 2026 10:00:00 GMT</pubDate>${more}`,
  );
const utf16 = (text: string, littleEndian: boolean) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return littleEndian ? bytes : bytes.swap16();
};

export const oddFeeds: FeedSample[] = [
  {
    name: 'RSS 0.91',
    body: `<?xml version="1.0"?><rss version="0.91"><channel><title>Old</title><link>http://old.example/</link><description>x</description><language>en</language>
<item><title>First</title><link>http://old.example/1</link><description>One</description></item><item><title>Second</title><link>http://old.example/2</link></item></channel></rss>`,
    titles: ['First', 'Second'],
    first: { url: 'http://old.example/1', date: '', summary: 'One' },
  },
  {
    name: 'RSS 0.90, RDF without dates',
    body: `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/">
<channel><title>Ninety</title><link>http://old.example/</link><description>d</description></channel><item><title>Only</title><link>http://old.example/o</link></item></rdf:RDF>`,
    titles: ['Only'],
  },
  {
    name: 'no guid: the link identifies',
    body: rss(
      `<item><title>A</title><link>/a</link></item><item><title>A again</title><link>/a</link></item><item><title>B</title><link>/b</link></item>`,
    ),
    titles: ['A', 'B'],
    first: { url: 'https://site.example/a' },
  },
  {
    name: 'neither guid nor link',
    body: rss(
      '<item><title>Plain</title><description>Text</description></item><item><description>Without a title</description></item>',
    ),
    titles: ['Plain', 'Without a title'],
    first: { url: '' },
  },
  {
    name: 'the same guid twice',
    body: rss(dated('Same', 2) + dated('Same', 3) + dated('Other', 1)),
    titles: ['Same', 'Other'],
  },
  {
    name: 'oldest first',
    body: rss(dated('Old', 1) + dated('New', 20) + dated('Middle', 10)),
    titles: ['New', 'Middle', 'Old'],
  },
  {
    name: 'dates that do not exist',
    body: rss(
      item('<title>Bad</title><guid isPermaLink="false">1</guid><pubDate>yesterday at noon</pubDate>') +
        item('<title>Zero</title><guid isPermaLink="false">2</guid><pubDate>0000-00-00 00:00:00</pubDate>') +
        dated('Good', 3),
    ),
    titles: ['Bad', 'Zero', 'Good'],
    first: { date: '' },
  },
  {
    name: 'dates without a zone and with a named one',
    body: rss(
      item('<title>Zoned</title><guid>z</guid><pubDate>Wed, 04 Nov 2026 10:00:00 EST</pubDate>') +
        item('<title>Bare</title><guid>b</guid><pubDate>2026-11-04 14:00:00</pubDate>'),
    ),
    titles: ['Zoned', 'Bare'],
    first: { date: '2026-11-04T15:00:00.000Z' },
  },
  {
    name: 'windows-1252, declared in the XML',
    contentType: 'text/xml',
    body: Buffer.from(
      `<?xml version="1.0" encoding="windows-1252"?><rss version="2.0"><channel><title>Caf\xe9</title><link>http://x.example</link><description>d</description><item><title>Price \x80 5 \x96 na\xefve</title><guid>1</guid></item></channel></rss>`,
      'latin1',
    ),
    titles: ['Price € 5 – naïve'],
    title: 'Café',
  },
  {
    name: 'ISO-8859-1 in the header only',
    contentType: 'application/rss+xml; charset=ISO-8859-1',
    body: Buffer.from(rss(dated('Stra\xdfe', 1)).replace(' encoding="UTF-8"', ''), 'latin1'),
    titles: ['Straße'],
  },
  {
    name: 'UTF-16, little endian',
    body: utf16(rss(dated('Größe 🌊', 1)).replace('UTF-8', 'UTF-16'), true),
    titles: ['Größe 🌊'],
  },
  {
    name: 'UTF-16, big endian',
    body: utf16(rss(dated('Größe', 1)).replace('UTF-8', 'UTF-16'), false),
    titles: ['Größe'],
  },
  {
    name: 'a byte order mark and blank lines before the declaration',
    body: `\ufeff\r\n\r\n${rss(dated('Late', 1))}`,
    titles: ['Late'],
  },
  {
    name: 'HTML entities that XML does not have',
    body: rss(
      item(
        '<title>Fish&nbsp;&amp;&nbsp;chips &ndash; &eacute;t&eacute; &copy;</title><guid>1</guid><description>a&nbsp;b</description>',
      ),
    ),
    titles: ['Fish & chips – été ©'],
    first: { summary: 'a b' },
  },
  {
    name: 'titles with HTML, escaped twice',
    body: rss(item('<title>&lt;b&gt;Bold&lt;/b&gt; &amp;amp; AT&amp;amp;T: 1 &amp;lt; 2</title><guid>1</guid>')),
    titles: ['Bold & AT&T: 1 < 2'],
  },
  { name: 'no items', body: rss(''), titles: [], title: 'Harbour Notes' },
  { name: 'no entries in Atom', body: atom(''), titles: [] },
  {
    name: 'a web page that names its feed',
    contentType: 'text/html',
    body: '<!doctype html><html><head><link rel="stylesheet" href="a.css"><link rel="alternate" type="application/rss+xml" title="RSS" href="/feed/?a=1&amp;b=2"></head><body>Hi</body></html>',
    titles: undefined,
  },
  { name: 'a login page instead of a feed', body: '<html><body><form>Sign in</form></body></html>', titles: undefined },
  { name: 'an error in JSON', contentType: 'application/json', body: '{"error":"not found"}', titles: undefined },
  { name: 'a text', body: 'Not Found', titles: undefined },
  {
    name: 'XHTML content in Atom',
    body: atom(
      `<entry><id>x1</id><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Less &lt; <em>more</em></div></title><updated>2026-11-01T00:00:00Z</updated>
<link href="https://site.example/x1"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One &amp; <b>two</b></p><p><img src="p.png" alt="P"/></p></div></content></entry>`,
    ),
    titles: ['Less < more'],
    first: { html: ['<b>two</b>', 'src="https://site.example/p.png"'], summary: 'One & two' },
  },
  {
    name: 'Atom with plain text that looks like HTML',
    body: atom(
      '<entry><id>t1</id><title>Use &lt;b&gt; sparingly</title><updated>2026-11-01T00:00:00Z</updated><summary>Write &lt;p&gt; &amp;amp; close it</summary></entry>',
    ),
    titles: ['Use <b> sparingly'],
    first: { summary: 'Write <p> &amp; close it' },
  },
  {
    name: 'huge content',
    body: rss(
      dated('Huge', 1, `<description>${'<![CDATA[<p>word '.concat('word '.repeat(200_000), '</p>]]>')}</description>`),
    ),
    titles: ['Huge'],
  },
  {
    name: 'a thousand items',
    body: rss(
      Array.from({ length: 1_000 }, (_, i) => item(`<title>N${i}</title><guid isPermaLink="false">${i}</guid>`)).join(
        '',
      ),
    ),
    titles: Array.from({ length: 300 }, (_, i) => `N${i}`),
  },
  {
    name: 'scripts, frames and addresses that run code',
    body: rss(
      item(`<title>Click</title><link>javascript:alert(1)</link><guid isPermaLink="false">g</guid><content:encoded><![CDATA[<p style="position:fixed">A</p>
<a href="javascript:alert(2)">x</a><a href="&#106;avascript:alert(3)">y</a><iframe src="https://evil.example"></iframe><svg onload="a()"><style>p{}</style></svg>
<img src="data:image/png;base64,AAAA"><img src=x onerror=alert(4)><object data="e.swf">o</object>]]></content:encoded>`),
      content,
    ),
    titles: ['Click'],
    first: { url: '', html: ['<p>A</p>'] },
    without: /javascript|iframe|svg|onerror|onload|fixed|data:|object/i,
  },
  {
    name: 'merge tags',
    body: rss(
      item(`<title>*|EMAIL|* #[FNAME]# *[LNAME]* C#</title><link>https://site.example/?a=*|EMAIL|*#[FNAME]#</link><guid isPermaLink="false">m</guid>
<content:encoded><![CDATA[<p>*|IF:FNAME|* *<b>|EMAIL|*</b> <a href="https://e.example/*|EMAIL|*#[X]#" title="#[EMAIL]#">x</a></p>]]></content:encoded>`),
      content,
    ),
    titles: ['*|EMAIL|* #[FNAME]# *[LNAME]* C#'],
  },
  {
    name: 'entities that grow and read files',
    body: `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
<rss version="2.0"><channel><title>x</title><link>https://site.example/</link><description>d</description><item><title>T</title><guid>1</guid><description>&c;&f;</description></item></channel></rss>`,
    titles: undefined,
  },
];
