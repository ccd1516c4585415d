// login: returns a key with the role of the user; attempts are counted as when signing in.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { call } from '../../doors/call.ts';
import { addMember, createUser, setPassword } from '../people/user.ts';

const password = 'correct horse';
let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** Without a key, as a client begins. */
const login = (username: string, given = password) =>
  call(
    app.app,
    'login',
    { username, password: given },
    { kind: 'key', key: undefined, ip: '192.0.2.7' },
    'xmlrpc',
  ) as Promise<string>;
const withKey = (key: string, name: string, params = {}) =>
  call(app.app, name, params, { kind: 'key', key, ip: '' }, 'xmlrpc');

test('login returns a key with the rights of the role, and takes the address in any case', async () => {
  const user = await createUser(app.app.db, { email: 'viewer@example.com', password });
  await addMember(app.app.db, app.account.id, user.id, 'viewer');
  const own = await login(' OWNER@example.com');
  assert.match(own, /^[0-9a-f]{32}$/);
  await withKey(own, 'apikeyAdd', { label: 'further' });
  const viewing = await login('viewer@example.com');
  await withKey(viewing, 'lists');
  await assert.rejects(withKey(viewing, 'listCreate', { title: 'x' }), { fault: 'NOT_ALLOWED' });
});

test('the five latest keys of a user stay valid, an older one is revoked', async () => {
  const keys: string[] = [];
  for (let i = 0; i < 6; i++) keys.push(await login('viewer@example.com'));
  await assert.rejects(withKey(keys[0]!, 'ping'), { fault: 'KEY_INVALID' });
  for (const key of keys.slice(1)) await withKey(key, 'ping');
});

test('a wrong password, an unknown address and a missing one are refused alike, and the eleventh attempt waits', async () => {
  await createUser(app.app.db, { email: 'nowhere@example.com', password });
  for (const [username, given] of [
    ['owner@example.com', 'wrong'],
    ['unknown@example.com', password],
    ['nowhere@example.com', password],
  ] as const)
    await assert.rejects(login(username, given), { fault: 'SIGN_IN_FAILED' });
  for (let i = 0; i < 9; i++) await assert.rejects(login('owner@example.com', 'wrong'), { fault: 'SIGN_IN_FAILED' });
  await assert.rejects(login('owner@example.com'), { fault: 'TOO_MANY_CALLS' });
  await app.app.db.run(sql`delete from sign_in_try`);
});

test('the audit log names the user and contains no password', async () => {
  await login('owner@example.com');
  const [entry] = await app.call<{ method: string; user: string }[]>('auditLog', { method: 'login', limit: 1 });
  assert.deepEqual([entry!.method, entry!.user], ['login', 'owner@example.com']);
  assert.doesNotMatch(JSON.stringify(await app.call('auditLog')), /correct horse/);
});

test('a key from login never has more rights than its user has now', async () => {
  const user = await createUser(app.app.db, { email: 'demoted@example.com', password });
  await addMember(app.app.db, app.account.id, user.id, 'owner');
  const key = await login('demoted@example.com');
  await withKey(key, 'apikeys');
  await app.call('userUpdate', { id: formatId(user.id), role: 'viewer' });
  await withKey(key, 'lists');
  await assert.rejects(withKey(key, 'listCreate', { title: 'x' }), { fault: 'NOT_ALLOWED' });
  await assert.rejects(withKey(key, 'apikeyAdd'), { fault: 'NOT_ALLOWED' });
});

test('a key from login ends with the membership and with the password, a key of apikeyAdd does not', async () => {
  const user = await createUser(app.app.db, { email: 'leaving@example.com', password });
  await addMember(app.app.db, app.account.id, user.id, 'owner');
  const before = await login('leaving@example.com');
  const made = (await withKey(before, 'apikeyAdd', { label: 'script' })) as string;
  await setPassword(app.app.db, user.id, password);
  await assert.rejects(withKey(before, 'ping'), { fault: 'KEY_INVALID' });

  const after = await login('leaving@example.com');
  await app.call('userDelete', { id: formatId(user.id) });
  await assert.rejects(withKey(after, 'ping'), { fault: 'KEY_INVALID' });
  await addMember(app.app.db, app.account.id, user.id, 'owner');
  await assert.rejects(withKey(after, 'ping'), { fault: 'KEY_INVALID' }, 'also when the person comes back');
  await withKey(made, 'ping');
});
