// Rights that change while something is going on, for each cell of the table in docs/flows.md: the next request of every door, downloads,
// live progress and invitations; and what no one may do: give more than they have, send by changing, test to strangers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createKey } from '../../src/accounts/keys/key.ts';
import { addMember } from '../../src/accounts/people/user.ts';
import type { Permission, Role } from '../../src/base/permissions.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { ProgressFeed } from '../../src/delivery/progress/feed.ts';
import { call } from '../../src/doors/call.ts';
import { whileAllowed } from '../../src/doors/while-allowed.ts';
import { Browser } from '../support/browser/session.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { until } from '../support/run/until.ts';
import { draftOf, type Fixture, makeAccount, makePlaceholder, memberEmail, personPassword, signIn } from './fixture.ts';

let app: TestApp;
let base: string;
let own: Fixture;
before(async () => {
  app = await testApp();
  base = await app.listen();
  own = await makeAccount(app.app, 'pro');
});
after(() => app.close());

type Person = { id: string; userId: number; sessionId: number; email: string; browser: Browser };

async function person(role: Role, chosen: Permission[] | null = null): Promise<Person> {
  const { token, userId } = await signIn(app.app, own.accountId);
  await addMember(app.app.db, own.accountId, userId, role, chosen);
  const browser = new Browser(base);
  browser.cookie = token;
  const row = await app.app.db.row<{ email: string; sessionId: number }>(sql`
    select email, session.id as "sessionId" from app_user join session on session.user_id = app_user.id where app_user.id = ${userId}`);
  return { id: formatId(userId), userId, sessionId: row!.sessionId, email: row!.email, browser };
}

const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;
const as = (
  key: string,
  method: string,
  params: Record<string, unknown> = {},
  door: 'json' | 'smtp' | 'mcp' = 'json',
) => call(app.app, method, params, { kind: 'key', key, ip: '127.0.0.1' }, door);

test('another role acts at the next call, also on a key from login, which never gets more than it had', async () => {
  await person('owner');
  const { id, email, browser } = await person('author');
  const key = (await call(
    app.app,
    'login',
    { username: email, password: personPassword },
    { kind: 'key', key: '', ip: '' },
    'json',
  )) as string;
  const draft = await as(key, 'campaignCreate', draftOf(own.list));
  await assert.rejects(as(key, 'campaignSendNow', { cid: draft }), { fault: 'NOT_ALLOWED', message: /campaigns:send/ });
  await own.call('userUpdate', { id, role: 'analyst' });
  await assert.rejects(as(key, 'campaignCreate', draftOf(own.list)), { fault: 'NOT_ALLOWED' });
  await assert.rejects(as(key, 'listMembers', { id: own.list }), { fault: 'NOT_ALLOWED', message: /contacts:read/ });
  assert.equal(await statusOf(browser.call('listMembers', { id: own.list })), 403);
  assert.equal(await statusOf(browser.call('lists')), 200);
  await own.call('userUpdate', { id, role: 'owner' });
  await as(key, 'listMembers', { id: own.list });
  await assert.rejects(as(key, 'listExport', { id: own.list }), { fault: 'NOT_ALLOWED' }, 'more than it was given');
  assert.equal(await statusOf(browser.call('listExport', { id: own.list })), 200);
  await own.call('userDelete', { id });
  await assert.rejects(as(key, 'lists'), { fault: 'KEY_INVALID' });
  assert.equal(await statusOf(browser.call('lists')), 401);
});

