// MTA-STS and TLS-RPT of the domain that returned mail goes to, against a name server and a web server with TLS on loopback.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type DnsStub, startDnsStub } from '../../../test/support/network/dns-stub.ts';
import { type HttpsPages, type Page, startHttpsPages } from '../../../test/support/network/https-pages.ts';
import { renderPacked } from '../../base/messages.ts';
import { createOutbound } from '../../base/outbound/outbound.ts';
import { createDns } from './dns.ts';
import type { DnsFinding } from './dns-check.ts';
import { transportFindings } from './transport-security.ts';

const path = '/.well-known/mta-sts.txt';
const policyOf = (mode: string, mx = ['mx.example.net'], more = 'max_age: 86400') =>
  ['version: STSv1', `mode: ${mode}`, ...mx.map((host) => `mx: ${host}`), more, ''].join('\r\n');

let dns: DnsStub;
let web: HttpsPages;
before(async () => {
  dns = await startDnsStub();
  web = await startHttpsPages(dns, ['mta-sts.back.example']);
});
after(async () => {
  await web.close();
  await dns.close();
});
beforeEach(() => {
  dns.set('back.example', { MX: [{ exchange: 'mx.example.net', priority: 10 }] });
  dns.set('_mta-sts.back.example', { TXT: ['v=STSv1; id=20261122T10'] });
  dns.set('_smtp._tls.back.example', { TXT: ['v=TLSRPTv1; rua=mailto:tls@shop.example,https://r.example/v1'] });
  web.set(path, { body: policyOf('enforce') });
});

async function check(outbound = web.outbound): Promise<Record<string, DnsFinding>> {
  const setup = { returnDomain: 'back.example', host: 'post.example', domain: 'shop.example' };
  const findings = await transportFindings(createDns({ servers: [dns.server], timeoutMs: 1_000 }), outbound, setup);
  return Object.fromEntries(
    findings.map((finding) => [finding.name, { ...finding, hint: renderPacked(finding.hint) }]),
  );
}

test('a domain with an enforced policy that names its mail servers, and with reports, is right', async () => {
  const found = await check();
  assert.deepEqual(
    Object.values(found).map(({ name, record, state, hint }) => [name, record, state, hint]),
    [
      ['mta_sts', '_mta-sts.back.example', 'ok', ''],
      ['mta_sts_policy', `https://mta-sts.back.example${path}`, 'ok', ''],
      ['tls_rpt', '_smtp._tls.back.example', 'ok', ''],
    ],
  );
  assert.equal(found['mta_sts_policy']!.found, policyOf('enforce'));
});

test('without records each finding names what to publish, and no file is fetched', async () => {
  for (const name of ['back.example', '_mta-sts.back.example', '_smtp._tls.back.example']) dns.set(name, {});
  const before = web.requests.length;
  const found = await check();
  assert.deepEqual(
    Object.values(found).map(({ state, expected }) => [state, expected]),
    [
      ['missing', 'v=STSv1; id=1'],
      ['missing', 'version: STSv1\nmode: testing\nmx: post.example\nmax_age: 604800\n'],
      ['missing', 'v=TLSRPTv1; rua=mailto:postmaster@shop.example'],
    ],
  );
  assert.match(found['mta_sts']!.hint, /only if the host of the MX record offers STARTTLS .* bounce listener does not/);
  assert.equal(web.requests.length, before);
});

