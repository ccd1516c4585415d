// The tracking host of a sender domain: what may be one, when links use it, and what is served there. Against a name server, a
// TLS server and an SMTP sink on loopback.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { aCampaign } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { type DnsStub, startDnsStub } from '../../../test/support/network/dns-stub.ts';
import { type HostileServer, startHostileHttp } from '../../../test/support/network/hostile-http.ts';
import { until } from '../../../test/support/run/until.ts';
import { createAuthority, createCertificate } from '../../../test/support/smtp-sink/certificate.ts';
import { type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { createOutbound } from '../../base/outbound/outbound.ts';
import { sql } from '../../db/connect.ts';
import { startWorker } from '../../delivery/worker.ts';
import { handlers } from '../../task-handlers.ts';
import { checkSenderDomains } from './watch.ts';

const proxyAddress = '127.0.0.2';
const authority = createAuthority();
const folder = mkdtempSync(join(tmpdir(), 'tracking-host-'));
let app: TestApp;
let dns: DnsStub;
let sink: Sink;
let proxy: HostileServer;
let web: string;
let stopWorker: () => Promise<void>;

before(async () => {
  dns = await startDnsStub();
  sink = await startSink({ raw: true });
  proxy = await startHostileHttp(proxyAddress, createCertificate(authority, ['post.example', 'click.news.example']));
  app = await testApp({
    DATA_DIR: folder,
    DNS_SERVERS: dns.server,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
  });
  app.app.outbound = createOutbound({
    allow: [proxyAddress],
    nameServers: [dns.server],
    caCertificates: [authority.cert],
    hostsFile: '',
  });
  web = await app.listen();
  app.app.baseUrl = `https://post.example:${proxy.port}`;
  await app.app.db.run(sql`update account set email = 'letters@news.example' where id = ${app.account.id}`);
  dns.set('post.example', { A: [proxyAddress] });
  const worker = await startWorker(app.app, handlers);
  stopWorker = () => worker.stop();
});
after(async () => {
  await stopWorker?.();
  app.app.outbound.close();
  await app.close();
  await proxy.close();
  await sink.close();
  await dns.close();
  rmSync(folder, { recursive: true });
});

type Domain = {
  status: string;
  tracking_host: string;
  tracking_ready: boolean;
  records: { purpose: string; type: string; name: string; value: string; zone: string; note: string }[];
  checks: { record: string; found: string; state: string; advice: string }[];
};
const set = (host: string) => app.call<Domain>('senderDomainTrackingUpdate', { domain: 'news.example', host });
const check = async () => {
  const found = await app.call<Domain>('senderDomainCheck', { domain: 'news.example' });
  return { ...found, tracking: found.checks.find((finding) => finding.record === 'tracking') };
};

/** The message that the relay accepted for an address. */
async function messageTo(address: string): Promise<string> {
  const find = () => sink.accepted().find((entry) => entry.to === address);
  await until(`${address} has a message`, () => find() !== undefined);
  return find()!.raw!;
}

/** Sends a campaign to a new address; returns the addresses of ours in its message, each cut before its token. */
async function addressesIn(to: string): Promise<Set<string>> {
  const cid = await aCampaign(app, {
    to: [to],
    html: '<p>News <a href="https://shop.example/">shop</a> <a href="*|ARCHIVE|*">view</a> <a href="*|UNSUB|*">leave</a></p>',
  });
  await app.call('campaignSendNow', { cid });
  const mail = await PostalMime.parse(await messageTo(to));
  const unsubscribe = mail.headers.find(({ key }) => key === 'list-unsubscribe')!.value;
  const own = `${unsubscribe} ${mail.html}`
    .match(/https?:\/\/[^\s"'<>]+/g)!
    .filter((url) => !/shop\.example/.test(url));
  return new Set(own.map((url) => url.replace(/^(https?:\/\/[^/]+\/[^/]+\/).*$/, '$1')));
}

/** GET of a path under a host name, as a proxy passes it on. */
function get(host: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${web}${path}`, { headers: { host, accept: 'text/html' } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    request.on('error', reject);
  });
}

test('a tracking host is a name within the domain that has no other use', async () => {
  const added = await app.call<Domain>('senderDomainCreate', { domain: 'news.example' });
  assert.equal(added.tracking_host, '');
  for (const { name, value } of added.records) dns.set(name, { TXT: [value] });
  assert.equal((await check()).status, 'active');
  for (const wrong of ['click.other.example', 'news.example', 'no host', 'clicknews.example'])
    await assert.rejects(set(wrong), { fault: 'DOMAIN_INVALID', message: /^host/ }, wrong);
  await assert.rejects(app.call('senderDomainTrackingUpdate', { domain: 'other.example', host: '' }), {
    fault: 'DOMAIN_UNKNOWN',
  });
  const [unchanged] = await app.call<Domain[]>('senderDomains');
  assert.equal(unchanged!.tracking_host, '');
});

test('links use the host once its CNAME record leads to BASE_URL and its certificate is valid', async () => {
  const base = `https://post.example:${proxy.port}`;
  const record = (await set('Click.News.Example')).records.find(({ purpose }) => purpose === 'tracking');
  assert.deepEqual(
    [record?.type, record?.name, record?.value, record?.zone],
    ['CNAME', 'click.news.example', 'post.example', 'post.example.'],
  );
  assert.match(record!.note, /certificate/);
  const missing = await check();
  assert.deepEqual([missing.tracking?.state, missing.tracking_ready], ['missing', false]);
  dns.set('click.news.example', { CNAME: 'elsewhere.example' });
  dns.set('elsewhere.example', { A: ['192.0.2.9'] });
  const wrong = await check();
  assert.deepEqual([wrong.tracking?.state, wrong.tracking?.found], ['wrong', 'elsewhere.example']);
  assert.deepEqual(
    await addressesIn('before@example.com'),
    new Set(['c', 'u', 'v', 'o'].map((path) => `${base}/${path}/`)),
  );

  // By way of another name, and with the addresses in place of a CNAME record.
  dns.set('elsewhere.example', { CNAME: 'post.example' });
  assert.equal((await check()).tracking_ready, true);
  dns.set('click.news.example', { A: [proxyAddress] });
  assert.equal((await check()).tracking_ready, true);
  dns.set('click.news.example', { CNAME: 'post.example' });
  const found = await check();
  assert.deepEqual([found.tracking?.state, found.tracking?.advice, found.tracking_ready], ['ok', '', true]);
  const aligned = `https://click.news.example:${proxy.port}`;
  assert.deepEqual(
    await addressesIn('after@example.com'),
    new Set(['c', 'u', 'v', 'o'].map((path) => `${aligned}/${path}/`)),
  );

  dns.set('click.news.example', { rcode: 2 });
  const silent = await check();
  assert.deepEqual([silent.tracking?.state, silent.tracking_ready], ['unknown', true]);
});

test('a certificate that browsers refuse keeps the host out of use, one that cannot be checked does not', async () => {
  const other = await set('go.news.example');
  assert.equal(other.tracking_ready, false);
  dns.set('go.news.example', { CNAME: 'post.example' });
  const refused = await check();
  assert.deepEqual([refused.tracking?.state, refused.tracking_ready], ['wrong', false]);
  assert.match(refused.tracking!.advice, /certificate at go\.news\.example/);
  const reachable = app.app.outbound;
  app.app.outbound = createOutbound({ nameServers: [dns.server], hostsFile: '' });
  const unchecked = await check();
  assert.deepEqual([unchecked.tracking?.state, unchecked.tracking_ready], ['ok', true]);
  assert.match(unchecked.tracking!.advice, /could not be checked from here/);
  app.app.outbound.close();
  app.app.outbound = reachable;
  await set('click.news.example');
  dns.set('click.news.example', { CNAME: 'post.example' });
  assert.equal((await check()).tracking_ready, true);
});

test('the host serves the pages of recipients, and neither the application nor the API', async () => {
  for (const path of ['/', '/app/', '/login', '/api', '/xmlrpc', '/events']) {
    assert.equal(await get('click.news.example', path), 404, path);
    assert.notEqual(await get('post.example', path), 404, path);
  }
  assert.equal(await get('click.news.example', '/health'), 200);
  const raw = await messageTo('after@example.com');
  const token = /List-Unsubscribe: <https:\/\/[^/]+\/u\/([\w-]+)>/.exec(raw.replace(/\r\n[ \t]+/g, ' '))![1]!;
  // A link works at every host that leads here, so old ones do when the tracking host changes.
  for (const host of ['click.news.example', 'post.example', 'former.news.example'])
    assert.equal(await get(host, `/u/${token}`), 200, host);
});

test('when the record of a tracking host disappears, new links use BASE_URL and the owner is notified', async () => {
  dns.set('click.news.example', {});
  await app.app.db.run(sql`update sender_domain set checked_at = null`);
  await checkSenderDomains({ app: app.app, log: app.app.log, signal: new AbortController().signal });
  const [domain] = await app.call<Domain[]>('senderDomains');
  assert.deepEqual([domain!.status, domain!.tracking_ready], ['active', false]);
  assert.match(await messageTo('letters@news.example'), /Subject: The links of news\.example no longer work/);
  const removed = await set('');
  assert.deepEqual([removed.tracking_host, removed.records.some(({ purpose }) => purpose === 'tracking')], ['', false]);
});
