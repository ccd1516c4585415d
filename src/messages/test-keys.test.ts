// Test keys: what is sent with one stays in the built-in inbox, and nothing else is changed with it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { until } from '../../test/support/run/until.ts';
import { permissions } from '../base/permissions.ts';
import { sql } from '../db/connect.ts';
import { call } from '../doors/call.ts';
import { methods } from '../doors/registry.ts';
import { chunkChannel } from '../jobs/channels.ts';

type Info = { test: boolean; recipients: { email: string; state: string; reason: string; reply: string }[] };

let t: SendingApp;
let key: string;
before(async () => {
  t = await sendingApp();
  key = await t.call<string>('apikeyAdd', { label: 'staging', test: true });
});
after(() => t.close());

const withKey = <T>(name: string, params: Record<string, unknown> = {}) =>
  call(t.app, name, params, { kind: 'key', key, ip: '' }, 'json') as Promise<T>;
const message = {
  subject: 'Order',
  plain: '.hidden dots\n..two\nEnd',
  html: '<p>Order <a href="https://a.example/">x</a></p>',
};
const get = (id: string) => t.call<Info>('messageGet', { id });
const ended = (id: string) =>
  until('it has ended', async () => (await get(id)).recipients.every(({ state }) => !/queued|trying/.test(state)));
/** As if the time of all that waits had come. */
const hurry = async () => {
  await t.app.db.run(sql`update delivery set next_at = now() where next_at > now()`);
  await t.app.db.run(sql`update chunk set due_at = now() where state = 'waiting' and due_at > now()`);
  await t.app.db.run(sql`select pg_notify(${chunkChannel}, '')`);
};
const inbox = (email: string) =>
  t.app.db.rows<{ account: number; subject: string; source: Buffer }>(sql`
    select account_id as account, subject, source from inbox_message where ${email} = any (rcpt_to)`);

test('a message of a test key is accepted, kept in the inbox, and passed to no relay', async () => {
  const { id } = await withKey<{ id: string }>('messageSend', {
    ...message,
    to: ['ada@reader.example'],
    bcc: ['bcc@reader.example'],
  });
  await ended(id);
  const { test: isTest, recipients } = await get(id);
  assert.equal(isTest, true);
  assert.deepEqual(
    recipients.map(({ email, state, reply }) => [email, state, /test key/.test(reply)]),
    [
      ['ada@reader.example', 'accepted', true],
      ['bcc@reader.example', 'accepted', true],
    ],
  );
  const [kept, ...more] = await inbox('ada@reader.example');
  assert.deepEqual(more, []);
  assert.deepEqual([kept!.account, kept!.subject], [t.account.id, 'Order']);
  assert.equal((await inbox('bcc@reader.example')).length, 1);
  assert.deepEqual(t.sink.accepted(), []);
});

test('so are those of a batch, complete ones, later ones, copies and those by SMTP', async () => {
  const to = ['all@reader.example'];
  const [batch] = await withKey<{ id: string }[]>('messageSendBatch', { messages: [{ ...message, to }] });
  const source = `From: ${t.account.email}\r\nTo: all@reader.example\r\nSubject: Raw\r\n\r\n.one\r\n..two\r\n`;
  const raw = await withKey<{ id: string }>('messageSendRaw', { source, recipients: to });
  const send_at = new Date(Date.now() + 1_500).toISOString();
  const later = await withKey<{ id: string }>('messageSend', { ...message, to, send_at });
  const copy = await t.call<{ id: string }>('messageSendAgain', { id: batch!.id });
  for (const { id } of [batch!, raw, later, copy]) await ended(id);
  await until('all are kept', async () => (await inbox('all@reader.example')).length === 4);
  const kept = await inbox('all@reader.example');
  assert.match(kept.find(({ subject }) => subject === 'Raw')!.source.toString(), /\r\n\.one\r\n\.\.two\r\n/);
  assert.equal((await get(copy.id)).test, true, 'a copy by a person too');
  const real = await t.call<{ id: string }>('messageSend', { ...message, to: ['real@reader.example'] });
  await ended(real.id);
  assert.deepEqual(t.sink.accepted().length, 1);
  const again = await withKey<{ id: string }>('messageSendAgain', { id: real.id });
  await ended(again.id);
  assert.equal((await inbox('real@reader.example')).length, 1);
  assert.equal(t.sink.accepted().length, 1, 'a copy with a test key is not sent');
});

