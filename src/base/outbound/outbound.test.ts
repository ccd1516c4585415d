import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type DnsStub, startDnsStub } from '../../../test/support/network/dns-stub.ts';
import { type HostileServer, startHostileHttp } from '../../../test/support/network/hostile-http.ts';
import { watchSockets } from '../../../test/support/network/watch-sockets.ts';
import { createAuthority, createCertificate } from '../../../test/support/smtp-sink/certificate.ts';
import { readConfig } from '../../config.ts';
import { renderMessage } from '../messages.ts';
import type { Outbound, OutboundRequest } from '../outbound-client.ts';
import { createOutbound, publicReason } from './outbound.ts';

// 127.0.0.2 stands for the public network (it is allowed), 127.0.0.1 for what must never be touched.
let open: HostileServer;
let canary: HostileServer;
let dns: DnsStub;
let outbound: Outbound;

before(async () => {
  open = await startHostileHttp('127.0.0.2');
  canary = await startHostileHttp('127.0.0.1');
  dns = await startDnsStub();
  outbound = createOutbound({ allow: ['127.0.0.2'], nameServers: [dns.server], hostsFile: '' });
});
after(async () => {
  outbound.close();
  await Promise.all([open.close(), canary.close(), dns.close()]);
});

/** Fetches, and returns the attempted connections. */
async function watched(url: string, request: OutboundRequest = {}) {
  const watch = watchSockets();
  try {
    const result = await outbound.fetch(url, { totalMs: 3_000, ...request });
    return { result, hosts: watch.attempts.map(({ host, port }) => `${host}:${port}`) };
  } finally {
    watch.stop();
  }
}

