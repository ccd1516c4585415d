// API keys with an expiry date, and keys that are limited to networks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { call } from '../../doors/call.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const ping = (key: string, ip: string) => call(app.app, 'ping', {}, { kind: 'key', key, ip }, 'json');
type Key = { label: string; expires_at: string; expired_at: string; networks: string[] };
const listed = async (label: string, expired = false) =>
  (await app.call<Key[]>('apikeys', { expired })).find((key) => key.label === label);

test('a key stops working when it expires, and is then listed with the revoked keys', async () => {
  const key = await app.call<string>('apikeyAdd', { label: 'short', expires_at: '2999-12-31 23:59:59' });
  await ping(key, '192.0.2.7');
  assert.equal((await listed('short'))?.expires_at, '2999-12-31 23:59:59');
  assert.equal((await listed('short'))?.expired_at, '');
  await app.app.db.run(sql`update api_key set expires_at = '2020-01-02 03:04:05Z' where label = 'short'`);
  await assert.rejects(ping(key, '192.0.2.7'), { fault: 'KEY_INVALID', message: /has expired/ });
  assert.equal(await listed('short'), undefined);
  assert.equal((await listed('short', true))?.expired_at, '2020-01-02 03:04:05');
});

test('a key that is limited to networks works from those only, however the address is written', async () => {
  const networks = ['192.0.2.77/24', '198.51.100.9', '2001:db8::1/32', '::1'];
  const key = await app.call<string>('apikeyAdd', { label: 'office', networks });
  assert.deepEqual((await listed('office'))?.networks, ['192.0.2.0/24', '198.51.100.9', '2001:db8::/32', '::1']);
  for (const ip of ['192.0.2.1', '::ffff:192.0.2.255', '198.51.100.9', '2001:DB8:ffff::5', '2001:db8::9%eth0', '::1'])
    await ping(key, ip);
  for (const ip of ['192.0.3.1', '198.51.100.8', '::ffff:198.51.100.10', '2001:db9::1', '::2', ''])
    await assert.rejects(ping(key, ip), { fault: 'KEY_INVALID', message: /may not be used from/ });
});

test('a wrong date or network is refused with its name, and no key is created', async () => {
  const before = await app.call<unknown[]>('apikeys', { expired: true });
  for (const [params, expected] of [
    [{ expires_at: '2020-01-01' }, { fault: 'DATE_INVALID', message: 'expires_at is in the past' }],
    [{ expires_at: '2999-02-30' }, { fault: 'DATE_INVALID', message: /^expires_at/ }],
    ...['300.1.1.1', '192.0.2.0/33', '2001:db8::/129', 'example.com', '192.0.2.0/', '192.0.2.0/-1', 'fe80::1%eth0'].map(
      (network) =>
        [
          { networks: ['192.0.2.1', network] },
          {
            fault: 'INVALID_PARAMETER',
            message: new RegExp(`^networks[.]1 must be .* not "${network.replace(/[.]/g, '[.]')}"$`),
          },
        ] as const,
    ),
  ] as const)
    await assert.rejects(app.call('apikeyAdd', params), expected, JSON.stringify(params));
  assert.deepEqual(await app.call('apikeys', { expired: true }), before);
});