test('who is suppressed is skipped, as without a test', async () => {
  await t.call('suppressedListSubscribe', { email_address: 'never@reader.example' });
  const { id } = await withKey<{ id: string }>('messageSend', { ...message, to: ['never@reader.example'] });
  await ended(id);
  assert.deepEqual((await get(id)).recipients[0]!.reason, 'suppressed');
});

test('one that waits stays a test when its key is revoked, and is skipped when its address is erased', async () => {
  const own = await t.call<string>('apikeyAdd', { label: 'short', test: true });
  const send = (name: string) =>
    call(
      t.app,
      'messageSend',
      { ...message, to: [`${name}@reader.example`], send_at: new Date(Date.now() + 3_600_000).toISOString() },
      { kind: 'key', key: own, ip: '' },
      'json',
    ) as Promise<{ id: string }>;
  await t.call('listSubscribe', {
    id: await t.call<string>('listCreate', { title: 'x' }),
    email_address: 'erased@reader.example',
    double_optin: false,
  });
  const [revoked, erased] = [await send('revoked'), await send('erased')];
  await t.call('apikeyExpire', { key: own });
  await t.call('contactErase', { email: 'erased@reader.example' });
  await hurry();
  for (const { id } of [revoked, erased]) await ended(id);
  assert.equal((await inbox('revoked@reader.example')).length, 1);
  assert.deepEqual((await get(erased.id)).recipients[0]!.reason, 'deleted');
  assert.deepEqual(await inbox('erased@reader.example'), []);
  assert.equal(t.sink.accepted().length, 1, 'only the real one of before');
});

test('one that the inbox cannot keep is deferred, and kept at a later attempt, once', async () => {
  const { db } = t.app;
  await db.run(
    sql`create function full_inbox() returns trigger language plpgsql as 'begin raise exception $$full$$; end'`,
  );
  await db.run(
    sql`create trigger full_inbox before insert on inbox_message for each row execute function full_inbox()`,
  );
  const { id } = await withKey<{ id: string }>('messageSend', { ...message, to: ['full@reader.example'] });
  await until('it is deferred', async () => (await get(id)).recipients[0]!.state === 'later');
  assert.match((await get(id)).recipients[0]!.reply, /cannot keep the message now/);
  await db.run(sql`drop trigger full_inbox on inbox_message`);
  await until('it is kept', async () => {
    await hurry();
    return (await get(id)).recipients[0]!.state === 'accepted';
  });
  assert.equal((await inbox('full@reader.example')).length, 1);
});

test('a test key reads, and changes and cancels nothing that concerns people', async () => {
  const caller = { kind: 'key', keyId: 1, permissions, isTest: true, ip: '', lists: null } as const;
  const { isBarredByTest } = await import('../accounts/keys/permissions.ts');
  for (const method of methods)
    assert.equal(isBarredByTest(caller, method), method.scope !== 'read' && method.group !== 'messages', method.name);
  for (const [name, params] of [
    ['campaignSendNow', { cid: 'a0000000' }],
    ['listSubscribe', { id: 'a0000000', email_address: 'x@example.com' }],
    ['eventSend', { name: 'x', email_address: 'x@example.com' }],
    ['apikeyAdd', {}],
  ] as const)
    await assert.rejects(withKey(name, params), { fault: 'NOT_ALLOWED', message: /this is a test key/ });
  await withKey('lists');
  const send_at = new Date(Date.now() + 86_400_000).toISOString();
  const real = await t.call<{ id: string }>('messageSend', { ...message, to: ['people@reader.example'], send_at });
  await assert.rejects(withKey('messageCancel', { id: real.id }), { fault: 'MESSAGE_UNKNOWN' });
  const own = await withKey<{ id: string }>('messageSend', { ...message, to: ['people@reader.example'], send_at });
  assert.equal(await withKey('messageCancel', { id: own.id }), true);
  const keys = await t.call<{ label: string; test: boolean }[]>('apikeys');
  assert.deepEqual(
    keys.map(({ label, test }) => [label, test]),
    [
      ['test', false],
      ['staging', true],
    ],
  );
});
