// Test accounts: every method works in one, nothing of it reaches a relay, and nothing of it concerns a person of the real account. The
// table is in docs/flows.md, "Test account".
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type SendingApp, sendingApp } from '../../../test/support/installation/sending-app.ts';
import { runWaitingJobs } from '../../../test/support/run/jobs.ts';
import { slowTest } from '../../../test/support/run/runs.ts';
import { until } from '../../../test/support/run/until.ts';
import { runAutomations } from '../../automations/run/engine.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { keepTest } from '../../delivery/sending/keep-test.ts';
import { call } from '../../doors/call.ts';
import { formatDate } from '../../method/date.ts';
import { setAccount } from '../account/account.ts';
import { addMember, createUser } from '../people/user.ts';

type Made = { account: string; name: string; key: string };

let t: SendingApp;
let made: Made;
let tests: number;
before(async () => {
  t = await sendingApp();
  const viewer = await createUser(t.app.db, { email: 'viewer@example.com', password: 'a long password' });
  await addMember(t.app.db, t.account.id, viewer.id, 'viewer');
  [made] = (await Promise.all([0, 1].map(() => t.call<Made>('testKeyCreate', { label: 'staging' })))) as [Made];
  tests = parseId(made.account);
});
after(() => t.close());

const withKey = <T>(name: string, params: Record<string, unknown> = {}) =>
  call(t.app, name, params, { kind: 'key', key: made.key, ip: '' }, 'json') as Promise<T>;
const inbox = (email: string) =>
  t.app.db.rows<{ account: number; subject: string; source: string }>(sql`
    select account_id as account, subject, convert_from(source, 'UTF8') as source
    from inbox_message
    where ${email} = any (rcpt_to)
    order by id`);
const arrived = (email: string, count: number) =>
  until(`${count} for ${email}`, async () => (await inbox(email)).length === count);
const jobs = (name: Parameters<typeof runWaitingJobs>[1]) => runWaitingJobs(t.app, name);

test('the first key makes the test account, with what the account is called and its owners', async () => {
  const rows = await t.app.db.rows<{ id: number }>(sql`select id from account where test_of = ${t.account.id}`);
  assert.deepEqual(rows, [{ id: tests }], 'two calls at once make one');
  type Session = { account: { test: boolean; name: string; email: string } };
  const { account: shown } = await withKey<Session>('sessionGet');
  assert.deepEqual([shown.test, shown.name, shown.email], [true, `${t.account.name} (test)`, t.account.email]);
  assert.equal((await t.call<Session>('sessionGet')).account.test, false);
  const users = await withKey<{ email: string }[]>('users');
  assert.deepEqual(
    users.map(({ email }) => email),
    ['owner@example.com'],
  );
  const keys = await withKey<{ label: string; test: boolean }[]>('apikeys');
  assert.deepEqual(
    keys.map(({ label, test: isTest }) => [label, isTest]),
    [
      ['staging', true],
      ['staging', true],
    ],
  );
  await withKey('apikeyAdd', { label: 'another' });
  assert.equal(
    (await withKey<{ label: string; test: boolean }[]>('apikeys')).every(({ test: isTest }) => isTest),
    true,
  );
  assert.equal((await withKey<Made>('testKeyCreate')).account, made.account, 'a test account is its own');
});

