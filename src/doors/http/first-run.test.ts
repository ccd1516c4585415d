// The first run, and links that set a password: each works once, not a second time, not after its time and not by guessing.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { type SendingApp, sendingApp } from '../../../test/support/installation/sending-app.ts';
import type { Sink } from '../../../test/support/smtp-sink/sink.ts';
import { makeLinkToken } from '../../accounts/access/sign-in-link.ts';
import { awaitFirstRun, firstRunToken } from '../../accounts/people/placeholder.ts';
import { addMember, createUser, findUser } from '../../accounts/people/user.ts';
import { sql } from '../../db/connect.ts';
import { sendInvitation, sendSignInLink } from '../../mail/sign-in-mail.ts';

const password = 'correct horse';
const next = 'a heron by the quiet lake';
let sink: Sink;
let app: SendingApp;
let base: string;
before(async () => {
  app = await sendingApp();
  sink = app.sink;
  base = await app.listen();
});
beforeEach(() => app.app.db.run(sql`delete from sign_in_try`));
after(() => app.close());

const owner = {
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  password: next,
  company: 'Analytical Engines',
  postal_address: '12 St James Square\nLondon',
  sender_name: 'The Engine',
};
const needed = async () => (await new Browser(base).ask('GET', '/session/first-run')).body.needed;
const userOf = async (email: string) =>
  (await app.app.db.row<{ id: number }>(sql`select id from app_user where email = ${email}`))!.id;
const jobs = () =>
  app.app.db.rows<{ payload: { email: string } }>(sql`
    select payload
    from graphile_worker._private_jobs
    join graphile_worker._private_tasks on _private_tasks.id = _private_jobs.task_id
    where identifier = 'sendSignInLink'`);
const invitations = () =>
  app.app.db.rows<{ payload: { account_id: number; invitation_id: number } }>(sql`
    select payload
    from graphile_worker._private_jobs
    join graphile_worker._private_tasks on _private_tasks.id = _private_jobs.task_id
    where identifier = 'sendInvitation'`);

test('without a placeholder there is no first run, and no token makes one', async () => {
  assert.equal(await needed(), false);
  assert.equal(await firstRunToken(app.app.db), undefined);
  const token = await makeLinkToken(app.app.db, 'first run');
  assert.equal((await new Browser(base).ask('POST', '/session/first-run', { ...owner, token })).status, 410);
});

test('the first run makes the owner of the first account and signs in, once', async () => {
  await awaitFirstRun(app.app.db, app.account.id, await userOf('owner@example.com'));
  assert.equal(await needed(), true);
  const older = (await firstRunToken(app.app.db))!;
  const token = (await firstRunToken(app.app.db))!;
  const rows = await app.app.db.rows<{ text: string }>(sql`select sign_in_link::text as text from sign_in_link`);
  assert.ok(rows.length === 1 && !rows[0]!.text.includes(token));

  const browser = new Browser(base);
  const send = (changes: Record<string, unknown>) =>
    browser.ask('POST', '/session/first-run', { ...owner, token, ...changes });
  assert.equal((await send({ token: older })).status, 410, 'a newer token replaces the older one');
  assert.equal((await send({ token: 'x'.repeat(43) })).status, 410);
  assert.equal((await send({ password: 'short' })).status, 400);
  assert.equal((await send({ email: 'nobody' })).status, 400);
  assert.equal((await send({ name: 'a\r\nb' })).status, 400);
  assert.equal((await send({ time_zone: 'Mars/Olympus' })).status, 400);
  assert.equal((await send({ role: 'owner' })).status, 400);
  assert.equal(browser.cookie, undefined);

  const statuses = await Promise.all([1, 2, 3].map(async () => (await send({})).status));
  assert.deepEqual(statuses.sort(), [200, 410, 410]);
  type Session = { user: { email: string; name: string }; account: Record<string, unknown>; role: string };
  const { body } = await browser.call<Session>('sessionGet');
  assert.deepEqual([body.user.email, body.user.name, body.role], ['ada@example.com', 'Ada Lovelace', 'owner']);
  assert.deepEqual(
    [body.account.name, body.account.email, body.account.postal_address, body.account.settings],
    ['Analytical Engines', 'ada@example.com', owner.postal_address, { sender_name: 'The Engine' }],
  );
  assert.equal(await needed(), false);
  assert.equal((await send({})).status, 410);
  assert.equal((await new Browser(base).signIn('owner@example.com', password)).status, 401, 'the placeholder is gone');
  assert.equal((await new Browser(base).signIn('ada@example.com', next)).status, 200);
  const list = await app.call<string>('listCreate', { title: 'New' });
  const lists = await app.call<{ id: string; default_from_name: string }[]>('lists');
  assert.equal(lists.find((item) => item.id === list)?.default_from_name, 'The Engine');
  const senders = await app.call<{ name: string; email: string }[]>('senders');
  assert.deepEqual(
    senders.map(({ name, email }) => [name, email]),
    [['The Engine', 'ada@example.com']],
  );
});