const blockedIPv4 = [
  ['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.254', '100.64.0.1', '127.0.0.1', '127.255.255.254', '168.63.129.16'],
  ['169.254.169.254', '169.254.0.1', '172.16.0.1', '172.31.255.254', '192.0.0.8', '192.0.2.1', '192.88.99.1'],
  ['192.168.0.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1'],
  ['255.255.255.255'],
].flat();
const blockedIPv6 = [
  ['::', '::1', '::7f00:1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '::ffff:0:7f00:1', '64:ff9b::7f00:1'],
  ['64:ff9b:1::7f00:1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1', 'fc00::1'],
  ['fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1'],
].flat();

function notationsOfIPv4(address: string): string[] {
  const parts = address.split('.').map(Number) as [number, number, number, number];
  const [a, b, c, d] = parts;
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (part: number) => `0x${part.toString(16)}`;
  const octal = (part: number) => `0${part.toString(8)}`;
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    octal(whole),
    parts.map(hex).join('.'),
    parts.map(octal).join('.'),
    parts.map((part) => `0x00${part.toString(16).padStart(4, '0')}`).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${b * 65536 + c * 256 + d}`,
    address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replaceAll('.', '。'),
    address.replace(/\d/g, (digit) => `%3${digit}`),
    `[::ffff:${address}]`,
    `[::FFFF:${groups}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[2002:${groups}::1]`,
  ];
}

function notationsOfIPv6(address: string): string[] {
  const full = fullIPv6(address);
  const tail = full.split(':').slice(6);
  const [high, low] = tail.map((group) => Number.parseInt(group, 16)) as [number, number];
  const dotted = `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  const short = full
    .split(':')
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
  return [
    ...[address, address.toUpperCase(), full, full.toUpperCase(), short].map((text) => `[${text}]`),
    `[${full.split(':').slice(0, 6).join(':')}:${dotted}]`,
    `[${short.split(':').slice(0, 6).join(':')}:${dotted}]`,
    `[${address}%25lo]`,
    `[${address}%lo]`,
    `[${address}].`,
    `%5B${address}%5D`,
    address,
    `[${address.replaceAll(':', '：')}]`,
    `[${address}/128]`,
  ];
}

function fullIPv6(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const middle = address.includes('::') ? new Array<string>(8 - left.length - right.length).fill('0') : [];
  return [...left, ...middle, ...right].map((group) => group.padStart(4, '0')).join(':');
}

test('none of 42 forbidden addresses is connected to, in any of 14 and more notations', async () => {
  const grid = [
    ...blockedIPv4.flatMap((address) => notationsOfIPv4(address)),
    ...blockedIPv6.flatMap((address) => notationsOfIPv6(address)),
  ];
  assert.ok(blockedIPv4.length + blockedIPv6.length >= 40);
  assert.ok(grid.length >= 560, String(grid.length));
  const before = canary.connections;
  const watch = watchSockets();
  const whys = new Map<string, number>();
  for (const host of grid) {
    for (const port of [canary.port, 80]) {
      const url = `http://${host}:${port}/ok`;
      const result = await outbound.fetch(url, { totalMs: 2_000 });
      assert.equal(result.ok, false, url);
      whys.set(result.ok ? 'ok' : result.why, (whys.get(result.ok ? 'ok' : result.why) ?? 0) + 1);
      assert.equal((await outbound.judge(url)).ok, false, url);
    }
  }
  watch.stop();
  assert.deepEqual(watch.attempts, []);
  assert.equal(canary.connections, before);
  assert.deepEqual([...whys.keys()], ['refused']);
});

test('the socket monitor of this test detects a connection', async () => {
  const { result, hosts } = await watched(open.url('ok'));
  assert.equal(result.ok && result.body.toString(), 'hello');
  assert.deepEqual(hosts, [`127.0.0.2:${open.port}`]);
});

test('names of this machine are refused without a DNS query', async () => {
  const asked = dns.questions.length;
  for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ｌocalhost', 'loc%61lhost']) {
    const { result, hosts } = await watched(`http://${name}:${canary.port}/`);
    assert.equal(result.ok, false, name);
    assert.deepEqual(hosts, [], name);
  }
  assert.equal(dns.questions.length, asked);
});

test('all addresses of a name are checked, through any chain of CNAMEs', async () => {
  dns.set('good.test', { A: ['127.0.0.2'] });
  dns.set('private.test', { A: ['127.0.0.1'] });
  dns.set('mixed.test', { A: ['127.0.0.2', '127.0.0.1'] });
  dns.set('mixed6.test', { A: ['127.0.0.2'], AAAA: ['::1'] });
  dns.set('mapped.test', { AAAA: ['::ffff:127.0.0.1'] });
  dns.set('chain.test', { CNAME: 'chain2.test' });
  dns.set('chain2.test', { CNAME: 'private.test' });
  dns.set('good-chain.test', { CNAME: 'good.test' });
  dns.set('metadata.test', { A: ['169.254.169.254'] });
  dns.set('crowd.test', { A: Array.from({ length: 70 }, () => '127.0.0.2').map((a, i) => (i ? `127.0.1.${i}` : a)) });

  const at = (name: string) => `http://${name}:${open.port}/ok`;
  for (const name of ['good.test', 'GOOD.test', 'good.test.', 'good-chain.test']) {
    const { result, hosts } = await watched(at(name));
    assert.equal(result.ok, true, name);
    assert.deepEqual(hosts, [`127.0.0.2:${open.port}`], name);
  }
  for (const name of ['private', 'mixed', 'mixed6', 'mapped', 'chain', 'metadata', 'crowd']) {
    const { result, hosts } = await watched(at(`${name}.test`));
    assert.equal(!result.ok && result.why, 'refused', name);
    assert.deepEqual(hosts, [], name);
  }
});

test('a name that changes between two queries is connected to only at the checked address', async () => {
  // Whatever the name says later: one fetch asks once, and the request travels to the address judged.
  dns.set('flip.test', (nth) => ({ A: [nth === 0 ? '127.0.0.2' : '127.0.0.1'], ttl: 0 }));
  const first = await watched(`http://flip.test:${open.port}/ok`);
  assert.equal(first.result.ok, true);
  assert.deepEqual(first.hosts, [`127.0.0.2:${open.port}`]);
  assert.equal(dns.questions.filter(({ name, type }) => name === 'flip.test' && type === 'A').length, 1);

  const second = await watched(`http://flip.test:${open.port}/ok`);
  assert.equal(!second.result.ok && second.result.why, 'refused');
  assert.deepEqual(second.hosts, []);

  // A redirect to the same name is checked again.
  dns.set('flip2.test', (nth) => ({ A: [nth === 0 ? '127.0.0.2' : '127.0.0.1'], ttl: 0 }));
  const url = `http://flip2.test:${open.port}/redirect?to=${encodeURIComponent(`http://flip2.test:${canary.port}/ok`)}`;
  const hop = await watched(url, { redirects: 'follow-checked' });
  assert.equal(!hop.result.ok && hop.result.why, 'refused');
  assert.deepEqual(hop.hosts, [`127.0.0.2:${open.port}`]);
});

test('a kept connection is reused only for the address that was checked this time', async () => {
  dns.set('moving.test', (nth) => ({ A: [nth < 2 ? '127.0.0.2' : '127.0.0.1'], ttl: 0 }));
  const fetch = () => outbound.fetch(`http://moving.test:${open.port}/ok`, { agentKey: 'moving' });
  const before = open.connections;
  assert.equal((await fetch()).ok, true);
  assert.equal((await fetch()).ok, true);
  assert.equal(open.connections, before + 1);
  const third = await fetch();
  assert.equal(!third.ok && third.why, 'refused');
});

test('kept connections are not shared between keys, and one that the server closed is replaced', async () => {
  const before = open.connections;
  for (const agentKey of ['one', 'two', 'one', 'two']) {
    assert.equal((await outbound.fetch(open.url('ok'), { agentKey })).ok, true);
  }
  assert.equal(open.connections, before + 2);
  for (let i = 0; i < 3; i++) {
    assert.equal((await outbound.fetch(open.url('ok-then-close'), { agentKey: 'closing' })).ok, true);
  }
  const unkeyed = open.connections;
  await outbound.fetch(open.url('ok'));
  await outbound.fetch(open.url('ok'));
  assert.equal(open.connections, unkeyed + 2);
});

test('missing, failing, slow and silent name servers cause failures in time', async () => {
  dns.set('servfail.test', { rcode: 2 });
  dns.set('empty.test', {});
  dns.set('slow.test', { A: ['127.0.0.2'], delayMs: 600 });
  dns.set('mute.test', { delayMs: Infinity });
  const at = (name: string) => `http://${name}:${open.port}/ok`;
  for (const name of ['nxdomain.test', 'servfail.test', 'empty.test']) {
    const { result, hosts } = await watched(at(name));
    assert.equal(!result.ok && result.why, 'unreachable', name);
    assert.deepEqual(hosts, [], name);
  }
  assert.equal((await watched(at('slow.test'))).result.ok, true);
  const { result } = await watched(at('mute.test'), { totalMs: 500 });
  assert.equal(!result.ok && result.why, 'timeout');
  assert.ok(result.ms < 5_000, String(result.ms));
});

test('when the first address does not answer, the next is tried', async () => {
  const both = createOutbound({ allow: ['127.0.0.0/8'], nameServers: [dns.server], hostsFile: '' });
  dns.set('two.test', { A: ['127.0.0.9', '127.0.0.2'] });
  const result = await both.fetch(`http://two.test:${open.port}/ok`);
  assert.equal(result.ok, true);
  both.close();
});

test("names of the operator's hosts file come first and are checked like others", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  const hostsFile = join(folder, 'hosts');
  await writeFile(hostsFile, '# fixed\n127.0.0.2 Fixed.test alias.test # open\n127.0.0.1\tinner.test\n');
  const client = createOutbound({ allow: ['127.0.0.2'], nameServers: [dns.server], hostsFile });
  for (const name of ['fixed.test', 'alias.test']) {
    assert.equal((await client.fetch(`http://${name}:${open.port}/ok`)).ok, true, name);
  }
  const inner = await client.fetch(`http://inner.test:${canary.port}/ok`);
  assert.equal(!inner.ok && inner.why, 'refused');
  await rm(folder, { recursive: true });
});

