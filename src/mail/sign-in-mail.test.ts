// Links to set a password and invitations: each job makes one message with one link, which no log shows and which is not sent
// after its time.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { until } from '../../test/support/run/until.ts';
import { useLinkToken } from '../accounts/access/sign-in-link.ts';
import { sql } from '../db/connect.ts';
import { sendInvitation, sendSignInLink } from './sign-in-mail.ts';

let t: SendingApp;
before(async () => {
  t = await sendingApp();
});
after(() => t.close());

type Logged = { id: string; purpose: string; subject: string; size: number; has_content: boolean };
const tokenIn = (raw: string) => /#([\w-]{43})/.exec(raw.replace(/=\r\n/g, ''))?.[1];

test('a job that runs twice sends one link, which works', async () => {
  for (let run = 0; run < 2; run++) await sendSignInLink({ ...t.context, job: 'job' }, { email: 'OWNER@example.com' });
  await t.allSent();
  const accepted = t.sink.accepted();
  assert.equal(accepted.length, 1);
  const used = await t.app.db.transaction((tx) => useLinkToken(tx, 'reset', tokenIn(accepted[0]!.raw!)!));
  assert.ok(used);
});

test('a job that runs again after its message was lost writes it with the same Message-ID, another job does not', async () => {
  const idOf = async (job: string) => {
    await sendSignInLink({ ...t.context, job }, { email: 'owner@example.com' });
    const row = await t.app.db.row<{ messageId: string }>(sql`
      select message_id as "messageId" from message order by campaign_id desc, no desc limit 1`);
    // As after a fail-over to a replica that had the job but not the message.
    await t.app.db.run(sql`update message set job = 'lost' where job = ${job}`);
    await t.allSent();
    await t.app.db.run(sql`update message set job = null where job = 'lost'`);
    return row!.messageId;
  };
  const [first, again, other] = [await idOf('lost job'), await idOf('lost job'), await idOf('other job')];
  assert.match(first, /^<[0-9a-f]{32}@/);
  assert.equal(again, first);
  assert.notEqual(other, first);
});

test('a message encrypted with another SEAL_KEY waits for a worker that has the key', async () => {
  const before = t.sink.accepted().length;
  const elsewhere = { ...t.app, config: { ...t.app.config, sealKey: 'the key of another machine' } };
  await sendSignInLink({ ...t.context, app: elsewhere }, { email: 'owner@example.com' });
  const row = () =>
    t.app.db.row<{ state: number; reply: string; sealed: boolean }>(sql`
      select d.state, d.reply, m.content is not null as sealed
      from delivery d
      join message m on m.account_id = d.account_id and m.campaign_id = d.campaign_id and m.no = d.seq
      order by d.seq desc
      limit 1`);
  await until('it is deferred', async () => (await row())!.state === 3);
  assert.deepEqual(await row(), { state: 3, reply: 'the content is encrypted with another SEAL_KEY', sealed: true });
  const { config } = t.app;
  t.app.config = elsewhere.config;
  try {
    await until('it is sent', async () => {
      await t.app.db.run(sql`update chunk set due_at = now() where state = 'waiting'`);
      return (await row())!.state === 2;
    });
  } finally {
    t.app.config = config;
  }
  assert.equal(t.sink.accepted().length, before + 1);
});

test('a link is nowhere to be read: not in the log, not in the database, not before it is sent and not after', async () => {
  const hold = t.sink.hold({ step: 'dot' });
  await sendSignInLink(t.context, { email: 'owner@example.com' });
  await hold.reached;
  const waiting = await t.app.db.rows<{ content: Buffer }>(sql`select content from message where content is not null`);
  hold.release();
  await t.allSent();
  const token = tokenIn(t.sink.accepted().at(-1)!.raw!)!;
  assert.equal(waiting.length, 1);
  assert.ok(!waiting[0]!.content.toString('latin1').includes(token));
  assert.deepEqual(await t.app.db.rows(sql`select from message where content is not null`), []);
  const { data } = await t.call<{ data: Logged[] }>('messages', { email: 'owner@example.com', via: 'system' });
  assert.deepEqual([data[0]!.purpose, data[0]!.has_content, data[0]!.size], ['reset', false, 0]);
  assert.ok(!JSON.stringify(data).includes(token));
  await assert.rejects(t.call('messageContent', { id: data[0]!.id }), /content/);
  await assert.rejects(t.call('messageSendAgain', { id: data[0]!.id }), /does not exist/);
});

