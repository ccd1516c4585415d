import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addAnalytics, analyticsOf, takesAnalytics } from './analytics.ts';
import { parseTags } from './merge-tags.ts';

const analytics = { source: 'letter', medium: 'email', campaign: 'Spring & Co' };
const all = 'utm_source=letter&utm_medium=email&utm_campaign=Spring%20%26%20Co';

/** The address with the parameters, tags as they are written. */
function extended(url: string, given = analytics): string {
  return addAnalytics(parseTags(url), given)
    .map((part) => (typeof part === 'string' ? part : `*|${part.name}|*`))
    .join('');
}

test('the parameters go into the query, before the fragment', () => {
  const table: [string, string][] = [
    ['https://a.example', `https://a.example?${all}`],
    ['https://a.example/', `https://a.example/?${all}`],
    ['https://a.example/x?b=1', `https://a.example/x?b=1&${all}`],
    ['https://a.example/x?', `https://a.example/x?${all}`],
    ['https://a.example/x?b=1&', `https://a.example/x?b=1&${all}`],
    ['https://a.example/x#part', `https://a.example/x?${all}#part`],
    ['https://a.example/x?b=1#part?c=2', `https://a.example/x?b=1&${all}#part?c=2`],
    ['https://a.example/#/route?x=1', `https://a.example/?${all}#/route?x=1`],
    ['https://a.example/a;b=c?x[]=1', `https://a.example/a;b=c?x[]=1&${all}`],
    ['https://a.example/?b=%26#', `https://a.example/?b=%26&${all}#`],
  ];
  for (const [url, expected] of table) assert.equal(extended(url), expected, url);
});

test('existing parameters stay; only missing ones are added', () => {
  assert.equal(
    extended('https://a.example/?utm_source=own&UTM_MEDIUM=x'),
    'https://a.example/?utm_source=own&UTM_MEDIUM=x&utm_campaign=Spring%20%26%20Co',
  );
  const full = 'https://a.example/?utm_source=1&utm_medium=2&utm_campaign=3#x';
  assert.equal(extended(full), full);
  assert.match(extended('https://a.example/?xutm_source=1'), /&utm_source=letter/);
});

test('merge tags, also those written with #, are neither query nor fragment', () => {
  assert.equal(extended('https://a.example/#[FNAME]#'), `https://a.example/*|FNAME|*?${all}`);
  assert.equal(extended('https://a.example/#[FNAME]##frag'), `https://a.example/*|FNAME|*?${all}#frag`);
  assert.equal(extended('https://a.example/?q=*|FNAME|*'), `https://a.example/?q=*|FNAME|*&${all}`);
  assert.equal(extended('https://a.example/#*|FNAME|*'), `https://a.example/?${all}#*|FNAME|*`);
});

test('an empty setting is left out', () => {
  assert.equal(
    extended('https://a.example/', { ...analytics, campaign: '', source: '' }),
    'https://a.example/?utm_medium=email',
  );
});

test('path, existing parameters and fragment of any URL stay as they are', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
      const before = new URL(text);
      const after = new URL(extended(text));
      assert.equal(after.origin + after.pathname + after.hash, before.origin + before.pathname + before.hash);
      for (const [name, value] of before.searchParams) assert.ok(after.searchParams.getAll(name).includes(value));
      assert.equal(after.searchParams.get('utm_campaign'), 'Spring & Co');
    }),
  );
});

test('text around merge tags stays apart, and text before the fragment is kept', () => {
  assert.equal(extended('https://a.example/?utm_*|X|*source=1'), `https://a.example/?utm_*|X|*source=1&${all}`);
  assert.equal(extended('https://a.example/*|FNAME|*x#y'), `https://a.example/*|FNAME|*x?${all}#y`);
});

test('a parameter in the fragment, or in any case, is not written again', () => {
  assert.equal(
    extended('https://a.example/#utm_campaign=mine&utm_medium=x'),
    'https://a.example/?utm_source=letter#utm_campaign=mine&utm_medium=x',
  );
  assert.equal(
    extended('https://a.example/#/page?utm_source=own'),
    'https://a.example/?utm_medium=email&utm_campaign=Spring%20%26%20Co#/page?utm_source=own',
  );
  const more = { ...analytics, term: 'a b', content: 'top&bottom' };
  assert.equal(
    extended('https://a.example/?utm_content=', more),
    `https://a.example/?utm_content=&${all}&utm_term=a%20b`,
  );
  assert.equal(
    extended('https://a.example/', more),
    `https://a.example/?${all}&utm_term=a%20b&utm_content=top%26bottom`,
  );
});