test('a redirect leads only to addresses that could be typed', async () => {
  dns.set('inner.test', { A: ['127.0.0.1'] });
  const c = canary.port;
  const locations = [
    `http://127.0.0.1:${c}/ok`,
    `//127.0.0.1:${c}/ok`,
    `\\\\127.0.0.1:${c}\\ok`,
    `/\\127.0.0.1:${c}/ok`,
    `http:\\\\127.0.0.1:${c}/ok`,
    `http://0x7f000001:${c}/ok`,
    `http://2130706433:${c}/ok`,
    `http://[::1]:${c}/ok`,
    `http://[::ffff:127.0.0.1]:${c}/ok`,
    `http://localhost:${c}/ok`,
    `http://inner.test:${c}/ok`,
    `http://127.0.0.2@127.0.0.1:${c}/ok`,
    `http://127.0.0.1:${c}#@127.0.0.2/ok`,
    `http://127.0.0.1:${c}\\@127.0.0.2/ok`,
    `https://127.0.0.1:${c}/ok`,
    'http://169.254.169.254/latest/meta-data/',
    'ftp://127.0.0.2/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/_x',
    'data:text/html,hello',
    'javascript:alert(1)',
    'http://user:secret@127.0.0.2/',
    `http://127.0.0.2:25/`,
    'http://',
    'http://exa mple/',
  ];
  const before = canary.connections;
  for (const status of ['301', '302', '303', '307', '308']) {
    for (const to of locations) {
      const { result, hosts } = await watched(open.url('redirect', { to, status }), { redirects: 'follow-checked' });
      assert.equal(!result.ok && result.why, 'refused', `${status} ${to}`);
      assert.deepEqual(hosts, [`127.0.0.2:${open.port}`], `${status} ${to}`);
    }
  }
  assert.equal(canary.connections, before);
});

