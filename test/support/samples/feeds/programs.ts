// Feeds in the shapes that blogs, shops, podcasts and code hosts write. Their texts are our own.
import { atom, type FeedSample, item, namespaces, rss } from './sample.ts';

const { content, dc, media, itunes, atom: atomNs } = namespaces;

export const programFeeds: FeedSample[] = [
  {
    name: 'WordPress',
    body: rss(
      item(`<title>Tide tables &#8211; what they hide</title><link>https://site.example/2026/11/tide-tables/</link>
<comments>https://site.example/2026/11/tide-tables/#respond</comments><dc:creator><![CDATA[Mara Lind]]></dc:creator>
<pubDate>Fri, 20 Nov 2026 08:15:00 +0000</pubDate><category><![CDATA[Sea]]></category>
<guid isPermaLink="false">https://site.example/?p=812</guid>
<description><![CDATA[<p>High water comes late this week. [&#8230;]</p>]]></description>
<content:encoded><![CDATA[<p>High water comes late this week.</p><img src="/wp/tide.jpg" alt="Tide"><script>alert(1)</script>]]></content:encoded>`) +
        item(
          '<title>Old ropes</title><link>https://site.example/ropes/</link><pubDate>Mon, 02 Nov 2026 08:00:00 +0000</pubDate><guid>2</guid>',
        ),
      `${content} ${dc} ${atomNs}`,
    ),
    titles: ['Tide tables – what they hide', 'Old ropes'],
    first: {
      url: 'https://site.example/2026/11/tide-tables/',
      author: 'Mara Lind',
      date: '2026-11-20T08:15:00.000Z',
      summary: 'High water comes late this week. […]',
      image: 'https://site.example/wp/tide.jpg',
      html: ['<p>High water', 'src="https://site.example/wp/tide.jpg"'],
    },
    title: 'Harbour Notes',
    without: /<script|alert/,
  },
  {
    name: 'Ghost',
    body: rss(
      item(`<title><![CDATA[Lamp oil]]></title><description><![CDATA[How lamps burned.]]></description>
<link>https://site.example/lamp-oil/</link><guid isPermaLink="false">65a1</guid><dc:creator><![CDATA[Ole]]></dc:creator>
<pubDate>Thu, 19 Nov 2026 09:00:00 GMT</pubDate><media:content url="https://cdn.example/lamp.png" medium="image"/>
<content:encoded><![CDATA[<figure class="kg-card"><img src="https://cdn.example/in.png" width="900" srcset="x 1x"><figcaption>Lamp</figcaption></figure>]]></content:encoded>`),
      `${content} ${dc} ${media}`,
    ),
    titles: ['Lamp oil'],
    first: { image: 'https://cdn.example/lamp.png', author: 'Ole', html: ['<figcaption>Lamp</figcaption>'] },
    without: /srcset|kg-card/,
  },
  {
    name: 'Substack',
    body: rss(
      item(`<title><![CDATA[Letter no. 9]]></title><description><![CDATA[On fog]]></description><link>https://site.example/p/letter-9</link>
<guid isPermaLink="false">https://site.example/p/letter-9</guid><dc:creator><![CDATA[Fog Desk]]></dc:creator>
<pubDate>Wed, 18 Nov 2026 12:30:11 GMT</pubDate><enclosure url="https://cdn.example/fog.jpg" length="0" type="image/jpeg"/>
<content:encoded><![CDATA[<p>Fog.</p><div class="subscription-widget-wrap-editor"><form><input type="email"></form></div>]]></content:encoded>`),
      `${content} ${dc}`,
    ),
    titles: ['Letter no. 9'],
    first: { image: 'https://cdn.example/fog.jpg', summary: 'On fog' },
    without: /<form|<input/,
  },
  {
    name: 'Medium',
    body: rss(
      item(`<title><![CDATA[Why buoys ring]]></title><link>https://site.example/why-buoys?source=rss</link>
<guid isPermaLink="false">https://medium.example/p/9ab</guid><category><![CDATA[sea]]></category><dc:creator><![CDATA[B. Bell]]></dc:creator>
<pubDate>Tue, 17 Nov 2026 07:01:02 GMT</pubDate><atom:updated>2026-11-18T00:00:00Z</atom:updated>
<content:encoded><![CDATA[<p>They ring in wind.</p><img src="https://medium.example/_/stat?event=post" width="1" height="1" alt="">]]></content:encoded>`),
      `${content} ${dc} ${atomNs}`,
    ),
    titles: ['Why buoys ring'],
    first: { date: '2026-11-17T07:01:02.000Z', image: '', summary: 'They ring in wind.' },
    without: /stat\?event/,
  },
  {
    name: 'YouTube',
    body: atom(
      `<entry><id>yt:video:abc</id><yt:videoId>abc</yt:videoId><title>Knots in one minute</title>
<link rel="alternate" href="https://www.youtube.example/watch?v=abc"/><author><name>Rope School</name></author>
<published>2026-11-16T15:00:00+00:00</published><updated>2026-11-17T00:00:00+00:00</updated><media:group><media:title>Knots</media:title>
<media:content url="https://www.youtube.example/v/abc" type="application/x-shockwave-flash"/>
<media:thumbnail url="https://i.example/abc.jpg" width="480" height="360"/><media:description>Two knots &amp; a hitch</media:description></media:group></entry>`,
      `xmlns:yt="http://www.youtube.com/xml/schemas/2015" ${media}`,
    ),
    titles: ['Knots in one minute'],
    first: {
      url: 'https://www.youtube.example/watch?v=abc',
      image: 'https://i.example/abc.jpg',
      summary: 'Two knots & a hitch',
      author: 'Rope School',
      date: '2026-11-16T15:00:00.000Z',
    },
  },
  {
    name: 'GitHub releases',
    body: atom(
      `<entry><id>tag:github.example,2008:Repository/1/v2.1.0</id><updated>2026-11-15T11:22:33Z</updated>
<link rel="alternate" type="text/html" href="https://github.example/o/r/releases/tag/v2.1.0"/><title>v2.1.0</title>
<content type="html">&lt;h2&gt;Changes&lt;/h2&gt;&lt;ul&gt;&lt;li&gt;Faster &lt;code&gt;knot&lt;/code&gt;&lt;/li&gt;&lt;/ul&gt;</content>
<author><name>octo</name></author><media:thumbnail height="30" width="30" url="https://avatars.example/1"/></entry>`,
      media,
    ),
    titles: ['v2.1.0'],
    first: { html: ['<h2>Changes</h2>', '<code>knot</code>'], summary: 'Changes Faster knot', author: 'octo' },
  },
  {
    name: 'Jekyll',
    body: atom(
      `<entry xml:base="https://site.example/"><title type="html">Ink &amp;amp; Salt</title><link href="/2026/ink.html" rel="alternate" type="text/html" title="Ink"/>
<published>2026-11-14T00:00:00+01:00</published><updated>2026-11-14T00:00:00+01:00</updated><id>https://site.example/2026/ink</id>
<content type="html" xml:base="https://site.example/2026/ink.html">&lt;p&gt;&lt;a href="map.png"&gt;Map&lt;/a&gt;&lt;/p&gt;</content><summary type="html">A map.</summary></entry>`,
      'xml:base="https://site.example/"',
      '<generator uri="https://jekyllrb.com/" version="4.3">Jekyll</generator><author><name>Quill</name></author>',
    ),
    titles: ['Ink & Salt'],
    first: {
      url: 'https://site.example/2026/ink.html',
      date: '2026-11-13T23:00:00.000Z',
      author: 'Quill',
      html: ['href="https://site.example/2026/map.png"'],
    },
  },
  {
    name: 'Hugo',
    body: rss(
      `<generator>Hugo</generator><language>en-us</language><atom:link href="https://site.example/index.xml" rel="self" type="application/rss+xml"/>` +
        item(`<title>Night watch</title><link>https://site.example/posts/night/</link><pubDate>Thu, 12 Nov 2026 22:00:00 -0500</pubDate>
<guid>https://site.example/posts/night/</guid><description>&lt;p&gt;Four hours, two lamps.&lt;/p&gt;</description>`),
      atomNs,
    ),
    titles: ['Night watch'],
    first: { date: '2026-11-13T03:00:00.000Z', summary: 'Four hours, two lamps.', html: ['<p>Four hours'] },
  },
  {
    name: 'Slashdot-like RSS 1.0',
    body: `<?xml version="1.0" encoding="UTF-8"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
xmlns="http://purl.org/rss/1.0/" ${dc} xmlns:slash="http://purl.org/rss/1.0/modules/slash/">
<channel rdf:about="https://site.example/"><title>Dock News</title><link>https://site.example/</link><description>News</description>
<items><rdf:Seq><rdf:li rdf:resource="https://site.example/1"/></rdf:Seq></items></channel>
<item rdf:about="https://site.example/1"><title>Crane painted</title><link>https://site.example/1?from=rss</link>
<description>It is blue now.</description><dc:creator>cron</dc:creator><dc:date>2026-11-11T10:00:00+00:00</dc:date><slash:comments>4</slash:comments></item>
</rdf:RDF>`,
    titles: ['Crane painted'],
    first: { author: 'cron', date: '2026-11-11T10:00:00.000Z', url: 'https://site.example/1?from=rss' },
    title: 'Dock News',
  },
  {
    name: 'Blogger',
    body: atom(
      `<entry><id>tag:blogger.example,1999:blog-1.post-2</id><published>2026-11-10T05:00:00.000-08:00</published><updated>2026-11-10T06:00:00.000-08:00</updated>
<title type='text'>Grey gulls</title><content type='html'>&lt;div class="separator"&gt;&lt;img border="0" src="https://b.example/g.jpg"/&gt;&lt;/div&gt;Gulls.</content>
<link rel='replies' type='application/atom+xml' href='https://site.example/feeds/2/comments'/><link rel='edit' href='https://b.example/edit'/>
<link rel='alternate' type='text/html' href='https://site.example/gulls.html' title='Grey gulls'/><author><name>Ann</name><email>noreply@blogger.example</email></author></entry>`,
    ),
    titles: ['Grey gulls'],
    first: {
      url: 'https://site.example/gulls.html',
      author: 'Ann',
      image: 'https://b.example/g.jpg',
      summary: 'Gulls.',
    },
  },
  {
    name: 'podcast with iTunes tags',
    body: rss(
      `<itunes:author>Harbour Radio</itunes:author><itunes:image href="https://cdn.example/cover.jpg"/>` +
        item(`<title>Episode 3: Storm</title><itunes:title>Storm</itunes:title><itunes:episode>3</itunes:episode><itunes:author>Kim</itunes:author>
<itunes:summary>We wait &amp; listen.</itunes:summary><itunes:image href="https://cdn.example/e3.jpg"/><guid isPermaLink="false">ep-3</guid>
<enclosure url="https://cdn.example/e3.mp3" length="123" type="audio/mpeg"/><pubDate>Mon, 09 Nov 2026 04:00:00 GMT</pubDate>`) +
        item(
          '<title>Episode 2: Calm</title><guid isPermaLink="false">ep-2</guid><pubDate>Mon, 02 Nov 2026 04:00:00 GMT</pubDate>',
        ),
      itunes,
    ),
    titles: ['Episode 3: Storm', 'Episode 2: Calm'],
    first: { url: '', author: 'Kim', image: 'https://cdn.example/e3.jpg', summary: 'We wait & listen.' },
  },
  {
    name: 'Media RSS of photos',
    body: rss(
      item(`<title>Pier at dawn</title><link>https://site.example/photo/7</link><guid>https://site.example/photo/7</guid>
<pubDate>Sun, 08 Nov 2026 06:00:00 GMT</pubDate><media:group><media:content url="https://cdn.example/7-s.jpg" type="image/jpeg" width="100"/>
<media:content url="https://cdn.example/7-l.jpg" type="image/jpeg" width="1000"/></media:group><media:description type="plain">Cold.</media:description>`),
      media,
    ),
    titles: ['Pier at dawn'],
    first: { image: 'https://cdn.example/7-s.jpg', summary: 'Cold.' },
  },
  {
    name: 'JSON Feed 1.0',
    contentType: 'application/json',
    body: JSON.stringify({
      version: 'https://jsonfeed.org/version/1',
      title: 'Micro Harbour',
      home_page_url: 'https://site.example/',
      author: { name: 'Jo' },
      items: [
        {
          id: 5,
          content_text: 'Just a line about\nrain & wind <3',
          url: '/5',
          date_published: '2026-11-07T10:00:00+02:00',
        },
      ],
    }),
    titles: ['Just a line about rain & wind <3'],
    first: {
      url: 'https://site.example/5',
      author: 'Jo',
      date: '2026-11-07T08:00:00.000Z',
      html: ['rain &amp; wind &lt;3'],
    },
    title: 'Micro Harbour',
  },
  {
    name: 'JSON Feed 1.1',
    contentType: 'application/feed+json; charset=utf-8',
    body: JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Harbour Notes',
      items: [
        {
          id: 'https://site.example/a',
          title: 'A & B',
          content_html: '<p onclick="x()">Text</p>',
          summary: 'S < T',
          image: 'https://cdn.example/a.png',
          authors: [{ name: 'Lee' }],
          date_published: '2026-11-06T00:00:00Z',
        },
        { id: 'b', title: 'Linked', external_url: 'https://other.example/b', date_modified: '2026-11-05T00:00:00Z' },
      ],
    }),
    titles: ['A & B', 'Linked'],
    first: { url: 'https://site.example/a', summary: 'S < T', author: 'Lee', image: 'https://cdn.example/a.png' },
    without: /onclick/,
  },
  {
    name: 'Drupal with a div around the text',
    body: rss(
      item(`<title>Board meets</title><link>https://site.example/node/3</link><guid isPermaLink="false">3 at https://site.example</guid>
<dc:creator>admin</dc:creator><pubDate>Thu, 05 Nov 2026 18:00:00 +0100</pubDate>
<description>&lt;div class="field field--name-body"&gt;&lt;div class="field__item"&gt;&lt;p&gt;At six.&lt;/p&gt;&lt;/div&gt;&lt;/div&gt;</description>`),
      `${dc} xml:base="https://site.example/"`,
    ),
    titles: ['Board meets'],
    first: { summary: 'At six.', html: ['<p>At six.</p>'] },
    without: /field__item/,
  },
  {
    name: 'Shopify products',
    body: atom(
      `<entry><id>https://shop.example/products/1</id><published>2026-11-04T09:00:00-05:00</published><updated>2026-11-04T09:00:00-05:00</updated>
<link rel="alternate" type="text/html" href="https://shop.example/products/lantern"/><title>Lantern</title><s:type>Lamps</s:type>
<summary type="html"><![CDATA[<table><tr><td><strong>Price: </strong>20.00</td></tr></table>]]></summary></entry>`,
      'xmlns:s="http://jadedpixel.com/-/spec/shopify"',
    ),
    titles: ['Lantern'],
    first: {
      url: 'https://shop.example/products/lantern',
      summary: 'Price: 20.00',
      html: ['<table>', '<strong>Price: '],
    },
  },
  {
    name: 'Discourse topics',
    body: rss(
      item(`<title>Which anchor?</title><dc:creator><![CDATA[@sailor]]></dc:creator><category>Gear</category>
<description><![CDATA[<p>For mud.</p><p><small>5 posts</small></p><p><a href="https://site.example/t/9">Read full topic</a></p>]]></description>
<link>https://site.example/t/9</link><pubDate>Tue, 03 Nov 2026 20:20:20 +0000</pubDate><guid isPermaLink="false">site.example-topic-9</guid>
<source url="https://site.example/t/9.rss">Which anchor?</source>`),
      dc,
    ),
    titles: ['Which anchor?'],
    first: { author: '@sailor', summary: 'For mud. 5 posts Read full topic' },
  },
];