test('demo users sign in without seeing the first run, which stays open at its address', async () => {
  await app.app.db.run(sql`update app_user set last_login_at = null`);
  const first = await userOf('ada@example.com');
  await awaitFirstRun(app.app.db, app.account.id, first);
  assert.equal(await needed(), true);
  await createUser(app.app.db, { email: 'demo@example.com', password });
  assert.equal(await needed(), false);
  await app.app.db.run(sql`update app_user set last_login_at = now() where id <> ${first}`);
  const token = (await firstRunToken(app.app.db))!;
  // The organisation can follow in the setup screens; without a name, there is no sender yet.
  const { email: _email, company: _company, postal_address: _address, sender_name: _sender, ...bare } = owner;
  const own = { ...bare, email: 'grace@example.com' };
  assert.equal((await new Browser(base).ask('POST', '/session/first-run', { ...own, token })).status, 200);
  assert.equal((await new Browser(base).signIn('grace@example.com', next)).status, 200);
  assert.equal(await firstRunToken(app.app.db), undefined);
  assert.equal((await app.call<unknown[]>('senders')).length, 1);
  await app.app.db.run(sql`delete from app_user where email = 'demo@example.com'`);
  await app.app.db.run(
    sql`update app_user set email = 'ada@example.com', email_key = 'ada@example.com' where id = ${first}`,
  );
});

test('once its user has signed in by password there is no first run any more', async () => {
  await app.app.db.run(sql`delete from installation where key = 'first_run'`);
  await app.app.db.run(sql`update app_user set last_login_at = null`);
  await awaitFirstRun(app.app.db, app.account.id, await userOf('ada@example.com'));
  const token = (await firstRunToken(app.app.db))!;
  assert.equal(await needed(), true);
  await new Browser(base).signIn('ada@example.com', next);
  assert.equal(await needed(), false);
  assert.equal((await new Browser(base).ask('POST', '/session/first-run', { ...owner, token })).status, 410);
});

test('a token of the first run is good for 24 hours', async () => {
  await app.app.db.run(sql`update app_user set last_login_at = null`);
  const token = (await firstRunToken(app.app.db))!;
  await app.app.db.run(sql`update sign_in_link set expires_at = expires_at - interval '24 hours'`);
  assert.equal((await new Browser(base).ask('POST', '/session/first-run', { ...owner, token })).status, 410);
});

/** Runs what asking for a link has left in the queue; the token of the mail it made, if any. */
async function mailed(to: string): Promise<string | undefined> {
  const before = sink.accepted().length;
  const { context } = app;
  for (const { payload } of await jobs()) if (payload.email === to) await sendSignInLink(context, payload);
  for (const { payload } of await invitations()) await sendInvitation(context, payload);
  await app.app.db.run(sql`delete from graphile_worker._private_jobs`);
  await app.allSent();
  const raw = sink.accepted()[before]?.raw?.replace(/=\r\n/g, '');
  if (raw === undefined) return undefined;
  assert.match(raw, new RegExp(`^To: <${to}>`, 'm'));
  return /#([\w-]{43})/.exec(raw)?.[1];
}

test('a request for a reset link has the same answer and effects for known and unknown addresses', async () => {
  const { account } = await app.anotherAccount();
  await app.app.db.run(sql`delete from graphile_worker._private_jobs`);
  const known = await new Browser(base).ask('POST', '/session/forgotten', { email: account.email });
  const unknown = await new Browser(base).ask('POST', '/session/forgotten', { email: 'nobody@example.com' });
  assert.deepEqual([known.status, known.body], [200, {}]);
  assert.deepEqual([unknown.status, unknown.body], [known.status, known.body]);
  assert.deepEqual(
    (await jobs()).map((item) => item.payload.email).sort(),
    ['nobody@example.com', account.email].sort(),
  );
  assert.equal(await mailed('nobody@example.com'), undefined);
});

