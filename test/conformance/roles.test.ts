// What each role may do, for every method, as a browser asks; and that a changed role and a removal apply at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeLinkToken } from '../../src/accounts/access/sign-in-link.ts';
import { addMember, createUser, findUser } from '../../src/accounts/people/user.ts';
import type { Role } from '../../src/base/permissions.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
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

let count = 0;
async function person(role: Role) {
  count += 1;
  const email = `${role}${count}@example.net`;
  const user = await createUser(app.app.db, { email, password: 'correct horse' });
  await addMember(app.app.db, app.account.id, user.id, role);
  const browser = new Browser(base);
  assert.equal((await browser.signIn(email, 'correct horse')).status, 200);
  return { browser, email, id: formatId(user.id) };
}

const refusesRole = (answer: { status: number; body: unknown }) =>
  answer.status === 403 && /needs the permission/.test((answer.body as { error?: string }).error ?? '');

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
  assert.equal((await owner.browser.call('userDelete', { id: editor.id })).status, 200);
  assert.equal((await editor.browser.call('lists')).status, 401);
  assert.equal((await owner.browser.call('userDelete', { id: editor.id })).status, 404);
  const notices = await app.app.db.rows<{ subject: string }>(sql`
    select payload ->> 'subject' as subject
    from graphile_worker._private_jobs
    where payload ->> 'subject' like ${`%: ${editor.email} %`}
    order by id`);
  assert.deepEqual(
    notices.map(({ subject }) => subject.replace(/^.*@\S+ /, '')),
    ['is now viewer.', 'was removed from the account.'],
    'the owner gets an email about both',
  );
});

test('an owner of one account neither sees nor changes the people of another', async () => {
  const stranger = await app.anotherAccount();
  const victim = await person('editor');
  const browser = new Browser(base);
  await browser.signIn(stranger.account.email, 'correct horse');
  for (const [method, params] of [
    ['userUpdate', { id: victim.id, role: 'viewer' }],
    ['userDelete', { id: victim.id }],
    ['userDelete', { id: 'b0000000' }],
  ] as const) {
    const { status, body } = await browser.call(method, params);
    assert.deepEqual(
      [status, body],
      [
        404,
        {
          error: 'id: the user does not exist in this account',
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
      a.call('userDelete', { id: formatId(second.id) }),
      b.call('userDelete', { id: formatId(row!.id) }),
    ]);
    const left = await app.app.db.rows(sql`
      select user_id
      from membership
      where account_id = ${account.id}
        and role = 'owner'`);
    assert.equal(left.length, 1);
  }
});

type Invited = { id: string; link: string; code?: number; error?: string };
type Listed = {
  id: string;
  email: string;
  name: string;
  role: string;
  invited: boolean;
  last_login_at: string;
  invited_by: string;
  expires_at: string;
};
type Waiting = { id: string; account: string; account_id: string; role: string; invited_by: string };

const invite = (browser: Browser, email: string, role = 'viewer') =>
  browser.call<Invited>('userInvite', { email, role });
const listed = async (browser: Browser, email: string) =>
  (await browser.call<Listed[]>('users')).body.find((user) => user.email === email);
const waiting = async (browser: Browser) => (await browser.call<Waiting[]>('invitations')).body;
const join = (link: string, password: string) =>
  new Browser(base).ask('POST', '/session/invitation/join', {
    token: link.slice(link.indexOf('#') + 1),
    name: '',
    password,
  });

/** A user of another account, signed in there. */
async function stranger() {
  const { account } = await app.anotherAccount();
  const browser = new Browser(base);
  assert.equal((await browser.signIn(account.email, 'correct horse')).status, 200);
  await app.app.db.run(sql`update app_user set name = 'Grace Hopper' where email = ${account.email}`);
  return { browser, email: account.email, accountId: account.id };
}

test('an address gets at most three invitations by email in a quarter of an hour', async () => {
  await app.app.db.run(sql`
    insert into relay (position, name, host, port, tls, connections, weight)
    values (1, 'Relay', '127.0.0.1', 2525, 'none', 1, 1)`);
  const owner = await person('owner');
  const answers = [];
  for (let i = 0; i < 4; i++) answers.push(await invite(owner.browser, 'often@example.net'));
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code ?? 0]),
    [
      [200, 0],
      [200, 0],
      [200, 0],
      [429, -50],
    ],
  );
  const queued = await app.app.db.rows(sql`
    select 1
    from graphile_worker._private_jobs
    join graphile_worker._private_tasks on _private_tasks.id = _private_jobs.task_id
    where identifier = 'sendInvitation'`);
  assert.equal(queued.length, 3);
  await app.app.db.run(sql`delete from graphile_worker._private_jobs`);
});

