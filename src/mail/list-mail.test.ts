// The messages of a list over SMTP: their return path, and what a refusal or a returned notice causes.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { until } from '../../test/support/network/receiver.ts';
import { complaints, originalId, report } from '../../test/support/samples/bounces.ts';
import { type Sink, startSink } from '../../test/support/smtp-sink/sink.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { isOurs, takeReturned } from '../delivery/bounces/intake.ts';
import { launch } from '../delivery/launch/launch.ts';
import { readReturnAddress } from '../delivery/message/return-path.ts';
import { relaysOf } from '../delivery/relays/relay-list.ts';
import { RelayPool } from '../delivery/smtp/relay-pool.ts';
import { startWorker } from '../delivery/worker.ts';
import { sendConfirmation, sendUnsubscribeNotice, sendWelcome } from './list-mail.ts';

let sink: Sink;
let t: TestApp;
let list: string;
let listId: number;

before(async () => {
  sink = await startSink({ raw: true });
});
after(() => sink.close());
beforeEach(async () => {
  t = await testApp({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`, BOUNCE_DOMAIN: 'back.example' });
  sink.log.length = 0;
  list = await t.call<string>('listCreate', { title: 'Letter' });
  listId = parseId(list)!;
  await t.app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${t.account.id}, 'Bounces', 'http://127.0.0.1:9/', '{email.bounce}')`);
});
afterEach(() => t.close());

const context = () => ({ app: t.app, log: t.app.log, signal: new AbortController().signal });

async function member(email: string, isPending: boolean) {
  await t.call('listSubscribe', { id: list, email_address: email, double_optin: isPending });
  const contact = await t.app.db.row<{ id: number }>(sql`select id from contact where email = ${email}`);
  return { account_id: t.account.id, list_id: listId, contact_id: contact!.id };
}

/** Processes a message sent to the return path. */
const returned = (path: string, raw: string) =>
  takeReturned(t.app, readReturnAddress(t.app.config, path)!, Buffer.from(raw), '192.0.2.1');

const notice = (email: string, status = '5.1.1', words = '550 5.1.1 User unknown') =>
  report({
    from: 'MAILER-DAEMON@mx.reader.example',
    subject: 'Undelivered Mail Returned to Sender',
    text: 'This is the mail system.',
    status: `Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; ${email}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp; ${words}`,
  }).replaceAll(originalId, sink.accepted().at(-1)!.messageId!);

const suppressions = () =>
  t.app.db.rows<Record<'value' | 'reason' | 'detail', string> & { campaign_id: null }>(
    sql`select value, reason, campaign_id, detail from suppression`,
  );
const bounceEvents = async () =>
  (
    await t.app.db.rows<{ payload: Record<string, unknown> }>(sql`
      select payload from webhook_event where type = 'email.bounce'`)
  ).map(({ payload }) => payload);
const statusOf = async (contact: number) =>
  (await t.app.db.row<{ status: string }>(sql`select status from subscription where contact_id = ${contact}`))!.status;

test('a confirmation that comes back suppresses the address, once, and is not sent again', async () => {
  const of = await member('dead@reader.example', true);
  await sendConfirmation(context(), of);
  const [sent] = sink.accepted();
  assert.match(sent!.from!, /^bounce\+[0-9a-f]{56}@back\.example$/);
  assert.ok(sent!.from!.split('@')[0]!.length <= 64);

  assert.deepEqual(await returned(sent!.from!.toUpperCase(), notice(sent!.to!)), { kind: 'bounce', class: 'hard' });
  assert.deepEqual(await suppressions(), [
    { value: 'dead@reader.example', reason: 'bounce', campaign_id: null, detail: '550 5.1.1 User unknown' },
  ]);
  const [event, ...more] = await bounceEvents();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [event!.campaign, event!.list, event!.contact, event!.email, event!.class, event!.code],
    ['', list, formatId(of.contact_id), 'dead@reader.example', 'hard', 550],
  );
  assert.equal((await returned(sent!.from!, notice(sent!.to!))).kind, 'nothing');
  assert.equal((await bounceEvents()).length, 1);

  await sendConfirmation(context(), of);
  assert.equal(sink.accepted().length, 1);
});