test('the link sets a password once and ends all sessions', async () => {
  const { account } = await app.anotherAccount();
  const there = new Browser(base);
  await there.signIn(account.email, password);
  await new Browser(base).ask('POST', '/session/forgotten', { email: ` ${account.email.toUpperCase()}` });
  const [job] = await jobs();
  const token = (await mailed(job!.payload.email).catch(() => undefined)) ?? (await relink(account.email));
  const reset = async (given: string, chosen: string) =>
    (await new Browser(base).ask('POST', '/session/reset', { token: given, password: chosen })).status;
  assert.equal(await reset('x'.repeat(43), next), 410);
  assert.equal(await reset(token, 'short'), 400);
  assert.equal(await reset(token, account.email), 400);
  assert.equal((await there.call('ping')).status, 200);
  assert.deepEqual((await Promise.all([reset(token, next), reset(token, next)])).sort(), [200, 410]);
  assert.equal((await there.call('ping')).status, 401);
  assert.equal((await new Browser(base).signIn(account.email, password)).status, 401);
  assert.equal((await new Browser(base).signIn(account.email, next)).status, 200);
});

test('a password set by a link ends the wait after too many wrong ones', async () => {
  const { account } = await app.anotherAccount();
  for (let i = 0; i < 10; i++) await new Browser(base).signIn(account.email, 'wrong');
  assert.equal((await new Browser(base).signIn(account.email, password)).status, 429);
  const token = await relink(account.email);
  assert.equal((await new Browser(base).ask('POST', '/session/reset', { token, password: next })).status, 200);
  assert.equal((await new Browser(base).signIn(account.email, next)).status, 200);
});

async function relink(email: string): Promise<string> {
  await new Browser(base).ask('POST', '/session/forgotten', { email });
  return (await mailed(email))!;
}

test('a link ends with a newer link, with a changed password and after half an hour', async () => {
  const { account } = await app.anotherAccount();
  const reset = async (token: string) =>
    (await new Browser(base).ask('POST', '/session/reset', { token, password: next })).status;
  const [first, second] = [await relink(account.email), await relink(account.email)];
  assert.equal(await reset(first), 410);
  const browser = new Browser(base);
  await browser.signIn(account.email, password);
  await browser.call('passwordUpdate', { old: password, new: 'another heron by the lake' });
  assert.equal(await reset(second), 410);
  const third = await relink(account.email);
  await app.app.db.run(sql`update sign_in_link set expires_at = expires_at - interval '30 minutes'`);
  assert.equal(await reset(third), 410);
});

test('an address gets at most three links in a quarter of an hour, and the response does not show it', async () => {
  const { account } = await app.anotherAccount();
  for (let i = 0; i < 5; i++)
    assert.equal((await new Browser(base).ask('POST', '/session/forgotten', { email: account.email })).status, 200);
  assert.equal((await jobs()).length, 3);
  await app.app.db.run(sql`delete from graphile_worker._private_jobs`);
});

test('a caller who asks for many links has to wait', async () => {
  for (let i = 0; i < 50; i++)
    await new Browser(base).ask('POST', '/session/forgotten', { email: `n${i}@example.com` });
  const refused = await new Browser(base).ask('POST', '/session/forgotten', { email: 'n51@example.com' });
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  await app.app.db.run(sql`delete from graphile_worker._private_jobs`);
});

const joinBy = (token: string, browser = new Browser(base)) =>
  browser.ask('POST', '/session/invitation/join', { token, name: '', password: next });

test('an invited person gets a link by email, sets a password and can sign in with the role only then', async () => {
  const { body } = await (async () => {
    const browser = new Browser(base);
    await browser.signIn('ada@example.com', next);
    return browser.call<{ link: string }>('userInvite', { email: 'cy@example.com', role: 'viewer', name: 'Cy' });
  })();
  assert.equal(body.link, '', 'the mail has it');
  for (const guess of ['', ' ', 'cy@example.com'])
    assert.equal((await new Browser(base).signIn('cy@example.com', guess)).status, 401);
  const token = (await mailed('cy@example.com'))!;
  assert.equal((await new Browser(base).ask('POST', '/session/reset', { token, password: next })).status, 410);
  assert.equal((await joinBy(token)).status, 200);
  const browser = new Browser(base);
  assert.equal((await browser.signIn('cy@example.com', next)).status, 200);
  assert.equal((await browser.call<{ role: string }>('sessionGet')).body.role, 'viewer');
  const { addressProven } = (await findUser(app.app.db, 'cy@example.com'))!;
  assert.ok(addressProven, 'the link was mailed');
});

