// The public archive and its feed, over HTTP: what it shows, what it says about itself, and what it never shows.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { SaxesParser } from 'saxes';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { item, rss } from '../../test/support/samples/feeds/sample.ts';
import { archivePage } from '../campaigns/public-archive/archive.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { launch } from '../delivery/launch/launch.ts';
import { runDue } from '../recurring/issue/due.ts';
import { feed } from './archives.ts';

let app: TestApp;
let list: string;
/** Has a feed at each path. */
let site: Server;
let siteUrl: string;
type Settings = { on: boolean; list_ids: string[]; slug: string; url: string; feed_url: string };

before(async () => {
  site = createServer((request, response) => {
    const title = `${request.url!.slice(1)} item`;
    const body = rss(item(`<title>${title}</title><link>https://site.example${request.url}</link>`));
    response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(body);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  await app.listen();
  list = await app.call<string>('listCreate', { title: 'Letter' });
});
after(async () => {
  site.closeAllConnections();
  site.close();
  app.app.outbound.close();
  await app.close();
});

async function send(
  subject: string,
  options: Record<string, unknown> = {},
  before = async (_cid: string) => {},
): Promise<string> {
  const cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject, from_email: 'us@example.com', from_name: 'Us', generate_text: true, ...options },
    content: { html: '<p>x</p>' },
  });
  await before(cid);
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  return cid;
}
const settings = () => app.call<Settings>('archiveGet');
const update = (params: Record<string, unknown>) => app.call<Settings>('archiveUpdate', params);
const textOf = async (url: string) => (await fetch(url)).text();

