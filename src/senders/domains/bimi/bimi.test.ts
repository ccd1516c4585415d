// The BIMI check against a name server and a web server with TLS on loopback: records, the DMARC policy, the logo.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type DnsStub, startDnsStub } from '../../../../test/support/network/dns-stub.ts';
import { type HttpsPages, type Page, startHttpsPages } from '../../../../test/support/network/https-pages.ts';
import { createAuthority } from '../../../../test/support/smtp-sink/certificate.ts';
import { renderPacked } from '../../../base/messages.ts';
import { createOutbound } from '../../../base/outbound/outbound.ts';
import { createDns } from '../dns.ts';
import type { DnsFinding } from '../dns-check.ts';
import { bimiFinding } from './bimi.ts';

const svg = (inside = '<rect width="9" height="9"/>', root = '') =>
  `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 9 9"${root}><title>Shop</title>${inside}</svg>`;
const logo = 'https://img.shop.example/logo.svg';
const right = `v=BIMI1; l=${logo}; a=https://img.shop.example/mark.pem`;
const goodPage: Page = { type: 'image/svg+xml; charset=utf-8', body: svg() };

let dns: DnsStub;
let web: HttpsPages;
before(async () => {
  dns = await startDnsStub();
  web = await startHttpsPages(dns, ['img.shop.example']);
});
after(async () => {
  await web.close();
  await dns.close();
});
beforeEach(() => {
  dns.set('_dmarc.shop.example', { TXT: ['v=DMARC1; p=quarantine'] });
  dns.set('default._bimi.shop.example', { TXT: [right] });
  web.set('/logo.svg', goodPage);
});

async function check(domain = 'shop.example', outbound = web.outbound): Promise<DnsFinding> {
  const finding = await bimiFinding(createDns({ servers: [dns.server], timeoutMs: 1_000 }), outbound, domain);
  return { ...finding, hint: renderPacked(finding.hint) };
}

test('a record with a logo that keeps to the profile, and an enforced DMARC policy, is right', async () => {
  assert.deepEqual(await check(), {
    name: 'bimi',
    record: 'default._bimi.shop.example',
    expected: right,
    found: right,
    state: 'ok',
    hint: '',
  });
});

test('without a record the finding names the one to publish, and fetches nothing', async () => {
  dns.set('default._bimi.shop.example', { TXT: ['v=spf1 -all'] });
  const before = web.requests.length;
  const finding = await check();
  assert.deepEqual(
    [finding.state, finding.expected, finding.found],
    ['missing', 'v=BIMI1; l=https://shop.example/logo.svg; a=', ''],
  );
  assert.match(finding.hint, /^Optional: .* logo beside emails from shop\.example\..*a=\.$/);
  assert.equal(web.requests.length, before);
  dns.set('_dmarc.shop.example', { TXT: ['v=DMARC1; p=none'] });
  assert.match((await check()).hint, /a=\. A logo needs the DMARC policy p=quarantine or p=reject; it is "none"\.$/);
});

const records: [string, string[], DnsFinding['state'], RegExp][] = [
  ['without a certificate', [`v=BIMI1;l=${logo}`], 'ok', /Without a mark certificate \(a=\), Gmail/],
  ['declined', ['v=BIMI1; l=; a=;'], 'ok', /declines a logo/],
  ['two records', [right, `v=BIMI1; l=${logo}`], 'wrong', /more than one BIMI record/],
  ['another version', [`v=BIMI2; l=${logo}`], 'wrong', /must begin with v=BIMI1/],
  ['the version at the end', [`l=${logo}; v=BIMI1`], 'wrong', /must begin with v=BIMI1/],
  ['no logo', ['v=BIMI1; a=https://img.shop.example/mark.pem'], 'wrong', /no logo \(l=\)/],
  ['a logo over http', ['v=BIMI1; l=http://img.shop.example/logo.svg'], 'wrong', /logo \(l=\) must begin with https/],
  [
    'a certificate over http',
    [`v=BIMI1; l=${logo}; a=http://x.example/m.pem`],
    'wrong',
    /\(a=\) must begin with https/,
  ],
  ['not an address', ['v=BIMI1; l=logo.svg'], 'wrong', /logo \(l=\) must begin with https/],
];
for (const [about, TXT, state, hint] of records)
  test(`record ${about}: ${state}`, async () => {
    dns.set('default._bimi.shop.example', { TXT });
    const finding = await check();
    assert.equal(finding.state, state, finding.hint);
    assert.match(finding.hint, hint);
  });

