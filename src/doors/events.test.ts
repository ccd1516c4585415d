// Live progress as an open page gets it: at once, at every change, and only while the session lasts; many open pages
// cause no more queries than one.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { draftOf } from '../../test/conformance/fixture.ts';
import { Browser } from '../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { until } from '../../test/support/run/until.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { launch } from '../delivery/launch/launch.ts';
import { type CampaignProgress, ProgressFeed, type Watcher } from '../delivery/progress/feed.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

type ProgressEvent = { event: string; data: CampaignProgress };

/** An open stream, its events as they come. */
async function listen(browser: Browser, query = '', headers: Record<string, string> = browser.headers) {
  const stop = new AbortController();
  const response = await fetch(`${base}/events${query}`, {
    headers: { ...headers, cookie: `postrider_session=${browser.cookie}` },
    signal: stop.signal,
  });
  const events: ProgressEvent[] = [];
  let ended = false;
  void (async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const [, event] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data] = /^data: (.*)$/m.exec(block) ?? [];
        if (event) events.push({ event, data: JSON.parse(data!) });
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  return { response, events, stop: () => stop.abort(), ended: () => ended };
}

const signedIn = async (email = 'owner@example.com') => {
  const browser = new Browser(base);
  assert.equal((await browser.signIn(email, 'correct horse')).status, 200);
  return browser;
};

async function running(): Promise<string> {
  const list = await app.call<string>('listCreate', { title: 'Readers' });
  for (const name of ['ada', 'bob'])
    await app.call('listSubscribe', { id: list, email_address: `${name}@example.com`, double_optin: false });
  const cid = await app.call<string>('campaignCreate', draftOf(list));
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  return cid;
}