test('a welcome that comes back ends the subscription', async () => {
  const of = await member('gone@reader.example', false);
  await sendWelcome(context(), of);
  await returned(sink.accepted()[0]!.from!, notice('gone@reader.example'));
  assert.equal(await statusOf(of.contact_id), 'bounced');
});

test('only a hard bounce of the present address counts for a message of a list', async () => {
  const of = await member('full@reader.example', false);
  await sendWelcome(context(), of);
  const path = sink.accepted()[0]!.from!;
  assert.equal(
    (await returned(path, notice('full@reader.example', '5.2.2', '552 5.2.2 Mailbox full'))).kind,
    'nothing',
  );
  assert.equal((await returned(path, complaints[0]!.raw)).kind, 'nothing');
  await t.app.db.run(sql`
    update contact set email = 'new@reader.example', email_key = 'new@reader.example' where id = ${of.contact_id}`);
  assert.equal((await returned(path, notice('full@reader.example'))).kind, 'nothing');
  assert.deepEqual(await suppressions(), []);
  assert.equal(await statusOf(of.contact_id), 'subscribed');
});

test('a return path that was changed, or whose contact is gone, is not ours', async () => {
  const of = await member('jane@reader.example', false);
  await sendWelcome(context(), of);
  const path = sink.accepted()[0]!.from!;
  const token = /\+([0-9a-f]+)@/.exec(path)![1]!;
  assert.equal(await isOurs(t.app, token), true);
  for (let at = 0; at < token.length; at++) {
    const changed = token.slice(0, at) + (token[at] === '0' ? '1' : '0') + token.slice(at + 1);
    assert.equal(await isOurs(t.app, changed), false, `at ${at}`);
  }
  await t.app.db.run(sql`delete from subscription where contact_id = ${of.contact_id}`);
  await t.app.db.run(sql`delete from contact where id = ${of.contact_id}`);
  assert.equal(await isOurs(t.app, token), false);
  assert.equal((await returned(path, notice('jane@reader.example'))).kind, 'refused');
});

test('a server that refuses the address at once has the same effect as a notice', async () => {
  const of = await member('550rcpt@reader.example', true);
  await sendConfirmation(context(), of);
  assert.equal(sink.log.filter(({ event }) => event === 'refused').length, 1);
  assert.deepEqual(
    (await suppressions()).map(({ value, reason }) => [value, reason]),
    [['550rcpt@reader.example', 'bounce']],
  );
  assert.equal((await bounceEvents()).length, 1);
  await sendConfirmation(context(), of);
  assert.equal(sink.log.filter(({ event }) => event === 'refused').length, 1);
});

test('an address that is erased while its message is in flight is not kept', async () => {
  const of = await member('550rcpt@reader.example', true);
  const hold = sink.hold({ step: 'rcpt' });
  const sending = sendConfirmation(context(), of);
  await hold.reached;
  await t.app.db.run(sql`delete from subscription where contact_id = ${of.contact_id}`);
  await t.app.db.run(sql`delete from contact where id = ${of.contact_id}`);
  hold.release();
  await sending;
  assert.deepEqual(await suppressions(), []);
});

test('a notice to the owner keeps the owner as its sender', async () => {
  const of = await member('left@reader.example', false);
  await t.app.db.run(sql`update subscription set status = 'unsubscribed' where contact_id = ${of.contact_id}`);
  await sendUnsubscribeNotice(context(), of);
  assert.equal(sink.accepted()[0]!.from, 'owner@example.com');
});

test('a message whose reply is lost after the final dot is not sent again', async () => {
  const of = await member('keep-dot@reader.example', true);
  await sendConfirmation(context(), of);
  assert.equal(sink.accepted().length, 1);
  assert.deepEqual(await suppressions(), []);
});

