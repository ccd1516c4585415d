// API keys with an expiry date, and keys that are limited to networks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { permissions } from '../../base/permissions.ts';
import { sql } from '../../db/connect.ts';
import { checkRate } from '../../doors/admission/rate-limit.ts';
import { call } from '../../doors/call.ts';
import { methods } from '../../doors/registry.ts';
import { authenticate } from './authenticate.ts';
import { keyLimits } from './change.ts';
import { neededBy } from './permissions.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const ping = (key: string, ip: string) => call(app.app, 'ping', {}, { kind: 'key', key, ip }, 'json');
type Key = {
  id: string;
  label: string;
  expires_at: string;
  expired_at: string;
  networks: string[];
  calls_per_minute: number;
  calls_at_once: number;
};
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

test('a limited key may do what its permissions say and ping, through every door, and refusals are in the audit log', async () => {
  const list = await app.call<string>('listCreate', { title: 'Readers' });
  const key = await app.call<string>('apikeyAdd', { label: 'forms', permissions: ['contacts:write', 'messages:read'] });
  const { id, scope, permissions } = (await listed('forms')) as Key & Record<string, unknown>;
  assert.deepEqual([scope, permissions], ['limited', ['contacts:write', 'messages:read']]);
  const as = (method: string, params: Record<string, unknown> = {}, door: 'json' | 'xmlrpc' | 'form' = 'json') =>
    call(app.app, method, params, { kind: 'key', key, ip: '192.0.2.7' }, door);
  await as('ping');
  await as('listSubscribe', { id: list, email_address: 'a@example.com', double_optin: false });
  await as('lists');
  await as('messages', { limit: 1 });
  for (const door of ['json', 'xmlrpc', 'form'] as const)
    for (const [method, permission] of [
      ['campaigns', 'campaigns:read'],
      ['campaignStats', 'reports:read'],
      ['messageSend', 'messages:send'],
      ['webhookCreate', 'webhooks:write'],
      ['getAccountDetails', 'account:read'],
      ['apikeys', 'account:admin'],
      ['userInvite', 'account:admin'],
    ] as const)
      await assert.rejects(
        as(method, {}, door),
        { fault: 'NOT_ALLOWED', message: new RegExp(`needs the permission "${permission}"`) },
        method,
      );
  const base = await app.listen();
  const headers = { authorization: `Bearer ${key}` };
  await app.call('apikeyUpdate', { key: id, permissions: ['contacts:export'] });
  assert.equal((await fetch(`${base}/export/${list}.csv`, { headers })).status, 200);
  await app.call('apikeyUpdate', { key: id, permissions: ['contacts:write'] });
  const refused = await fetch(`${base}/export/${list}.csv`, { headers });
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /contacts:export/);
  const entries = await app.app.db.rows<{ reason: string }>(
    sql`select detail ->> 'reason' as reason from audit_entry where method = 'keyRefused' and ip = '192.0.2.7' order by id`,
  );
  assert.deepEqual(
    new Set(entries.map(({ reason }) => reason)),
    new Set([
      'expired',
      'campaigns:read',
      'reports:read',
      'messages:send',
      'webhooks:write',
      'account:read',
      'account:admin',
    ]),
  );
  assert.equal(entries.length, 7, 'one entry for each reason, however often it was refused');
});

test('a key is changed without becoming another one, and a limited key has a permission', async () => {
  const key = await app.call<string>('apikeyAdd', { label: 'shop', scope: 'write' });
  const { id } = (await listed('shop')) as Key & { id: string };
  await app.call('apikeyUpdate', { key: id, networks: ['192.0.2.0/24'], expires_at: '2999-12-31', label: 'store' });
  await assert.rejects(ping(key, '198.51.100.1'), { fault: 'KEY_INVALID' });
  await ping(key, '192.0.2.1');
  assert.equal((await listed('store'))?.expires_at, '2999-12-31 00:00:00');
  await app.call('apikeyUpdate', { key: id, networks: [], expires_at: '' });
  await ping(key, '198.51.100.1');
  await app.call('apikeyUpdate', { key: id, permissions: ['reports:read'] });
  await app.call('apikeyUpdate', { key: id, label: 'shop' });
  assert.deepEqual(((await listed('shop')) as Key & { permissions: string[] }).permissions, ['reports:read']);
  for (const params of [{ permissions: [] }, { scope: 'limited', permissions: [] }])
    await assert.rejects(app.call('apikeyUpdate', { key: id, ...params }), { fault: 'INVALID_PARAMETER' });
  await app.call('apikeyUpdate', { key: id, scope: 'read' });
  assert.deepEqual(((await listed('shop')) as Key & { permissions: string[] }).permissions, []);
  await assert.rejects(app.call('apikeyAdd', { scope: 'limited' }), { fault: 'INVALID_PARAMETER' });
  await assert.rejects(app.call('apikeyUpdate', { key: 'ffffffff' }), { fault: 'KEY_INVALID' });
  const other = await app.anotherAccount();
  await assert.rejects(other.call('apikeyUpdate', { key: id, label: 'x' }), { fault: 'KEY_INVALID' });
});