test('the URL of an export is refused when the right, the person or the key is gone', async () => {
  const { id, browser } = await person('editor');
  const { url } = (await browser.call<{ url: string }>('listExport', { id: own.list })).body;
  const path = new URL(url).pathname;
  const exported = await browser.ask<string>('GET', path);
  assert.equal(exported.status, 200);
  assert.match(exported.body, new RegExp(memberEmail));
  for (const role of ['viewer', 'author', 'analyst']) {
    await own.call('userUpdate', { id, role });
    assert.equal((await browser.ask('GET', path)).status, 403, role);
    assert.equal(await statusOf(browser.call('contactExport', { email: memberEmail })), 403, role);
  }
  await own.call('userUpdate', { id, role: 'custom', permissions: ['contacts:export'] });
  assert.equal((await browser.ask('GET', path)).status, 200);
  await own.call('userDelete', { id });
  assert.equal((await browser.ask('GET', path)).status, 401);
  const key = await own.call<string>('apikeyAdd', { permissions: ['contacts:export'] });
  const byKey = async () => (await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })).status;
  assert.equal(await byKey(), 200);
  await own.call('apikeyUpdate', { key, permissions: ['contacts:write'] });
  assert.equal(await byKey(), 403);
  await own.call('apikeyExpire', { key });
  assert.equal(await byKey(), 401);
});

test('the rejected rows of an import are an export', async () => {
  const id = await makePlaceholder(app.app, own, 'import');
  const path = `/import/${id}/errors.csv`;
  assert.equal((await (await person('editor')).browser.ask('GET', path)).status, 200);
  assert.equal((await (await person('viewer')).browser.ask('GET', path)).status, 403);
});

test('a download that is running ends once it is no longer allowed', async () => {
  let ms = 0;
  let allowed = true;
  async function* rows() {
    for (let row = 1; row <= 100; row++) {
      yield row;
      ms += 400;
    }
  }
  const again = async () => {
    if (!allowed) throw new Error('refused');
  };
  const got: number[] = [];
  await assert.rejects(
    (async () => {
      for await (const row of whileAllowed(rows(), again, () => ms)) {
        got.push(row);
        if (row === 50) allowed = false;
      }
    })(),
    /refused/,
  );
  assert.ok(got.length >= 50 && got.length <= 53, `${got.length} rows`);
});

test('live progress ends without the right to campaigns, and hides quoted addresses without that to contacts', async () => {
  const cid = (await makePlaceholder(app.app, own, 'paused'))!;
  await app.app.db.run(sql`
    update campaign set status_reason = ${`550 <${memberEmail}>: unknown`}
    where account_id = ${own.accountId} and id = ${parseId(cid)}`);
  const feed = new ProgressFeed(app.app);
  try {
    const watch = ({ userId, sessionId }: Person) => {
      const seen = { reasons: [] as string[], ended: false };
      feed.watch({
        accountId: own.accountId,
        userId,
        sessionId,
        language: 'en',
        send: ({ campaign, status_reason }) => campaign === cid && seen.reasons.push(status_reason),
        end: () => {
          seen.ended = true;
        },
      });
      return seen;
    };
    const [editor, analyst, accountant] = [
      await person('editor'),
      await person('analyst'),
      await person('custom', ['reports:read']),
    ];
    const [full, hidden, none] = [watch(editor), watch(analyst), watch(accountant)];
    await until('all were read', () => full.reasons.length > 0 && hidden.reasons.length > 0 && none.ended);
    assert.deepEqual(full.reasons, [`550 <${memberEmail}>: unknown`]);
    assert.deepEqual(hidden.reasons, ['550 <…@example.com>: unknown']);
    assert.deepEqual(none.reasons, []);
    await own.call('userUpdate', { id: editor.id, role: 'custom', permissions: ['reports:read'] });
    await own.call('userDelete', { id: analyst.id });
    await until('both ended', () => full.ended && hidden.ended);
  } finally {
    feed.stop();
  }
  const stranger = await person('custom', ['reports:read']);
  assert.equal((await stranger.browser.ask('GET', '/events')).status, 403);
});

