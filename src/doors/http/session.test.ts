// Signing in as a browser does: the cookie, what a foreign page can do with it (nothing), counted attempts, and that no
// answer reveals whether an address is known.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { purgeSignIns } from '../../accounts/access/expire.ts';
import { addMember, createUser } from '../../accounts/people/user.ts';
import { createLog } from '../../base/log.ts';
import { rolePermissions } from '../../base/permissions.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import type { TaskContext } from '../../jobs/tasks.ts';

const email = 'owner@example.com';
const password = 'correct horse';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
beforeEach(() => app.app.db.run(sql`delete from sign_in_try`));
after(() => app.close());

const signedIn = async () => {
  const browser = new Browser(base);
  assert.equal((await browser.signIn(email, password)).status, 200);
  return browser;
};

test('signing in returns an empty object and a cookie that scripts cannot read', async () => {
  const browser = new Browser(base);
  const answer = await browser.signIn(` ${email.toUpperCase()} `, password);
  assert.deepEqual([answer.status, answer.body], [200, {}]);
  assert.match(browser.setCookie, /^postrider_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const { body } = await browser.call<{ user: { email: string }; role: string; permissions: string[] }>('sessionGet');
  assert.deepEqual([body.user.email, body.role, body.permissions], [email, 'owner', rolePermissions.owner]);
});

test('under https the cookie is bound to this host and TLS, and so are later visits', async () => {
  const before = app.app.baseUrl;
  app.app.baseUrl = 'https://mail.example.com';
  try {
    const browser = new Browser(base);
    const { headers } = await browser.signIn(email, password);
    assert.match(
      browser.setCookie,
      /^__Host-postrider_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000');
    assert.equal((await browser.call('sessionGet')).status, 200);
    // A sub-domain could have set this name.
    browser.cookieName = 'postrider_session';
    assert.equal((await browser.call('sessionGet')).status, 401);
    browser.cookieName = '__Host-postrider_session';
    await browser.ask('DELETE', '/session');
    assert.match(
      browser.setCookie,
      /^__Host-postrider_session=; Max-Age=0; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
    );
  } finally {
    app.app.baseUrl = before;
  }
});

test('a session ends when it is idle for longer than the operator allows, and is not listed any more', async () => {
  const other = await signedIn();
  const { id } = (await other.call<{ id: string; current: boolean }[]>('sessions')).body.find(
    ({ current }) => current,
  )!;
  const idle = (hours: number) =>
    app.app.db.run(sql`
      update session set last_seen_at = now() - make_interval(hours => ${hours})
      where id = ${parseId(id)}`);
  await idle(71);
  assert.equal((await other.call('ping')).status, 200);
  await idle(73);
  const listed = (await (await signedIn()).call<{ id: string }[]>('sessions')).body;
  assert.ok(!listed.some((session) => session.id === id));
  assert.equal((await other.call('ping')).status, 401);
  // The refused request did not revive it.
  assert.equal((await other.call('ping')).status, 401);
  await purgeSignIns({ app: app.app } as TaskContext);
  assert.equal(await app.app.db.row(sql`select from session where id = ${parseId(id)}`), undefined);
});

test('the database stores only the hash of a token', async () => {
  const browser = await signedIn();
  const rows = await app.app.db.rows<{ text: string }>(sql`select session::text as text from session`);
  for (const { text } of rows)
    assert.ok(!text.includes(browser.cookie!) && !text.includes(Buffer.from(browser.cookie!).toString('hex')));
});

test('signing out ends the session for every copy of the cookie', async () => {
  const browser = await signedIn();
  const copy = new Browser(base);
  copy.cookie = browser.cookie;
  assert.equal((await browser.ask('DELETE', '/session')).status, 200);
  assert.equal(browser.cookie, undefined);
  assert.equal((await copy.call('ping')).status, 401);
});

test('an unknown address, a wrong password and a user without an account get the same response', async () => {
  await createUser(app.app.db, { email: 'nowhere@example.com', password });
  const answers = [];
  for (const [who, what] of [
    ['nobody@example.com', password],
    [email, 'wrong horse'],
    ['nowhere@example.com', password],
    ['', ''],
  ]) {
    const browser = new Browser(base);
    const { status, body } = await browser.signIn(who!, what!);
    assert.equal(browser.cookie, undefined);
    answers.push({ status, body });
  }
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  assert.deepEqual(answers[0], {
    status: 401,
    body: {
      error: 'The email address, the password or the code is wrong',
      code: 130,
      text: { key: 'session.wrong', values: {} },
    },
  });
});

test('a password or key that is not a string is refused', async () => {
  for (const value of [0, 1, true, null, [], [password], {}, 1.5]) {
    const { status } = await new Browser(base).ask('POST', '/session', { email, password: value });
    assert.equal(status, 400, JSON.stringify(value));
  }
  assert.equal((await new Browser(base).ask('POST', '/session', '[]')).status, 400);
  assert.equal((await new Browser(base).ask('POST', '/session', '{')).status, 400);
  assert.equal((await new Browser(base).ask('POST', '/session', { email, password, admin: true })).status, 400);
});

test('the answer to an invalid body does not repeat the password', async () => {
  const answer = await new Browser(base).ask('POST', '/session', `{"email":"a@b.c","password":"canary-9"`);
  assert.doesNotMatch(JSON.stringify(answer.body), /canary/);
});

test('a foreign page can neither sign in nor out, nor call with the cookie', async () => {
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${base}.evil.example` },
    // A header of the newer kind decides, whatever the older one says.
    { 'sec-fetch-site': 'cross-site', origin: base },
  ] as Record<string, string>[]) {
    const browser = await signedIn();
    browser.headers = headers;
    const what = JSON.stringify(headers);
    assert.equal((await browser.call('sessionGet')).status, 403, what);
    assert.equal((await browser.ask('DELETE', '/session')).status, 403, what);
    assert.equal((await new Browser(base).ask('POST', '/session', { email, password })).status, 200);
    const foreign = new Browser(base);
    foreign.headers = headers;
    assert.equal((await foreign.signIn(email, password)).status, 403, what);
    browser.headers = { origin: base };
    assert.equal((await browser.call('sessionGet')).status, 200, 'the session is still there');
  }
});

test('a request with the cookie but without Origin or Sec-Fetch-Site is refused', async () => {
  const browser = await signedIn();
  browser.headers = {};
  assert.equal((await browser.call('sessionGet')).status, 403);
  browser.headers = { 'sec-fetch-site': 'none' };
  assert.equal((await browser.call('sessionGet')).status, 403);
});

test('an API key takes precedence over the cookie, even a wrong one', async () => {
  const browser = await signedIn();
  browser.headers = { authorization: `Bearer ${'f'.repeat(32)}`, 'sec-fetch-site': 'same-origin' };
  assert.equal((await browser.call('ping')).status, 401);
  browser.headers = { authorization: `Bearer ${app.key}`, 'sec-fetch-site': 'cross-site' };
  assert.equal((await browser.call('ping')).status, 200);
});

test('the cookie opens neither the XML-RPC nor the form door', async () => {
  const browser = await signedIn();
  const headers = { cookie: `postrider_session=${browser.cookie}`, 'sec-fetch-site': 'same-origin' };
  const form = await fetch(`${base}/1.3/?output=json&method=ping`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
  });
  assert.equal(((await form.json()) as { code: number }).code, 104);
  const xml = await fetch(`${base}/`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/xml' },
    body: '<methodCall><methodName>ping</methodName><params><param><value><struct/></value></param></params></methodCall>',
  });
  assert.match(await xml.text(), /<int>104<\/int>/);
});

test('after ten wrong passwords an address has to wait, even with the right one; other addresses do not', async () => {
  const { account } = await app.anotherAccount();
  for (let i = 0; i < 10; i++) assert.equal((await new Browser(base).signIn(email, `wrong ${i}`)).status, 401);
  const refused = await new Browser(base).signIn(email, password);
  assert.equal(refused.status, 429);
  const wait = Number(refused.headers.get('retry-after'));
  assert.ok(wait > 800 && wait <= 900, String(wait));
  assert.equal((await new Browser(base).signIn(account.email, password)).status, 200);
});

test('strangers who guess do not keep out a browser in which the person has signed in before', async () => {
  const browser = await signedIn();
  await browser.ask('DELETE', '/session');
  const guess = async (times: number, by: Browser) => {
    const all = await Promise.all(Array.from({ length: times }, () => by.signIn(email, 'wrong')));
    return all.map(({ status }) => status).sort();
  };
  const stranger = new Browser(base);
  await guess(11, stranger);
  assert.equal((await stranger.signIn(email, password)).status, 429);
  for (const known of [
    '',
    'x',
    `${browser.known!.slice(0, -1)}~`,
    browser.known!.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
  ]) {
    stranger.known = known;
    assert.equal((await stranger.signIn(email, password)).status, 429);
  }
  assert.equal((await browser.signIn(email, password)).status, 200);
  assert.equal(browser.setCookie.includes('HttpOnly'), true);
  // It has as many attempts as others, and proves nothing for another address.
  assert.deepEqual(await guess(10, browser), Array(10).fill(401));
  assert.equal((await browser.signIn(email, password)).status, 429);
  const other = `other.${email}`;
  const created = await createUser(app.app.db, { email: other, password });
  await addMember(app.app.db, app.account.id, created.id, 'viewer');
  await app.app.db.run(sql`delete from sign_in_try`);
  for (let i = 0; i < 10; i++) await stranger.signIn(other, 'wrong');
  assert.equal((await browser.signIn(other, password)).status, 429);
});

test('an unknown address has to wait after the same number of attempts', async () => {
  for (let i = 0; i < 10; i++) assert.equal((await new Browser(base).signIn('nobody@example.com', 'x')).status, 401);
  assert.equal((await new Browser(base).signIn('nobody@example.com', 'x')).status, 429);
});

test('simultaneous attempts are all counted', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 16 }, async (_one, i) => (await new Browser(base).signIn(email, `wrong ${i}`)).status),
  );
  assert.equal(statuses.filter((status) => status === 401).length, 10);
});

test('a client that tries many addresses has to wait; successful sign-ins do not count', async () => {
  for (let i = 0; i < 12; i++) await signedIn();
  for (let i = 0; i < 50; i++) await new Browser(base).signIn(`unknown${i}@example.com`, 'x');
  assert.equal((await new Browser(base).signIn(email, password)).status, 429);
});

test('attempts are counted across web processes', async () => {
  for (let i = 0; i < 11; i++) await new Browser(base).signIn(email, 'wrong');
  const { createServer } = await import('../../web.ts');
  const second = await createServer(app.app);
  try {
    const url = await second.listen({ port: 0, host: '127.0.0.1' });
    assert.equal((await new Browser(url).signIn(email, password)).status, 429);
  } finally {
    await second.close();
  }
});

test('switching the account gives the session a new token, and is for members only', async () => {
  const browser = await signedIn();
  const { account: foreign } = await app.anotherAccount();
  const { account: own } = await app.anotherAccount();
  const row = await app.app.db.row<{ id: number }>(sql`select id from app_user where email = ${email}`);
  await addMember(app.app.db, own.id, row!.id, 'viewer');
  const old = browser.cookie;
  assert.equal((await browser.call('sessionSwitch', { account_id: formatId(foreign.id) })).status, 403);
  assert.equal((await browser.call('sessionSwitch', { account_id: 'b0000000' })).status, 403);
  assert.equal(browser.cookie, old);
  assert.equal((await browser.call('sessionSwitch', { account_id: formatId(own.id) })).status, 200);
  assert.notEqual(browser.cookie, old);
  const { body } = await browser.call<{ account: { id: string }; role: string; accounts: { id: string }[] }>(
    'sessionGet',
  );
  assert.deepEqual([body.account.id, body.role], [formatId(own.id), 'viewer']);
  assert.deepEqual(
    body.accounts.map((account) => account.id).sort(),
    [formatId(own.id), formatId(app.account.id)].sort(),
  );
  const copy = new Browser(base);
  copy.cookie = old;
  assert.equal((await copy.call('ping')).status, 401);
});

test('a new password ends every other session at once, and the old password', async () => {
  const { account } = await app.anotherAccount();
  const [here, there] = [new Browser(base), new Browser(base)];
  for (const browser of [here, there]) await browser.signIn(account.email, password);
  const stolen = new Browser(base);
  stolen.cookie = here.cookie;
  const next = 'a heron by the quiet lake';
  assert.equal((await here.call('passwordUpdate', { old: 'not it', new: next })).status, 400);
  assert.equal((await here.call('passwordUpdate', { old: password, new: 'short' })).status, 400);
  assert.equal((await there.call('ping')).status, 200);
  assert.equal((await here.call('passwordUpdate', { old: password, new: next })).status, 200);
  assert.equal((await here.call('ping')).status, 200);
  assert.equal((await there.call('ping')).status, 401);
  assert.equal((await stolen.call('ping')).status, 401);
  assert.equal((await new Browser(base).signIn(account.email, password)).status, 401);
  assert.equal((await new Browser(base).signIn(account.email, next)).status, 200);
});

test('sessions are listed and ended one by one; not those of others', async () => {
  const { account } = await app.anotherAccount();
  const [here, there] = [new Browser(base), new Browser(base)];
  there.headers['user-agent'] = 'Somewhere/1';
  for (const browser of [here, there]) await browser.signIn(account.email, password);
  type Session = { id: string; current: boolean; user_agent: string; ip: string };
  const listed = (await here.call<Session[]>('sessions')).body;
  assert.deepEqual(listed.map((item) => item.current).sort(), [false, true]);
  const other = listed.find((item) => !item.current)!;
  assert.deepEqual([other.user_agent, other.ip], ['Somewhere/1', '127.0.0.1']);
  const stranger = await signedIn();
  assert.equal((await stranger.call('sessionEnd', { id: other.id })).status, 404);
  assert.equal((await there.call('ping')).status, 200);
  assert.equal((await here.call('sessionEnd', { id: other.id })).status, 200);
  assert.equal((await there.call('ping')).status, 401);
  assert.equal((await here.call('sessionEnd', { id: other.id })).status, 404);
});

test('a session that has expired, or whose user has left the account, is refused', async () => {
  const { account } = await app.anotherAccount();
  const browser = new Browser(base);
  await browser.signIn(account.email, password);
  assert.equal((await browser.call('ping')).status, 200);
  await app.app.db.run(sql`delete from membership where account_id = ${account.id}`);
  assert.equal((await browser.call('ping')).status, 401);
  const late = await signedIn();
  await app.app.db.run(sql`update session set expires_at = now() - interval '1 second'`);
  assert.equal((await late.call('ping')).status, 401);
});

test('each attempt to sign in is logged with caller, outcome and a hash of the address, and no address or password', async () => {
  const lines: string[] = [];
  const { log } = app.app;
  app.app.log = createLog('info', 'test', { write: (line) => void lines.push(line) });
  try {
    const browser = new Browser(base);
    await browser.signIn('stranger@example.com', 'a wrong password');
    await browser.signIn(email, password);
    await browser.call('sessionGet');
    await browser.ask('POST', '/session/reset', { token: 'no such token', password: 'a heron by the quiet lake' });
    await fetch(`${base}/api/ping`, { method: 'POST', headers: { authorization: 'Bearer nonsense' } });
  } finally {
    app.app.log = log;
  }
  const entries = lines.map((line) => JSON.parse(line) as Record<string, string>);
  const shown = entries.map(({ msg, ip, outcome }) => [msg, ip, outcome]);
  assert.deepEqual(shown, [
    ['sign-in', '127.0.0.1', 'wrong'],
    ['sign-in', '127.0.0.1', 'in'],
    ['call', '127.0.0.1', 'ok'],
    ['sign-in', '127.0.0.1', 'link expired'],
    ['call', '127.0.0.1', 'KEY_INVALID'],
  ]);
  assert.match(entries[0]!.address!, /^[0-9a-f]{16}$/);
  assert.notEqual(entries[0]!.address, entries[1]!.address);
  assert.deepEqual([entries[2]!.account, typeof entries[2]!.user], [formatId(app.account.id), 'string']);
  assert.match(lines[0]!, /"ip":"127\.0\.0\.1","outcome":"wrong"/, 'in the order that the filter of the manual reads');
  assert.match(lines[4]!, /"ip":"127\.0\.0\.1","outcome":"KEY_INVALID"/);
  assert.doesNotMatch(lines.join(''), /stranger|owner@|wrong password|correct horse|nonsense/);
});

test('what outlives a session needs the password again after a while, and a notice reports it', async () => {
  const browser = await signedIn();
  const wait = () => app.app.db.run(sql`update session set confirmed_at = now() - interval '16 minutes'`);
  await wait();
  for (const [method, params] of [
    ['apikeyAdd', { label: 'mine' }],
    ['userInvite', { email: 'other@example.com', role: 'owner' }],
    ['accountUpdate', { name: 'email', value: 'elsewhere@example.com' }],
    ['webhookCreate', { title: 'x', options: { url: 'https://example.com/' } }],
    ['senderDomainRotate', { domain: 'example.com' }],
    ['userUpdate', { id: 'u1', role: 'owner' }],
  ] as const) {
    const answer = await browser.call<{ code: number }>(method, params);
    assert.deepEqual([answer.status, answer.body.code], [403, 137], method);
  }
  assert.equal((await browser.call('accountUpdate', { name: 'company', value: 'Ours' })).status, 200);
  assert.equal((await browser.call('sessionConfirm', { password: 'not this one' })).status, 400);
  assert.equal((await browser.call('apikeyAdd', {})).status, 403);
  assert.equal((await browser.call('sessionConfirm', { password })).status, 200);
  assert.equal((await browser.call('apikeyAdd', { label: 'mine' })).status, 200);
  assert.equal((await browser.call('accountUpdate', { name: 'email', value: 'elsewhere@example.com' })).status, 200);
  const notices = await app.app.db.rows<{ payload: { subject: string; to?: string; text: string } }>(sql`
    select j.payload
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendAccountNotice'
    order by j.id desc
    limit 2`);
  assert.deepEqual(
    notices.map(({ payload }) => [payload.subject, payload.to]),
    [
      ['Test organisation: The main address is now elsewhere@example.com.', email],
      ['Test organisation: The API key "mine" (full access) was created.', undefined],
    ],
  );
  assert.match(notices[0]!.payload.text, /from 127\.0\.0\.1\.[\s\S]*change your password/);
});
