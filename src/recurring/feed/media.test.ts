// Pictures and videos of feeds as sites write them for browsers: what an email shows of them. Each sample is the content of an item.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { item, namespaces, rss } from '../../../test/support/samples/feeds/sample.ts';
import { readFeed } from './read.ts';

const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

function contentOf(content: string, more = '') {
  const body = rss(
    item(
      `<title>T</title><link>https://site.example/p/1</link>${more}<content:encoded><![CDATA[${content}]]></content:encoded>`,
    ),
    `${namespaces.content} ${namespaces.media}`,
  );
  const read = readFeed({ bytes: Buffer.from(body), contentType: '', url: 'https://site.example/feed' });
  assert.ok(read.ok);
  return read.feed.items[0]!;
}
const sources = (html: string) =>
  [...html.matchAll(/<img\b[^>]*>/g)].map(([tag]) => /\ssrc="([^"]*)"/.exec(tag)?.[1] ?? 'none');

/** The pictures of an item, in their order. */
const pictures: Record<string, [content: string, sources: string[]]> = {
  'data-src with a transparent pixel': [`<img src="${pixel}" data-src="/a.jpg" alt="A">`, ['/a.jpg']],
  'data-lazy-src of WordPress with its noscript': [
    `<img src="${pixel}" data-lazy-src="/a.jpg"><noscript><img src="/a.jpg"></noscript>`,
    ['/a.jpg'],
  ],
  'data-src in another size than in noscript': [
    '<img src="/spinner.gif" data-src="/a-300.jpg"> <noscript><img src="/a.jpg"></noscript>',
    ['/a-300.jpg'],
  ],
  'noscript before the picture that loads late': [
    '<noscript><img src="/a.jpg"></noscript><img class="lazyload" data-src="/a.jpg">',
    ['/a.jpg'],
  ],
  'noscript alone': [
    `<img class="lazy" src="${pixel}" alt="x"><noscript><img src="/a.jpg" alt="A"></noscript>`,
    ['/a.jpg'],
  ],
  'noscript with a text': ['<p>T</p><noscript>Enable JavaScript <img src="/a.jpg"></noscript>', ['/a.jpg']],
  'noscript whose content is escaped': ['<noscript>&lt;img src="/a.jpg"&gt;</noscript><p>T</p>', ['/a.jpg']],
  'data-original': ['<img data-original="/a.jpg" src="/img/placeholder.png">', ['/a.jpg']],
  'a preview of few pixels': ['<img src="/a.jpg?w=20&blur=5" data-src="/a.jpg?w=800">', ['/a.jpg?w=800']],
  'no src but a srcset by density': ['<img srcset="/a.jpg 1x, /b.jpg 2x" alt="set">', ['/a.jpg']],
  'no src but a srcset by width': ['<img srcset="/a.jpg 480w,\n /b.jpg 1200w" sizes="100vw">', ['/a.jpg']],
  'a srcset with commas in its addresses': [
    '<img srcset="/w_300,h_200/a.jpg 300w, /w_600,h_400/a.jpg 600w">',
    ['/w_300,h_200/a.jpg'],
  ],
  'a srcset that begins with a pixel': [`<img srcset="${pixel} 1w, /a.jpg 600w">`, ['/a.jpg']],
  'data-srcset': [`<img src="${pixel}" data-srcset="/a.jpg 600w, /b.jpg 900w">`, ['/a.jpg']],
  'data-lazy-srcset': ['<img data-lazy-srcset="/a.jpg 600w">', ['/a.jpg']],
  'an ordinary picture with a srcset': ['<img src="/a.jpg" srcset="/b.jpg 2x">', ['/a.jpg']],
  'an ordinary picture with its file in full': [
    '<img src="/a.jpg" data-orig-file="/full.jpg" data-large-file="/large.jpg" data-permalink="/p/1">',
    ['/a.jpg'],
  ],
  'a picture element': [
    '<picture><source srcset="/c.webp" type="image/webp"><img data-lazy-src="/c.jpg"></picture>',
    ['/c.jpg'],
  ],
  'a picture element without an address at its picture': [
    '<picture><source srcset="/c.avif" type="image/avif"><source srcset="/c.jpg 1x" type="image/jpeg"><img alt="C"></picture>',
    ['/c.jpg'],
  ],
  'a picture element with late sources': [
    `<picture><source data-srcset="/c.webp" type="image/webp"><img src="${pixel}"></picture><img src="/d.jpg">`,
    ['/c.webp', '/d.jpg'],
  ],
  'a picture element whose types decide, not the names': [
    '<picture><source srcset="/c?f=1" type="image/webp"><source srcset="/c?f=2" type="image/png"></picture>',
    ['/c?f=2'],
  ],
  'a picture element without a picture': ['<picture><source srcset="/c.jpg"></picture>', ['/c.jpg']],
  'amp-img': ['<amp-img src="/a.jpg" width="600" height="400" alt="A"></amp-img>', ['/a.jpg']],
  'attributes in capitals and without quotes': ['<IMG SRC="" DATA-SRC=/a.jpg ALT=A>', ['/a.jpg']],
  'noscript within noscript': ['<noscript><noscript></noscript></noscript><img src="/a.jpg">', ['/a.jpg']],
  'noscript that does not end': ['<noscript><img src="/a.jpg"><p>T</p>', []],
  'two pictures, the second of them in noscript': [
    '<img src="/a.jpg"><noscript><img src="/b.jpg"></noscript>',
    ['/a.jpg', '/b.jpg'],
  ],
  'a picture that is shown until scripts run, replaced by that in noscript': [
    '<img src="/loading.gif"><noscript><img src="/a.jpg"></noscript>',
    ['/a.jpg'],
  ],
  'the same, with noscript elsewhere': [
    '<img src="/loading.gif"><p>T</p><noscript><img src="/a.jpg"></noscript>',
    ['/loading.gif', '/a.jpg'],
  ],
  'noscript after a late picture and the ends of its elements': [
    '<div><span><img data-src="/a-300.jpg"></span></div> <noscript><img src="/a.jpg"></noscript>',
    ['/a-300.jpg'],
  ],
  'noscript after a late picture and a text': [
    '<img data-src="/a-300.jpg">Text<noscript><img src="/b.jpg"></noscript>',
    ['/a-300.jpg', '/b.jpg'],
  ],
  'noscript before a text and a late picture': [
    '<noscript><img src="/b.jpg"></noscript>Text<img data-src="/a-300.jpg">',
    ['/b.jpg', '/a-300.jpg'],
  ],
  'a picture element without an address for emails at its own picture, then another': [
    '<picture><source srcset="/c.jpg"><img src="data:image/gif;base64,R0"></picture><picture><img src="/d.jpg"></picture>',
    ['/c.jpg', '/d.jpg'],
  ],
  'a picture element whose picture is an ordinary one': [
    '<picture><source srcset="/c.jpg"><img src="/d.jpg"></picture>',
    ['/d.jpg'],
  ],
  'a picture element whose formats are known by their names only': [
    '<picture><source srcset="/c.webp"><source srcset="/c.png"></picture>',
    ['/c.png'],
  ],
  'a source outside of a picture element': ['<source srcset="/c.jpg"><img alt="C">', []],
  'names of programs for the late address': [
    '<img data-lazy="/a.jpg"><img data-echo="/b.jpg"><img lazy-src="/c.jpg"><img nitro-lazy-src="/d.jpg"><img data-full-src="/e.jpg"><img data-lazy-src="/f.jpg">',
    ['/a.jpg', '/b.jpg', '/c.jpg', '/d.jpg', '/e.jpg', '/f.jpg'],
  ],
  'late addresses of previews': ['<img data-thumb-src="/a.jpg"><img data-error-src="/b.jpg" src="/c.jpg">', ['/c.jpg']],
  'only the file in full': [
    '<img data-large-file="/a.jpg"><img data-orig-file="/b.png?x"><img data-medium-file="/c.gif"><img data-image="/d.webp"><img data-url="/e.avif"><img data-img-url="/f.jpeg"><img data-url="/page">',
    ['/a.jpg', '/b.png?x', '/c.gif', '/d.webp', '/e.avif', '/f.jpeg'],
  ],
  'a srcset without blanks after its commas': ['<img srcset="/a.jpg, /b.jpg 2x">', ['/a.jpg']],
  'a srcset whose first addresses are none': [`<img srcset="${pixel}, #, /b.jpg 2x, /c.jpg">`, ['/b.jpg']],
  'a hidden picture that a script shows': ['<img hidden data-src="/a.jpg"><img hidden src="/b.jpg">', ['/a.jpg']],
  'a picture that is not to be seen': ['<img src="/a.jpg" style="visibility: hidden"><img src="/b.jpg">', ['/b.jpg']],
  'a picture of one pixel, and of ten': ['<img src="/a.jpg" width="1px"><img src="/b.jpg" width="10">', ['/b.jpg']],
  'no address at all': [
    '<p>T</p><img alt="pic"><img src=""><img src="about:blank"><img src="#"><img src="blob:x"><img>',
    [],
  ],
  'an address that is only for browsers': [
    `<img src="${pixel}"><img src="javascript:alert(1)" data-src="javascript:alert(2)">`,
    [],
  ],
  'pixels that count': [
    '<img src="/1.gif" height="1" width="1"><img src="/2.gif" height="1"><img src="/3.gif" style="display:none"><noscript><img height="1" width="1" style="display:none" src="/4.gif"></noscript><p>T</p>',
    [],
  ],
};
for (const [name, [content, expected]] of Object.entries(pictures))
  test(`pictures: ${name}`, () => {
    const { html, image } = contentOf(content);
    const absolute = expected.map((path) => `https://site.example${path}`);
    assert.deepEqual(
      sources(html).map((source) => source.replaceAll('&amp;', '&')),
      absolute,
      html,
    );
    assert.equal(image, absolute[0] ?? '');
    assert.doesNotMatch(html, /data:|noscript|srcset|Enable|data-/i);
  });

