// What each role may do, for every method, as a browser asks; and that a changed role and a removal apply at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addMember, createUser, findUser } from '../../src/accounts/people/user.ts';
import { makeLinkToken } from '../../src/accounts/sign-in/sign-in-link.ts';
import type { Role } from '../../src/base/context.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { methods } from '../../src/doors/registry.ts';
import { Browser } from '../support/browser/session.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

/** Written down apart from the code, so that a changed table is noticed. */
const allowed: Record<Role, string[]> = {
  owner: ['read', 'write', 'send', 'admin'],
  editor: ['read', 'write', 'send'],
  viewer: ['read'],
};

let count = 0;
async function person(role: Role) {
  count += 1;
  const email = `${role}${count}@example.net`;
  const user = await createUser(app.app.db, { email, password: 'correct horse' });
  await addMember(app.app.db, app.account.id, user.id, role);
  const browser = new Browser(base);
  assert.equal((await browser.signIn(email, 'correct horse')).status, 200);
  return { browser, id: formatId(user.id) };
}

const refusesRole = (answer: { status: number; body: unknown }) =>
  answer.status === 403 && /needs the permission/.test((answer.body as { error?: string }).error ?? '');

for (const role of ['owner', 'editor', 'viewer'] as const) {
  test(`the ${role} may call a method exactly when its scope allows it`, async () => {
    const reader = await person(role);
    for (const { name, scope, example, reads } of methods) {
      // What changes something may end the session or remove the person, so each such method gets its own.
      const { browser } = reads || !allowed[role].includes(scope) ? reader : await person(role);
      const answer = await browser.call(name, example.params);
      assert.equal(refusesRole(answer), !allowed[role].includes(scope), `${name}: ${JSON.stringify(answer.body)}`);
      if (!allowed[role].includes(scope)) assert.equal((answer.body as { code?: number }).code, 120);
    }
  });
}

test('methods that send messages need the scope send, and those about users and keys the scope admin', () => {
  const scopeOf = new Map(methods.map((method) => [method.name, method.scope]));
  for (const name of ['campaignSendNow', 'campaignSendTest', 'campaignSchedule', 'campaignResume', 'campaignPause'])
    assert.equal(scopeOf.get(name), 'send', name);
  for (const name of methods
    .map((method) => method.name)
    .filter((item) => /^(user|apikey|auditLog|accountUpdate)/.test(item)))
    assert.equal(scopeOf.get(name), 'admin', name);
  // login identifies the user itself: a user who may not sign in gets no further.
  for (const one of methods)
    if (!one.reads && !one.person && !one.identify) assert.notEqual(one.scope, 'read', one.name);
});

test('another role acts on the next request, a removal ends the session', async () => {
  const owner = await person('owner');
  const editor = await person('editor');
  const create = () => editor.browser.call('listCreate', { title: 'Readers' });
  assert.equal((await create()).status, 200);
  assert.equal((await owner.browser.call('userUpdate', { id: editor.id, role: 'viewer' })).status, 200);
  assert.ok(refusesRole(await create()));
  assert.equal((await editor.browser.call('lists')).status, 200);
  assert.equal((await owner.browser.call('userRemove', { id: editor.id })).status, 200);
  assert.equal((await editor.browser.call('lists')).status, 401);
  assert.equal((await owner.browser.call('userRemove', { id: editor.id })).status, 404);
});

test('an owner of one account neither sees nor changes the people of another', async () => {
  const stranger = await app.anotherAccount();
  const victim = await person('editor');
  const browser = new Browser(base);
  await browser.signIn(stranger.account.email, 'correct horse');
  for (const [method, params] of [
    ['userUpdate', { id: victim.id, role: 'viewer' }],
    ['userRemove', { id: victim.id }],
    ['userRemove', { id: 'b0000000' }],
  ] as const) {
    const { status, body } = await browser.call(method, params);
    assert.deepEqual(
      [status, body],
      [
        404,
        {
          error: 'id: no such user in this account',
          code: 102,
          text: { key: 'user.unknown', values: { member: 'id' } },
        },
      ],
    );
  }
  const seen = (await browser.call<{ email: string }[]>('users')).body;
  assert.deepEqual(
    seen.map((item) => item.email),
    [stranger.account.email],
  );
});

