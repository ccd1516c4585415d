// The operator acts in the account of another: what is possible, what is refused, what the account learns, and how it ends.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { addMember, createUser } from '../accounts/people/user.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { methods } from '../doors/registry.ts';

let app: TestApp;
let base: string;
let client: Awaited<ReturnType<TestApp['anotherAccount']>>;
before(async () => {
  app = await testApp();
  base = await app.listen();
  client = await app.anotherAccount('pro');
});
after(() => app.close());

const id = () => formatId(client.account.id);
let operators = 0;
/** An owner of the operator's account, signed in. */
async function operator(): Promise<{ browser: Browser; email: string; userId: number }> {
  operators += 1;
  const email = `operator${operators}@example.com`;
  const user = await createUser(app.app.db, { email, password: 'correct horse' });
  await addMember(app.app.db, app.account.id, user.id, 'owner');
  const browser = new Browser(base);
  assert.equal((await browser.signIn(email, 'correct horse')).status, 200);
  return { browser, email, userId: user.id };
}
type Shown = { account: { id: string }; acting: { until: string; home: string }; role: string; operator: boolean };
const session = async (browser: Browser) => (await browser.call<Shown>('sessionGet')).body;

test('the operator works in the account with a name in its log, and goes back', async () => {
  const { browser, email } = await operator();
  const until = await browser.call<string>('accountSignIn', { account: id() });
  assert.equal(until.status, 200, JSON.stringify(until.body));
  const minutes = (Date.parse(`${until.body.replace(' ', 'T')}Z`) - Date.now()) / 60_000;
  assert.ok(minutes > 58 && minutes <= 60, `${minutes}`);
  const shown = await session(browser);
  assert.deepEqual(
    [shown.account.id, shown.acting, shown.role, shown.operator],
    [id(), { until: until.body, home: formatId(app.account.id) }, 'owner', false],
  );
  assert.equal((await browser.call('listCreate', { title: 'Made for you' })).status, 200);
  assert.equal((await browser.call('accountUpdate', { name: 'company', value: 'Client Ltd' })).status, 200);
  const log = await client.call<{ method: string; user: string; detail: Record<string, string> }[]>('auditLog');
  assert.deepEqual(
    log.slice(0, 3).map(({ method, user }) => [method, user]),
    [
      ['accountUpdate', email],
      ['listCreate', email],
      ['accountSignIn', email],
    ],
  );
  const { attention } = await client.call<{ attention: { kind: string; detail: string }[] }>('homeSummary');
  assert.match(attention.find(({ kind }) => kind === 'operator')!.detail, new RegExp(`^${email} `));
  const notice = await app.app.db.row<{ text: string }>(sql`
    select payload ->> 'text' as text from graphile_worker._private_jobs
    where payload ->> 'account_id' = ${String(client.account.id)} and payload ->> 'text' like '%operator%'`);
  assert.match(notice!.text, new RegExp(`has signed in to the account as ${email}`));
  const own = await app.call<{ method: string; subject: string }[]>('auditLog');
  assert.ok(own.some(({ method, subject }) => method === 'accountSignIn' && subject === id()));
  assert.equal((await browser.call('sessionSwitch', { account_id: shown.acting.home })).status, 200);
  const back = await session(browser);
  assert.deepEqual([back.account.id, back.acting.until, back.operator], [formatId(app.account.id), '', true]);
});

test('passwords, keys, people and what needs a confirmation are refused, whatever the operator has confirmed', async () => {
  const { browser } = await operator();
  await browser.call('accountSignIn', { account: id() });
  for (const [method, params] of [
    ['apikeyAdd', { label: 'mine' }],
    ['apikeyExpire', { key: client.key }],
    ['testKeyCreate', {}],
    ['incomingWebhookCreate', { title: 'Mine', service: 'shopify' }],
    ['userInvite', { email: 'friend@example.com', role: 'owner' }],
    ['accountUpdate', { name: 'email', value: 'mine@example.com' }],
    ['passwordUpdate', { old: 'correct horse', new: 'a heron by the quiet lake' }],
    ['personUpdate', { name: 'name', value: 'X' }],
    ['sessionEnd', { others: true }],
    ['sessionConfirm', { password: 'correct horse' }],
  ] as const) {
    const answer = await browser.call<{ code: number; error: string }>(method, params);
    assert.deepEqual([answer.status, answer.body.code], [403, 120], `${method} ${JSON.stringify(answer.body)}`);
  }
  for (const method of ['accounts', 'accountLimitsUpdate'])
    assert.equal((await browser.call(method, { account: id() })).status, 403, method);
  assert.equal((await client.call<unknown[]>('apikeys')).length, 1);
});

