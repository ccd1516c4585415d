// The public pages over HTTP, with a launched campaign written straight into the database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseProxy } from '../../test/support/database/proxy.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { compile } from '../campaigns/compile/compile.ts';
import { monthOf } from '../campaigns/model/month.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { tokensOf } from '../tracking/token-secret.ts';

let app: TestApp;
let proxy: DatabaseProxy;
let base: string;
let list: string;
let tokens: ReturnType<ReturnType<typeof tokensOf>['tokens']>;
let archive: string;
let campaignId: number;

before(async () => {
  app = await testApp({}, async (url) => {
    proxy = await DatabaseProxy.start(url);
    return proxy.url;
  });
  base = await app.listen();
  list = await app.call<string>('listCreate', { title: 'Letter' });
  await app.call('listSubscribe', {
    id: list,
    email_address: 'ada@example.com',
    merge_vars: { FNAME: 'Ada <b>' },
    double_optin: false,
  });
  const { db } = app.app;
  const contact = await db.row<{ id: number }>(sql`select id from contact`);
  const campaign = await db.row<{ id: number; web_id: number; archive_key: string }>(sql`
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, send_at)
    values (${app.account.id}, 'html', 'sent', 't', 'Hello *|FNAME:friend|*', 'Us', 'us@example.com', now())
    returning id, web_id, archive_key`);
  campaignId = campaign!.id;
  archive = `${campaign!.web_id}-${campaign!.archive_key}`;
  const compiled = compile({
    html: '<p>Dear *|FNAME:friend|*, <a href="https://example.com/?q=1">look</a><script>document.title="run"</script></p><a href="*|UNSUB|*">Leave</a> *|UPDATE_PROFILE|*',
    subject: 'Hello *|FNAME:friend|*',
    fromName: 'Us',
    fromEmail: 'us@example.com',
    replyTo: 'us@example.com',
    toName: '',
    fields: [
      { tag: 'EMAIL', mergeNo: 0, type: 'email', default: '' } as never,
      { tag: 'FNAME', mergeNo: 1, type: 'text', default: '' } as never,
    ],
    lists: [{ id: parseId(list), publicId: list, name: 'Letter', company: '', address: '', url: '' }],
    language: 'en',
    timeZone: 'UTC',
    tracking: { opens: true, htmlClicks: true, textClicks: false },
    linkTexts: { unsubscribe: 'Unsubscribe', profile: 'Update', view: 'View' },
    baseUrl: base,
    archiveUrl: `${base}/archive/${archive}`,
    campaign: 'a0000001',
    account: 'a0000002',
  });
  await db.run(sql`
    insert into frozen_content (account_id, campaign_id, compiled, content_hash)
    values (${app.account.id}, ${campaignId}, ${JSON.stringify(compiled)}, 'x')`);
  for (const [no, link] of compiled.links.entries()) {
    await db.run(
      sql`insert into link (account_id, campaign_id, no, target) values (${app.account.id}, ${campaignId}, ${no}, ${link.target})`,
    );
  }
  await db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at)
    values (${app.account.id}, ${campaignId}, 1, ${monthOf({ account: app.account.id, campaign: campaignId })}, ${contact!.id}, ${parseId(list)}, 'ada@example.com', 'example.com', 2, now())`);
  tokens = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: campaignId,
    seq: 1,
    contact: contact!.id,
    lists: [parseId(list)],
  });
});
after(async () => {
  await app.close();
  await proxy.close();
});

const person = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Thunderbird/128.0' };
const sums = () =>
  app.app.db.row<{ opens: number; clicks: number; machine_opens: number; machine_clicks: number }>(sql`
    select coalesce(sum(opens), 0) as opens, coalesce(sum(clicks), 0) as clicks, coalesce(sum(machine_opens), 0) as machine_opens,
      coalesce(sum(machine_clicks), 0) as machine_clicks
    from engagement`);
const status = async () =>
  (await app.call<{ status: string }>('listMemberInfo', { id: list, email_address: 'ada@example.com' })).status;

test('the archive shows the campaign without personal data, sandboxed', async () => {
  const response = await fetch(`${base}/archive/${archive}`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-security-policy') ?? '', /^sandbox/);
  const text = await response.text();
  assert.match(text, /Dear friend, <a href="https:\/\/example\.com\/\?q=1">/);
  assert.doesNotMatch(text, /Ada|\/o\/|\/c\/|\/u\/|\/p\//);
  assert.equal((await fetch(`${base}/archive/${archive.replace(/.$/, (c) => (c === '0' ? '1' : '0'))}`)).status, 404);
});

test('the personal view contains the escaped value', async () => {
  const inBrowser = await fetch(`${base}/v/${tokens.view}`);
  assert.match(await inBrowser.text(), /Dear Ada &lt;b&gt;/);
  assert.equal(inBrowser.headers.get('cache-control'), 'private, no-store');
});

test('the links of the personal view unsubscribe, and lead to preferences that show no values', async () => {
  const view = await (await fetch(`${base}/v/${tokens.view}`)).text();
  const unsubscribe = /<a href="([^"]*\/u\/[^"]+)">Leave/.exec(view)![1]!;
  assert.equal(unsubscribe, `${base}/u/${tokens.unsubscribe}`);
  assert.match(await (await fetch(unsubscribe)).text(), /Letter/);
  const profile = /<a href="([^"]*\/p\/[^"]+)">/.exec(view)![1]!;
  const choices = await fetch(profile);
  assert.equal(choices.status, 200);
  assert.doesNotMatch(await choices.text(), /Ada/);
  assert.equal(await status(), 'subscribed');
});

test('an open is counted when the pixel is answered, and HEAD is not counted', async () => {
  await fetch(`${base}/o/${tokens.open}`, { method: 'HEAD', headers: person });
  await fetch(`${base}/o/${tokens.open}`, { headers: { ...person, 'sec-purpose': 'prefetch' } });
  assert.equal((await sums())!.opens, 0);
  const response = await fetch(`${base}/o/${tokens.open}`, { headers: person });
  assert.equal(response.headers.get('content-type'), 'image/gif');
  assert.equal((await sums())!.opens, 1);
});

test('a click redirects to its target and is counted; a machine is counted separately with the reason', async () => {
  const click = (agent: string, token = tokens.click, link = '0') =>
    fetch(`${base}/c/${token}${link}`, { redirect: 'manual', headers: { 'user-agent': agent } });
  const response = await click(person['user-agent']);
  assert.equal(response.status, 302);
  assert.equal(response.headers.get('location'), 'https://example.com/?q=1');
  await click('Barracuda Sentinel (EE)');
  assert.deepEqual(await sums(), { opens: 1, clicks: 1, machine_opens: 0, machine_clicks: 1 });
  const reasons = await app.app.db.rows<{ machine: string | null }>(
    sql`select machine from hit where kind = 'click' order by id`,
  );
  assert.deepEqual(
    reasons.map((row) => row.machine),
    [null, 'scanner'],
  );
});

test('a click that cannot be stored redirects all the same, and is stored when that is possible again', async () => {
  const { pool } = app.app.db;
  const click = () =>
    fetch(`${base}/c/${tokens.click}0`, {
      redirect: 'manual',
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    });
  const refuse = (code: string) =>
    pool.query(`
      create or replace function refuse_hit() returns trigger language plpgsql as
        $$ begin raise exception 'on purpose' using errcode = '${code}'; end $$;
      create or replace trigger refuse before insert on hit for each row execute function refuse_hit()`);
  const { clicks } = (await sums())!;
  await refuse('P0001');
  assert.equal((await click()).status, 302, 'dropped');
  for (const code of ['40P01', '25006']) {
    await refuse(code);
    assert.equal((await click()).status, 302, `waits after ${code}`);
  }
  await pool.query('drop trigger refuse on hit');
  const deadline = performance.now() + 10_000;
  while ((await sums())!.clicks < clicks + 2) {
    assert.ok(performance.now() < deadline, 'it is stored');
    await sleep(50);
  }
  assert.equal((await sums())!.clicks, clicks + 2);
});

test('while the database is away a link that was clicked before redirects, and other pages answer 503', async () => {
  const open = (path: string, method = 'GET') =>
    fetch(base + path, { method, redirect: 'manual', headers: { 'user-agent': 'curl/8' } });
  assert.equal((await open(`/c/${tokens.click}0`)).status, 302);
  proxy.goDown();
  try {
    assert.equal((await open(`/c/${tokens.click}0`)).headers.get('location'), 'https://example.com/?q=1');
    for (const path of [
      `/c/${tokens.click}1`,
      `/v/${tokens.view}`,
      `/u/${tokens.unsubscribe}`,
      `/archive/${archive}`,
    ]) {
      const response = await open(path);
      assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '10'], path);
      assert.match(await response.text(), /Please try again in a minute/);
    }
    assert.equal((await open(`/u/${tokens.unsubscribe}`, 'POST')).status, 503);
  } finally {
    proxy.gone = false;
  }
});

test('no click address redirects anywhere but to a stored target', async () => {
  const other = tokens.click.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A'));
  for (const path of [
    `/c/${tokens.click}9`,
    `/c/${other}0`,
    '/c/https://evil.example/',
    `/c/${tokens.click}0?url=https://evil.example`,
    `/c/${tokens.open}0`,
  ]) {
    const response = await fetch(base + path, { redirect: 'manual', headers: person });
    const location = response.headers.get('location');
    assert.ok(location === null || location === 'https://example.com/?q=1', `${path} → ${location}`);
    if (!path.includes('?')) assert.ok(response.status >= 400);
  }
});

