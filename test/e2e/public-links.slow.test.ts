// Link scanners on every link in every kind of message and on every public page: with any safe method, however often,
// they change nothing but counts that are marked as a machine's.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { foldTally } from '../../src/audience/model/tally.ts';
import { previewAddress } from '../../src/campaigns/templates/preview-url.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { addPages } from '../../src/pages/routes.ts';
import { type MailingApp, mailingApp } from '../support/installation/mailing-app.ts';

let app: MailingApp;
let base: string;
let list: string;
before(async () => {
  app = await mailingApp();
  base = app.base;
  list = await app.call<string>('listCreate', { title: 'Letter' });
});
after(() => app.close());

const products = [
  'Barracuda Sentinel (EE)',
  'Proofpoint URL Defense',
  'Mimecast/3.1',
  'Symantec MessageLabs',
  'FireEye ETP',
  'TrendMicro Web Reputation',
  'Cisco IronPort',
  'Sophos Time-of-Click',
  'Forcepoint Scanner',
  'Zscaler/6.2',
  'Mozilla/5.0 (compatible; SafeLinks/1.0)',
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Googlebot/2.1 (+http://www.google.com/bot.html)',
  'Slackbot-LinkExpanding 1.0',
  'facebookexternalhit/1.1',
  'WhatsApp/2.23',
  'TelegramBot (like TwitterBot)',
  'curl/8.5.0',
  'Wget/1.21',
  'python-requests/2.31',
  'Java/17.0.1',
  'Go-http-client/2.0',
  'Mozilla/5.0',
  '',
];

async function eventually<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  for (let tries = 0; tries < 1_200; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`${what} did not happen in time`);
}

const programs = ['worker', 'worker_status', 'heartbeat'];
const hits = ['hit', 'engagement', 'link_engagement'];

/** All rows of the database, by table, except those that the running program writes and those of the named tables. */
async function everything(but: readonly string[] = []): Promise<Record<string, string>> {
  const tables = await app.app.db.rows<{ name: string }>(sql`
    select c.relname as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p')
      and n.nspname = 'public'
      and not c.relispartition
      and c.relname <> all (${[...programs, ...but]}::text[])
    order by 1`);
  const state: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await app.app.db.pool.query<{ sum: string }>(
      `select count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as sum from "${name}" t`,
    );
    state[name] = rows[0]!.sum;
  }
  return state;
}