test('redirects, also relative ones, are followed up to the limit', async () => {
  const chain = (hops: number): string => (hops === 0 ? open.url('ok') : open.url('redirect', { to: chain(hops - 1) }));
  for (let hops = 0; hops <= 3; hops++) {
    const { result } = await watched(chain(hops), { redirects: 'follow-checked' });
    assert.equal(result.ok && result.finalUrl, open.url('ok'), String(hops));
  }
  for (const hops of [4, 5, 6]) {
    const { result, hosts } = await watched(chain(hops), { redirects: 'follow-checked' });
    assert.equal(!result.ok && result.why, 'redirects', String(hops));
    assert.equal(hosts.length, 4);
  }
  const relative = await watched(open.url('redirect', { to: '../a/./ok?x#y' }), { redirects: 'follow-checked' });
  assert.equal(relative.result.ok && relative.result.finalUrl, `http://127.0.0.2:${open.port}/a/ok?x`);
  const utf8 = await watched(open.url('redirect', { to: '/ok?ä' }), { redirects: 'follow-checked' });
  assert.equal(utf8.result.ok && utf8.result.finalUrl, `http://127.0.0.2:${open.port}/ok?%C3%A4`);
  const loop = await watched(open.url('redirect', { to: '' }), { redirects: 'follow-checked' });
  assert.equal(!loop.result.ok && loop.result.why, 'redirects');
});

test('F72: unless the caller allows redirects, and always for POST, a redirect is returned like any answer', async () => {
  for (const request of [{}, { method: 'POST', body: 'x', redirects: 'follow-checked' as const }]) {
    const { result, hosts } = await watched(open.url('redirect', { to: open.url('ok'), status: '307' }), request);
    assert.equal(result.ok && result.status, 307);
    assert.equal(hosts.length, 1);
  }
});

