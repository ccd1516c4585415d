import assert from 'node:assert/strict';
import { endianness } from 'node:os';
import { test } from 'node:test';
import { blockOf, defaultGateways, isThisMachine, networkOf, parseNetwork, plainIp } from './client-network.ts';

test('a network is an IPv4 address or the /64 of an IPv6 address, however it is written', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('2001:db8:0:1::5'), '2001:db8:0:1::/64');
  assert.equal(networkOf('2001:0DB8::1'), '2001:db8:0:0::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('2001:db8:0:1:2:3:4::'), '2001:db8:0:1::/64');
  assert.equal(networkOf('2001:db8::2:3:4:5:6'), '2001:db8:0:2::/64');
  assert.equal(networkOf('2001:db8:0:1:2:3:4:5'), networkOf('2001:db8:0:1::9'));
});

test('a network has an address and a length of at most that of the address, which is the default', () => {
  const read: [text: string, ip: string, bits: number][] = [
    ['192.0.2.7', '192.0.2.7', 32],
    [' 192.0.2.7/0 ', '192.0.2.7', 0],
    ['192.0.2.7/32', '192.0.2.7', 32],
    ['2001:db8::1', '2001:db8::1', 128],
    ['2001:db8::/128', '2001:db8::', 128],
  ];
  for (const [text, ip, bits] of read) assert.deepEqual(parseNetwork(text), { ip, bits }, text);
  for (const text of ['', 'banana', '192.0.2.7/33', '2001:db8::/129', 'fe80::1%eth0', '192.0.2.7/', '192.0.2/24'])
    assert.equal(parseNetwork(text), undefined, text);
});

test('an address loses its zone; a text that is no address is none', () => {
  assert.equal(plainIp('fe80::1%eth0'), 'fe80::1');
  assert.equal(plainIp('::FFFF:192.0.2.7'), '192.0.2.7');
  assert.equal(plainIp(''), undefined);
});

test('loopback addresses and localhost are this machine', () => {
  for (const host of ['localhost', '127.0.0.1', '127.255.0.3', '[::1]', '::1']) assert.ok(isThisMachine(host), host);
  for (const host of ['example.com', '128.0.0.1', '127.0.0.1.example.com', '::2'])
    assert.ok(!isThisMachine(host), host);
});

test('the default gateways are read from the tables of the system', () => {
  const number = (hex: string) => (endianness() === 'LE' ? Buffer.from(hex, 'hex').reverse().toString('hex') : hex);
  const tables: Record<string, string> = {
    '/proc/net/route': [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
      `eth0\t00000000\t${number('ac120001')}\t0003\t0\t0\t0\t00000000\t0\t0\t0  `,
      `eth0\t${number('ac120000')}\t00000000\t0001\t0\t0\t0\t${number('ffff0000')}\t0\t0\t0  `,
      // A VPN that takes half of all addresses, and a default route without a gateway.
      `tun0\t00000000\t${number('0a080001')}\t0003\t0\t0\t0\t${number('80000000')}\t0\t0\t0  `,
      'ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0  ',
    ].join('\n'),
    '/proc/net/ipv6_route': [
      `${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00 fd00000000000000000000000000000a 00000400 00000003 00000000 00000003     eth0`,
      `fd00${'0'.repeat(28)} 40 ${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00000100 00000001 00000000 00000001     eth0`,
      `${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00 ${'0'.repeat(32)} ffffffff 00000001 00000000 00200200       lo`,
      '',
    ].join('\n'),
  };
  assert.deepEqual(
    defaultGateways((path) => tables[path]!),
    ['172.18.0.1', 'fd00:0000:0000:0000:0000:0000:0000:000a'],
  );
  assert.deepEqual(
    defaultGateways(() => ''),
    [],
  );
});

test('a block is the /24 of an IPv4 address or the /48 of an IPv6 address', () => {
  assert.equal(blockOf('192.0.2.7'), '192.0.2.0/24');
  assert.equal(blockOf('::ffff:192.0.2.7'), '192.0.2.0/24');
  assert.equal(blockOf('2001:db8:1:2::5'), '2001:db8:1::/48');
  assert.equal(blockOf('2001:db8::5'), '2001:db8:0::/48');
});

test('only a default route over IPv6 leads to a gateway, not one of every address with a longer prefix', () => {
  const row = (destination: string, bits: string) =>
    `${destination} ${bits} ${'0'.repeat(32)} 00 fd00000000000000000000000000000a 00000400 00000003 00000000 00000003 eth0`;
  const gateways = (table: string) => defaultGateways((path) => (path.includes('ipv6') ? table : ''));
  assert.equal(gateways(row('0'.repeat(32), '00')).length, 1);
  assert.deepEqual(gateways(row('0'.repeat(32), '40')), []);
  assert.deepEqual(gateways(row(`fd${'0'.repeat(30)}`, '00')), []);
});

test('the groups of an address are counted as a whole, however many are left out', () => {
  assert.equal(networkOf('2001:db8::5:6:7:8'), '2001:db8:0:0::/64');
  assert.equal(networkOf('1:2:3:4:5:6:7:8'), '1:2:3:4::/64');
  assert.equal(networkOf('::5:6:7:8'), '0:0:0:0::/64');
  assert.equal(networkOf('1::'), '1:0:0:0::/64');
});