test('submission and assistants ask for the right at each message and tool', async () => {
  const { key } = await createKey(app.app.db, own.accountId, {
    label: 'shop',
    scope: 'limited',
    permissions: ['messages:send', 'campaigns:read'],
  });
  const source = Buffer.from(`From: main@example.com\r\nTo: ${memberEmail}\r\nSubject: Hello\r\n\r\nHello\r\n`);
  const raw = { source, recipients: [memberEmail] };
  await as(key, 'messageSendRaw', raw, 'smtp');
  await as(key, 'campaigns', {}, 'mcp');
  await own.call('apikeyUpdate', { key, permissions: ['reports:read'] });
  await assert.rejects(as(key, 'messageSendRaw', raw, 'smtp'), { fault: 'NOT_ALLOWED', message: /messages:send/ });
  await assert.rejects(as(key, 'campaigns', {}, 'mcp'), { fault: 'NOT_ALLOWED', message: /campaigns:read/ });
});

test('an invitation gives the rights that it has when it is accepted', async () => {
  const guest = await person('viewer');
  await own.call('userDelete', { id: guest.id });
  const other = await makeAccount(app.app);
  await addMember(app.app.db, other.accountId, guest.userId, 'viewer');
  const invited = { email: guest.email, role: 'custom', permissions: ['campaigns:write'] };
  const { id } = await own.call<{ id: string }>('userInvite', invited);
  await own.call('userUpdate', { id, role: 'custom', permissions: ['reports:read'] });
  const browser = new Browser(base);
  await browser.signIn(guest.email, personPassword);
  assert.equal(await statusOf(browser.call('invitationAccept', { id })), 200);
  await browser.call('sessionSwitch', { account_id: formatId(own.accountId) });
  const { body } = await browser.call<{ role: string; permissions: string[] }>('sessionGet');
  assert.deepEqual([body.role, body.permissions], ['custom', ['reports:read', 'account:read']]);
  type Listed = { id: string; role: string; permissions: string[] };
  const listed = (await own.call<Listed[]>('users')).find((user) => user.id === guest.id);
  assert.deepEqual(listed!.permissions, ['reports:read', 'account:read']);
});

test('no one gives, changes or takes away more than they have, and permissions belong to the role custom', async () => {
  const owner = await person('owner');
  const clerk = await person('custom', ['account:admin', 'reports:read']);
  const reader = await person('custom', ['reports:read']);
  const { id: invited } = await own.call<{ id: string }>('userInvite', { email: 'boss@example.com', role: 'owner' });
  const before = await own.call('users');
  for (const [method, params] of [
    ['userInvite', { email: 'Boss@example.com', role: 'custom', permissions: ['reports:read'] }],
    ['userUpdate', { id: invited, role: 'custom', permissions: ['reports:read'] }],
    ['userDelete', { id: invited }],
    ['userUpdate', { id: clerk.id, role: 'owner' }],
    ['userUpdate', { id: reader.id, role: 'analyst' }],
    ['userUpdate', { id: owner.id, role: 'custom', permissions: ['reports:read'] }],
    ['userDelete', { id: owner.id }],
    ['userInvite', { email: 'new@example.com', role: 'viewer' }],
    ['userInvite', { email: 'new@example.com', role: 'custom', permissions: ['contacts:erase'] }],
  ] as const) {
    const { status, body } = await clerk.browser.call<{ error: string }>(method, params);
    assert.equal(status, 403, `${method} ${JSON.stringify(params)}`);
    assert.match(body.error, /no one can give, change or remove more rights than they have/);
  }
  for (const params of [
    { id: reader.id, role: 'viewer', permissions: ['reports:read'] },
    { id: reader.id, role: 'custom' },
  ])
    assert.equal(await statusOf(owner.browser.call('userUpdate', params)), 400);
  assert.deepEqual(await own.call('users'), before);
  assert.equal(await statusOf(clerk.browser.call('userDelete', { id: reader.id })), 200);
});