test('an invitation reveals nothing about its address, whether it belongs to a user or not', async () => {
  // Without a relay the link is returned instead of sent.
  await app.app.db.run(sql`delete from relay`);
  const owner = await person('owner');
  const known = await stranger();
  const answers = [await invite(owner.browser, known.email), await invite(owner.browser, 'unknown@example.net')];
  // The port is that of the example of setupUpdate, as soon as the process has taken it over.
  const link = /^http:\/\/127\.0\.0\.1:\d+\/app\/invite#[\w-]{43}$/;
  for (const { status, body } of answers) {
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['id', 'link']);
    assert.match(body.link, link);
  }
  const shown = await Promise.all([known.email, 'unknown@example.net'].map((email) => listed(owner.browser, email)));
  assert.deepEqual(
    shown.map((user) => ({ ...user, id: '', email: '', created_at: '', expires_at: '', invited_by: '' })),
    shown.map(() => ({
      id: '',
      email: '',
      name: '',
      role: 'viewer',
      permissions: [],
      all_lists: true,
      lists: [],
      totp: false,
      invited: true,
      created_at: '',
      last_login_at: '',
      invited_by: '',
      expires_at: '',
    })),
  );
  assert.ok(shown.every((user) => user!.invited_by !== ''));
  const rows = await app.app.db.rows(sql`
    select account_id from membership join app_user on id = user_id where email = ${known.email}`);
  assert.equal(rows.length, 1, 'no member before accepting');
});

test('a user of another account accepts an invitation when signed in, and is a member from then on', async () => {
  const owner = await person('owner');
  const guest = await stranger();
  const { id } = (await invite(owner.browser, guest.email.toUpperCase(), 'editor')).body;
  assert.deepEqual(
    (await waiting(guest.browser)).map((item) => [item.id, item.role]),
    [[id, 'editor']],
  );
  const other = await stranger();
  assert.deepEqual(await waiting(other.browser), []);
  assert.equal((await other.browser.call('invitationAccept', { id })).status, 404, 'of another address');
  assert.equal((await guest.browser.call('invitationAccept', { id })).status, 200);
  assert.equal((await guest.browser.call('invitationAccept', { id })).status, 404, 'once');
  assert.deepEqual(await waiting(guest.browser), []);
  const member = (await listed(owner.browser, guest.email))!;
  assert.deepEqual([member.name, member.role, member.invited], ['Grace Hopper', 'editor', false]);
  assert.notEqual(member.id, id);
  const account_id = formatId(app.account.id);
  assert.equal((await guest.browser.call('sessionSwitch', { account_id })).status, 200);
  assert.equal((await invite(owner.browser, guest.email)).body.code, 108);
  const log = await owner.browser.call<{ method: string; subject: string }[]>('auditLog', {
    method: 'invitationAccept',
  });
  assert.match(JSON.stringify(log.body), new RegExp(guest.email));
});

test('a user who declines an invitation stays unknown to the account', async () => {
  const owner = await person('owner');
  const guest = await stranger();
  const { id } = (await invite(owner.browser, guest.email)).body;
  assert.equal((await guest.browser.call('invitationDecline', { id })).status, 200);
  assert.equal((await guest.browser.call('invitationAccept', { id })).status, 404);
  assert.equal(await listed(owner.browser, guest.email), undefined);
  const entries = await app.app.db.rows(sql`
    select user_id, subject, ip from audit_entry
    where account_id = ${app.account.id} and method = 'invitationDecline'`);
  assert.deepEqual(entries, [{ user_id: null, subject: guest.email, ip: '' }]);
});