const takes = (url: string, sites: string[] = []) => takesAnalytics(parseTags(url), { ...analytics, sites });

test('links of other sites are left alone: of those that are not named, or that are surely of others', () => {
  const own = ['shop.example', 'news.example.org'];
  for (const url of [
    'https://shop.example',
    ' https://SHOP.example/a',
    'http://www.shop.example:8080/x?y=*|FNAME|*',
    'https://user@shop.example./',
    'https://a.news.example.org/',
  ])
    assert.ok(takes(url, own), url);
  for (const url of [
    'https://example.org/',
    'https://shop.example.evil.example/',
    'https://notshop.example/',
    'https://evil.example/?to=shop.example',
    'https://shop.example@evil.example/',
    'https://xn--shp-sna.example/',
  ])
    assert.ok(!takes(url, own), url);
  assert.ok(takes('https://bücher.example/', ['xn--bcher-kva.example']));
  for (const url of ['https://shop.example/', 'https://partner.example/x', 'https://www.youtube.example/'])
    assert.ok(takes(url), url);
  for (const url of [
    'https://www.facebook.com/lake',
    'https://x.com/lake',
    'https://youtu.be/1',
    'https://files.example/a.pdf?X-Amz-Signature=1&X-Amz-Expires=9',
    'https://files.example/a.pdf?sv=2&se=2030-01-01&sig=abc',
  ])
    assert.ok(!takes(url), url);
  assert.ok(takes('https://www.facebook.com/lake', ['facebook.com']));
  assert.ok(takes('https://shop.example/?sig=1'));
});

test('values are those of the campaign, else of the account, else the usual ones; no value, no analytics', () => {
  assert.equal(analyticsOf({}, { utm_source: 'x' }), null);
  assert.equal(analyticsOf({ google: '' }, {}), null);
  const none = { term: '', content: '', sites: [] };
  assert.deepEqual(analyticsOf({ google: 'May' }, {}), {
    source: 'newsletter',
    medium: 'email',
    campaign: 'May',
    ...none,
  });
  assert.deepEqual(
    analyticsOf(
      { google: 'May', source: 'club' },
      { utm_source: 'lake', utm_medium: 'mail', analytics_sites: 'a.example' },
    ),
    { ...none, source: 'club', medium: 'mail', campaign: 'May', sites: ['a.example'] },
  );
  assert.deepEqual(analyticsOf({ term: 't' }, {}), {
    ...none,
    source: 'newsletter',
    medium: 'email',
    campaign: '',
    term: 't',
  });
});

test('the sites on which anyone has a page get no parameters, unless they are the own site', () => {
  const sites =
    'facebook.com fb.com fb.me m.me instagram.com threads.net threads.com twitter.com x.com t.co linkedin.com lnkd.in xing.com ' +
    'tiktok.com pinterest.com pin.it snapchat.com reddit.com bsky.app mastodon.social vk.com ok.ru weibo.com line.me whatsapp.com ' +
    'wa.me t.me signal.me telegram.me discord.com discord.gg twitch.tv youtube.com youtu.be vimeo.com dailymotion.com spotify.com ' +
    'soundcloud.com deezer.com music.apple.com podcasts.apple.com apps.apple.com itunes.apple.com maps.apple.com play.google.com ' +
    'maps.google.com maps.app.goo.gl goo.gl g.page calendar.google.com docs.google.com drive.google.com forms.gle meet.google.com ' +
    'zoom.us teams.microsoft.com teams.live.com openstreetmap.org wikipedia.org wikimedia.org doodle.com';
  for (const site of sites.split(' ')) {
    assert.equal(takes(`https://${site}/lake`), false, site);
    assert.equal(takes(`https://www.${site}/lake`), false, `www.${site}`);
    assert.equal(takes(`https://${site}.example/lake`), true, `${site}.example`);
    assert.equal(takes(`https://${site}/lake`, [site]), true, `own ${site}`);
  }
});
