// Recurring campaigns on a real database, with feeds from a real server: which issues are made, once each, and what becomes of them.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fault } from '../../../test/conformance/fixture.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { item, rss } from '../../../test/support/samples/feeds/sample.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { enqueue, runJobs } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { beginDue, beginIssues, makeDueIssue, runDue } from '../issue/due.ts';

type Answer = { status?: number; type?: string; body?: string; etag?: string };
let app: TestApp;
let server: Server;
let base: string;
const answers = new Map<string, Answer>();
const requests: { path: string; match: string }[] = [];

before(async () => {
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  server = createServer((request, response) => {
    const path = request.url!;
    requests.push({ path, match: request.headers['if-none-match'] ?? '' });
    const { status = 200, type = 'application/rss+xml', body = '', etag } = answers.get(path) ?? { status: 404 };
    if (etag && request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(status, { 'content-type': type, ...(etag && { etag }) }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await app.close();
});

type Issue = {
  at: string;
  state: string;
  reason: string;
  campaign: string;
  items: number;
  subject: string;
  attempts: number;
  by_hand: boolean;
  delivery_status: string;
};
type Info = {
  started: boolean;
  status: string;
  next_at: string;
  campaign: string;
  problem: string;
  latest: Issue[];
};

let count = 0;
const feedOf = (...titles: string[]) =>
  rss(
    titles
      .map((title) =>
        item(`<title>${title}</title><link>https://site.example/${title}</link><description>${title}!</description>`),
      )
      .join(''),
  );
const post = (path: string, ...titles: string[]) => answers.set(path, { body: feedOf(...titles) });
const daily = { type: 'daily', time: '09:00' };

/** Makes and starts a recurring campaign whose schedule begins on 1 March 2027. */
async function series(more: Record<string, unknown> = {}): Promise<{ id: string; path: string }> {
  const path = `/feed-${++count}`;
  const list = await app.call<string>('listCreate', { title: `List ${count}` });
  await app.call('listSubscribe', { id: list, email_address: 'reader@example.com', double_optin: false });
  const id = await app.call<string>('recurringCreate', {
    title: `Series ${count}`,
    list,
    schedule: daily,
    time_zone: 'UTC',
    source_url: base + path,
    ...more,
  });
  await app.call('recurringResume', { id });
  await setNext(id, '2027-03-01T09:00:00Z');
  return { id, path };
}
const setNext = (id: string, at: string) =>
  app.app.db.run(sql`
    update recurring set next_at = ${at}::timestamptz, try_at = ${at}::timestamptz where id = ${parseId(id)}`);
const run = (id: string, clock: string) =>
  runDue(app.app, { account: app.account.id, recurring: parseId(id) }, new Date(clock));
const issues = async (id: string) => (await app.call<{ data: Issue[] }>('recurringIssues', { id })).data;
const info = (id: string) => app.call<Info>('recurringGet', { id });
const content = (cid: string) => app.call<{ html: string; plain: string }>('campaignContent', { cid });
const notices = async () =>
  (
    await app.app.db.rows<{ subject: string }>(sql`
      select j.payload ->> 'subject' as subject
      from graphile_worker._private_jobs j
      join graphile_worker._private_tasks k on k.id = j.task_id
      where k.identifier = 'sendAccountNotice'
      order by j.id`)
  ).map(({ subject }) => subject);

test('each issue is a campaign with what is new, and an occurrence without anything new is skipped', async () => {
  const { id, path } = await series();
  post(path, 'Two', 'One');
  await run(id, '2027-03-01T08:59:59Z');
  assert.deepEqual(await issues(id), []);
  await run(id, '2027-03-01T09:00:30Z');
  const [first] = await issues(id);
  assert.equal(first!.state, 'sent');
  assert.equal(first!.items, 2);
  assert.equal(first!.subject, 'Harbour Notes: Two');
  assert.equal(first!.delivery_status, 'launching');
  assert.equal((await info(id)).next_at, '2027-03-02 09:00:00');
  await launch(app.app, { account: app.account.id, campaign: parseId(first!.campaign) });
  assert.equal((await issues(id))[0]!.delivery_status, 'sending');
  const { html, plain } = await content(first!.campaign);
  assert.match(html, /href="https:\/\/site\.example\/Two"[\s\S]*Two![\s\S]*One!/);
  assert.doesNotMatch(html + plain, /RSS(?:ITEM|FEED)/);
  assert.match(plain, /Two!/);
  await run(id, '2027-03-02T09:00:00Z');
  assert.deepEqual(
    (await issues(id)).map(({ state, reason }) => [state, reason]),
    [
      ['skipped', 'nothing new'],
      ['sent', ''],
    ],
  );
  post(path, 'Three', 'Two', 'One');
  await run(id, '2027-03-03T09:00:00Z');
  const [third] = await issues(id);
  assert.equal(third!.items, 1);
  assert.doesNotMatch((await content(third!.campaign)).html, /Two!/);
});

test('two tasks at the same time, and tasks after it, make one issue', async () => {
  const { id, path } = await series();
  post(path, 'One');
  await Promise.all(Array.from({ length: 5 }, () => run(id, '2027-03-01T09:00:00Z')));
  await run(id, '2027-03-01T09:05:00Z');
  assert.equal((await issues(id)).length, 1);
  const made = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from campaign where title like ${`Series ${count} %`}`);
  assert.equal(made!.count, 1);
});

test('the tasks of a worker make an issue that is due', async () => {
  const { id, path } = await series();
  post(path, 'One');
  // Of all others, none is due by the clock of the database.
  await app.app.db.run(sql`
    update recurring set next_at = now() - interval '1 minute', try_at = now() where id = ${parseId(id)}`);
  const runner = await runJobs(app.app, { beginIssues, makeIssue: makeDueIssue }, 2);
  try {
    await enqueue(app.app.db, 'beginIssues', {});
    while ((await issues(id)).length === 0) await sleep(20);
  } finally {
    await runner.stop();
  }
  assert.equal((await issues(id))[0]!.state, 'sent');
  assert.ok((await info(id)).next_at > formatDate(new Date()));
});

test('a due issue is begun once, and again when its task has died', async () => {
  const { id } = await series();
  const jobs = async () =>
    (
      await app.app.db.rows(sql`
        select
        from graphile_worker._private_jobs j
        where (j.payload ->> 'recurring_id')::int = ${parseId(id)}`)
    ).length;
  await beginDue(app.app.db, new Date('2027-03-01T08:00:00Z'));
  assert.equal(await jobs(), 0);
  await Promise.all([1, 2, 3].map(() => beginDue(app.app.db, new Date('2027-03-01T09:00:00Z'))));
  assert.equal(await jobs(), 1);
  await beginDue(app.app.db, new Date('2027-03-01T09:05:00Z'));
  assert.equal(await jobs(), 1);
  await beginDue(app.app.db, new Date('2027-03-01T09:10:00Z'));
  assert.equal(await jobs(), 2);
});

test('a feed that cannot be read is tried again with pauses, the owner is notified once, and the next issue has everything', async () => {
  const { id, path } = await series();
  answers.set(path, { status: 500 });
  const before = (await notices()).length;
  const tryAt = async () =>
    (await app.app.db.row<{ at: Date }>(
      sql`select try_at as at from recurring where id = ${parseId(id)}`,
    ))!.at.toISOString();
  await run(id, '2027-03-01T09:00:00Z');
  assert.equal(await tryAt(), '2027-03-01T09:05:00.000Z');
  await run(id, '2027-03-01T09:05:00Z');
  assert.equal(await tryAt(), '2027-03-01T09:15:00.000Z');
  assert.equal((await notices()).length, before);
  await run(id, '2027-03-01T09:15:00Z');
  await run(id, '2027-03-01T09:35:00Z');
  assert.deepEqual((await notices()).slice(before), [`An issue of "Series ${count}" could not be sent`]);
  const [failing] = await issues(id);
  assert.deepEqual([failing!.state, failing!.attempts], ['failed', 4]);
  assert.match(failing!.reason, /500/);
  const { attention } = await app.call<{ attention: { id: string; detail: string }[] }>('homeSummary');
  assert.match(attention.find((one) => one.id === id)!.detail, /500/);
  // It works again before the next one is due: the same occurrence becomes an issue.
  post(path, 'One');
  await run(id, '2027-03-01T10:15:00Z');
  assert.deepEqual(
    (await issues(id)).map(({ at, state, reason }) => [at, state, reason]),
    [['2027-03-01 09:00:00', 'sent', '']],
  );
  answers.set(path, { body: '<html><body>Sorry</body></html>', type: 'text/html' });
  await run(id, '2027-03-02T09:00:00Z');
  post(path, 'Two', 'One');
  await run(id, '2027-03-03T09:00:00Z');
  const [next, given] = await issues(id);
  assert.deepEqual([next!.state, next!.items], ['sent', 1]);
  assert.deepEqual([given!.state, given!.reason], ['failed', 'this is a web page that names no feed']);
});

test('after a time in which nothing ran, the latest occurrence is made and each of the others has its reason', async () => {
  const { id, path } = await series();
  post(path, 'One');
  await run(id, '2027-03-04T12:00:00Z');
  assert.deepEqual(
    (await issues(id)).map(({ at, state, reason }) => [at, state, reason]),
    [
      ['2027-03-04 09:00:00', 'sent', ''],
      ['2027-03-03 09:00:00', 'failed', 'Postrider was not running at this time'],
      ['2027-03-02 09:00:00', 'failed', 'Postrider was not running at this time'],
      ['2027-03-01 09:00:00', 'failed', 'Postrider was not running at this time'],
    ],
  );
  assert.equal((await info(id)).next_at, '2027-03-05 09:00:00');
});

test('an issue that is later than MAX_LATENESS waits for approval with a notice, whatever made it late', async () => {
  const onTime = await series();
  post(onTime.path, 'One');
  await run(onTime.id, '2027-03-01T13:00:00Z');
  assert.equal((await issues(onTime.id))[0]!.state, 'sent');
  const { id, path } = await series();
  post(path, 'Two', 'One');
  await run(id, '2027-03-01T13:00:01Z');
  const [late] = await issues(id);
  assert.deepEqual([late!.state, late!.items, late!.delivery_status], ['waiting', 2, 'draft']);
  assert.match(late!.reason, /^4 hours late/);
  assert.match((await notices()).at(-1)!, /waits for your approval/);
  const home = await app.call<{ attention: { kind: string; id: string; detail: string }[] }>('homeSummary');
  assert.equal(home.attention.find((entry) => entry.id === id)?.detail, 'waiting');
  await app.call('recurringApprove', { campaign: late!.campaign });
  assert.deepEqual([(await issues(id))[0]!.state, (await issues(id))[0]!.reason], ['sent', '']);
  // Days later, several missed: one issue, which waits too.
  const missed = await series();
  post(missed.path, 'One');
  await run(missed.id, '2027-03-04T18:30:00Z');
  assert.deepEqual(
    (await issues(missed.id)).map(({ at, state }) => [at.slice(0, 10), state]),
    [
      ['2027-03-04', 'waiting'],
      ['2027-03-03', 'failed'],
      ['2027-03-02', 'failed'],
      ['2027-03-01', 'failed'],
    ],
  );
  // Its source could not be read for that long.
  const unread = await series();
  await run(unread.id, '2027-03-01T09:00:00Z');
  post(unread.path, 'One');
  await run(unread.id, '2027-03-01T15:00:00Z');
  assert.equal((await issues(unread.id))[0]!.state, 'waiting');
  // What a person asks for now is never late.
  await app.call('recurringRunNow', { id: unread.id }).catch(() => undefined);
});

test('with approval an issue waits, is sent or skipped, and expires when the next one is due', async () => {
  const { id, path } = await series({ approve: true });
  const before = (await notices()).length;
  post(path, 'One');
  await run(id, '2027-03-01T09:00:00Z');
  const [first] = await issues(id);
  assert.deepEqual([first!.state, first!.delivery_status], ['waiting', 'draft']);
  assert.deepEqual((await notices()).slice(before), [`"Series ${count}" waits for your approval`]);
  const needs = async () =>
    (await app.call<{ attention: { kind: string; id: string; detail: string }[] }>('homeSummary')).attention.filter(
      (one) => one.id === id,
    );
  assert.deepEqual(
    (await needs()).map(({ kind, detail }) => [kind, detail]),
    [['issue', 'waiting']],
  );
  await app.call('recurringApprove', { campaign: first!.campaign });
  assert.equal((await issues(id))[0]!.state, 'sent');
  assert.deepEqual(await needs(), []);
  await assert.rejects(app.call('recurringApprove', { campaign: first!.campaign }), fault('RECURRING_STATE_CONFLICT'));
  post(path, 'Two', 'One');
  await run(id, '2027-03-02T09:00:00Z');
  post(path, 'Three', 'Two', 'One');
  await run(id, '2027-03-03T09:00:00Z');
  const [third, second] = await issues(id);
  assert.deepEqual([second!.state, second!.delivery_status], ['expired', 'draft']);
  assert.match(second!.reason, /not approved/);
  assert.equal(third!.items, 1);
  await assert.rejects(app.call('recurringApprove', { campaign: second!.campaign }), fault('RECURRING_STATE_CONFLICT'));
  await app.call('recurringSkip', { campaign: third!.campaign });
  assert.deepEqual((await issues(id))[0]!.reason, 'skipped by hand');
  // Sent from its own screen, and deleted.
  post(path, 'Four');
  await run(id, '2027-03-04T09:00:00Z');
  await app.call('campaignSendNow', { cid: (await issues(id))[0]!.campaign });
  assert.equal((await issues(id))[0]!.state, 'sent');
  post(path, 'Five');
  await run(id, '2027-03-05T09:00:00Z');
  await app.call('campaignDelete', { cid: (await issues(id))[0]!.campaign });
  assert.deepEqual(
    [(await issues(id))[0]!.state, (await issues(id))[0]!.reason],
    ['skipped', 'its campaign was deleted'],
  );
  await run(id, '2027-03-06T09:00:00Z');
  assert.deepEqual(
    (await issues(id)).map(({ state }) => state),
    ['skipped', 'skipped', 'sent', 'skipped', 'expired', 'sent'],
  );
});

test('an issue that cannot be sent stays a draft with the reason, and can be approved once the cause is fixed', async () => {
  const { id, path } = await series();
  post(path, 'One');
  const before = (await notices()).length;
  await app.app.db.run(sql`update account set may_send = false where id = ${app.account.id}`);
  await run(id, '2027-03-01T09:00:00Z');
  await app.app.db.run(sql`update account set may_send = true where id = ${app.account.id}`);
  const [issue] = await issues(id);
  assert.deepEqual([issue!.state, issue!.delivery_status], ['failed', 'draft']);
  assert.match(issue!.reason, /cannot be sent/);
  assert.equal((await notices()).length, before + 1);
  await app.call('recurringApprove', { campaign: issue!.campaign });
  assert.equal((await issues(id))[0]!.state, 'sent');
});

test('items beyond the limit are not sent later', async () => {
  const { id, path } = await series({ max_items: 2 });
  post(path, 'Four', 'Three', 'Two', 'One');
  await run(id, '2027-03-01T09:00:00Z');
  post(path, 'Five', 'Four', 'Three', 'Two', 'One');
  await run(id, '2027-03-02T09:00:00Z');
  assert.deepEqual(
    (await issues(id)).map(({ items, subject }) => [items, subject]),
    [
      [1, 'Harbour Notes: Five'],
      [2, 'Harbour Notes: Four'],
    ],
  );
});

test('a server that knows ETags is asked whether anything has changed', async () => {
  const { id, path } = await series();
  answers.set(path, { body: feedOf('One'), etag: '"1"' });
  await run(id, '2027-03-01T09:00:00Z');
  await run(id, '2027-03-02T09:00:00Z');
  assert.deepEqual(
    requests.filter((request) => request.path === path).map(({ match }) => match),
    ['', '"1"'],
  );
  assert.equal((await issues(id))[0]!.reason, 'nothing new');
  answers.set(path, { body: feedOf('Two', 'One'), etag: '"2"' });
  await run(id, '2027-03-03T09:00:00Z');
  assert.equal((await issues(id))[0]!.items, 1);
});

test('a web page as content: sent when its text has changed', async () => {
  const { id, path } = await series({ source: 'page' });
  const page = (text: string, nonce: string) =>
    answers.set(path, {
      type: 'text/html',
      body: `<html><head><title>Menu</title></head><body data-n="${nonce}"><p>${text}</p></body></html>`,
    });
  page('Soup', 'a');
  await run(id, '2027-03-01T09:00:00Z');
  const [first] = await issues(id);
  assert.equal(first!.state, 'sent');
  assert.match((await content(first!.campaign)).html, /<p>Soup<\/p>/);
  assert.match((await content(first!.campaign)).plain, /Soup/);
  page('Soup', 'b');
  await run(id, '2027-03-02T09:00:00Z');
  page('Stew', 'c');
  await run(id, '2027-03-03T09:00:00Z');
  assert.deepEqual(
    (await issues(id)).map(({ state }) => state),
    ['sent', 'skipped', 'sent'],
  );
});

test('by hand, paused, resumed, changed and deleted', async () => {
  const { id, path } = await series();
  await app.call('recurringPause', { id });
  await assert.rejects(app.call('recurringPause', { id }), fault('RECURRING_STATE_CONFLICT'));
  const list = await app.call<string>('listCreate', { title: 'Of one that was never started' });
  const setting = { title: 'Never started', list, schedule: daily, source_url: base + path };
  const other = await app.call<string>('recurringCreate', setting);
  assert.deepEqual([(await info(id)).started, (await info(other)).started], [true, false]);
  await run(id, '2027-03-01T09:00:00Z');
  assert.deepEqual(await issues(id), []);
  post(path, 'One');
  const made = await app.call<{ state: string; campaign: string }>('recurringRunNow', { id });
  assert.equal(made.state, 'sent');
  assert.deepEqual(
    (await issues(id)).map(({ by_hand, state }) => [by_hand, state]),
    [[true, 'sent']],
  );
  assert.equal((await app.call<{ state: string }>('recurringRunNow', { id })).state, 'skipped');
  answers.delete(path);
  assert.equal((await app.call<{ state: string }>('recurringRunNow', { id })).state, 'failed');
  await app.call('recurringUpdate', {
    id,
    schedule: { type: 'weekly', time: '7:30', weekdays: [5, 1, 5] },
    approve: true,
  });
  await app.call('recurringResume', { id });
  const changed = await app.call<Info & { schedule: unknown; next_times: string[] }>('recurringGet', { id });
  assert.deepEqual(changed.schedule, { type: 'weekly', time: '07:30', weekdays: [1, 5], day: 0, cron: '' });
  assert.equal(changed.next_times[0], changed.next_at);
  for (const schedule of [
    { type: 'weekly', time: '09:00' },
    { type: 'daily', time: '24:00' },
    { type: 'monthly', time: '09:00' },
    { type: 'cron', cron: '*/5 * * * *' },
    { type: 'cron', cron: '0 0 30 2 *' },
  ])
    await assert.rejects(app.call('recurringUpdate', { id, schedule }), fault('RECURRING_INVALID'));
  await assert.rejects(app.call('recurringUpdate', { id, time_zone: 'Mars/Base' }), fault('RECURRING_INVALID'));
  await assert.rejects(app.call('recurringUpdate', { id, source_url: 'ftp://x' }), fault('RECURRING_INVALID'));
  await app.call('recurringDelete', { id });
  await assert.rejects(app.call('recurringGet', { id }), fault('RECURRING_UNKNOWN'));
  assert.match((await content(made.campaign)).html, /One!/);
});

test('without its original no issue is made, and the owner is notified', async () => {
  const { id, path } = await series();
  post(path, 'One');
  await app.call('campaignDelete', { cid: (await info(id)).campaign });
  assert.match((await info(id)).problem, /was deleted/);
  await run(id, '2027-03-01T09:00:00Z');
  assert.deepEqual(
    (await issues(id)).map(({ state }) => state),
    ['failed'],
  );
});

test('a preview shows the next issue, and a feed can be looked at before', async () => {
  const { id, path } = await series();
  post(path, 'Two', 'One');
  type Preview = {
    ok: boolean;
    subject: string;
    html: string;
    items: { title: string; state: string }[];
    reason: string;
  };
  const preview = await app.call<Preview>('recurringPreview', { id });
  assert.equal(preview.subject, 'Harbour Notes: Two');
  assert.match(preview.html, /One!/);
  assert.deepEqual(await issues(id), []);
  await run(id, '2027-03-01T09:00:00Z');
  post(path, 'Three', 'Two', 'One');
  assert.deepEqual(
    (await app.call<Preview>('recurringPreview', { id })).items.map(({ title, state }) => [title, state]),
    [
      ['Three', 'next'],
      ['Two', 'sent'],
      ['One', 'sent'],
    ],
  );
  answers.set('/blog', {
    type: 'text/html',
    body: `<!doctype html><head><link rel="alternate" type="application/rss+xml" href="${path}"></head>`,
  });
  type Feed = { ok: boolean; url: string; title: string; total: number; reason: string };
  const feed = await app.call<Feed>('recurringFeed', { url: `${base}/blog`, limit: 1 });
  assert.deepEqual([feed.ok, feed.url, feed.title, feed.total], [true, base + path, 'Harbour Notes', 3]);
  const none = await app.call<Feed>('recurringFeed', { url: `${base}/nothing` });
  assert.deepEqual([none.ok, none.total], [false, 0]);
  assert.notEqual(none.reason, '');
});

test('an existing campaign as the original, with the variants of its A/B test', async () => {
  const list = await app.call<string>('listCreate', { title: 'Variants' });
  const cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'A *|RSSITEM:TITLE|*', from_email: 'e@example.com', from_name: 'E' },
    content: { html: '*|RSSITEMS:|*<p>*|RSSITEM:TITLE|*</p>*|END:RSSITEMS|*', plain: '*|RSSITEM:TITLE|*' },
  });
  await app.call('campaignTestUpdate', { cid, variants: [{ subject: 'B *|RSSITEM:TITLE|*' }] });
  const { id, path } = await series({ campaign: cid, approve: true });
  await assert.rejects(series({ campaign: cid }), fault('RECURRING_INVALID'));
  post(path, 'One');
  await run(id, '2027-03-01T09:00:00Z');
  const [issue] = await issues(id);
  assert.equal(issue!.subject, 'A One');
  const { html, plain } = await content(issue!.campaign);
  assert.deepEqual([html, plain], ['<p>One</p>', 'One']);
  const variant = await app.app.db.row<{ subject: string }>(sql`
    select subject from campaign_variant where campaign_id = ${parseId(issue!.campaign)} and no = 1`);
  assert.equal(variant!.subject, 'B One');
});

test('an original in Markdown gives issues in HTML', async () => {
  const list = await app.call<string>('listCreate', { title: 'Markdown' });
  const cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'News', from_email: 'e@example.com', from_name: 'E', generate_text: true },
    content: {
      markdown: '# News\n\n*|RSSITEMS:|*\n\n## [*|RSSITEM:TITLE|*](*|RSSITEM:URL|*)\n\n*|END:RSSITEMS|*\n\nBye',
    },
  });
  const { id, path } = await series({ campaign: cid, approve: true });
  post(path, 'Two', 'One');
  await run(id, '2027-03-01T09:00:00Z');
  const [issue] = await issues(id);
  const made = await app.call<{ html: string; source: string; source_format: string }>('campaignContent', {
    cid: issue!.campaign,
  });
  assert.equal(made.html.match(/href="https:\/\/site\.example\/(?:One|Two)"/g)?.length, 2);
  assert.doesNotMatch(made.html, /RSS/);
  assert.deepEqual([made.source, made.source_format], ['', 'html']);
});

test('a weekly issue at 02:30 in Berlin comes once each week, also over both changes of the clocks', async () => {
  const { id, path } = await series({
    schedule: { type: 'weekly', time: '02:30', weekdays: [7] },
    time_zone: 'Europe/Berlin',
  });
  for (const [from, weeks] of [
    ['2027-03-21T01:30:00Z', 3],
    ['2027-10-24T00:30:00Z', 3],
  ] as const) {
    await setNext(id, from);
    for (let week = 0; week < weeks; week++) {
      post(path, `Week-${from}-${week}`);
      const { next_at } = await info(id);
      const due = new Date(`${next_at.replace(' ', 'T')}Z`);
      await run(id, new Date(due.getTime() - 1_000).toISOString());
      await run(id, due.toISOString());
    }
  }
  const made = (await app.call<{ data: Issue[] }>('recurringIssues', { id, limit: 200 })).data;
  assert.equal(made.length, 6);
  assert.ok(made.every(({ state, items }) => state === 'sent' && items === 1));
  const at = made.map((issue) => issue.at).reverse();
  assert.deepEqual(at.slice(0, 3), ['2027-03-21 01:30:00', '2027-03-28 01:00:00', '2027-04-04 00:30:00']);
  assert.deepEqual(at.slice(3, 6), ['2027-10-24 00:30:00', '2027-10-31 00:30:00', '2027-11-07 01:30:00']);
});

test('a monthly issue on the 31st, over 29 February', async () => {
  const { id, path } = await series({ schedule: { type: 'monthly', time: '12:00', day: 31 } });
  await setNext(id, '2028-01-31T12:00:00Z');
  for (const [i, clock] of ['2028-01-31', '2028-02-28', '2028-02-29', '2028-03-31', '2028-04-30'].entries()) {
    post(path, `Month-${i}`);
    await run(id, `${clock}T12:00:00Z`);
  }
  assert.deepEqual(
    (await issues(id)).map(({ at, state }) => `${at.slice(0, 10)} ${state}`),
    ['2028-04-30 sent', '2028-03-31 sent', '2028-02-29 sent', '2028-01-31 sent'],
  );
});

test('the plain text of the default email has no gaps where an item has no date or picture', async () => {
  const { id, path } = await series();
  post(path, 'Two', 'One');
  await run(id, '2027-03-01T09:00:00Z');
  const { plain } = await content((await issues(id))[0]!.campaign);
  assert.match(plain, /Two![\s\S]*One!/);
  assert.doesNotMatch(plain, /\n[ \t]*\n[ \t]*\n[ \t]*\n/);
});
