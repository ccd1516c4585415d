import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os, { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { parseRange, refusal, specialUseOf } from './addresses.ts';

/** For each special range: its first and last address, and the nearest ones outside (null where another range adjoins). */
const edges: [first: string, last: string, before: string | null, after: string | null][] = [
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
  ['::', '::ffff:ffff', null, null],
  ['::ffff:0.0.0.0', '::ffff:255.255.255.255', null, null],
  ['64:ff9b::', '64:ff9b::ffff:ffff', null, null],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', null, null],
  ['100::', '100::ffff:ffff:ffff:ffff', null, null],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:7fff::', '2620:4f:8001::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
];

/** For each special range: its first and last address, and the name that a refusal gives. */
const names: [first: string, last: string, name: string][] = [
  ['0.0.0.0', '0.255.255.255', 'this network (RFC 791)'],
  ['10.0.0.0', '10.255.255.255', 'private (RFC 1918)'],
  ['100.64.0.0', '100.127.255.255', 'carrier-grade NAT (RFC 6598)'],
  ['127.0.0.0', '127.255.255.255', 'loopback (RFC 1122)'],
  ['168.63.129.16', '168.63.129.16', 'cloud platform metadata'],
  ['169.254.0.0', '169.254.255.255', 'link-local and cloud metadata (RFC 3927)'],
  ['172.16.0.0', '172.31.255.255', 'private (RFC 1918)'],
  ['192.0.0.0', '192.0.0.255', 'protocol assignments (RFC 6890)'],
  ['192.0.2.0', '192.0.2.255', 'documentation (RFC 5737)'],
  ['192.31.196.0', '192.31.196.255', 'AS112 (RFC 7535)'],
  ['192.52.193.0', '192.52.193.255', 'AMT (RFC 7450)'],
  ['192.88.99.0', '192.88.99.255', '6to4 relay (RFC 7526)'],
  ['192.168.0.0', '192.168.255.255', 'private (RFC 1918)'],
  ['192.175.48.0', '192.175.48.255', 'AS112 (RFC 7534)'],
  ['198.18.0.0', '198.19.255.255', 'benchmarking (RFC 2544)'],
  ['198.51.100.0', '198.51.100.255', 'documentation (RFC 5737)'],
  ['203.0.113.0', '203.0.113.255', 'documentation (RFC 5737)'],
  ['224.0.0.0', '239.255.255.255', 'multicast (RFC 5771)'],
  ['240.0.0.0', '255.255.255.255', 'reserved and broadcast (RFC 1112, RFC 919)'],
  ['::', '::ffff:ffff', 'unspecified, loopback, IPv4-compatible (RFC 4291)'],
  ['::ffff:0:0', '::ffff:ffff:ffff', 'IPv4-mapped (RFC 4291)'],
  ['::ffff:0:0:0', '::ffff:0:ffff:ffff', 'IPv4-translated (RFC 2765)'],
  ['64:ff9b::', '64:ff9b::ffff:ffff', 'NAT64 (RFC 6052)'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', 'local NAT64 (RFC 8215)'],
  ['100::', '100::ffff:ffff:ffff:ffff', 'discard (RFC 6666)'],
  ['100:0:0:1::', '100::1:ffff:ffff:ffff:ffff', 'dummy prefix (RFC 9780)'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', 'Teredo, ORCHID, benchmarking and other assignments (RFC 2928)'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation (RFC 3849)'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '6to4 (RFC 3056)'],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', 'AS112 (RFC 7534)'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation (RFC 9637)'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'segment routing (RFC 9602)'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'unique local (RFC 4193)'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'link-local (RFC 4291)'],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'site-local (RFC 3879)'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast (RFC 4291)'],
];

test('a refusal names the special range, from its first address to its last', () => {
  for (const [first, last, name] of names) {
    assert.equal(refusal(first, []), name, first);
    assert.equal(refusal(last, []), name, last);
  }
});

test('addresses between the special IPv6 ranges are not global unicast', () => {
  const others = [
    '0:0:1::',
    '::1:0:0',
    '::fffe:ffff:ffff',
    '::ffff:1:0:0',
    '64:ff9a:ffff::',
    '64:ff9b:0:0:0:1::',
    '64:ff9b:2::',
  ];
  const more = [
    'ff:ffff::',
    '100:0:0:2::',
    '1fff:ffff::',
    '4000::',
    '5eff:ffff::',
    '5f01::',
    'fbff:ffff::',
    'fe00::',
    'fe7f:ffff::',
  ];
  for (const address of [...others, ...more]) assert.equal(refusal(address, []), 'not global unicast', address);
  assert.equal(refusal('2000::', []), null);
  assert.equal(refusal('3fff:ffff::', []), null);
});

test('each special range is refused from its first address to its last, and not one beyond', () => {
  for (const [first, last, before, after] of edges) {
    assert.notEqual(refusal(first, []), null, first);
    assert.notEqual(refusal(last, []), null, last);
    if (before) assert.equal(refusal(before, []), null, before);
    if (after) assert.equal(refusal(after, []), null, after);
  }
});

test('an IPv6 address outside global unicast is refused even where no registry names it', () => {
  for (const address of ['200::1', '1fff::1', '4000::1', '8000::1', 'e000::1', '::1:0:0:1']) {
    assert.notEqual(refusal(address, []), null, address);
  }
});

test('ordinary public addresses are allowed', () => {
  for (const address of ['1.1.1.1', '93.184.215.14', '8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e']) {
    assert.equal(refusal(address, []), null, address);
  }
});

test('anything but one canonical address is refused', () => {
  for (const text of ['', 'example.org', '0x7f.1', '127.1', '2130706433', 'fe80::1%eth0', '1.1.1.1/32', ' 1.1.1.1']) {
    assert.notEqual(refusal(text, []), null, text);
  }
});

test('an exception with a port opens that port only', () => {
  const allow = ['10.1.0.0/16:443', '[fd00::/8]:8080', '127.0.0.1:9000'].map((text) => parseRange(text)!);
  for (const [address, port] of [
    ['10.1.2.3', 443],
    ['fd00::1', 8080],
    ['127.0.0.1', 9000],
  ] as const) {
    assert.equal(refusal(address, allow, port), null, address);
    assert.notEqual(refusal(address, allow, port + 1), null, address);
    assert.notEqual(refusal(address, allow), null, address);
  }
  for (const text of [
    '10.0.0.0/8:',
    '10.0.0.0/8:0',
    '10.0.0.0/8:70000',
    '[fd00::/8]',
    'fd00::/8:443',
    '[]:443',
    ':443',
  ])
    assert.equal(parseRange(text), null, text);
});

test('the allow list opens exactly what it names', () => {
  const allow = ['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32'].map((text) => parseRange(text)!);
  for (const address of ['10.1.0.0', '10.1.255.255', '127.0.0.1', 'fd00:1::5']) {
    assert.equal(refusal(address, allow), null, address);
  }
  // An IPv4 range does not open the same hosts in an IPv6 notation.
  for (const address of ['10.2.0.0', '10.0.255.255', '127.0.0.2', 'fd00:2::5', '::ffff:127.0.0.1', '::127.0.0.1']) {
    assert.notEqual(refusal(address, allow), null, address);
  }
});

test("the machine's own addresses are refused, private or not", () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  assert.ok(own.length > 0);
  for (const address of own) assert.notEqual(refusal(address, []), null, address);
});