test('credentials stay with the origin they were given for', async () => {
  const elsewhere = createOutbound({ allow: ['127.0.0.2', '127.0.0.1'] });
  const headers = { Authorization: 'Bearer secret', 'X-Other': 'kept' };
  const result = await elsewhere.fetch(open.url('redirect', { to: canary.url('echo') }), {
    redirects: 'follow-checked',
    headers,
  });
  assert.ok(result.ok);
  assert.doesNotMatch(result.body.toString(), /secret/);
  assert.match(result.body.toString(), /x-other: kept/i);
  const same = await elsewhere.fetch(open.url('redirect', { to: open.url('echo') }), {
    redirects: 'follow-checked',
    headers,
  });
  assert.match(same.ok ? same.body.toString() : '', /Bearer secret/);
});

test('a POST carries exactly the bytes and headers given, and nothing of the environment', async () => {
  const body = Buffer.from([0, 1, 2, 13, 10, 255, 128]);
  const result = await outbound.fetch(open.url('echo'), {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', 'X-Service-Signature': 'sha256=AbC', Host: 'evil.test' },
  });
  assert.ok(result.ok);
  const head = result.body.toString('latin1');
  assert.match(head, /^POST \/echo HTTP\/1\.1\r\n/);
  assert.match(head, new RegExp(`^host: 127\\.0\\.0\\.2:${open.port}\r$`, 'im'));
  assert.match(head, /^content-type: application\/json\r$/im);
  assert.match(head, /^x-service-signature: sha256=AbC\r$/im);
  assert.match(head, /^content-length: 7\r$/im);
  assert.match(head, /^accept-encoding: identity\r$/im);
  assert.doesNotMatch(head, /evil|cookie|expect|transfer-encoding/i);
  assert.ok(open.received.at(-1)!.endsWith(body.toString('latin1')));
  const cookie = await outbound.fetch(open.url('cookies'));
  assert.ok(cookie.ok);
  const next = await outbound.fetch(open.url('echo'));
  assert.doesNotMatch(next.ok ? next.body.toString() : 'cookie', /cookie/i);
});

test('no environment variable inserts a proxy', async () => {
  const proxy = `http://127.0.0.1:${canary.port}`;
  const before = canary.connections;
  const script = `
    const { createOutbound } = await import(${JSON.stringify(new URL('./outbound.ts', import.meta.url).href)});
    const result = await createOutbound({ allow: ['127.0.0.2'] }).fetch(${JSON.stringify(open.url('ok'))});
    console.log(result.ok && result.body.toString());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy },
  });
  assert.equal(stdout.trim(), 'hello');
  assert.equal(canary.connections, before);
});

test('a certificate must have a known authority, be in date, and match the typed name', async () => {
  const authority = createAuthority();
  const day = 86_400_000;
  const past = { validFrom: new Date(Date.now() - 2 * day), validTo: new Date(Date.now() - day) };
  const right = createCertificate(authority, ['secure.test', '127.0.0.2']);
  const cases = [
    { name: 'right', tls: right, ok: true },
    { name: 'another name', tls: createCertificate(authority, ['other.test']), ok: false },
    { name: 'expired', tls: createCertificate(authority, ['secure.test'], past), ok: false },
    { name: 'unknown authority', tls: createCertificate(createAuthority(), ['secure.test']), ok: false },
    {
      name: 'old TLS only',
      tls: { ...right, minVersion: 'TLSv1' as const, maxVersion: 'TLSv1.1' as const },
      ok: false,
    },
  ];
  dns.set('secure.test', { A: ['127.0.0.2'] });
  const client = createOutbound({
    allow: ['127.0.0.2'],
    nameServers: [dns.server],
    caCertificates: [authority.cert],
    hostsFile: '',
  });
  for (const { name, tls, ok } of cases) {
    const server = await startHostileHttp('127.0.0.2', tls);
    const result = await client.fetch(`https://secure.test:${server.port}/ok`);
    assert.equal(result.ok, ok, name);
    if (!result.ok) assert.equal(result.why, 'unreachable', name);
    assert.equal(server.requests.length, ok ? 1 : 0, name);
    if (ok) {
      assert.match(server.requests[0]!, new RegExp(`^host: secure\\.test:${server.port}\r$`, 'im'));
      const byAddress = await client.fetch(server.url('ok'), { agentKey: 'k' });
      assert.equal(byAddress.ok, true);
      // Nothing secret travels on after a redirect has taken the encryption away.
      const down = await client.fetch(server.url('redirect', { to: open.url('ok') }), { redirects: 'follow-checked' });
      assert.equal(!down.ok && down.why, 'refused');
    }
    await server.close();
  }
  const plain = await client.fetch(`https://127.0.0.2:${open.port}/ok`, { connectMs: 200 });
  assert.equal(!plain.ok && plain.why, 'timeout');
  client.close();
});