/** Videos, frames and sounds: their link, and the picture in it. */
const embeds: Record<string, [content: string, link: string, picture: string]> = {
  'a frame': ['<iframe src="https://video.example/embed/abc"></iframe>', 'https://video.example/embed/abc', ''],
  'a frame that loads late': [
    '<iframe src="about:blank" data-src="//video.example/e/1"></iframe>',
    'https://video.example/e/1',
    '',
  ],
  'a frame in noscript': [
    '<noscript><iframe src="https://video.example/e/1"></iframe></noscript>',
    'https://video.example/e/1',
    '',
  ],
  YouTube: [
    '<iframe width="560" height="315" src="https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0" title="Two knots" allowfullscreen></iframe>',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://i.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg',
  ],
  'YouTube without cookies': [
    '<div class="video"><iframe data-lazy-src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"></iframe></div>',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://i.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg',
  ],
  Vimeo: [
    '<iframe src="https://player.vimeo.com/video/76979871?h=8272103f6e"></iframe>',
    'https://vimeo.com/76979871/8272103f6e',
    '',
  ],
  'a video with a picture': [
    '<video src="/v.mp4" poster="/v.jpg" controls>Your browser cannot play this.</video>',
    'https://site.example/v.mp4',
    'https://site.example/v.jpg',
  ],
  'a video with sources': [
    '<video poster="/v.jpg"><source src="/v.webm" type="video/webm"><source src="/v.mp4" type="video/mp4"><a href="/v.mp4">Download</a></video>',
    'https://site.example/v.mp4',
    'https://site.example/v.jpg',
  ],
  'a frame of AMP': ['<amp-iframe src="https://video.example/e/1">', 'https://video.example/e/1', ''],
  'an element of YouTube': [
    '<lite-youtube videoid="dQw4w9WgXcQ"></lite-youtube>',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://i.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg',
  ],
  'an element of YouTube for AMP': [
    '<amp-youtube data-videoid="dQw4w9WgXcQ"></amp-youtube>',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://i.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg',
  ],
  'a list of YouTube': [
    '<iframe src="https://m.youtube.com/embed/videoseries?list=PL1"></iframe>',
    'https://www.youtube.com/playlist?list=PL1',
    '',
  ],
  'a live stream of YouTube': [
    '<iframe src="https://www.youtube.com/embed/live_stream?channel=UC1"></iframe>',
    'https://www.youtube.com/embed/live_stream?channel=UC1',
    '',
  ],
  'another page of YouTube': [
    '<iframe src="https://www.youtube.com/live_chat?v=dQw4w9WgXcQ"></iframe>',
    'https://www.youtube.com/live_chat?v=dQw4w9WgXcQ',
    '',
  ],
  'Vimeo without a hash': ['<iframe src="https://player.vimeo.com/video/7"></iframe>', 'https://vimeo.com/7', ''],
  Dailymotion: [
    '<iframe src="https://www.dailymotion.com/embed/video/x8abc"></iframe>',
    'https://www.dailymotion.com/video/x8abc',
    'https://www.dailymotion.com/thumbnail/video/x8abc',
  ],
  'a frame with a page of its own name': [
    '<iframe src="https://video.example/embed/dQw4w9WgXcQ"></iframe>',
    'https://video.example/embed/dQw4w9WgXcQ',
    '',
  ],
  'a video whose picture loads late': [
    '<amp-video src="/v.mp4" poster="" data-poster="/v.jpg"></amp-video>',
    'https://site.example/v.mp4',
    'https://site.example/v.jpg',
  ],
  'a video that does not end': ['<video src="/v.mp4">', 'https://site.example/v.mp4', ''],
  'a sound with a picture': ['<audio src="/s.mp3" poster="/s.jpg"></audio>', 'https://site.example/s.mp3', ''],
  'a sound': ['<audio controls><source src="/s.mp3"></audio>', 'https://site.example/s.mp3', ''],
};
for (const [name, [content, link, picture]] of Object.entries(embeds))
  test(`videos and frames: ${name}`, () => {
    const { html, image, text } = contentOf(`<p>Before</p>${content}<p>After</p>`);
    assert.deepEqual(
      [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href),
      [link],
      html,
    );
    assert.deepEqual(sources(html), picture === '' ? [] : [picture]);
    assert.equal(image, picture);
    assert.ok(text.includes(link), text);
    assert.match(html, /Before[\s\S]*<a [\s\S]*After/);
    assert.doesNotMatch(html, /<(?:iframe|video|audio|source)|cannot play|Download/);
  });