test('the archive exists only while the account has it on, and is empty until a list is chosen', async () => {
  const { on, list_ids, url, feed_url } = await settings();
  assert.deepEqual({ on, list_ids }, { on: false, list_ids: [] });
  for (const address of [url, feed_url]) assert.equal((await fetch(address)).status, 404);
  await send('Confidential: salaries');
  assert.equal((await update({ on: true })).on, true);
  for (const address of [url, feed_url]) {
    const response = await fetch(address);
    assert.equal(response.status, 200);
    assert.doesNotMatch(await response.text(), /salaries|\/archive\//);
  }
  assert.deepEqual((await update({ list_ids: [list] })).list_ids, [list]);
  for (const address of [url, feed_url]) assert.match(await textOf(address), /salaries/);
  assert.equal((await update({ on: '0' })).on, false);
  for (const address of [url, feed_url]) assert.equal((await fetch(address)).status, 404);
  await update({ on: true });
});

test('a campaign is shown only if all its lists are chosen, whatever becomes of them', async () => {
  const board = await app.call<string>('listCreate', { title: 'Board' });
  const guests = await app.call<string>('listCreate', { title: 'Guests' });
  await send('To the board', { list_id: board });
  await send('To both', { list_id: [list, board] });
  await send('To two public lists', { list_id: [list, guests] });
  const { url } = await update({ list_ids: [list, guests] });
  const shown = async () => {
    const text = await textOf(url);
    return ['To the board', 'To both', 'To two public lists'].filter((subject) => text.includes(subject));
  };
  assert.deepEqual(await shown(), ['To two public lists']);
  await app.call('listDelete', { id: board });
  assert.deepEqual(await shown(), ['To two public lists'], 'a list that is gone stays private');
  await update({ list_ids: [list] });
  assert.deepEqual(await shown(), []);
});

test('a campaign to a segment is left out, also when the segment is gone, until a person puts it in', async () => {
  const segment = await app.call<string>('listSegmentCreate', {
    list,
    title: 'Donors',
    match: 'all',
    filter: [{ field: 'EMAIL', condition: 'contains', value: '@' }],
  });
  await app.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  const cid = await send('To donors', { segment_id: [segment] });
  const { url } = await settings();
  assert.doesNotMatch(await textOf(url), /To donors/);
  await app.app.db.run(sql`update campaign set status = 'sent' where id = ${parseId(cid)}`);
  await app.call('listSegmentDelete', { id: segment });
  assert.doesNotMatch(await textOf(url), /To donors/);
  await app.call('campaignArchiveUpdate', { cid, in_archive: true });
  assert.match(await textOf(url), /To donors/);
});

test('a campaign can be left out, before it is sent and afterwards', async () => {
  const hidden = await send('Left out before', {}, async (cid) => {
    await app.call('campaignArchiveUpdate', { cid, in_archive: false });
  });
  const shown = await send('Left out later');
  const { url, feed_url } = await settings();
  assert.doesNotMatch(await textOf(url), /Left out before/);
  assert.match(await textOf(url), /Left out later/);
  await app.call('campaignArchiveUpdate', { cid: shown, in_archive: false });
  for (const address of [url, feed_url]) assert.doesNotMatch(await textOf(address), /Left out/);
  const campaigns = await app.call<{ id: string; in_archive: boolean; lists_public: boolean }[]>('archiveCampaigns');
  const of = (cid: string) => campaigns.find(({ id }) => id === cid);
  assert.deepEqual([of(hidden)?.in_archive, of(shown)?.in_archive, of(shown)?.lists_public], [false, false, true]);
});

test('issues of an original that is left out are left out, and others are in', async () => {
  const issueOf = async (title: string, isLeftOut: boolean) => {
    const recurring = await app.call<string>('recurringCreate', {
      title,
      list,
      schedule: { type: 'daily', time: '09:00' },
      time_zone: 'UTC',
      source_url: `${siteUrl}/${title}`,
    });
    const { campaign } = await app.call<{ campaign: string }>('recurringGet', { id: recurring });
    if (isLeftOut) await app.call('campaignArchiveUpdate', { cid: campaign, in_archive: false });
    const expected = { on: true, in_archive: !isLeftOut, lists_public: true };
    assert.deepEqual(await app.call('campaignArchive', { cid: campaign }), expected);
    await app.call('recurringResume', { id: recurring });
    await app.app.db.run(sql`
      update recurring
      set next_at = '2027-03-01T09:00:00Z'::timestamptz, try_at = '2027-03-01T09:00:00Z'::timestamptz
      where id = ${parseId(recurring)}`);
    const key = { account: app.account.id, recurring: parseId(recurring) };
    await runDue(app.app, key, new Date('2027-03-01T09:00:30Z'));
    const { data } = await app.call<{ data: { campaign: string; state: string }[] }>('recurringIssues', {
      id: recurring,
    });
    assert.equal(data[0]!.state, 'sent');
    await launch(app.app, { account: app.account.id, campaign: parseId(data[0]!.campaign) });
  };
  await issueOf('Hidden', true);
  await issueOf('Open', false);
  const { url } = await settings();
  const shown = await textOf(url);
  assert.match(shown, /Open item/);
  assert.doesNotMatch(shown, /Hidden item/);
});

test('a copy of a campaign that was left out is left out, and one of a public campaign to a segment too', async () => {
  const sendCopy = async (of: string, subject: string, segment: string[] = []) => {
    const cid = await app.call<string>('campaignReplicate', { cid: of });
    await app.call('campaignUpdate', { cid, name: 'subject', value: subject });
    if (segment.length > 0) await app.call('campaignUpdate', { cid, name: 'segment_id', value: segment });
    await app.call('campaignSendNow', { cid });
    await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  };
  const hidden = await send('Original left out', {}, async (cid) => {
    await app.call('campaignArchiveUpdate', { cid, in_archive: false });
    await sendCopy(cid, 'Copy of a draft left out');
  });
  await sendCopy(hidden, 'Copy of a campaign left out');
  const shown = await send('Original shown');
  await sendCopy(shown, 'Copy to all');
  const segment = await app.call<string>('listSegmentCreate', {
    list,
    title: 'Members',
    match: 'all',
    filter: [{ field: 'EMAIL', condition: 'contains', value: '@' }],
  });
  await sendCopy(shown, 'Copy to a segment', [segment]);
  const text = await textOf((await settings()).url);
  assert.doesNotMatch(text, /left out|Copy to a segment/);
  for (const subject of ['Original shown', 'Copy to all']) assert.ok(text.includes(subject), subject);
});

test('an A/B test is shown once: the campaign itself until a version is chosen, then that one', async () => {
  const cid = await send('Version A');
  const { id: account } = app.account;
  await app.app.db.run(sql`
    update frozen_content set recipients = '{[1,2)}' where account_id = ${account} and campaign_id = ${parseId(cid)}`);
  await app.app.db.run(sql`
    insert into frozen_content (account_id, campaign_id, variant, compiled, content_hash, recipients)
    select account_id, campaign_id, 1, jsonb_set(compiled, '{subject}', '["Version B"]'), 'b', '{[2,3)}'
    from frozen_content
    where account_id = ${account}
      and campaign_id = ${parseId(cid)}`);
  const { url } = await settings();
  const versions = async () => (await textOf(url)).match(/Version ./g);
  assert.deepEqual(await versions(), ['Version A']);
  await app.app.db.run(sql`
    update frozen_content set recipients = '{[2,)}' where campaign_id = ${parseId(cid)} and variant = 1`);
  assert.deepEqual(await versions(), ['Version B']);
});

test('the address can be chosen, is of one account only, and the former one keeps working', async () => {
  const { url: unguessable } = await settings();
  const { url, feed_url } = await update({ slug: 'our-letters' });
  assert.match(url, /\/archives\/our-letters$/);
  for (const address of [url, feed_url, unguessable]) assert.equal((await fetch(address)).status, 200);
  const other = await app.anotherAccount('pro');
  await assert.rejects(other.call('archiveUpdate', { slug: 'our-letters' }), /slug: this address is taken/);
  for (const slug of ['Ab c', 'ab', '-abc', 'abc-', 'ä-b-c', 'a'.repeat(61), unguessable.split('/').at(-1)])
    await assert.rejects(update({ slug }), /slug must have 3 to 60/, slug);
  assert.equal((await update({ slug: '' })).url, unguessable);
  assert.equal((await fetch(url)).status, 404);
});

test('search engines may list the page and its campaigns only by choice', async () => {
  const cid = await send('Listed');
  const page = async () => {
    const { url } = await settings();
    const [, address] = /href="([^"]+\/archive\/[^"]+)"/.exec(await textOf(url))!;
    const campaign = await fetch(address!);
    return { index: await textOf(url), robots: campaign.headers.get('x-robots-tag'), html: await campaign.text() };
  };
  let now = await page();
  assert.match(now.index, /<meta name="robots" content="noindex">/);
  assert.equal(now.robots, 'noindex');
  await update({
    indexable: true,
    title: 'Our letters',
    description: 'News & more',
    picture: 'https://example.com/p.png',
  });
  now = await page();
  assert.doesNotMatch(now.index, /noindex/);
  assert.match(now.index, /<title>Our letters<\/title>/);
  assert.match(now.index, /<meta name="description" content="News &amp; more">/);
  assert.match(now.index, /<meta property="og:image" content="https:\/\/example.com\/p.png">/);
  assert.equal(now.robots, 'all');
  assert.match(now.html, /<meta property="og:title" content="Listed">/);
  assert.match(now.html, /<link rel="canonical" href="[^"]+\/archive\/[^"]+">/);
  await app.call('campaignArchiveUpdate', { cid, in_archive: false });
  const [record] = await app.call<{ archive_url: string }[]>('campaigns', { filters: { campaign_id: cid } });
  const left = await fetch(record!.archive_url);
  assert.equal(left.headers.get('x-robots-tag'), 'noindex', 'its own address works, unlisted');
  assert.doesNotMatch(await left.text(), /og:title/);
  await update({ indexable: false, title: '', description: '', picture: '' });
});

test('the page is in the language that was chosen', async () => {
  const { url } = await update({ language: 'de' });
  assert.match(await textOf(url), /<html lang="de"/);
  await assert.rejects(update({ language: 'xx' }), /language must be one of/);
  await update({ language: '' });
  assert.match(await textOf(url), /<html lang="en"/);
});

test('the page lists sent campaigns, newest first, by their subjects without personal values, and no drafts', async () => {
  await send('First *|FNAME:friend|* <b>');
  await send('Second');
  await app.call('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'Draft', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: { html: '<p>x</p>' },
  });
  const { url } = await settings();
  const text = await (await fetch(url)).text();
  assert.doesNotMatch(text, /Draft|<b>/);
  assert.ok(text.indexOf('Second') < text.indexOf('First friend &lt;b&gt;'));
  const [, link] = /href="([^"]+\/archive\/[^"]+)"/.exec(text)!;
  assert.equal((await fetch(link!)).status, 200);
});

