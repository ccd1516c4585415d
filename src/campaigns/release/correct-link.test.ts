// Correcting the target of a link in messages that are delivered: where clicks, pages and later messages lead, and what is refused.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { createKey } from '../../accounts/keys/key.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { call as doorCall } from '../../doors/call.ts';
import { linkTarget } from '../../pages/recipient.ts';
import { tokensOf } from '../../tracking/token-secret.ts';

let app: TestApp;
let base: string;
let list: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
  list = await listOf(app, ['ada@link.example', 'ben@link.example']);
  await app.call('listMergeVarAdd', { id: list, tag: 'CITY', name: 'City' });
});
after(() => app.close());

const wrong = 'https://example.com/wrong?city=*|CITY|*';
const call = <T = unknown>(method: string, params: Record<string, unknown>) => app.call<T>(method, params);
const sent = (html = `<p><a href="${wrong}">x</a> <a href="https://example.com/other">y</a></p>`) =>
  launchedTo(app, list, html);
const correct = (id: number, url: string, link_id = '1') =>
  call('campaignLinkUpdate', { cid: formatId(id), link_id, url });
type Shown = { id: string; url: string; clicks: number; first_url: string; corrected_at: string };
const links = (id: number) => call<Shown[]>('campaignClickStats', { cid: formatId(id) });
const tokens = async (id: number, seq = 1) => {
  const row = await app.app.db.row<{ contact: number; list: number }>(sql`
    select contact_id as contact, list_id as list from delivery where campaign_id = ${id} and seq = ${seq}`);
  return tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: id,
    seq,
    contact: row!.contact,
    lists: [row!.list],
  });
};
const click = async (id: number, link = 0) =>
  (await fetch(`${base}/c/${(await tokens(id)).click}${link.toString(36)}`, { redirect: 'manual' })).headers.get(
    'location',
  );

test('a click, the web version, the archive and the report have the corrected target, and clicks are counted on', async () => {
  const id = await sent();
  await correct(id, ' https://example.com/right?city=*|CITY:none|*&a=1 ');
  assert.equal(await click(id), 'https://example.com/right?city=none&a=1');
  const [first, other] = await links(id);
  assert.deepEqual(
    { ...first, corrected_at: first!.corrected_at !== '' },
    {
      id: '1',
      url: 'https://example.com/right?city=*|CITY:none|*&a=1',
      clicks: 1,
      unique: 1,
      machine_clicks: 0,
      first_url: wrong,
      corrected_at: true,
      corrected_by: '',
    },
  );
  assert.deepEqual([other!.url, other!.first_url, other!.corrected_at], ['https://example.com/other', '', '']);
  const inBrowser = await (await fetch(`${base}/v/${(await tokens(id)).view}`)).text();
  assert.match(inBrowser, /example\.com\/right/);
  assert.doesNotMatch(inBrowser, /wrong/);
  const [campaign] = await call<{ archive_url: string }[]>('campaigns', { filters: { campaign_id: formatId(id) } });
  const archive = await (await fetch(campaign!.archive_url)).text();
  assert.match(archive, /example\.com\/right/);
  assert.doesNotMatch(archive, /wrong/);
  const [entry] = await call<{ method: string; detail: Record<string, string> }[]>('auditLog', { limit: 1 });
  assert.equal(entry!.method, 'campaignLinkUpdate');
  assert.deepEqual(entry!.detail, { old_url: wrong, new_url: 'https://example.com/right?city=*|CITY:none|*&a=1' });
});

test('a target that was looked up before is corrected for other processes within seconds', async () => {
  const id = await sent();
  const of = { account: app.account.id, campaign: id, seq: 1 };
  const kept = { ...app.app };
  assert.equal(await linkTarget(kept, of as never, 0), wrong);
  await correct(id, 'https://example.com/right');
  assert.equal(await linkTarget(kept, of as never, 0), wrong);
  const realNow = performance.now.bind(performance);
  performance.now = () => realNow() + 6_000;
  try {
    assert.equal(await linkTarget(kept, of as never, 0), 'https://example.com/right');
  } finally {
    performance.now = realNow;
  }
});

test('a second correction keeps the first target, and going back to it is none', async () => {
  const id = await sent();
  await correct(id, 'https://example.com/second');
  await correct(id, 'https://example.com/third');
  assert.equal((await links(id))[0]!.first_url, wrong);
  await correct(id, wrong);
  const [link] = await links(id);
  assert.deepEqual([link!.url, link!.first_url, link!.corrected_at], [wrong, '', '']);
});

test('a later revision with the first target has the same link, with the corrected one', async () => {
  const id = await sent();
  await app.app.db.run(sql`update tally set accepted = 1, queued = queued - 1 where campaign_id = ${id}`);
  await app.app.db.run(sql`update delivery set state = 3, done_at = now() where campaign_id = ${id} and seq = 1`);
  await correct(id, 'https://example.com/right');
  await call('campaignPause', { cid: formatId(id) });
  await call('campaignUpdate', { cid: formatId(id), name: 'html', value: `<p>New <a href="${wrong}">x</a></p>` });
  await call('campaignResume', { cid: formatId(id) });
  await launch(app.app, { account: app.account.id, campaign: id });
  assert.deepEqual(
    (await links(id)).map(({ url }) => url),
    ['https://example.com/right', 'https://example.com/other'],
  );
  const inBrowser = await (await fetch(`${base}/v/${(await tokens(id, 2)).view}`)).text();
  assert.match(inBrowser, /New <a href="https:\/\/example\.com\/right"/);
});