test('an invalid range is recognised', () => {
  for (const text of ['', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'fd00::/', '10.0.0.0/8/8', 'host', '10.0.0.0/-1']) {
    assert.equal(parseRange(text), null, text);
  }
  assert.deepEqual(parseRange('10.0.0.0/8')?.bits, 8);
  assert.deepEqual(parseRange(' fd00::1 ')?.bits, 128);
});

test('a refusal names the reason', () => {
  assert.equal(refusal('example.org', []), 'not an address');
  assert.equal(refusal('10.0.0.1', []), 'private (RFC 1918)');
  assert.equal(refusal('4000::1', []), 'not global unicast');
});

test('public addresses of the machine are refused as its own', () => {
  const addresses = ['93.184.215.14', '2a00:1450:4001:81b::200e%eth0'];
  const real = os.networkInterfaces;
  os.networkInterfaces = () =>
    ({ eth0: addresses.map((address) => ({ address })) }) as unknown as ReturnType<typeof real>;
  syncBuiltinESMExports();
  try {
    for (const address of ['93.184.215.14', '2a00:1450:4001:081b::200e'])
      assert.equal(refusal(address, []), "one of this machine's addresses");
    assert.equal(refusal('93.184.215.15', []), null);
  } finally {
    os.networkInterfaces = real;
    syncBuiltinESMExports();
  }
});

test('only an address without a zone has a special use', () => {
  assert.notEqual(specialUseOf('10.0.0.1'), null);
  for (const text of ['8.8.8.8', 'localhost', '', 'fe80::1%eth0']) assert.equal(specialUseOf(text), null, text);
});