const records: [name: 'mta_sts' | 'tls_rpt', TXT: string[], state: DnsFinding['state'], hint: RegExp][] = [
  ['mta_sts', ['v=STSv1;id=1;'], 'ok', /^$/],
  ['mta_sts', ['v=STSv1; id=2026-11-22'], 'wrong', /letters and digits/],
  ['mta_sts', ['v=STSv1'], 'wrong', /letters and digits/],
  ['mta_sts', ['v=STSv1; id=1', 'v=STSv1; id=2'], 'wrong', /more than one/],
  ['mta_sts', ['v=STSv2; id=1'], 'missing', /Optional/],
  ['tls_rpt', ['v=TLSRPTv1;rua=mailto:tls@shop.example'], 'ok', /^$/],
  ['tls_rpt', ['v=TLSRPTv1; rua=tls@shop.example'], 'wrong', /mailto: or https/],
  ['tls_rpt', ['v=TLSRPTv1'], 'wrong', /mailto: or https/],
  ['tls_rpt', ['v=TLSRPTv1; rua=mailto:a@b.example', 'v=TLSRPTv1; rua=mailto:c@d.example'], 'wrong', /more than one/],
];
for (const [name, TXT, state, hint] of records)
  test(`${name} ${TXT.join(' and ')}: ${state}`, async () => {
    dns.set(name === 'mta_sts' ? '_mta-sts.back.example' : '_smtp._tls.back.example', { TXT });
    const finding = (await check())[name]!;
    assert.equal(finding.state, state, finding.hint);
    assert.match(finding.hint, hint);
  });

const policies: [string, Page, DnsFinding['state'], RegExp][] = [
  ['testing', { body: policyOf('testing') }, 'ok', /only reports failures/],
  ['none, without mx', { body: policyOf('none', []) }, 'ok', /switched off/],
  ['a wildcard', { body: policyOf('enforce', ['*.example.net']) }, 'ok', /^$/],
  ['a wildcard of another level', { body: policyOf('enforce', ['*.net']) }, 'wrong', /mx\.example\.net.*not delivered/],
  ['another host', { body: policyOf('enforce', ['mx.example.org']) }, 'wrong', /mx\.example\.net/],
  ['another mode', { body: policyOf('strict') }, 'wrong', /testing, enforce or none/],
  ['no max_age', { body: policyOf('enforce', ['mx.example.net'], '') }, 'wrong', /max_age in seconds, 31557600/],
  ['a long max_age', { body: policyOf('enforce', ['mx.example.net'], 'max_age: 31557601') }, 'wrong', /max_age/],
  ['no version', { body: policyOf('enforce').replace('version', 'versions') }, 'wrong', /version: STSv1/],
  ['a web page', { type: 'text/html', body: policyOf('enforce') }, 'wrong', /as text\/plain/],
  ['not there', { status: 404 }, 'wrong', /status 404/],
  ['moved', { status: 301, location: '/policy.txt' }, 'wrong', /status 301.*no redirect/],
  ['too large', { body: 'x'.repeat(70_000) }, 'unknown', /could not be fetched/],
];
for (const [about, page, state, hint] of policies)
  test(`policy file, ${about}: ${state}`, async () => {
    web.set(path, page);
    const finding = (await check())['mta_sts_policy']!;
    assert.equal(finding.state, state, finding.hint);
    assert.match(finding.hint, hint);
  });

test('an enforced policy for the host of this installation warns that its listener offers no TLS', async () => {
  dns.set('back.example', { MX: [{ exchange: 'post.example', priority: 10 }] });
  web.set(path, { body: policyOf('enforce', ['post.example']) });
  const finding = (await check())['mta_sts_policy']!;
  assert.deepEqual([finding.state, /bounces would be lost/.test(finding.hint)], ['ok', true]);
});

test('with a name server that fails every finding is "unknown"', async () => {
  for (const name of ['back.example', '_mta-sts.back.example', '_smtp._tls.back.example']) dns.set(name, { rcode: 2 });
  assert.deepEqual(new Set(Object.values(await check()).map(({ state }) => state)), new Set(['unknown']));
});

test('a policy file on a private address is not fetched, and one with a wrong certificate is reported', async () => {
  const guarded = createOutbound({ nameServers: [dns.server], hostsFile: '' });
  const before = web.requests.length;
  const refused = (await check(guarded))['mta_sts_policy']!;
  guarded.close();
  assert.deepEqual([refused.state, web.requests.length], ['unknown', before]);
  web.certify(['other.back.example']);
  const finding = (await check())['mta_sts_policy']!;
  assert.deepEqual([finding.state, /no valid certificate/.test(finding.hint)], ['wrong', true]);
});