test('an author changes drafts only, and sends nothing by changing', async () => {
  const { browser } = await person('author');
  const change = (cid: unknown) =>
    browser.call<{ error: string }>('campaignUpdate', { cid, name: 'subject', value: 'Mine' });
  const draft = (await browser.call<string>('campaignCreate', draftOf(own.list))).body;
  assert.equal((await change(draft)).status, 200);
  for (const kind of ['scheduled', 'running', 'paused', 'sent', 'corrected'] as const) {
    const cid = await makePlaceholder(app.app, own, kind);
    const answer = await change(cid);
    assert.deepEqual([kind, answer.status], [kind, 403]);
    assert.match(answer.body.error, /only drafts can be changed/);
    assert.equal(await statusOf(browser.call('campaignDelete', { cid })), 403, kind);
  }
  const recurring = await makePlaceholder(app.app, own, 'recurring');
  const { campaign } = await own.call<{ campaign: string }>('recurringGet', { id: recurring });
  assert.equal((await change(campaign)).status, 200, 'paused: not repeated');
  assert.equal(await statusOf(browser.call('recurringUpdate', { id: recurring, max_items: 4 })), 200);
  await own.call('recurringResume', { id: recurring });
  assert.equal((await change(campaign)).status, 403);
  assert.equal(await statusOf(browser.call('recurringUpdate', { id: recurring, max_items: 5 })), 403);
  assert.equal(await statusOf(browser.call('recurringDelete', { id: recurring })), 403);
  const automation = await makePlaceholder(app.app, own, 'automation_running');
  assert.equal(await statusOf(browser.call('automationDelete', { id: automation })), 403);
  assert.equal(await statusOf(browser.call('campaignDelete', { cid: draft })), 200);
});

test('an author sends tests to people of the account, and to no one else', async () => {
  const { browser, email } = await person('author');
  const cid = (await browser.call<string>('campaignCreate', draftOf(own.list))).body;
  const send = (test_emails: string[]) => statusOf(browser.call('campaignSendTest', { cid, test_emails }));
  assert.equal(await send([email.toUpperCase()]), 200);
  assert.equal(await send([email, memberEmail]), 403);
  assert.equal(
    await statusOf((await person('editor')).browser.call('campaignSendTest', { cid, test_emails: [memberEmail] })),
    200,
  );
});

test('when an author saves a draft while it is being sent, the change is in it or is refused', async () => {
  const { browser } = await person('author');
  for (let round = 0; round < 5; round++) {
    const cid = await own.call<string>('campaignCreate', draftOf(own.list));
    const [saved] = await Promise.all([
      browser.call('campaignUpdate', { cid, name: 'subject', value: `Round ${round}` }),
      own.call('campaignSendNow', { cid }),
    ]);
    const { subject } = await own.call<{ subject: string }>('campaignGet', { cid });
    assert.equal(subject === `Round ${round}`, saved.status === 200, JSON.stringify(saved.body));
  }
});

test('what programs send by the alias of a template is changed only by those who may send', async () => {
  const { browser } = await person('author');
  const source = '<p>Receipt</p>';
  const used = await own.call<string>('templateCreate', { name: 'Receipt', alias: 'receipt', source });
  const draft = (await browser.call<string>('templateCreate', { name: 'Mine', source })).body;
  for (const [method, params] of [
    ['templateUpdate', { template_id: used, name: 'source', value: '<p>Other</p>' }],
    ['templateUpdate', { template_id: used, name: 'alias', value: '' }],
    ['templateDelete', { template_id: used }],
    ['templateUpdate', { template_id: draft, name: 'alias', value: 'order' }],
    ['templateCreate', { name: 'More', alias: 'more', source }],
  ] as const)
    assert.equal(await statusOf(browser.call(method, params)), 403, method);
  assert.equal(await statusOf(browser.call('templateUpdate', { template_id: draft, name: 'source', value: 'x' })), 200);
});

test('an automation that changes contacts is started only by those who may change them', async () => {
  const may = await person('custom', ['campaigns:write', 'campaigns:send', 'contacts:read']);
  const id = await own.call<string>('automationCreate', { title: 'Marks', list: own.list });
  const steps = [{ key: 'mark', type: 'set_field', field: 'FNAME', value: 'Marked' }];
  await own.call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps });
  const answer = await may.browser.call<{ error: string }>('automationStart', { id });
  assert.equal(answer.status, 403);
  assert.match(answer.body.error, /set_field changes contacts/);
  assert.equal(await statusOf((await person('editor')).browser.call('automationStart', { id })), 200);
});