test('a worker sends the messages of a list over the connections of its relay pool', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'list-mail-'));
  t.app.config = { ...t.app.config, dataDir: folder };
  t.app.config.smtpUrls = [`smtp://127.0.0.1:${sink.port}?tls=none&connections=1`];
  const before = sink.counts.connections;
  for (const name of ['a', 'b', 'c']) await member(`${name}@reader.example`, true);
  const worker = await startWorker(t.app, { sendConfirmation });
  try {
    await until('all are sent', () => sink.accepted().length === 3);
  } finally {
    await worker.stop();
    rmSync(folder, { recursive: true });
  }
  assert.equal(sink.counts.connections - before, 1);
});

test('a confirmation is sent between the messages of a campaign that uses up the rate of the relay', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'list-mail-'));
  t.app.config = { ...t.app.config, dataDir: folder };
  t.app.config.smtpUrls = [`smtp://127.0.0.1:${sink.port}?tls=none&connections=1&rate=20/s`];
  await t.call('listBatchSubscribe', {
    id: list,
    batch: Array.from({ length: 400 }, (_, i) => ({ EMAIL: `reader${i}@reader.example` })),
    double_optin: false,
  });
  const campaign = await t.app.db.row<{ id: number }>(sql`
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, plain)
    values (${t.account.id}, 'html', 'launching', 't', 's', 'Us', 'us@example.com', '<p>x</p>', 'x')
    returning id`);
  await t.app.db.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id, position)
    values (${t.account.id}, ${campaign!.id}, ${listId}, 0)`);
  const worker = await startWorker(t.app, { sendConfirmation });
  try {
    await launch(t.app, t.account.id, campaign!.id);
    await until('the campaign is being sent', () => sink.accepted().length > 20);
    await member('late@reader.example', true);
    await until('the confirmation is sent', () => sink.accepted().some(({ to }) => to === 'late@reader.example'));
    assert.ok(sink.accepted().length < 300, `${sink.accepted().length} sent`);
  } finally {
    await worker.stop();
    rmSync(folder, { recursive: true });
  }
});

test('a message that waits for a relay when the worker stops is left to the next attempt', async () => {
  const relayPool = new RelayPool(await relaysOf(t.app), {
    ehloName: 'test.example',
    log: t.app.log,
    maxConnections: 1,
  });
  const stopping = new AbortController();
  const before = sink.counts.connections;
  sink.session = { connect: 'stall' };
  const of = await member('waits@reader.example', true);
  const sending = sendConfirmation({ ...context(), relayPool, signal: stopping.signal }, of);
  const failed = assert.rejects(sending, /no relay took the confirm message/);
  await until('the relay is reached', () => sink.counts.connections > before);
  stopping.abort();
  await failed;
  sink.session = {};
  sink.hangUp();
  await relayPool.close();
  assert.deepEqual(sink.accepted(), []);
});

test('the messages of a list come from its sender while the domain is active, otherwise from the account', async () => {
  await t.app.db.run(sql`update account set plan = 'pro'`);
  const { id } = await t.call<{ id: string }>('senderCreate', { name: 'The desk', email: 'desk@letters.example' });
  await t.call('listUpdate', { id: list, name: 'sender', value: id });
  await t.call('senderDomainAdd', { domain: 'letters.example' });
  const of = await member('ada@reader.example', true);
  const sentFrom = async () => {
    await sendConfirmation(context(), of);
    return sink.accepted().at(-1)!.raw!;
  };
  const unsigned = await sentFrom();
  assert.match(unsigned, new RegExp(`^From: The desk <${t.account.email}>`, 'm'));
  assert.match(unsigned, /^Reply-To: desk@letters\.example/m);
  await t.app.db.run(sql`update sender_domain set active = true`);
  await t.app.db.run(sql`update sender_domain_key set published = true`);
  let signed = '';
  await until('a message is signed', async () => {
    signed = await sentFrom();
    return /^DKIM-Signature:/m.test(signed);
  });
  assert.match(signed, /^From: The desk <desk@letters\.example>/m);
  assert.match(signed, /^Message-ID: <confirm\.[0-9a-f]+@letters\.example>/im);
  assert.match(signed, /d=letters\.example/);
});