test('it ends after an hour, when the person is no operator any more, and when the account is suspended', async () => {
  const first = await operator();
  await first.browser.call('accountSignIn', { account: id() });
  await app.app.db.run(sql`update session set acting_until = now() where user_id = ${first.userId}`);
  assert.equal((await first.browser.call('sessionGet')).status, 401);

  const second = await operator();
  await second.browser.call('accountSignIn', { account: id() });
  assert.equal((await second.browser.call('ping')).status, 200);
  await addMember(app.app.db, app.account.id, second.userId, 'editor');
  assert.equal((await second.browser.call('ping')).status, 401);

  const third = await operator();
  await third.browser.call('accountSignIn', { account: id() });
  await app.call('accountLimitsUpdate', { account: id(), active: false });
  assert.deepEqual((await third.browser.call<{ code: number }>('ping')).body.code, 101);
  const fourth = await operator();
  assert.match(
    (await fourth.browser.call<{ error: string }>('accountSignIn', { account: id() })).body.error,
    /is suspended/,
  );
  await app.call('accountLimitsUpdate', { account: id(), active: true });
  assert.equal((await third.browser.call('ping')).status, 200);
});

test('two windows share the cookie: both show the account, and both are back when one goes back', async () => {
  const { browser: first } = await operator();
  const second = new Browser(base);
  /** What the second window sends: the browser has one cookie for both. */
  const sameCookie = () => Object.assign(second, { cookie: first.cookie, cookieName: first.cookieName });
  sameCookie();
  const before = new Browser(base);
  Object.assign(before, { cookie: first.cookie, cookieName: first.cookieName });
  await first.call('accountSignIn', { account: id() });
  assert.notEqual(first.cookie, before.cookie);
  sameCookie();
  const shown = await session(second);
  assert.deepEqual([shown.account.id, shown.acting.home], [id(), formatId(app.account.id)]);
  assert.equal((await second.call('listCreate', { title: 'From the second window' })).status, 200);
  assert.ok((await client.call<{ name: string }[]>('lists')).some(({ name }) => name === 'From the second window'));
  assert.equal((await before.call('sessionGet')).status, 401, 'the token from before is no longer valid');
  await second.call('sessionSwitch', { account_id: formatId(app.account.id) });
  Object.assign(first, { cookie: second.cookie });
  const back = await session(first);
  assert.deepEqual([back.account.id, back.acting.until], [formatId(app.account.id), '']);
  assert.equal((await first.call('accounts')).status, 200);
});

test('a member simply switches, and neither keys nor other accounts sign in', async () => {
  const { browser, userId } = await operator();
  await addMember(app.app.db, client.account.id, userId, 'viewer');
  assert.equal((await browser.call<string>('accountSignIn', { account: id() })).body, '');
  const shown = await session(browser);
  assert.deepEqual([shown.role, shown.acting.until], ['viewer', '']);
  await assert.rejects(app.call('accountSignIn', { account: id() }), { fault: 'NOT_ALLOWED' });
  const stranger = new Browser(base);
  await stranger.signIn(client.account.email, 'correct horse');
  assert.equal((await stranger.call('accountSignIn', { account: formatId(app.account.id) })).status, 403);
});

test('the team of the account is shown to the operator, cannot be changed, and no answer shows the account of the operator', async () => {
  const list = await app.call<string>('listCreate', { title: 'Of the operator' });
  await app.call('listSubscribe', { id: list, email_address: 'reader@operator.example', double_optin: false });
  const member = await createUser(app.app.db, { email: 'member@client.example', password: 'correct horse' });
  await addMember(app.app.db, client.account.id, member.id, 'editor');
  const { browser, email, userId } = await operator();
  await browser.call('accountSignIn', { account: id() });
  const { body: team } = await browser.call<{ email: string; id: string }[]>('users');
  assert.ok(team.some((person) => person.email === 'member@client.example'));
  assert.ok(team.every((person) => person.email !== email && person.id !== formatId(userId)));
  for (const [method, params] of [
    ['userUpdate', { id: formatId(member.id), role: 'owner' }],
    ['userDelete', { id: formatId(member.id) }],
  ] as const)
    assert.equal((await browser.call(method, params)).status, 403, method);
  const hidden = [list, 'Of the operator', 'reader@operator.example', app.account.email];
  let answers = 0;
  // What is about the person is the same in every account.
  for (const { name, person } of methods.filter(({ reads }) => reads)) {
    if (person) continue;
    const { status, body } = await browser.call(name, {});
    if (status === 200) answers += 1;
    for (const word of hidden) assert.ok(!JSON.stringify(body).includes(word), `${name} shows ${word}`);
  }
  assert.ok(answers > 40, `${answers} methods need no parameters`);
});
