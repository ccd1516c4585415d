import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './client-network.ts';

test('a network is an IPv4 address or the /64 of an IPv6 address, however it is written', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('2001:db8:0:1::5'), '2001:db8:0:1::/64');
  assert.equal(networkOf('2001:0DB8::1'), '2001:db8:0:0::/64');
  assert.equal(networkOf('2001:db8:0:1:2:3:4:5'), networkOf('2001:db8:0:1::9'));
});