slowTest(
  'a program runs its whole flow: sign-up, campaign now and later, test, automation; all is in the inbox',
  async () => {
    const list = await withKey<string>('listCreate', { title: 'Readers' });
    const real = await t.call<string>('listCreate', { title: 'Readers' });
    await t.call('listSubscribe', { id: real, email_address: 'ada@reader.example', double_optin: false });
    await withKey('listSubscribe', { id: list, email_address: 'ada@reader.example' });
    await jobs('sendConfirmation');
    await arrived('ada@reader.example', 1);
    const [confirmation] = await inbox('ada@reader.example');
    assert.equal(confirmation!.account, tests);
    await withKey('listSubscribe', { id: list, email_address: 'ada@reader.example', double_optin: false });

    const draft = () =>
      withKey<string>('campaignCreate', {
        type: 'HTML',
        options: { list_id: list, subject: 'News', from_email: t.account.email, from_name: 'Us', generate_text: true },
        content: { html: '<p>News <a href="https://a.example/">x</a> <a href="*|UNSUB|*">leave</a></p>' },
      });
    const [now, later] = [await draft(), await draft()];
    await withKey('campaignSendTest', { cid: now, test_emails: ['me@reader.example'] });
    await jobs('sendTestMails');
    await arrived('me@reader.example', 1);
    await withKey('campaignSendNow', { cid: now });
    await jobs('launchCampaign');
    await withKey('campaignSchedule', { cid: later, schedule_time: formatDate(new Date(Date.now() + 1_500)) });
    await until('its time has come', async () => {
      const row = await t.app.db.row<{ status: string }>(sql`
      select status from campaign where id = ${parseId(later)}`);
      return row!.status === 'launching';
    });
    await jobs('launchCampaign');
    await arrived('ada@reader.example', 3);
    const email = await withKey<string>('automationEmailCreate', { list, subject: 'Hello', text: 'Hello' });
    const id = await withKey<string>('automationCreate', { title: 'Hello', list });
    const steps = [{ type: 'send', campaign: email }];
    await withKey('automationUpdate', { id, trigger: { type: 'event', name: 'hello' }, steps });
    await withKey('automationStart', { id });
    await jobs('launchCampaign');
    await withKey('eventSend', { name: 'hello', email_address: 'ada@reader.example' });
    while ((await runAutomations(t.app)) > 0);
    await arrived('ada@reader.example', 4);
    const { id: message } = await withKey<{ id: string }>('messageSend', {
      subject: 'Order',
      plain: 'x',
      to: ['ada@reader.example'],
    });
    await arrived('ada@reader.example', 5);
    assert.equal((await withKey<{ test: boolean }>('messageGet', { id: message })).test, true);

    assert.deepEqual(t.sink.accepted(), [], 'nothing reached the relay');
    const stats = await withKey<{ emails_sent: number }>('campaignStats', { cid: now });
    assert.equal(stats.emails_sent, 1);
    // Leaving in the test account leaves nothing else.
    await withKey('listUnsubscribe', { id: list, email_address: 'ada@reader.example' });
    const member = await t.call<{ status: string }>('listMemberInfo', {
      id: real,
      email_address: 'ada@reader.example',
    });
    assert.equal(member.status, 'subscribed');
    assert.deepEqual(await t.call<unknown[]>('contactEvents', { email: 'ada@reader.example' }), []);
  },
);

test('links to set a password and invitations are sent: they are about people who work here', async () => {
  await withKey('userInvite', { email: 'new@example.com', role: 'viewer' });
  await jobs('sendInvitation');
  await until('it is sent', async () => t.sink.accepted().length === 1);
  assert.deepEqual(await inbox('new@example.com'), []);
});

test('a copy after a crash is not kept twice', async () => {
  const kept = {
    account: tests,
    recipient: '7 1',
    mailFrom: 'us@example.com',
    rcptTo: 'copy@reader.example',
    onDot: () => true,
  };
  for (const subject of ['First', 'Copy']) {
    const source = Buffer.from(`Subject: ${subject}\r\n\r\nx\r\n`);
    const outcome = await keepTest(t.app, t.app.log, { ...kept, message: source });
    assert.deepEqual([outcome.kind, outcome.kind === 'reply' && outcome.code], ['reply', 250]);
  }
  assert.deepEqual(
    (await inbox('copy@reader.example')).map(({ subject }) => subject),
    ['First'],
  );
});

test('a domain proven by the account is no stranger to its test account, nor the other way round', async () => {
  await setAccount(t.app.db, t.account.id, { plan: 'pro' });
  for (const [owner, domain] of [
    [t.account.id, 'ours.example'],
    [tests, 'testing.example'],
  ] as const)
    await t.app.db.run(sql`insert into sender_domain (account_id, domain, active) values (${owner}, ${domain}, true)`);
  const send = (caller: typeof withKey, from: string) =>
    caller('messageSend', { subject: 'x', plain: 'x', from_email: from, to: ['ben@reader.example'] });
  await send(withKey, 'us@ours.example');
  await arrived('ben@reader.example', 1);
  await send((name, params) => t.call(name, params), 'us@testing.example');
  const other = await t.anotherAccount();
  await setAccount(t.app.db, other.account.id, { plan: 'pro' });
  for (const from of ['us@ours.example', 'us@testing.example'])
    await assert.rejects(
      send((name, params) => other.call(name, params), from),
      /another account/,
    );
});

test('who is removed from the account and what the operator decides about it hold for the test account', async () => {
  const user = (await t.call<{ id: string; email: string }[]>('users')).find(
    ({ email }) => email === 'viewer@example.com',
  )!;
  await addMember(t.app.db, tests, parseId(user.id), 'editor');
  await t.call('userDelete', { id: user.id });
  const left = await withKey<{ email: string }[]>('users');
  assert.equal(
    left.some(({ email }) => email === 'viewer@example.com'),
    false,
  );
  await setAccount(t.app.db, t.account.id, { maySend: false });
  await assert.rejects(withKey('messageSend', { subject: 'x', plain: 'x', to: ['x@reader.example'] }), {
    fault: 'SENDING_NOT_ALLOWED',
  });
  await setAccount(t.app.db, t.account.id, { active: false });
  await assert.rejects(withKey('ping'), { fault: 'ACCOUNT_DISABLED' });
  await setAccount(t.app.db, t.account.id, { active: true, maySend: true });
});