test('frames without an address and those that count are left out, and a title becomes the text of a link', () => {
  const { html } = contentOf(
    '<p>T</p><iframe srcdoc="<p>x</p>"></iframe><iframe src="about:blank"></iframe><iframe src="https://tags.example/ns" height="0" width="0" style="display:none"></iframe><iframe src="javascript:alert(1)"></iframe><video></video>',
  );
  assert.equal(html, '<p>T</p>');
  const titled = contentOf(
    '<iframe src="https://video.example/1" title="Two *|EMAIL|* knots &amp; <b>a hitch</b>"></iframe>',
  ).html;
  assert.match(titled, />Two [^<]* knots &amp; &lt;b&gt;a hitch&lt;\/b&gt;</);
  assert.doesNotMatch(titled, /\*\|EMAIL/);
});

test('the picture of an item is that of its description if its content has none', () => {
  const { image } = contentOf('<p>No picture</p>', '<description>&lt;img src="/d.jpg"&gt; Hi</description>');
  assert.equal(image, 'https://site.example/d.jpg');
});

test('what a script or a comment contains is no picture', () => {
  const { html } = contentOf(
    '<script>var a = "<img src=/s.jpg>";</script><!-- <img src="/c.jpg"> --><style>a:after{content:"<img src=/t.jpg>"}</style><textarea><img src="/u.jpg"></textarea><p>T</p><p title="<img src=/v.jpg>">U</p>',
  );
  assert.deepEqual(sources(html), []);
});