test('when two owners remove each other at the same time, one stays', async () => {
  const { account } = await app.anotherAccount();
  const row = await app.app.db.row<{ id: number }>(sql`select id from app_user where email = ${account.email}`);
  const second = await createUser(app.app.db, { email: 'second@example.net', password: 'correct horse' });
  for (let round = 0; round < 5; round++) {
    await addMember(app.app.db, account.id, row!.id, 'owner');
    await addMember(app.app.db, account.id, second.id, 'owner');
    const [a, b] = [new Browser(base), new Browser(base)];
    await Promise.all([a.signIn(account.email, 'correct horse'), b.signIn('second@example.net', 'correct horse')]);
    await Promise.all([
      a.call('userRemove', { id: formatId(second.id) }),
      b.call('userRemove', { id: formatId(row!.id) }),
    ]);
    const left = await app.app.db.rows(sql`
      select user_id
      from membership
      where account_id = ${account.id}
        and role = 'owner'`);
    assert.equal(left.length, 1);
  }
});

test('inviting a member changes nothing; inviting a user of another account adds the user', async () => {
  const owner = await person('owner');
  const other = await app.anotherAccount();
  const invite = (email: string, role: string) =>
    owner.browser.call<{ id: string; link: string; code?: number }>('userInvite', { email, role });
  const added = await invite(other.account.email.toUpperCase(), 'viewer');
  assert.deepEqual([added.status, added.body.link], [200, '']);
  assert.equal((await invite(other.account.email, 'owner')).body.code, 108);
  const fresh = await invite('fresh@example.net', 'editor');
  assert.match(fresh.body.link, new RegExp(`^${base}/app/invite#[\\w-]{43}$`));
  const again = await invite('fresh@example.net', 'viewer');
  assert.equal(again.body.id, fresh.body.id);
  const users = (await owner.browser.call<{ email: string; role: string; invited: boolean }[]>('users')).body;
  assert.deepEqual(
    users.filter((user) => user.email === 'fresh@example.net').map((item) => [item.role, item.invited]),
    [['viewer', true]],
  );
  // A user whom another account has invited too: a link that one of them has seen must not open the other.
  const elsewhere = new Browser(base);
  await elsewhere.signIn(other.account.email, 'correct horse');
  await elsewhere.call('sessionSwitch', { account_id: formatId(other.account.id) });
  const stolen = await elsewhere.call<{ link: string }>('userInvite', { email: 'fresh@example.net', role: 'viewer' });
  assert.equal(stolen.status, 403);
  const token = (one: string) => one.slice(one.indexOf('#') + 1);
  const reset = (link: string) =>
    new Browser(base).ask('POST', '/session/reset', { token: token(link), password: 'a heron by the lake' });
  assert.equal((await reset(fresh.body.link)).status, 410);
  assert.equal((await reset(again.body.link)).status, 200);
  assert.equal((await new Browser(base).signIn('fresh@example.net', 'a heron by the lake')).status, 200);
  assert.equal((await elsewhere.call('userInvite', { email: 'fresh@example.net', role: 'owner' })).status, 403);
  const known = (await findUser(app.app.db, 'fresh@example.net'))!;
  const mailed = await makeLinkToken(app.app.db, 'reset', known.id, { mailed: true });
  const proven = await new Browser(base).ask('POST', '/session/reset', {
    token: mailed,
    password: 'a swan by the lake',
  });
  assert.equal(proven.status, 200);
  assert.equal((await elsewhere.call('userInvite', { email: 'fresh@example.net', role: 'viewer' })).status, 200);
});
