// Signing up again: who has not confirmed, or has left, gets another confirmation, three a day; and what the page says about it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { openedToken } from '../audience/signup/form.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { languages } from '../locales/languages.ts';
import { text } from '../locales/text.ts';
import { confirmToken } from '../tracking/confirm-token.ts';
import { createServer } from '../web.ts';

let app: TestApp;
let server: Awaited<ReturnType<typeof createServer>>;
let list: string;
let path: string;
before(async () => {
  app = await testApp({ TRUST_PROXY: '127.0.0.1/32' });
  server = await createServer(app.app);
});
beforeEach(async () => {
  list = await app.call<string>('listCreate', { title: 'Letter' });
  path = new URL((await app.call<{ url: string }>('listForm', { id: list })).url).pathname;
});
after(async () => {
  await server.close();
  await app.close();
});

let nextIp = 0;
const post = (url: string, given: Record<string, string>) =>
  server.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': `203.0.113.${nextIp++ % 250}`,
    },
    payload: new URLSearchParams(given).toString(),
  });
const signUp = (EMAIL: string) => {
  const LOOK = openedToken(app.app, path.split('/').at(-1)!, Date.now() - 5_000 - nextIp);
  return post(path, { EMAIL, CONSENT: '1', LOOK });
};
const asked = async () =>
  (await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'sendConfirmation' and (payload ->> 'list_id')::int = ${parseId(list)}`))!.count;
const member = (email: string) =>
  app.call<{ id: string; status: string }>('listMemberInfo', { id: list, email_address: email });
const confirm = async (email: string) => {
  const contact = parseId((await member(email)).id);
  const token = confirmToken(app.app, { account: app.account.id, list: parseId(list), contact, email });
  return (await post(`/confirm/${token}`, {})).body;
};
const later = (minutes: number) =>
  app.app.db.run(sql`update confirmation_asked set asked_at = asked_at - make_interval(mins => ${minutes})`);

test('who has not confirmed and signs up again after some minutes is asked again, three times in a day', async () => {
  const pages = new Set<string>();
  for (let i = 0; i < 6; i++) {
    pages.add((await signUp('ann@example.com')).body);
    await later(10);
  }
  assert.equal(await asked(), 3);
  assert.equal(pages.size, 1);
  await later(24 * 60);
  await signUp('ann@example.com');
  assert.equal(await asked(), 4);
});

test('a second click, or a program that repeats its call, sends nothing more', async () => {
  for (let i = 0; i < 3; i++) await signUp('twice@example.com');
  for (let i = 0; i < 3; i++) await app.call('listSubscribe', { id: list, email_address: 'twice@example.com' });
  assert.equal(await asked(), 1);
});

test('who confirmed and left by mistake is asked at once, by the form and by a call', async () => {
  const email = 'back@example.com';
  for (const again of [() => signUp(email), () => app.call('listSubscribe', { id: list, email_address: email })]) {
    const before = await asked();
    if (before === 0) await signUp(email);
    assert.match(await confirm(email), /You are subscribed/);
    await app.call('listUnsubscribe', { id: list, email_address: email });
    const already = await asked();
    await again();
    assert.equal((await asked()) - already, 1);
  }
  assert.match(await confirm(email), /You are subscribed/);
  assert.equal((await member(email)).status, 'subscribed');
});

test('who was deleted before confirming is asked again at once', async () => {
  const email = 'gone@example.com';
  await signUp(email);
  await app.call('listMemberDelete', { id: list, email_address: email });
  await signUp(email);
  assert.equal(await asked(), 2);
  assert.match(await confirm(email), /You are subscribed/);
});

test('the page says how often the email is sent, in every language', async () => {
  const { body } = await signUp('new@example.com');
  assert.match(body, /at most 3 times a day/);
  for (const language of languages) assert.match(text(language, 'form.thanks-again', { count: 3 }), /3/);
});

test('confirming an address that gets no email says so, except after an unsubscribe, which it lifts', async () => {
  for (const [email, suppress] of [
    ['blocked@example.com', 'blocked@example.com'],
    ['any@domain.example', '@domain.example'],
  ] as const) {
    await signUp(email);
    await app.call('suppressedListSubscribe', { email_address: suppress });
    const page = await confirm(email);
    assert.match(page, /No emails to this address/);
    assert.ok(page.includes(text('en', 'confirm.blocked', { email }).replaceAll("'", '&#39;')), page);
    assert.doesNotMatch(page, /You are subscribed|You will receive/);
    assert.equal((await member(email)).status, 'subscribed');
  }
  await signUp('back@example.com');
  await app.app.db.run(sql`
    insert into suppression (account_id, kind, value, reason)
    values (${app.account.id}, 'address', 'back@example.com', 'unsubscribe')`);
  assert.match(await confirm('back@example.com'), /You will receive emails/);
});