test('the title of a video is the text of its link and of its picture, and its label if it has none', () => {
  const link = (attributes: string) =>
    contentOf(`<video src="/v.mp4" poster="/v.jpg" ${attributes}></video>`).html.replace(/ style="[^"]*"/, '');
  const [start, picture] = ['<div><a href="https://site.example/v.mp4">', '<img src="https://site.example/v.jpg"'];
  assert.equal(link('title=" Knots "'), `${start}${picture} alt="Knots" /><br />Knots</a></div>`);
  assert.equal(link('title="" aria-label="Two"'), `${start}${picture} alt="Two" /><br />Two</a></div>`);
  assert.equal(link(''), `${start}${picture} alt="" /><br />https://site.example/v.mp4</a></div>`);
});

test('a picture keeps its text, title and width, and those of noscript come with it', () => {
  const html = (content: string) => contentOf(content).html.replaceAll(' style="max-width:100%;height:auto"', '');
  const kept = '<img src="https://site.example/a.jpg" alt="A &amp; B" title="T" width="300" />';
  const attributes = 'alt="A &amp; B" title="T" width="300" height="200" class="c"';
  assert.equal(html(`<img ${attributes} data-src="/a.jpg">`), kept);
  assert.equal(html(`<p>x</p><noscript>y <img ${attributes} src="/a.jpg"> z</noscript>`), `<p>x</p>${kept}`);
  assert.equal(
    html('<p>1</p><img src="/a.jpg"><p>2</p>'),
    '<p>1</p><img src="https://site.example/a.jpg" alt="" /><p>2</p>',
  );
});

test('a picture is shown once, inside and outside of noscript, however often noscript is there', () => {
  const count = (content: string) => sources(contentOf(content).html).length;
  assert.equal(count('<p>a</p><noscript><img src="/a.jpg"></noscript><p>b</p><img src="/a.jpg">'), 1);
  assert.equal(count('<noscript></noscript><img src="/a.jpg"><p>b</p><noscript><img src="/a.jpg"></noscript>'), 1);
  assert.equal(count('</noscript><img src="/a.jpg"><p>b</p><noscript><img src="/a.jpg"></noscript>'), 1);
  assert.equal(count('<noscript><img src="/a.jpg"></noscript><p>b</p><noscript><img src="/b.jpg"></noscript>'), 2);
});

test('of the sources of a video the one that every program plays is the link, by type or name', () => {
  const link = (content: string) =>
    /<a href="([^"]*)"/.exec(contentOf(content).html)?.[1]?.replace('https://site.example', '');
  assert.equal(link('<video><source src="/v.webm"><source src="/v" type="video/mp4"></video>'), '/v');
  assert.equal(link('<video><source src="/v.webm"><source src="/v.mp4"></video>'), '/v.mp4');
  assert.equal(link('<video><source src="/v.webm" type="video/webm"><source src="/v.ogv"></video>'), '/v.webm');
  assert.equal(link('<video src="/own.webm"><source src="/v.mp4"></video>'), '/own.webm');
  assert.equal(link('<audio><source src="/s.ogg"><source src="/s.mp3"></audio><p>x</p>'), '/s.mp3');
});