test('who may not administer the account sees no link, invitation or notice in the log', async () => {
  await t.call('userInvite', { email: 'cy@example.net', role: 'viewer' });
  const [invited] = await t.app.db.rows<{ id: number }>(sql`select id from invitation`);
  await sendInvitation(t.context, { account_id: t.account.id, invitation_id: invited!.id });
  await t.allSent();
  const base = await t.listen();
  for (const [scope, count] of [
    ['full', 1],
    ['write', 0],
    ['read', 0],
  ] as const) {
    const ask = async (method: string, params: object) => {
      const headers = { authorization: `Bearer ${await t.anotherKey(scope)}`, 'content-type': 'application/json' };
      const response = await fetch(`${base}/api/${method}`, { method: 'POST', headers, body: JSON.stringify(params) });
      return response.json() as Promise<{ data: Logged[]; id?: string }>;
    };
    assert.equal((await ask('messages', { email: 'cy@example.net' })).data.length, count, scope);
    const { data } = await t.call<{ data: Logged[] }>('messages', { email: 'cy@example.net' });
    assert.equal((await ask('messageGet', { id: data[0]!.id })).id !== undefined, count === 1, scope);
  }
});

test('an invitation that was withdrawn while its message waited is not sent, nor one that has expired', async () => {
  const before = t.sink.accepted().length;
  await t.call('userInvite', { email: '451rcpt.Dee@example.net', role: 'viewer' });
  const invited = await t.app.db.row<{ id: number; expires: Date }>(sql`
    select id, expires_at as expires from invitation where email_key = '451rcpt.dee@example.net'`);
  const hold = t.sink.hold({ step: 'rcpt' });
  await sendInvitation(t.context, { account_id: t.account.id, invitation_id: invited!.id });
  await hold.reached;
  assert.deepEqual(
    await t.app.db.rows(sql`select late_at as expires from message where purpose = 'invite' and content is not null`),
    [{ expires: invited!.expires }],
  );
  await t.app.db.run(sql`delete from invitation where id = ${invited!.id}`);
  hold.release();
  assert.equal(await skippedBecause(), 'deleted');
  assert.equal(t.sink.accepted().length, before);
});

test('an invitation names who invites and the account; one of a program names the account', async () => {
  const written = async (invitedBy: string) => {
    await t.call('userInvite', { email: 'eve@example.net', role: 'viewer' });
    const invited = await t.app.db.row<{ id: number }>(sql`
      update invitation set invited_by = ${invitedBy} where email_key = 'eve@example.net' returning id`);
    const job = `invites ${invitedBy}`;
    await sendInvitation({ ...t.context, job }, { account_id: t.account.id, invitation_id: invited!.id });
    await t.allSent();
    return t.sink.accepted().at(-1)!.raw!.replace(/=\r\n/g, '');
  };
  const { account } = await t.call<{ account: { name: string } }>('sessionGet');
  const by = await written('Ada\nLovelace');
  assert.ok(by.includes(`Ada Lovelace has invited you to ${account.name} on Postrider.`), by);
  assert.match(by, /Choose a password within 7 days:\r\n\S+\/app\/invite#/);
  const program = await written('');
  assert.ok(program.includes(`${account.name} has invited you to Postrider.`), program);
});

test('a link that has expired while its message waited is not sent', async () => {
  const before = t.sink.accepted().length;
  await t.app.db.run(
    sql`update app_user set email = '451rcpt.owner@example.com' where email_key = 'owner@example.com'`,
  );
  const hold = t.sink.hold({ step: 'rcpt' });
  await sendSignInLink(t.context, { email: 'owner@example.com' });
  await hold.reached;
  await t.app.db.run(sql`update message set late_at = now() - interval '1 second' where late_at > now()`);
  hold.release();
  assert.equal(await skippedBecause(), 'late');
  assert.equal(t.sink.accepted().length, before);
});

/** Why the newest recipient was skipped; waits until it is, without the pause before a retry. */
async function skippedBecause(): Promise<string | null> {
  type Newest = { state: number; reason: string | null };
  let newest: Newest | undefined;
  await until('it is skipped', async () => {
    await t.app.db.run(sql`update chunk set due_at = now() where state = 'waiting'`);
    newest = await t.app.db.row<Newest>(sql`select state, reason from delivery order by seq desc limit 1`);
    return newest?.state === 5;
  });
  return newest!.reason;
}