test('a user of another account gets an invitation without a link that sets a password', async () => {
  const { account } = await app.anotherAccount();
  const browser = new Browser(base);
  await browser.signIn('ada@example.com', next);
  const { body } = await browser.call('userInvite', { email: account.email, role: 'viewer' });
  assert.deepEqual(Object.entries(body as object)[1], ['link', '']);
  const before = sink.accepted().length;
  assert.equal(await mailed(account.email), undefined);
  assert.match(
    sink.accepted()[before]!.raw!.replace(/=\r\n/g, ''),
    /Sign in within 7 days to accept:\r\n\S+\/app\/\r\n/,
  );
});

test('a mailed invitation gives a user back whose address was never proven, and ends the sessions of others', async () => {
  const taken = await createUser(app.app.db, { email: 'taken@example.com', password });
  await addMember(app.app.db, (await app.anotherAccount()).account.id, taken.id, 'viewer');
  await app.app.db.run(sql`update app_user set address_proven = false where id = ${taken.id}`);
  const stranger = new Browser(base);
  assert.equal((await stranger.signIn('taken@example.com', password)).status, 200);
  const browser = new Browser(base);
  await browser.signIn('ada@example.com', next);
  await browser.call('userInvite', { email: 'taken@example.com', role: 'editor' });
  assert.deepEqual((await stranger.call('invitations')).body, []);
  const token = (await mailed('taken@example.com'))!;
  const own = new Browser(base);
  assert.equal((await joinBy(token, own)).status, 200);
  assert.equal((await stranger.call('sessionGet')).status, 401);
  const { body } = await own.call<{ account: { id: string }; accounts: unknown[] }>('sessionGet');
  assert.equal(body.accounts.length, 2);
  const { account } = (await browser.call<{ account: { id: string } }>('sessionGet')).body;
  assert.equal(body.account.id, account.id, 'the account that invited, not the oldest one');
});

test('the page of an invitation says what it invites to, and joining signs in with the name given, once', async () => {
  const browser = new Browser(base);
  await browser.signIn('ada@example.com', next);
  await browser.call('userInvite', { email: 'tom@example.com', role: 'editor' });
  const token = (await mailed('tom@example.com'))!;
  const page = (given: string) => new Browser(base).ask('POST', '/session/invitation', { token: given });
  const { account, ...shown } = (await page(token)).body as Record<string, unknown>;
  assert.equal(typeof account, 'string');
  assert.deepEqual(shown, {
    valid: true,
    email: 'tom@example.com',
    role: 'editor',
    name: '',
    invited_by: 'Ada Lovelace',
  });
  const join = (password: string, by = new Browser(base)) =>
    by.ask('POST', '/session/invitation/join', { token, name: ' Tom Reed ', password });
  assert.equal((await join('short')).status, 400, 'the link stays valid');
  const tom = new Browser(base);
  assert.deepEqual((await join(next, tom)).body, { signed_in: true });
  const { body } = await tom.call<{ user: { name: string; email: string }; role: string }>('sessionGet');
  assert.deepEqual([body.user.name, body.user.email, body.role], ['Tom Reed', 'tom@example.com', 'editor']);
  assert.equal((await join(next)).status, 410);
  for (const spent of [token, 'no such token']) assert.deepEqual((await page(spent)).body, { valid: false });
  await app.app.db.run(sql`delete from sign_in_try`);
  for (let i = 0; i < 50; i++) await page(`guess ${i}`);
  assert.equal((await page('guess 51')).status, 429);
});

test('who has a second factor joins by the link of an invitation and signs in with it', async () => {
  const left = await createUser(app.app.db, { email: 'left@example.com', password });
  await app.app.db.run(sql`update app_user set address_proven = true, totp_confirmed_at = now() where id = ${left.id}`);
  const browser = new Browser(base);
  await browser.signIn('ada@example.com', next);
  await browser.call('userInvite', { email: 'left@example.com', role: 'viewer' });
  const token = (await mailed('left@example.com'))!;
  const own = new Browser(base);
  const joined = await own.ask('POST', '/session/invitation/join', { token, name: 'Left', password: next });
  assert.deepEqual([joined.status, joined.body, own.cookie], [200, { signed_in: false }, undefined]);
});