test('closed, refused, private, unknown and silent addresses give the same message after the same time', async () => {
  const free = await startHostileHttp('127.0.0.2');
  await free.close();
  const urls = [
    `http://127.0.0.2:${free.port}/`,
    canary.url('ok'),
    'http://10.0.0.1/',
    'http://nxdomain2.test/',
    'ftp://example.org/',
    open.url('garbage'),
    open.url('closes-at-once'),
    open.url('redirect', { to: canary.url('ok') }),
  ];
  const seen = new Set<string>();
  for (const url of urls) {
    const result = await outbound.fetch(url, { redirects: 'follow-checked', padFailureMs: 400 });
    assert.ok(!result.ok, url);
    assert.ok(result.ms >= 400 && result.ms < 10_000, `${url}: ${result.ms} ms`);
    seen.add(publicReason(result, 'http://name.example/').key);
  }
  assert.equal(seen.size, 1);
});

test('the reason for a private address that a user wrote names it, whether it is allowed or not', async () => {
  const client = createOutbound();
  for (const host of ['127.0.0.1', '10.0.0.1', '[::1]']) {
    const url = `http://${host}:1025/`;
    const refused = await client.fetch(url);
    assert.ok(!refused.ok && refused.why === 'refused');
    const reason = publicReason(refused, url);
    assert.match(renderMessage(reason), / is a private address \(.*OUTBOUND_ALLOW/);
    assert.deepEqual(publicReason({ why: 'unreachable' }, url), reason, 'allowed and closed');
  }
  client.close();
  assert.equal(publicReason({ why: 'unreachable' }, 'http://93.184.215.14/').key, 'fetch.failed');
});

test('a caller can abort', async () => {
  const stop = new AbortController();
  const pending = outbound.fetch(open.url('never'), { signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  const result = await pending;
  assert.equal(!result.ok && result.why, 'aborted');
  const late = await outbound.fetch(open.url('ok'), { signal: stop.signal });
  assert.equal(!late.ok && late.why, 'aborted');
});

test('an invalid range in the settings is reported at start', () => {
  assert.throws(() => createOutbound({ allow: ['10.0.0.0/40'] }), /"10\.0\.0\.0\/40" is not a network range/);
  assert.throws(() => readConfig({ OUTBOUND_ALLOW: '10.0.0.0/8, nonsense' }), /OUTBOUND_ALLOW .*must contain ranges/);
  assert.deepEqual(readConfig({ OUTBOUND_ALLOW: '10.0.0.0/8, fd00::1' }).outboundAllow, ['10.0.0.0/8', 'fd00::1']);
  assert.deepEqual(readConfig({ OUTBOUND_ALLOW: '[fd00::/8]:443' }).outboundAllow, ['[fd00::/8]:443']);
});

test('a range with a port is reached at that port only', async () => {
  const outbound = createOutbound({ allow: ['127.0.0.1:9000'] });
  const judged = async (url: string) => (await outbound.judge(url)).ok;
  assert.deepEqual([await judged('http://127.0.0.1:9000/'), await judged('http://127.0.0.1:9001/')], [true, false]);
  outbound.close();
});
