// The audit log over every method: each call that changes something leaves one entry with the caller and the
// address, reading leaves none, and no secret or content gets into it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { z } from 'zod';
import { detailMembers, subjectMembers } from '../../src/accounts/audit/audit.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { call } from '../../src/doors/call.ts';
import { methods } from '../../src/doors/registry.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { sample } from '../support/run/runs.ts';
import {
  type Fixture,
  fillExample,
  fillPersonal,
  makeAccount,
  makeOperator,
  personPassword,
  signIn,
} from './fixture.ts';

let app: TestApp;
/** For the methods that change nothing. */
let readOnly: Fixture;
before(async () => {
  app = await testApp();
  readOnly = await newAccount();
});
after(() => app.close());

type Entry = { user_id: string; user: string; door: string; method: string; subject: string; ip: string; key: string };

async function entries(accountId: number, params: Record<string, unknown> = {}): Promise<Entry[]> {
  const credentials = { kind: 'system' as const, accountId };
  return (await call(app.app, 'auditLog', { limit: 1_000, ...params }, credentials, 'cli')) as Entry[];
}

/** Passkeys need one. The URL that the test of another method has set would come back in a moment. */
async function useHostName() {
  await app.app.db.run(sql`delete from installation where key = 'base_url'`);
  app.app.baseUrl = 'http://localhost:8080';
}

const newAccount = () => makeAccount(app.app, 'pro', ['inline_img']);

for (const method of sample(methods, 4)) {
  test(`${method.name}: ${method.reads ? 'no entry' : 'one entry'} names the caller`, async () => {
    const own = method.reads ? readOnly : await newAccount();
    if (method.name.startsWith('passkey')) await useHostName();
    if (method.operator) await makeOperator(app.app, own.accountId);
    const params = await fillExample(app.app, own, method.example.params);
    const { token, userId } = await signIn(app.app, own.accountId);
    await fillPersonal(app.app, params, token, userId);
    const before = await entries(own.accountId);
    await call(app.app, method.name, params, { kind: 'session', token, ip: '192.0.2.7' }, 'web');
    const added = (await entries(own.accountId)).slice(0, -before.length || undefined);
    if (method.reads) return assert.deepEqual(added, []);
    // login finds out itself who calls: the person it was given, not the one of the token.
    const caller = method.identify ? added[0]?.user_id : formatId(userId);
    assert.match(caller ?? '', /^[a-f][0-9a-f]{7}$/);
    assert.deepEqual(
      added.map((entry) => [entry.user_id, entry.door, entry.method, entry.ip, entry.key]),
      [[caller, 'web', method.name, '192.0.2.7', '']],
    );
  });
}

test('only listed parameters are logged, and none of them contains secrets or content', () => {
  const secret = /pass|secret|token|key|code|old|new|html|plain|content|value|source|merge_vars|url|options/i;
  assert.deepEqual(
    [...subjectMembers, ...detailMembers].filter((name) => secret.test(name)),
    [],
  );
});

test('no entry contains a secret parameter, whatever the result of the call', async () => {
  const own = await makeAccount(app.app, 'pro');
  const { token } = await signIn(app.app, own.accountId);
  const asPerson = (name: string, params: Record<string, unknown>) =>
    call(app.app, name, params, { kind: 'session', token, ip: '192.0.2.7' }, 'web').catch(() => {});
  const key = await own.call<string>('apikeyAdd', { label: 'second' });
  await asPerson('totpBegin', { password: personPassword });
  await asPerson('apikeyExpire', { key });
  await asPerson('passwordUpdate', { old: personPassword, new: 'canary by the quiet lake' });
  // And every other one, with a canary wherever text goes.
  const changing = methods.filter((method) => !method.reads);
  for (const method of sample(changing, 3)) {
    const fresh = await makeAccount(app.app, 'pro');
    const signedIn = await signIn(app.app, fresh.accountId);
    const params = await fillExample(app.app, fresh, method.example.params);
    for (const name of Object.keys((method.params as z.ZodObject).shape)) {
      if ([...subjectMembers, ...detailMembers].includes(name)) continue;
      if (typeof params[name] !== 'string' && params[name] !== undefined) continue;
      const credentials = { kind: 'session' as const, token: signedIn.token, ip: '192.0.2.7' };
      await call(app.app, method.name, { ...params, [name]: `canary-${name}` }, credentials, 'web').catch(() => {});
    }
  }
  // What a setting was changed to is kept, of the members that changes.ts names.
  const rows = await app.app.db.rows<{ text: string }>(sql`
    select (to_jsonb(audit_entry) - 'changes')::text as text
    from audit_entry
    where ip = '192.0.2.7'`);
  assert.ok(rows.length > 40, `${rows.length} entries`);
  for (const { text } of rows) {
    assert.doesNotMatch(text, /canary|correct horse/);
    assert.ok(!text.includes(key), text);
  }
});

test('signing in and setting a password by a link are entries too; the log is read by page, method and person', async () => {
  const base = await app.listen();
  const { Browser } = await import('../support/browser/session.ts');
  const browser = new Browser(base);
  await browser.signIn('owner@example.com', 'correct horse');
  for (const title of ['One', 'Two', 'Three']) await browser.call('listCreate', { title });
  await app.call('listCreate', { title: 'Four' });
  const id = app.account.id;
  const all = await entries(id);
  assert.deepEqual(
    all.map((entry) => entry.method),
    [...Array(4).fill('listCreate'), 'signIn'],
  );
  assert.deepEqual(
    all.map((entry) => entry.subject),
    ['Four', 'Three', 'Two', 'One', ''],
  );
  assert.equal(all.at(-1)!.user, 'owner@example.com');
  assert.deepEqual(
    (await entries(id, { limit: 2, start: 1 })).map((entry) => entry.subject),
    ['Two', 'One'],
  );
  assert.equal((await entries(id, { method: 'signin' })).length, 1);
  assert.equal((await entries(id, { user: all[1]!.user_id })).length, 4);
  assert.deepEqual(await entries(id, { user: 'b0000000' }), []);
  const stranger = await app.anotherAccount();
  assert.deepEqual(await stranger.call('auditLog'), []);
});