test('an invitation can be changed, withdrawn and made again, and ends after seven days', async () => {
  const owner = await person('owner');
  const guest = await stranger();
  const { id } = (await invite(owner.browser, guest.email)).body;
  assert.equal((await owner.browser.call('userUpdate', { id, role: 'editor' })).status, 200);
  assert.deepEqual(
    (await waiting(guest.browser)).map((item) => item.role),
    ['editor'],
  );
  assert.equal((await owner.browser.call('userDelete', { id })).status, 200);
  assert.deepEqual(await waiting(guest.browser), []);
  const again = (await invite(owner.browser, guest.email)).body;
  await app.app.db.run(sql`update invitation set expires_at = expires_at - interval '7 days'`);
  assert.deepEqual(await waiting(guest.browser), []);
  assert.equal((await guest.browser.call('invitationAccept', { id: again.id })).status, 404);
  assert.equal((await join(again.link, 'a heron by the lake')).status, 410);
  assert.equal(await listed(owner.browser, guest.email), undefined);
});

test('a link that one account has seen opens no other account', async () => {
  const owner = await person('owner');
  const other = await stranger();
  const first = (await invite(owner.browser, 'fresh@example.net', 'editor')).body;
  const again = (await invite(owner.browser, 'fresh@example.net', 'viewer')).body;
  assert.equal(again.id, first.id);
  const elsewhere = (await invite(other.browser, 'fresh@example.net')).body;
  assert.equal((await join(first.link, 'a heron by the lake')).status, 410, 'replaced');
  assert.equal((await join(again.link, 'short')).status, 400, 'the link stays valid');
  assert.equal((await join(again.link, 'a heron by the lake')).status, 200);
  const fresh = new Browser(base);
  assert.equal((await fresh.signIn('fresh@example.net', 'a heron by the lake')).status, 200);
  assert.equal((await fresh.call<{ role: string }>('sessionGet')).body.role, 'viewer');
  // The first account may have used its link itself: the address is not proven.
  assert.deepEqual(await waiting(fresh), []);
  assert.equal((await fresh.call('invitationAccept', { id: elsewhere.id })).status, 404);
  assert.equal((await join(elsewhere.link, 'a swan by the lake')).status, 409);
  const known = (await findUser(app.app.db, 'fresh@example.net'))!;
  const mailed = await makeLinkToken(app.app.db, 'reset', known.id);
  assert.equal((await join(mailed, 'a swan by the lake')).status, 410, 'no invitation');
  const reset = (token: string) =>
    new Browser(base).ask('POST', '/session/reset', { token, password: 'a swan by the lake' });
  assert.equal((await reset(elsewhere.link.slice(elsewhere.link.indexOf('#') + 1))).status, 410, 'an invitation');
  assert.equal((await reset(mailed)).status, 200);
  const proven = new Browser(base);
  await proven.signIn('fresh@example.net', 'a swan by the lake');
  assert.equal((await join(elsewhere.link, 'a crane by the lake')).status, 409, 'sign in instead');
  assert.equal((await proven.call('invitationAccept', { id: elsewhere.id })).status, 200);
  assert.equal((await proven.call<{ accounts: unknown[] }>('sessionGet')).body.accounts.length, 2);
});

test('a user who belongs to no account any more sets a new password by the link of an invitation', async () => {
  const owner = await person('owner');
  const leaver = await person('viewer');
  await owner.browser.call('userDelete', { id: leaver.id });
  const email = (await app.app.db.row<{ email: string }>(
    sql`select email from app_user where id = ${parseId(leaver.id)}`,
  ))!.email;
  const { link } = (await invite(owner.browser, email, 'editor')).body;
  assert.equal((await join(link, 'a heron by the lake')).status, 200);
  assert.equal((await new Browser(base).signIn(email, 'a heron by the lake')).status, 200);
  assert.equal((await findUser(app.app.db, email))!.addressProven, false, 'the account has seen the link');
});
