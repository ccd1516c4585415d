// Links of campaigns are followed over HTTP, by a task, and campaignCheck names those that lead nowhere.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { type TestApp, testApp } from '../../../../test/support/installation/app.ts';
import { type DnsStub, startDnsStub } from '../../../../test/support/network/dns-stub.ts';
import { until } from '../../../../test/support/run/until.ts';
import { createOutbound } from '../../../base/outbound/outbound.ts';
import { sql } from '../../../db/connect.ts';
import { parseId } from '../../../db/ids.ts';
import { runJobs } from '../../../jobs/queue.ts';
import type { ShownFinding } from '../../release/check-campaign.ts';
import { followedAddresses } from './addresses.ts';
import { followLink } from './follow-link.ts';
import { followLinks } from './follow-links.ts';

let server: Server;
let port: number;
let app: TestApp;
let dns: DnsStub;
let list: string;
/** Method and path of each request, and how many ran at the same time. */
const requests: string[] = [];
const agents = new Set<string>();
let busy = 0;
let maxBusy = 0;
/** Answers that a test changes. */
const statuses = new Map<string, number>();

before(async () => {
  server = createServer((request, response) => {
    const path = request.url!;
    requests.push(`${request.method} ${path}`);
    agents.add(request.headers['user-agent'] ?? '');
    busy++;
    maxBusy = Math.max(maxBusy, busy);
    response.on('close', () => busy--);
    if (path === '/silent') return;
    if (path === '/half') {
      if (request.method === 'GET') response.write('a');
      return;
    }
    if (path === '/loop') response.writeHead(302, { Location: '/loop' }).end();
    else if (path === '/moved') response.writeHead(301, { Location: '/ok' }).end();
    else if (path === '/moved-away') response.writeHead(301, { Location: '/404' }).end();
    else if (path === '/inside') response.writeHead(302, { Location: 'http://10.0.0.1/' }).end();
    else if (path === '/no-head') response.writeHead(request.method === 'HEAD' ? 405 : 200).end('page');
    else if (path === '/head-404') response.writeHead(request.method === 'HEAD' ? 404 : 200).end('page');
    else if (path === '/large') response.end(request.method === 'HEAD' ? '' : 'x'.repeat(1024 * 1024));
    else if (path === '/hangs-up') response.destroy();
    else if (path === '/slow') setTimeout(() => response.end('page'), 100);
    else response.writeHead(statuses.get(path) ?? (Number(path.slice(1, 4)) || 200)).end('page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  dns = await startDnsStub();
  dns.set('pages.test-links.net', { A: ['127.0.0.1'] });
  dns.set('more.test-links.net', { A: ['127.0.0.1'] });
  dns.set('inside.test-links.net', { A: ['10.0.0.1'] });
  app = await testApp({ FOLLOW_LINKS: 'yes' });
  app.app.outbound.close();
  Object.assign(app.app, { outbound: createOutbound({ allow: [`127.0.0.0/8:${port}`], nameServers: [dns.server] }) });
  list = await app.call<string>('listCreate', { title: 'Readers', options: { address: '1 Road, Town' } });
});
after(async () => {
  await app.close();
  await dns.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests.length = 0;
  agents.clear();
  maxBusy = 0;
});

for (const [path, expected] of [
  ['/ok', 'answered 200'],
  ['/moved', 'answered 200'],
  ['/no-head', 'answered 200'],
  ['/head-404', 'answered 200'],
  ['/large', 'answered 200'],
  ['/slow', 'answered 200'],
  ['/401', 'answered 401'],
  ['/403', 'answered 403'],
  ['/429', 'answered 429'],
  ['/999', 'answered 999'],
  ['/404', 'gone 404'],
  ['/410', 'gone 410'],
  ['/moved-away', 'gone 404'],
  ['/500', 'failing 500'],
  ['/503', 'failing 503'],
  ['/silent', 'failing timeout'],
  ['/loop', 'failing redirects'],
  ['/hangs-up', 'failing protocol'],
  // What the server answers is not followed into the private network, and nothing is said about it.
  ['/inside', 'unknown '],
] as const)
  test(`the link ${path}: ${expected}`, async () => {
    const outbound = createOutbound({ allow: [`127.0.0.1/32:${port}`] });
    const result = await followLink(outbound, `http://127.0.0.1:${port}${path}`, {
      ownUrl: 'https://own.example',
      totalMs: 700,
    });
    outbound.close();
    assert.equal(`${result.outcome} ${'reason' in result ? result.reason : ''}`, expected);
  });

test('private addresses are not asked, an unknown host is gone, and a silent name server says nothing', async () => {
  const outbound = createOutbound({ nameServers: [dns.server] });
  const of = (address: string) => followLink(outbound, address, { ownUrl: 'https://own.example', totalMs: 1000 });
  assert.deepEqual(await of(`http://127.0.0.1:${port}/ok`), { outcome: 'unknown' });
  assert.deepEqual(await of('http://inside.test-links.net/'), { outcome: 'unknown' });
  assert.deepEqual(await of('http://nowhere.test-links.net/'), { outcome: 'gone', reason: 'name' });
  outbound.close();
  const deaf = createOutbound({ nameServers: ['127.0.0.1:9'] });
  assert.deepEqual(
    await followLink(deaf, 'http://pages.test-links.net/', { ownUrl: 'https://own.example', totalMs: 1000 }),
    {
      outcome: 'unknown',
    },
  );
  deaf.close();
  assert.equal(requests.join(), '');
});

test('links with merge tags, of a wrong form, to private addresses and to ourselves are not followed', () => {
  const html = `<a href=" https://a.example/x#y ">1</a><a href="https://a.example/x#z">2</a><a href="https://a.example/*|FNAME|*">3</a>
    <a href="*|UNSUB|*">4</a><a href="page.html">5</a><a href="mailto:a@example.com">6</a><a href="http://localhost/x">7</a>
    <a href="https://own.example/a">8</a><a href="#top">9</a><area href="https://a.example/area"><link href="https://a.example/a.css">`;
  const plain = 'See https://a.example/plain, and https://a.example/x.';
  assert.deepEqual(
    followedAddresses([{ html, plain }], 'https://own.example').map(({ address, written }) => [address, written]),
    [
      ['https://a.example/x', ' https://a.example/x#y '],
      ['https://a.example/area', 'https://a.example/area'],
      ['https://a.example/plain', 'https://a.example/plain'],
    ],
  );
  const many = Array.from({ length: 300 }, (_, i) => `<a href="https://a.example/${i}">x</a>`).join('');
  assert.equal(followedAddresses([{ html: many, plain: '' }], 'https://own.example').length, 100);
});

const page = (path: string, host = 'pages') => `http://${host}.test-links.net:${port}${path}`;

async function draft(...addresses: string[]): Promise<string> {
  const links = addresses.map((address) => `<a href="${address}">x</a>`).join('');
  return app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'News', from_email: 'a@example.com', from_name: 'A', generate_text: true },
    content: { html: `<p>News</p>${links}<a href="*|UNSUB|*">leave</a> *|LIST:ADDRESS|*` },
  });
}
const check = async (cid: string) =>
  (await app.call<ShownFinding[]>('campaignCheck', { cid })).filter(({ code }) => /^link_/.test(code));