test('an open page gets the campaigns in progress at once, then every change until they end', async () => {
  const cid = await running();
  const page = await listen(await signedIn(), '?language=de');
  try {
    assert.equal(page.response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    await until('the first event', () => page.events.length > 0);
    const [first] = page.events;
    assert.equal(first!.event, 'progress');
    const { data } = first!;
    assert.equal(data.campaign, cid);
    assert.deepEqual([data.delivery_status, data.recipients, data.queued, data.accepted], ['sending', 2, 2, 0]);
    await app.call('campaignPause', { cid });
    const status = () => page.events.at(-1)!.data.delivery_status;
    await until('the pause', () => status() === 'paused');
    assert.equal(page.events.at(-1)!.data.status_reason, 'auf Wunsch pausiert');
    await app.app.db.run(sql`
      update tally set queued = 0, accepted = 2 where campaign_id = ${parseId(cid)} and recipients = 2`);
    await app.app.db.run(sql`
      update campaign set status = 'sent', paused_from = null where id = ${parseId(cid)}`);
    await until('the end of the campaign', () => status() === 'sent');
    const count = page.events.length;
    await sleep(1_300);
    assert.equal(page.events.length, count, 'nothing is sent while nothing changes');
  } finally {
    page.stop();
  }
});

test('a page that opens while a campaign is being sent gets its rate and forecast with the first event', async () => {
  const cid = await running();
  await app.app.db.run(sql`
    update tally
    set recipients = 1000, queued = 900, accepted = 100, ended = 100, span = floor(extract(epoch from now()) / 10)::int
    where campaign_id = ${parseId(cid)}
      and recipients = 2`);
  await app.app.db.run(sql`
    update campaign set send_at = now() - interval '5 seconds' where id = ${parseId(cid)}`);
  const page = await listen(await signedIn());
  try {
    const own = () => page.events.filter(({ data }) => data.campaign === cid);
    await until('the first event', () => own().length > 0);
    const { rate, finish_at } = own()[0]!.data;
    // Those sent since it began, over the time since then and not over ten seconds.
    assert.ok(rate > 11 && rate <= 20, `${rate}`);
    assert.notEqual(finish_at, '');
  } finally {
    page.stop();
    await app.call('campaignPause', { cid });
  }
});

test('the time before sending begins does not slow the first rate', async () => {
  const cid = await running();
  const set = (status: string) =>
    app.app.db.run(sql`update campaign set status = ${status}, send_at = now() where id = ${parseId(cid)}`);
  await set('launching');
  const page = await listen(await signedIn());
  try {
    const own = () => page.events.filter(({ data }) => data.campaign === cid);
    await until('the first event', () => own().length > 0);
    await sleep(3_500);
    await app.app.db.run(sql`
      update tally set recipients = 1000, queued = 900, accepted = 100 where campaign_id = ${parseId(cid)} and recipients = 2`);
    await set('sending');
    await until('it is being sent', () => own().at(-1)!.data.delivery_status === 'sending');
    const { rate } = own().at(-1)!.data;
    assert.ok(rate > 30, `${rate}`);
  } finally {
    page.stop();
    await app.call('campaignPause', { cid });
  }
});

test('a pause names the user or the API key, and the start page does not list it', async () => {
  const browser = await signedIn();
  const reasonOf = async (cid: string) =>
    (await browser.call<{ status_reason: string }>('campaignProgress', { cid })).body.status_reason;
  const byUser = await running();
  assert.equal((await browser.call('campaignPause', { cid: byUser })).status, 200);
  assert.equal(await reasonOf(byUser), 'paused by owner@example.com');
  await app.app.db.run(sql`update app_user set name = 'Ada Lovelace' where email = 'owner@example.com'`);
  await browser.call('campaignResume', { cid: byUser });
  await browser.call('campaignPause', { cid: byUser });
  assert.equal(await reasonOf(byUser), 'paused by Ada Lovelace');

  const byKey = await running();
  const form = new URLSearchParams({ apikey: app.key, cid: byKey });
  const paused = await fetch(`${base}/1.0/?method=campaignPause&output=json`, { method: 'POST', body: form });
  assert.equal(await paused.text(), 'true');
  assert.equal(await reasonOf(byKey), `paused with the API key test …${app.key.slice(-4)}`);
  const { attention } = await app.call<{ attention: { kind: string }[] }>('homeSummary');
  assert.deepEqual(
    attention.filter(({ kind }) => kind === 'campaign'),
    [],
  );
});

test('a page gets nothing of another account', async () => {
  await running();
  const { account } = await app.anotherAccount();
  const page = await listen(await signedIn(account.email));
  try {
    await sleep(1_500);
    assert.deepEqual(page.events, []);
  } finally {
    page.stop();
  }
});

test('the stream ends with its session, within two seconds, with an end event', async () => {
  const browser = await signedIn();
  await running();
  const page = await listen(browser);
  await until('the first event', () => page.events.length > 0);
  await browser.ask('DELETE', '/session');
  await until('the end', () => page.ended());
  assert.equal(page.events.at(-1)!.event, 'end');
});

test('without a session, or from a foreign page, there is no stream', async () => {
  const stranger = new Browser(base);
  stranger.cookie = 'x'.repeat(43);
  assert.equal((await listen(stranger)).response.status, 401);
  const browser = await signedIn();
  assert.equal((await listen(browser, '', { 'sec-fetch-site': 'cross-site' })).response.status, 403);
  assert.equal((await fetch(`${base}/events`, { headers: { authorization: `Bearer ${app.key}` } })).status, 401);
});

test('a hundred watchers cost one query a second, no watcher none', async () => {
  const browser = await signedIn();
  const row = await app.app.db.row<{ userId: number; sessionId: number }>(sql`
    select user_id as "userId", id as "sessionId"
    from session
    where account_id = ${app.account.id}
    order by created_at desc
    limit 1`);
  assert.ok(browser.cookie);
  const feed = new ProgressFeed(app.app);
  let received = 0;
  const watcher = (): Watcher => ({
    accountId: app.account.id,
    ...row!,
    language: 'en',
    send: () => received++,
    end: () => assert.fail(),
  });
  const unwatch = Array.from({ length: 100 }, () => feed.watch(watcher()));
  const startedAt = performance.now();
  await until('all receive it', () => received >= 100);
  await sleep(2_500);
  await until('it has read again', () => feed.readings >= 2);
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.ok(feed.readings <= seconds + 2, `${feed.readings} readings in ${seconds} s`);
  for (const stop of unwatch) stop();
  await sleep(200);
  const readings = feed.readings;
  await sleep(1_500);
  assert.equal(feed.readings, readings);
  feed.stop();
});