const jobs = async () =>
  (await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from graphile_worker._private_jobs where locked_at is not null or run_at <= now()`))!
    .count;

type Mail = { id: string; subject: string; text: string; html: string; source: string };

async function messages(): Promise<Mail[]> {
  const found: Mail[] = [];
  for (const { id } of await app.call<Mail[]>('inboxMessages', { limit: 100 }))
    found.push((await app.call<Mail[]>('inboxMessages', { id }))[0]!);
  return found;
}

/** The links to this installation in a message: in its text, its HTML and its headers. */
function addressesIn(mail: Mail): string[] {
  const headers = mail.source.slice(0, mail.source.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  const all = `${headers}\n${mail.text}\n${mail.html.replaceAll('&amp;', '&')}`;
  return [...all.matchAll(/https?:\/\/[^\s"'<>]+/g)].map((match) => match[0]).filter((url) => url.startsWith(base));
}

/** The addresses of all pages that answer GET, as the router has them: `/u/:token`. Application and documentation are built files. */
async function routes(): Promise<string[]> {
  const found = new Set<string>();
  const server = Fastify();
  server.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().includes('GET') && !/^\/(?:app|docs)\//.test(url)) found.add(url);
  });
  addPages(server, app.app);
  await server.ready();
  await server.close();
  return [...found];
}

/** Whether an address is one of a route's. */
function isOf(route: string, url: string): boolean {
  const pattern = route.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.+');
  return new RegExp(`^${pattern}$`).test(new URL(url).pathname);
}

test('scanners that GET, HEAD and OPTIONS every address five times change nothing, and the addresses work afterwards', async () => {
  await app.call('listFormUpdate', { id: list, options: { send_welcome: true, send_goodbye: true } });
  await app.call('listSubscribe', { id: list, email_address: 'pending@example.com' });
  for (const name of ['reader', 'leaver'])
    await app.call('listSubscribe', {
      id: list,
      email_address: `${name}@example.com`,
      double_optin: false,
      send_welcome: true,
    });
  await app.call('listUnsubscribe', { id: list, email_address: 'leaver@example.com', send_notify: true });
  const cid = await app.call<string>('campaignCreate', {
    type: 'html',
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'us@example.com',
      from_name: 'Us',
      tracking: { opens: true, html_clicks: true, text_clicks: true },
    },
    content: {
      html: '<p>Dear reader, <a href="https://example.com/a">look</a> or <a href="*|ARCHIVE|*">read</a>, <a href="*|UPDATE_PROFILE|*">change</a>, <a href="*|UNSUB|*">leave</a></p>',
      plain: 'Look: https://example.com/b *|ARCHIVE|* *|UPDATE_PROFILE|* *|UNSUB|*',
    },
  });
  await app.call('campaignSendNow', { cid });
  const subjects = ['Please confirm: Letter', 'Welcome to Letter', 'You have unsubscribed from Letter', 'News'];
  const all = await eventually(async () => {
    const now = await messages();
    const complete = subjects.every((subject) => now.some((mail) => mail.subject === subject));
    return complete && now.some((mail) => /^\S+@\S+ unsubscribed from/.test(mail.subject)) ? now : undefined;
  }, 'every kind of mail');
  await eventually(async () => {
    const [campaign] = await app.call<{ status: string }[]>('campaigns', { filters: { campaign_id: cid } });
    return campaign?.status === 'sent' && (await jobs()) === 0 ? true : undefined;
  }, 'the end of the sending');
  const { url: form } = await app.call<{ url: string }>('listForm', { id: list });
  const urls = new Set([
    ...all.flatMap(addressesIn),
    form,
    `${form}?ln=de`,
    `${form}/inline`,
    `${base}/login`,
    `${base}/`,
  ]);
  const [record] = await app.call<{ archive_url: string }[]>('campaigns', { filters: { campaign_id: cid } });
  urls.add(record!.archive_url);
  const kinds = new Set([...urls].map((url) => url.slice(base.length).split('/')[1]));
  for (const kind of ['confirm', 'u', 'p', 'c', 'o', 'v', 'archive', 'subscribe'])
    assert.ok(kinds.has(kind), `no mail holds an address of /${kind}/: ${[...kinds].join(', ')}`);
  const index = await app.call<{ url: string; feed_url: string }>('archiveUpdate', { on: true });
  const dot = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
  const asset = await app.call<{ url: string }>('assetCreate', { content: dot, title: 'dot.gif' });
  const template = await app.call<string>('templateCreate', { name: 'Plain', source: '<p>x</p>' });
  const drawn = previewAddress(app.app, app.account.id, parseId(template));
  for (const url of [index.url, index.feed_url, asset.url, drawn]) urls.add(url);
  for (const path of ['/app', '/docs', '/forms.js', '/inbox', '/inbox/a0000001']) urls.add(base + path);
  // A page that is added is scanned too, or this fails.
  for (const route of await routes())
    assert.ok(
      [...urls].some((url) => isOf(route, url)),
      `no address of ${route} is asked for`,
    );
  await eventually(async () => ((await jobs()) === 0 ? true : undefined), 'the end of the jobs');

  // HEAD and OPTIONS count nothing, by whatever client, for known and unknown links.
  // Otherwise a periodic task could merge these rows between two looks at the tables.
  await foldTally(app.app.db);
  const untouched = await everything();
  const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const broken = [...urls]
    .filter((url) => new URL(url).pathname.length > 1)
    .map((url) => url.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')));
  for (const url of [...urls, ...broken])
    for (const method of ['HEAD', 'OPTIONS']) {
      const response = await fetch(url, { method, redirect: 'manual', headers: { 'user-agent': person } });
      await response.arrayBuffer();
      assert.ok(response.status < 500, `${method} ${url} answered ${response.status}`);
    }
  // Hits are written in groups, some time after the answer.
  await sleep(1_500);
  assert.deepEqual(await everything(), untouched);

  const before = await everything(hits);
  let agent = 0;
  for (const url of urls) {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (let time = 0; time < 5; time++) {
        const response = await fetch(url, {
          method,
          redirect: 'manual',
          headers: { 'user-agent': products[agent++ % products.length]! },
        });
        await response.arrayBuffer();
        assert.ok(response.status < 500, `${method} ${url} answered ${response.status}`);
      }
  }
  assert.deepEqual(await everything(hits), before);
  assert.equal(await jobs(), 0);
  const sums = await app.app.db.row<Record<string, number>>(sql`
    select coalesce(sum(opens), 0)::int as opens, coalesce(sum(clicks), 0)::int as clicks,
      coalesce(sum(machine_opens), 0)::int as machine_opens, coalesce(sum(machine_clicks), 0)::int as machine_clicks
    from engagement`);
  assert.deepEqual([sums!.opens, sums!.clicks], [0, 0]);
  assert.ok(sums!.machine_opens! > 0 && sums!.machine_clicks! > 0, JSON.stringify(sums));

  const status = async (email: string) =>
    (await app.call<{ status: string }>('listMemberInfo', { id: list, email_address: email })).status;
  const addressOf = (subject: string, kind: string) =>
    addressesIn(all.find((mail) => mail.subject === subject && mail.source.includes(`/${kind}/`))!).find((url) =>
      url.startsWith(`${base}/${kind}/`),
    )!;
  await fetch(addressOf('Please confirm: Letter', 'confirm'), { method: 'POST' });
  assert.equal(await status('pending@example.com'), 'subscribed');

  // RFC 8058: one POST of the address in the header, as mail programs send it, as often as they like.
  const news = all.find((mail) => mail.subject === 'News')!;
  const header = news.source.slice(0, news.source.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  assert.match(header, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/im);
  const oneClick = /^List-Unsubscribe:.*<(https?:[^>]+)>/im.exec(header)![1]!;
  const body = new FormData();
  body.set('List-Unsubscribe', 'One-Click');
  for (const payload of [new URLSearchParams('List-Unsubscribe=One-Click'), body, undefined]) {
    const response = await fetch(oneClick, { method: 'POST', redirect: 'manual', body: payload ?? null });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('set-cookie'), null);
    assert.equal(await status('reader@example.com'), 'unsubscribed');
  }
  const left = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count
    from consent
    where kind = 'unsubscribe'
      and list_id = ${parseId(list)}
      and source = 'subscriber'`);
  assert.equal(left!.count, 1);
});