const queued = () =>
  app.app.db
    .rows(sql`select from graphile_worker.jobs where task_identifier = 'followLinks'`)
    .then(({ length }) => length);
const run = (cid: string) =>
  followLinks(
    { app: app.app, signal: new AbortController().signal },
    { account_id: app.account.id, campaign_id: parseId(cid) },
  );

test('the check queues the task and has its results the next time, until they are old', async () => {
  const cid = await draft(page('/ok'), page('/404'), page('/410?x=1#y'), page('/500'), page('/404'));
  assert.deepEqual(await check(cid), []);
  await check(cid);
  assert.equal(await queued(), 1);
  assert.equal(requests.join(), '');
  await run(cid);
  assert.deepEqual([...agents], [`Postrider link check (+${app.app.baseUrl})`]);
  assert.equal(maxBusy, 1, 'one request of a host at a time');
  const findings = await check(cid);
  assert.deepEqual(
    findings.map(({ level, code, found }) => [level, code, ...found]),
    [
      ['warning', 'link_gone', page('/404'), page('/410?x=1#y')],
      ['warning', 'link_failing', page('/500')],
    ],
  );
  assert.match(findings[0]!.message, /^2 links lead to pages that do not exist \(answer 404\): http/);
  assert.match(findings[1]!.message, /^1 link could not be opened \(answer 500\): http/);
  // Nothing is due.
  requests.length = 0;
  await run(cid);
  assert.equal(requests.join(), '');
  // The author has repaired the page.
  statuses.set('/404', 200);
  await app.app.db.run(sql`update followed_link set followed_at = followed_at - interval '20 minutes'`);
  await run(cid);
  assert.ok(!requests.some((request) => request.includes('/ok')), 'a link that works is not followed again so soon');
  assert.deepEqual(
    (await check(cid)).map(({ found }) => found),
    [[page('/410?x=1#y')], [page('/500')]],
  );
  statuses.clear();
});