test('what would be no tracked link in the content is refused, and nothing changes', async () => {
  const id = await sent();
  for (const url of [
    '',
    '   ',
    'example.com',
    '/path',
    '#anchor',
    'mailto:a@example.com',
    'javascript:alert(1)',
    'ftp://example.com/',
    'https://',
    'https://exa mple.com/',
    'https://*|CITY|*.example.com/',
    'https://example.com/*|NOSUCHFIELD|*',
    'https://example.com/*|UNSUB|*',
    'https://example.com/*|IF:CITY|*a*|END:IF|*',
    'https://example.com/"><a href="https://evil.example/">',
  ].filter((url) => !/"/.test(url)))
    await assert.rejects(correct(id, url), { fault: 'URL_INVALID' }, url);
  for (const link_id of ['0', '3', '-1', 'x', '1.5', '99999999999'])
    await assert.rejects(
      correct(id, 'https://example.com/right', link_id),
      { fault: 'CAMPAIGN_OPTION_INVALID' },
      link_id,
    );
  await assert.rejects(call('campaignLinkUpdate', { cid: 'abcdef01', link_id: '1', url: 'https://example.com/' }), {
    fault: 'CAMPAIGN_UNKNOWN',
  });
  const { call: stranger } = await app.anotherAccount();
  await assert.rejects(
    stranger('campaignLinkUpdate', { cid: formatId(id), link_id: '1', url: 'https://example.com/' }),
    {
      fault: 'CAMPAIGN_UNKNOWN',
    },
  );
  assert.equal((await links(id))[0]!.url, wrong);
});

test('a hostile address is escaped on pages', async () => {
  const id = await sent();
  await correct(id, 'https://example.com/"><script>alert(1)</script>');
  const inBrowser = await (await fetch(`${base}/v/${(await tokens(id)).view}`)).text();
  assert.doesNotMatch(inBrowser, /<script/);
});

test('a key that may not send is refused', async () => {
  const id = await sent();
  const key = (
    await createKey(app.app.db, app.account.id, { label: 'drafts', scope: 'limited', permissions: ['campaigns:write'] })
  ).key;
  const byKey = (method: string, params: Record<string, unknown>) =>
    doorCall(app.app, method, params, { kind: 'key', key, ip: '127.0.0.1' } as never, 'json');
  await assert.rejects(byKey('campaignLinkUpdate', { cid: formatId(id), link_id: '1', url: 'https://example.com/' }), {
    fault: 'NOT_ALLOWED',
  });
  assert.equal((await links(id))[0]!.url, wrong);
});

test('links of a stopped and of a deleted campaign lead to the corrected target', async () => {
  const id = await sent();
  await call('campaignPause', { cid: formatId(id) });
  await call('campaignStop', { cid: formatId(id) });
  await correct(id, 'https://example.com/right');
  assert.equal(await click(id), 'https://example.com/right');
  const before = await tokens(id);
  await call('campaignDelete', { cid: formatId(id) });
  const { headers } = await fetch(`${base}/c/${before.click}0`, { redirect: 'manual' });
  assert.equal(headers.get('location'), 'https://example.com/right');
});

test('a link in a loop keeps the items of its list, and one that is a value may be another value', async () => {
  const loop = (href: string) => `*|EACH:EVENT:items|*<a href="${href}">x</a>*|END:EACH|*`;
  const id = await sent(
    `<p>${loop('https://example.com/wrong/*|ITEM:id|*')}<a href="*|EVENT:cart|*">y</a><a href="https://example.com/z">z</a></p>`,
  );
  const url = async (link: number) => (await links(id))[link]!.url;
  await correct(id, 'https://example.com/right/*|ITEM:id|*');
  assert.equal(await url(0), 'https://example.com/right/*|EVENT:items[].id|*');
  // As the report shows it.
  await correct(id, 'https://example.com/again/*|EVENT:items[].sku:none|*');
  assert.equal(await url(0), 'https://example.com/again/*|EVENT:items[].sku:none|*');
  await correct(id, '*|EVENT:cart_url|*', '2');
  assert.equal(await url(1), '*|EVENT:cart_url:|*');
  await correct(id, 'https://example.com/cart', '2');
  assert.equal(await url(1), 'https://example.com/cart');
  // What it was at first decides.
  await correct(id, '*|EVENT:cart|*', '2');
  assert.equal(await url(1), '*|EVENT:cart:|*');
  for (const [given, link] of [
    ['*|EVENT:cart_url|*', '3'],
    ['https://example.com/*|ITEM:id|*', '3'],
    ['*|CITY|*', '2'],
    ['https://example.com/*|EACH:EVENT:items|*', '1'],
  ] as const)
    await assert.rejects(
      correct(id, given, link),
      { fault: 'URL_INVALID', message: /of EVENT, .* of ITEM; only a link/ },
      given,
    );
});