test('the feed is well-formed RSS of the same campaigns', async () => {
  const { feed_url } = await settings();
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
  assert.deepEqual(titles.slice(0, 3), ['Campaigns of Test organisation', 'Second', 'First friend <b>']);
});

test('characters that XML forbids are left out of the feed', () => {
  const text = feed(
    {
      sender: { name: 'A\u0000&"B', address: '' },
      ...{ accountId: 1, title: '', description: '', picture: '', slug: '', indexable: false },
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
      insert into campaign (account_id, type, status, title, subject, from_name, reply_to, send_at, in_archive)
      select ${app.account.id}::int, 'html', 'sent', 't', 's', 'Us', 'us@example.com', now() - n * interval '1 day', true
      from generate_series(1, ${archivePage}::int) n
      returning account_id, id
    )
    insert into frozen_content (account_id, campaign_id, compiled, content_hash)
    select account_id, id, ${JSON.stringify({ subject: ['Old'], lists: [{ id: parseId(list) }], language: 'en', timeZone: 'UTC' })}, 'x'
    from more`);
  const { url } = await settings();
  const campaigns = await app.call<{ in_archive: boolean; lists_public: boolean }[]>('archiveCampaigns', {
    limit: 200,
  });
  const shown = campaigns.filter(({ in_archive, lists_public }) => in_archive && lists_public).length;
  const count = async (address: string) => (await (await fetch(address)).text()).match(/\/archive\//g)?.length;
  assert.equal(await count(url), archivePage);
  assert.equal(await count(`${url}?page=1`), shown - archivePage);
  assert.equal(await count(`${url}?page=9`), undefined);
  assert.equal(await count(`${url}?page=x`), archivePage);
});

test('the address of an index cannot be guessed', async () => {
  const { url } = await settings();
  const other = url.replace(/.$/, (sign) => (sign === '0' ? '1' : '0'));
  for (const address of [other, `${url}0`, url.replace(/-.*/, ''), `${other}/feed.xml`])
    assert.equal((await fetch(address)).status, 404);
});
