// The address of a client behind reverse proxies, as requests have it and as it counts: in what is limited, checked and recorded.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { attemptLimits } from '../../accounts/access/attempts.ts';
import { maxPerHour } from '../../audience/signup/sign-up.ts';
import { sql } from '../../db/connect.ts';
import { createServer } from '../../web.ts';

type Headers = Record<string, string | string[]>;

let t: TestApp;
let server: FastifyInstance;
before(async () => {
  t = await testApp({ TRUST_PROXY: 'loopback, 10.0.0.0/8, fd00::/8' });
  server = await withAddresses(t);
});
after(async () => {
  await server.close();
  await t.close();
});

async function withAddresses({ app }: TestApp): Promise<FastifyInstance> {
  const made = await createServer(app);
  made.get('/address', async (request) => request.ip);
  return made;
}

const seen = async (headers: Headers, from = '127.0.0.1', of = server) =>
  (await of.inject({ url: '/address', headers, remoteAddress: from })).body;

const chains: [forwarded: string, client: string, why: string][] = [
  ['203.0.113.7', '203.0.113.7', 'an address'],
  ['203.0.113.7:51234', '203.0.113.7', 'with a port, as Azure and IIS write it'],
  [' 203.0.113.7:51234 ', '203.0.113.7', 'with blanks'],
  ['"203.0.113.7"', '203.0.113.7', 'quoted'],
  ['"203.0.113.7:51234"', '203.0.113.7', 'quoted, with a port'],
  ['2001:db8::1', '2001:db8::1', 'IPv6'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', 'IPv6 written out'],
  ['[2001:db8::1]', '2001:db8::1', 'IPv6 in brackets'],
  ['[2001:db8::1]:4711', '2001:db8::1', 'IPv6 with a port'],
  ['"[2001:db8::1]:4711"', '2001:db8::1', 'IPv6 with a port, quoted'],
  ['2001:db8:0:0:0:0:0:1:4711', '2001:db8::1', 'IPv6 written out, with a port'],
  ['fe80::1%eth0', 'fe80::1', 'with a zone'],
  ['[fe80::1%25eth0]:4711', 'fe80::1', 'with an encoded zone and a port'],
  ['::ffff:203.0.113.7', '203.0.113.7', 'IPv4 inside IPv6'],
  ['[::ffff:203.0.113.7]:4711', '203.0.113.7', 'IPv4 inside IPv6, with a port'],
  ['::ffff:cb00:7107', '203.0.113.7', 'IPv4 inside IPv6, in hexadecimal'],
  ['198.51.100.1, 203.0.113.7', '203.0.113.7', 'what a client claims is before what the proxy adds'],
  ['198.51.100.1:80,203.0.113.7:51234', '203.0.113.7', 'both with a port, no blank'],
  ['<script>, 203.0.113.7', '203.0.113.7', 'a client that claims a text'],
  ['203.0.113.7:51234, 10.1.2.3:4711', '203.0.113.7', 'two proxies, the first one with a port'],
  ['203.0.113.7, [fd00::2]:4711, 10.1.2.3', '203.0.113.7', 'three proxies'],
  ['203.0.113.7, ::ffff:10.1.2.3', '203.0.113.7', 'a proxy as IPv4 inside IPv6'],
  ['198.51.100.1, 192.0.2.1, 10.1.2.3', '192.0.2.1', 'a proxy that is not trusted is the client'],
  ['203.0.113.7,, ,10.1.2.3,', '203.0.113.7', 'empty elements'],
  ['10.9.9.9', '10.9.9.9', 'a client in the network of the proxies'],
  ['unknown, 10.1.2.3', '10.1.2.3', 'a proxy that does not know its client'],
  ['198.51.100.1, unknown', '127.0.0.1', 'nothing before a text counts'],
  ['unknown', '127.0.0.1', 'unknown'],
  ['_hidden', '127.0.0.1', 'an obfuscated name'],
  ['"x"', '127.0.0.1', 'a quoted text'],
  ['203.0.113.7:abc', '127.0.0.1', 'a port that is none'],
  ['203.0.113.7:', '127.0.0.1', 'an empty port'],
  ['203.0.113.256', '127.0.0.1', 'a number too large'],
  ['203.0.113.007', '127.0.0.1', 'a number that may be octal'],
  ['3405803783', '127.0.0.1', 'a number'],
  ['203.0.113.0/24', '127.0.0.1', 'a network'],
  ['203.0.113.7 198.51.100.1', '127.0.0.1', 'no comma'],
  ['[2001:db8::1', '127.0.0.1', 'an open bracket'],
  ['[203.0.113.7]:80:90', '127.0.0.1', 'two ports'],
  ['host.example.com', '127.0.0.1', 'a name'],
  ['<script>', '127.0.0.1', 'markup'],
  ["203.0.113.7' or 1=1", '127.0.0.1', 'SQL'],
  ['for=203.0.113.7', '127.0.0.1', 'an element of the other header'],
  [',', '127.0.0.1', 'a comma'],
  ['', '127.0.0.1', 'nothing'],
];

for (const [forwarded, client, why] of chains)
  test(`X-Forwarded-For: ${why}`, async () => {
    assert.equal(await seen({ 'x-forwarded-for': forwarded }), client, forwarded);
  });

test('several X-Forwarded-For headers are one list', async () => {
  assert.equal(
    await seen({ 'x-forwarded-for': ['198.51.100.1', '203.0.113.7:1, 10.1.2.3', '10.1.2.4'] }),
    '203.0.113.7',
  );
});

const standard: [forwarded: string, client: string, why: string][] = [
  ['for=203.0.113.7', '203.0.113.7', 'an address'],
  ['For="203.0.113.7:51234";proto=https;by=10.0.0.1', '203.0.113.7', 'a port and more'],
  ['proto=https; host="a;for=198.51.100.1, for=198.51.100.2" ; for = 203.0.113.7', '203.0.113.7', 'a quoted host'],
  ['for="[2001:db8::1]:4711"', '2001:db8::1', 'IPv6'],
  ['for="[2001:db8::1]:_port"', '2001:db8::1', 'an obfuscated port'],
  ['for=[2001:db8::1]', '2001:db8::1', 'IPv6 without quotes'],
  ['for=198.51.100.1, for=203.0.113.7, for=10.1.2.3', '203.0.113.7', 'several proxies'],
  ['for=198.51.100.1;host=", for=203.0.113.7', '203.0.113.7', 'a client with an open quotation mark'],
  [
    'for=198.51.100.1;host=", for="[2001:db8::7]:80"',
    '2001:db8::7',
    'a client with an open quotation mark before quotes',
  ],
  ['for=203.0.113.7,, for=10.1.2.3;host="a\\"b,c"', '203.0.113.7', 'an empty element and an escaped quotation mark'],
  ['for=unknown', '127.0.0.1', 'unknown'],
  ['for=_hidden, for=10.1.2.3', '10.1.2.3', 'an obfuscated name'],
  ['for=""', '127.0.0.1', 'nothing'],
  ['by=203.0.113.7', '127.0.0.1', 'no client'],
  ['203.0.113.7', '127.0.0.1', 'an element of the other header'],
  ['', '127.0.0.1', 'an empty header'],
];

for (const [forwarded, client, why] of standard)
  test(`Forwarded: ${why}`, async () => {
    assert.equal(await seen({ forwarded }), client, forwarded);
  });

test('a header that a client has filled with blanks is read in no time', async () => {
  const blanks = ' '.repeat(7_000);
  for (const forwarded of [
    `for=${blanks}"x`,
    `for${blanks}=${blanks}`,
    `${blanks}for=x${blanks}"`,
    `for="${blanks}\\`,
  ]) {
    const before = process.cpuUsage();
    await seen({ forwarded });
    assert.ok(process.cpuUsage(before).user < 1_000_000, JSON.stringify(forwarded.trim().slice(0, 9)));
  }
});

test('X-Forwarded-For comes before Forwarded, which a client may have made up', async () => {
  assert.equal(await seen({ 'x-forwarded-for': '203.0.113.7', forwarded: 'for=198.51.100.1' }), '203.0.113.7');
  assert.equal(await seen({ 'x-forwarded-for': 'unknown', forwarded: 'for=198.51.100.1' }), '127.0.0.1');
});

test('from others than the proxies, both headers are ignored', async () => {
  for (const from of ['192.0.2.9', '::ffff:192.0.2.9'])
    for (const headers of [{ 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=203.0.113.7' }] as Headers[])
      assert.equal(await seen(headers, from), '192.0.2.9');
  assert.equal(await seen({ 'x-forwarded-for': '203.0.113.7' }, '::ffff:10.4.4.4'), '203.0.113.7');
});

test('a long header costs no more than its length', async () => {
  const elements = (text: string) => text.repeat(Math.floor(15_000 / text.length));
  for (const text of ['",', ',', '"\\', '10.0.0.1,', 'for="10.0.0.1",', 'for=10.0.0.1;a="",'])
    for (const name of ['x-forwarded-for', 'forwarded'])
      assert.match(await seen({ [name]: elements(text) }), /^[\d.]+$/, text);
});

test('wrong passwords from one client count together, whatever ports it has, and those of others do not', async () => {
  const usual = attemptLimits.byCaller;
  attemptLimits.byCaller = 3;
  try {
    const signIn = async (forwarded: string, n: number) =>
      (
        await server.inject({
          method: 'POST',
          url: '/session',
          headers: { 'x-forwarded-for': forwarded, 'sec-fetch-site': 'same-origin' },
          payload: { email: `person${n}@example.com`, password: 'wrong horse' },
        })
      ).statusCode;
    const client = [1, 2, 3, 4].map((n) => `203.0.113.8:4000${n}`);
    const results = [];
    for (const [n, forwarded] of client.entries()) results.push(await signIn(forwarded, n));
    assert.deepEqual(results, [401, 401, 401, 429]);
    assert.equal(await signIn('203.0.113.9:40001', 9), 401);
  } finally {
    attemptLimits.byCaller = usual;
  }
});

test('a key that is limited to a network works from there through a proxy that writes ports', async () => {
  const key = await t.call<string>('apikeyAdd', { label: 'office', networks: ['198.51.100.0/24'] });
  const ping = async (forwarded: string) =>
    (
      await server.inject({
        method: 'POST',
        url: '/api/ping',
        headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': forwarded },
      })
    ).statusCode;
  assert.deepEqual(
    [await ping('198.51.100.9:51234'), await ping('203.0.113.7:51234'), await ping('unknown')],
    [200, 401, 401],
  );
});

test('the audit log and the evidence of consent have plain addresses', async () => {
  const from = { 'x-forwarded-for': '203.0.113.77:51234' };
  await server.inject({
    method: 'POST',
    url: '/api/listCreate',
    headers: { authorization: `Bearer ${t.key}`, ...from },
    payload: { title: 'Readers' },
  });
  const list = ((await t.call<{ id: string; name: string }[]>('lists')) as { id: string }[])[0]!.id;
  const entry = await t.app.db.row<{ ip: string }>(sql`select ip from audit_entry where method = 'listCreate'`);
  assert.equal(entry?.ip, '203.0.113.77');
  const form = new URL((await t.call<{ url: string }>('listForm', { id: list })).url).pathname;
  const submit = (headers: Headers, email: string) =>
    server.inject({
      method: 'POST',
      url: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams({ EMAIL: email, CONSENT: '1' }).toString(),
    });
  const statuses = [];
  for (let n = 0; n <= maxPerHour; n++)
    statuses.push((await submit({ 'x-forwarded-for': `203.0.113.78:${40_000 + n}` }, `r${n}@example.com`)).statusCode);
  assert.equal(statuses.at(-1), 429);
});