test('GET and HEAD of an unsubscribe link change nothing; one POST unsubscribes, a second is harmless', async () => {
  for (const method of ['GET', 'HEAD'])
    assert.equal((await fetch(`${base}/u/${tokens.unsubscribe}`, { method })).status, 200);
  assert.equal(await status(), 'subscribed');
  const oneClick = () =>
    fetch(`${base}/u/${tokens.unsubscribe}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
  assert.equal((await oneClick()).status, 200);
  assert.equal(await status(), 'unsubscribed');
  assert.equal((await oneClick()).status, 200);
});

test('a link with merge tags works for a deleted contact and campaign, with the defaults', async () => {
  await app.app.db.run(sql`
    insert into link (account_id, campaign_id, no, target)
    values (${app.account.id}, ${campaignId}, 7, 'https://example.com/hello/*|FNAME:dear%20friend|*?list=*|LIST:NAME|*')`);
  const whereTo = async (seq: number) => {
    const ids = { account: app.account.id, campaign: campaignId, seq, contact: 1, lists: [] };
    const response = await fetch(`${base}/c/${tokensOf(app.app).tokens(ids).click}7`, {
      redirect: 'manual',
      headers: person,
    });
    return response.headers.get('location');
  };
  assert.equal(await whereTo(1), 'https://example.com/hello/Ada%20%3Cb%3E?list=Letter');
  const before = await sums();
  assert.equal(await whereTo(999), 'https://example.com/hello/dear%20friend?list=Letter');
  assert.deepEqual(await sums(), before);
});

test('opens are counted with the present secrets: a new one counts, a revoked one no longer', async (t) => {
  const { tokenSecrets } = app.app;
  t.after(() => {
    app.app.tokenSecrets = tokenSecrets;
  });
  const secrets = ['the new secret of this test'];
  app.app.tokenSecrets = () => secrets;
  const ids = { account: app.account.id, campaign: campaignId, seq: 1, contact: 1, lists: [] };
  const before = (await sums())!.opens;
  await fetch(`${base}/o/${tokens.open}`, { headers: person });
  assert.equal((await sums())!.opens, before);
  await fetch(`${base}/o/${tokensOf(app.app).tokens(ids).open}`, { headers: person });
  assert.equal((await sums())!.opens, before + 1);
});

test('one-click works as multipart too, and for a deleted contact', async () => {
  await app.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  const body = new FormData();
  body.set('List-Unsubscribe', 'One-Click');
  assert.equal((await fetch(`${base}/u/${tokens.unsubscribe}`, { method: 'POST', body })).status, 200);
  assert.equal(await status(), 'unsubscribed');
  await app.app.db.run(sql`delete from campaign where id = ${campaignId}`);
  await app.call('listMemberDelete', { id: list, email_address: 'ada@example.com' });
  assert.equal((await fetch(`${base}/u/${tokens.unsubscribe}`, { method: 'POST' })).status, 200);
});

test('a token of another purpose or an invalid one is refused', async () => {
  assert.equal((await fetch(`${base}/u/${tokens.profile}`)).status, 404);
  assert.equal((await fetch(`${base}/u/${tokens.unsubscribe.slice(0, -1)}`, { method: 'POST' })).status, 404);
});

test('a path with NUL is not found, like any other unknown one', async () => {
  for (const path of ['/asset/a0000000/%00', '/asset/%00/x', '/archive/1-%00', '/v/%00', '/u/%00', '/p/x%00', '/s/%00'])
    assert.equal((await fetch(base + path)).status, 404, path);
});
