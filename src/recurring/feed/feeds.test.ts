import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oddFeeds } from '../../../test/support/samples/feeds/odd.ts';
import { programFeeds } from '../../../test/support/samples/feeds/programs.ts';
import type { FeedSample } from '../../../test/support/samples/feeds/sample.ts';
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