test('a key has limits of its own, which a later call keeps to', async () => {
  const key = await app.call<string>('apikeyAdd', { label: 'slow', calls_per_minute: 3, calls_at_once: 1 });
  const { id, calls_per_minute, calls_at_once } = (await listed('slow'))!;
  assert.deepEqual([calls_per_minute, calls_at_once], [3, 1]);
  const { caller } = await authenticate(app.app, { kind: 'key', key, ip: '' });
  const end = checkRate(app.app, caller);
  await assert.rejects(ping(key, ''), { fault: 'TOO_MANY_CALLS', message: /^More than 1 calls at once/ });
  end();
  await ping(key, '');
  await ping(key, '');
  await assert.rejects(ping(key, ''), { fault: 'TOO_MANY_CALLS', message: /^More than 3 calls a minute/ });
  await app.call('apikeyUpdate', { key: id, calls_per_minute: 100_000 });
  assert.equal((await listed('slow'))?.calls_at_once, 1, 'not named, not changed');
  // 100,000 a minute are two in a millisecond.
  await new Promise((resolve) => setTimeout(resolve, 5));
  await ping(key, '');
  await app.call('apikeyUpdate', { key: id, calls_per_minute: 0, calls_at_once: 0 });
  checkRate(app.app, caller)();
});

test('only a key of the operator may have more calls than the installation allows each', async () => {
  const other = await app.anotherAccount();
  const { config } = app.app;
  const before = await other.call('apikeys');
  for (const [params, message] of [
    [{ calls_per_minute: config.apiRate + 1 }, /^calls_per_minute is at most 300/],
    [{ calls_at_once: config.apiParallel + 1 }, /^calls_at_once is at most 10/],
  ] as const)
    await assert.rejects(other.call('apikeyAdd', params), { fault: 'INVALID_PARAMETER', message });
  await assert.rejects(app.call('apikeyAdd', { calls_per_minute: 1_000_001 }), { fault: 'INVALID_PARAMETER' });
  await assert.rejects(app.call('apikeyAdd', { calls_at_once: -1 }), { fault: 'INVALID_PARAMETER' });
  assert.deepEqual(await other.call('apikeys'), before);
  const theirs = await other.call<string>('apikeyAdd', { calls_per_minute: 300 });
  const ours = await app.call<string>('apikeyAdd', { calls_per_minute: 300 });
  // The operator lowers the setting later: it holds for the keys of others that exist.
  const usual = config.apiRate;
  config.apiRate = 1;
  try {
    await ping(theirs, '');
    await assert.rejects(ping(theirs, ''), { fault: 'TOO_MANY_CALLS', message: /^More than 1 calls/ });
    await ping(ours, '');
    await ping(ours, '');
  } finally {
    config.apiRate = usual;
  }
});

test('each permission is needed by a method, and keys and people are managed with account:admin alone', () => {
  const needed = new Set(methods.flatMap((method) => neededBy(method).flat()));
  for (const permission of permissions) assert.ok(needed.has(permission), permission);
  for (const method of methods)
    if (/^(user|apikey|testKey|auditLog)/.test(method.name)) assert.deepEqual(neededBy(method)[0], ['account:admin']);
});

test('a key gives and keeps no more than it has itself', async () => {
  const key = await app.call<string>('apikeyAdd', { permissions: ['account:admin', 'reports:read'] });
  const as = (method: string, params: Record<string, unknown>) =>
    call(app.app, method, params, { kind: 'key', key, ip: '192.0.2.8' }, 'json');
  const strong = await app.call<string>('apikeyAdd', { label: 'strong', scope: 'write' });
  const before = await app.call<Key[]>('apikeys');
  for (const [method, params] of [
    ['apikeyAdd', {}],
    ['apikeyAdd', { scope: 'read' }],
    ['apikeyAdd', { permissions: ['campaigns:read'] }],
    ['apikeyUpdate', { key: strong, label: 'mine' }],
    ['apikeyUpdate', { key, permissions: ['account:admin', 'contacts:read'] }],
    ['testKeyCreate', {}],
    ['userInvite', { email: 'more@example.com', role: 'viewer' }],
    ['userInvite', { email: 'more@example.com', role: 'custom', permissions: ['messages:read'] }],
  ] as const)
    await assert.rejects(as(method, params), { fault: 'NOT_ALLOWED', message: /no one can give/ }, method);
  const unused = before.map(({ last_used_at: _, ...rest }: Key & { last_used_at?: string }) => rest);
  const after = (await app.call<(Key & { last_used_at?: string })[]>('apikeys')).map(
    ({ last_used_at: _, ...rest }) => rest,
  );
  assert.deepEqual(after, unused);
  await as('apikeyAdd', { permissions: ['reports:read'] });
  await as('userInvite', { email: 'less@example.com', role: 'custom', permissions: ['reports:read'] });
});

test('an account has so many valid keys, and creates so many an hour', async () => {
  const usual = { ...keyLimits };
  const other = await app.anotherAccount();
  try {
    keyLimits.valid = 4;
    const keys: string[] = [];
    const add = () => other.call<string>('apikeyAdd', { label: 'one' });
    const results = await Promise.allSettled(Array.from({ length: 6 }, add));
    for (const result of results) if (result.status === 'fulfilled') keys.push(result.value);
    assert.equal(keys.length, 3, 'beside the first key');
    await assert.rejects(add(), { fault: 'TOO_LARGE', message: /4 valid API keys/ });
    await other.call('apikeyExpire', { key: keys[0]! });
    await add();
    await (await app.anotherAccount()).call('apikeyAdd', { label: 'another account is not concerned' });
    Object.assign(keyLimits, { valid: 100, createdPerHour: 5 });
    await assert.rejects(add(), { fault: 'TOO_MANY_CALLS' });
    await app.app.db.run(
      sql`update api_key set created_at = now() - interval '2 hours' where account_id = ${other.account.id}`,
    );
    await add();
  } finally {
    Object.assign(keyLimits, usual);
  }
});