test('a link of the plain text and of a variant is followed too; a sent campaign is left alone', async () => {
  const cid = await draft(page('/ok'));
  await app.call('campaignUpdate', { cid, name: 'plain', value: `News ${page('/410?plain')} *|UNSUB|*` });
  await run(cid);
  assert.deepEqual(
    (await check(cid)).flatMap(({ found }) => found),
    [page('/410?plain')],
  );
  const other = await draft(page('/410?sent'));
  await app.app.db.run(sql`update campaign set status = 'sent' where id = ${parseId(other)}`);
  requests.length = 0;
  await run(other);
  assert.equal(requests.join(), '');
});

test('a stopping worker follows no more links', async () => {
  const cid = await draft(page('/ok?stop'));
  await followLinks(
    { app: app.app, signal: AbortSignal.abort() },
    { account_id: app.account.id, campaign_id: parseId(cid) },
  );
  assert.equal(requests.join(), '');
});

test('where no name is known, the name server knows none of the web, and nothing is said', async () => {
  const cid = await draft('http://a.nowhere.test-links.net/', 'http://b.nowhere.test-links.net/');
  await run(cid);
  assert.deepEqual(await check(cid), []);
  const other = await draft('http://a.nowhere.test-links.net/', page('/ok?names'));
  await run(other);
  assert.deepEqual(
    (await check(other)).map(({ code, found }) => [code, ...found]),
    [['link_gone', 'http://a.nowhere.test-links.net/']],
  );
});

test('a worker runs the task that the check has queued', async () => {
  const cid = await draft(page('/410?worker'));
  await check(cid);
  const runner = await runJobs(app.app, { followLinks }, 1);
  await until('the link is followed', async () => (await check(cid)).length === 1);
  // A check while the task runs has queued another one.
  await until('nothing is queued', async () => (await queued()) === 0);
  await runner.stop();
});

test('results of another account are not used, and old ones are deleted', async () => {
  const cid = await draft(page('/ok?old', 'more'));
  await app.app.db.run(
    sql`insert into followed_link (account_id, hash, outcome, reason, followed_at) values (${app.account.id}, '\\x00', 'gone', '404', now() - interval '31 days')`,
  );
  await run(cid);
  assert.equal(
    await app.app.db.row(sql`select from followed_link where account_id = ${app.account.id} and hash = '\\x00'`),
    undefined,
  );
});

test('without permission to follow links nothing is queued and nothing is said', async () => {
  const cid = await draft(page('/410?off'));
  await run(cid);
  assert.equal((await check(cid)).length, 1);
  const { config } = app.app;
  Object.assign(config, { followLinks: 'no' });
  const before = await queued();
  assert.deepEqual(await check(cid), []);
  assert.equal(await queued(), before);
  Object.assign(config, { followLinks: 'yes' });
});
