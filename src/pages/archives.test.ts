// The public index of sent campaigns and its feed, over HTTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SaxesParser } from 'saxes';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { indexPage } from '../campaigns/public-archive/archive-index.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { launch } from '../delivery/launch/launch.ts';
import { feed } from './archives.ts';

let app: TestApp;
let list: string;
type Index = { on: boolean; url: string; feed_url: string };

before(async () => {
  app = await testApp();
  await app.listen();
  list = await app.call<string>('listCreate', { title: 'Letter' });
});
after(() => app.close());

async function send(subject: string): Promise<string> {
  const cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject, from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: { html: '<p>x</p>' },
  });
  await app.call('campaignSendNow', { cid });
  await launch(app.app, app.account.id, parseId(cid));
  return cid;
}
const index = (params: Record<string, unknown> = {}) => app.call<Index>('archiveIndex', params);

test('the index exists only while the account has it enabled', async () => {
  const { on, url, feed_url } = await index();
  assert.equal(on, false);
  for (const address of [url, feed_url]) assert.equal((await fetch(address)).status, 404);
  assert.deepEqual(await index({ on: true }), { on: true, url, feed_url });
  assert.equal((await index()).on, true);
  for (const address of [url, feed_url]) assert.equal((await fetch(address)).status, 200);
  assert.equal((await index({ on: '0' })).on, false);
  for (const address of [url, feed_url]) assert.equal((await fetch(address)).status, 404);
  await index({ on: true });
});

test('the page lists sent campaigns, newest first, by their subjects without personal values, and no drafts', async () => {
  await send('First *|FNAME:friend|* <b>');
  await send('Second');
  await app.call('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'Draft', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: { html: '<p>x</p>' },
  });
  const { url } = await index();
  const text = await (await fetch(url)).text();
  assert.doesNotMatch(text, /Draft|<b>/);
  assert.ok(text.indexOf('Second') < text.indexOf('First friend &lt;b&gt;'));
  const [, link] = /href="([^"]+\/archive\/[^"]+)"/.exec(text)!;
  assert.equal((await fetch(link!)).status, 200);
});

test('the feed is well-formed RSS of the same campaigns', async () => {
  const { feed_url } = await index();
  const response = await fetch(feed_url);
  assert.match(response.headers.get('content-type')!, /^application\/rss\+xml/);
  const titles: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  let inside = '';
  parser.on('opentag', (tag) => {
    inside = tag.name;
  });
  parser.on('text', (text) => {
    if (inside === 'title' && text.trim() !== '') titles.push(text);
    if (inside === 'pubDate' && text.trim() !== '') assert.ok(!Number.isNaN(Date.parse(text)));
  });
  parser.on('error', (error) => assert.fail(error));
  parser.write(await response.text()).close();
  assert.deepEqual(titles, ['Campaigns of Test organisation', 'Second', 'First friend <b>']);
});

test('characters that XML forbids are left out of the feed', () => {
  const text = feed(
    {
      sender: { name: 'A\u0000&"B', address: '' },
      language: 'xx',
      more: false,
      campaigns: [{ subject: '\u0001]]>', url: 'http://a/?b&c', sentAt: new Date(0) }],
    },
    'http://x/',
  );
  assert.match(text, /<title>Campaigns of A&amp;&quot;B<\/title>/);
  assert.match(text, /<title>\]\]&gt;<\/title>\n<link>http:\/\/a\/\?b&amp;c<\/link>/);
  assert.match(text, /Thu, 01 Jan 1970 00:00:00 GMT/);
});

test('an index of many campaigns has pages', async () => {
  await app.app.db.run(sql`
    with more as (
      insert into campaign (account_id, type, status, title, subject, from_name, reply_to, send_at)
      select ${app.account.id}::int, 'html', 'sent', 't', 's', 'Us', 'us@example.com', now() - n * interval '1 day'
      from generate_series(1, ${indexPage}::int) n
      returning account_id, id
    )
    insert into frozen_content (account_id, campaign_id, compiled, content_hash)
    select account_id, id, '{"subject": ["Old"], "lists": [], "language": "en", "timeZone": "UTC"}', 'x'
    from more`);
  const { url } = await index();
  const count = async (address: string) => (await (await fetch(address)).text()).match(/\/archive\//g)?.length;
  assert.equal(await count(url), indexPage);
  assert.equal(await count(`${url}?page=1`), 2);
  assert.equal(await count(`${url}?page=9`), undefined);
  assert.equal(await count(`${url}?page=x`), indexPage);
});

test('the address of an index cannot be guessed', async () => {
  const { url } = await index();
  const other = url.replace(/.$/, (sign) => (sign === '0' ? '1' : '0'));
  for (const address of [other, `${url}0`, url.replace(/-.*/, ''), `${other}/feed.xml`])
    assert.equal((await fetch(address)).status, 404);
});