test('a domain without a record has the one of the domain above it', async () => {
  const finding = await check('news.shop.example');
  assert.deepEqual([finding.state, finding.hint], ['ok', 'The record is that of shop.example.']);
});

const policies: [string, Record<string, string[]>, string, DnsFinding['state'], RegExp][] = [
  ['reject', { 'shop.example': ['v=DMARC1; p=reject; pct=100'] }, 'shop.example', 'ok', /^$/],
  ['none', { 'shop.example': ['v=DMARC1; p=none'] }, 'shop.example', 'wrong', /it is "none"/],
  ['half', { 'shop.example': ['v=DMARC1; p=quarantine; pct=50'] }, 'shop.example', 'wrong', /remove pct=50/],
  ['no record', { 'shop.example': [] }, 'shop.example', 'wrong', /needs a DMARC record/],
  ['subdomains open', { 'shop.example': ['v=DMARC1; p=reject; sp=none'] }, 'shop.example', 'wrong', /remove sp=none/],
  [
    'none above',
    { 'shop.example': ['v=DMARC1; p=none'], 'news.shop.example': ['v=DMARC1; p=reject'] },
    'news.shop.example',
    'wrong',
    /DMARC record of shop\.example too/,
  ],
];
for (const [about, dmarc, domain, state, hint] of policies)
  test(`DMARC policy ${about}: ${state}`, async () => {
    for (const [name, TXT] of Object.entries(dmarc)) dns.set(`_dmarc.${name}`, { TXT });
    dns.set('default._bimi.news.shop.example', { TXT: [right] });
    const finding = await check(domain);
    assert.equal(finding.state, state, finding.hint);
    assert.match(finding.hint, hint);
    dns.set('_dmarc.news.shop.example', {});
    dns.set('default._bimi.news.shop.example', {});
  });

test('with a name server that fails the finding is "unknown"', async () => {
  for (const name of ['default._bimi.shop.example', '_dmarc.shop.example']) {
    dns.set(name, { rcode: 2 });
    assert.equal((await check()).state, 'unknown', name);
    dns.set(name, { TXT: ['v=DMARC1; p=reject'] });
  }
});

const pages: [string, Page, DnsFinding['state'], RegExp][] = [
  ['as another type', { ...goodPage, type: 'text/xml' }, 'ok', /send the logo as image\/svg\+xml/],
  ['not found', { status: 404 }, 'wrong', /status 404/],
  ['too large', { ...goodPage, body: svg(' '.repeat(33_000)) }, 'wrong', /larger than 32 KiB/],
  ['a web page', { ...goodPage, body: '<!doctype html><p>Hello' }, 'wrong', /not well-formed XML/],
  ['with a script', { ...goodPage, body: svg('<script/>') }, 'wrong', /does not allow: script/],
  ['moved', { status: 302, location: '/moved.svg' }, 'wrong', /status 404/],
  ['moved to http', { status: 302, location: 'http://img.shop.example/logo.svg' }, 'ok', /could not be loaded/],
];
for (const [about, page, state, hint] of pages)
  test(`logo ${about}: ${state}`, async () => {
    web.set('/logo.svg', page);
    const finding = await check();
    assert.equal(finding.state, state, finding.hint);
    assert.match(finding.hint, hint);
    assert.equal(finding.expected, right);
  });

test('a logo on a private address is not fetched, and one with a wrong certificate is reported', async () => {
  const guarded = createOutbound({ nameServers: [dns.server], hostsFile: '' });
  const before = web.requests.length;
  const refused = await check('shop.example', guarded);
  guarded.close();
  assert.deepEqual([refused.state, web.requests.length], ['ok', before]);
  assert.match(refused.hint, /could not be loaded from here/);
  web.certify(['img.shop.example'], createAuthority('Another Authority'));
  const finding = await check();
  assert.deepEqual([finding.state, finding.hint], ['wrong', 'The server of the logo has no valid certificate.']);
});
