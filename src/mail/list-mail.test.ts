// The messages of a list from their job to the relay and back: their path through the ledger, their return path, and what a
// refusal or a returned notice causes.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { until } from '../../test/support/run/until.ts';
import { complaints, originalId, report } from '../../test/support/samples/bounces.ts';
import type { Entry } from '../../test/support/smtp-sink/sink.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { readReturnAddress } from '../delivery/message/return-path.ts';
import { releaseOverdue } from '../delivery/outcomes/refused.ts';
import { isOurs, takeReturned } from '../returned/record/intake.ts';
import { sendConfirmation, sendGoodbye, sendUnsubscribeNotice, sendWelcome } from './list-mail.ts';
import { sendSignInLink } from './sign-in-mail.ts';

let t: SendingApp;
let list: string;
let listId: number;

before(async () => {
  t = await sendingApp({ settings: { BOUNCE_DOMAIN: 'back.example' }, relay: '&connections=1' });
  await t.app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${t.account.id}, 'Returned', 'http://127.0.0.1:9/',
      '{email.bounce,email.complaint,message.accepted,message.failed,contact.unsubscribe}')`);
});
after(() => t.close());
beforeEach(async () => {
  list = await t.call<string>('listCreate', { title: 'Letter' });
  listId = parseId(list)!;
});

type Member = { account_id: number; list_id: number; contact_id: number };

async function member(email: string, isPending: boolean): Promise<Member> {
  await t.call('listSubscribe', { id: list, email_address: email, double_optin: isPending });
  const contact = await t.app.db.row<{ id: number }>(sql`select id from contact where email = ${email}`);
  return { account_id: t.account.id, list_id: listId, contact_id: contact!.id };
}

let jobs = 0;
/** Runs the job, as often as given, and waits until nothing is left to send. @returns what was accepted until then */
async function sent(send: typeof sendConfirmation, of: Member, runs = 1): Promise<Entry[]> {
  const from = t.sink.log.length;
  const job = `job ${++jobs}`;
  for (let run = 0; run < runs; run++) await send({ ...t.context, job }, of);
  await t.allSent();
  return t.sink.log.slice(from).filter(({ event }) => event === 'accepted');
}

type Logged = {
  id: string;
  purpose: string;
  via: string;
  subject: string;
  has_content: boolean;
  recipients: { state: string; reason: string; bounce: string; complained: boolean }[];
};
/** The log of an address, newest first. */
const logged = async (email: string) => (await t.call<{ data: Logged[] }>('messages', { email })).data;

/** Processes a message sent to the return path. */
const returned = (path: string, raw: string) =>
  takeReturned(t.app, readReturnAddress(t.app.config, path)!, Buffer.from(raw), '192.0.2.1');

const notice = ({ to, messageId }: Entry, status = '5.1.1', words = '550 5.1.1 User unknown') =>
  report({
    from: 'MAILER-DAEMON@mx.reader.example',
    subject: 'Undelivered Mail Returned to Sender',
    text: 'This is the mail system.',
    status: `Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; ${to}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp; ${words}`,
  }).replaceAll(originalId, messageId!);

const suppressionOf = (email: string) =>
  t.app.db.row<{ reason: string }>(sql`select reason, detail from suppression where value = ${email}`);
const eventsOf = (email: string) =>
  t.app.db.rows<{ type: string; payload: Record<string, unknown> }>(sql`
    select type, payload from webhook_event where payload ->> 'email' = ${email} order by id`);
const statusOf = async ({ contact_id }: Member) =>
  (await t.app.db.row<{ status: string }>(sql`
    select status from subscription where contact_id = ${contact_id} and list_id = ${listId}`))!.status;

test('a job that runs twice sends one message, which the log shows without its content', async () => {
  const of = await member('ada@reader.example', true);
  const [mail, ...more] = await sent(sendConfirmation, of, 3);
  assert.deepEqual(more, []);
  assert.match(mail!.from!, /^bounce\+[0-9a-f]{48}@back\.example$/);
  assert.match(mail!.raw!, /^Auto-Submitted: auto-generated\r$/m);
  assert.match(mail!.raw!, /\/confirm\/[\w-]+/);
  const [entry, ...others] = await logged('ada@reader.example');
  assert.deepEqual(others, []);
  assert.deepEqual(
    [entry!.via, entry!.purpose, entry!.has_content, entry!.recipients[0]!.state],
    ['system', 'confirm', false, 'accepted'],
  );
  await assert.rejects(t.call('messageContent', { id: entry!.id }), /content/);
  assert.deepEqual(await t.app.db.rows(sql`select from message where content is not null`), []);
});

test('the timeline of the contact names a message by its subject and its id', async () => {
  await sent(sendConfirmation, await member('named@example.com', true));
  const entries = await t.call<{ what: string; campaign_id: string; message_id: string; subject: string }[]>(
    'contactTimeline',
    { email: 'named@example.com' },
  );
  const mail = entries.find(({ what }) => what === 'mail')!;
  const logged = await t.call<Logged>('messageGet', { id: mail.message_id });
  assert.deepEqual([mail.campaign_id, mail.subject], ['', logged.subject]);
});

test('a confirmation is in the brand of the account, with its address where the list has none', async () => {
  await t.call('brandUpdate', { color: '#c00000', font: 'georgia' });
  await t.call('accountUpdate', { name: 'company', value: 'Harbour Press' });
  await t.call('accountUpdate', { name: 'postal_address', value: '12 Quay Street' });
  const [mail] = await sent(sendConfirmation, await member('red@reader.example', true));
  assert.match(mail!.raw!, /#c00000/);
  assert.match(mail!.raw!, /Georgia/);
  assert.match(mail!.raw!, /Harbour Press/);
  assert.match(mail!.raw!, /12 Quay Street/);
});

test('while it is queued, the content of a message of the program is sealed in the database', async () => {
  const hold = t.sink.hold({ step: 'rcpt', to: 'sealed' });
  const of = await member('sealed@reader.example', true);
  await sendConfirmation(t.context, of);
  await hold.reached;
  const rows = await t.app.db.rows<{ content: Buffer }>(sql`select content from message where content is not null`);
  assert.equal(rows.length, 1);
  assert.doesNotMatch(rows[0]!.content.toString('latin1'), /confirm|reader\.example/);
  const [entry] = await logged('sealed@reader.example');
  await assert.rejects(t.call('messageContent', { id: entry!.id }), /content/);
  hold.release();
  await t.allSent();
});

test('a welcome writes yes, no and choices as people read them', async () => {
  for (const [tag, options] of Object.entries({
    VIP: { field_type: 'yes_no' },
    TOPICS: { field_type: 'multiple_choice', choices: ['Tea', 'Rum, old'] },
  }))
    await t.call('listMergeVarAdd', { id: list, tag, name: tag, options });
  await t.call('listTextUpdate', { id: list, name: 'welcome.text', value: '[*|VIP|*] [*|TOPICS|*] [*|FNAME|*]' });
  const of = await member('gast@reader.example', false);
  const merge_vars = { VIP: 'yes', TOPICS: ['Tea', 'Rum, old'], FNAME: 'Ada', LANGUAGE: 'de' };
  await t.call('listUpdateMember', { id: list, email_address: 'gast@reader.example', merge_vars });
  const entries = await sent(sendWelcome, of);
  assert.match(entries.at(-1)!.raw!, /\[ja\] \[Tea, Rum, old\] \[Ada\]/);
});

test('a confirmation that comes back suppresses the address, once, and is not sent again', async () => {
  const of = await member('dead@reader.example', true);
  const [mail] = await sent(sendConfirmation, of);
  assert.deepEqual(await returned(mail!.from!.toUpperCase(), notice(mail!)), { kind: 'bounce', class: 'hard' });
  assert.deepEqual(await suppressionOf('dead@reader.example'), { reason: 'bounce', detail: '550 5.1.1 User unknown' });
  assert.equal((await returned(mail!.from!, notice(mail!))).kind, 'nothing');
  const [entry] = await logged('dead@reader.example');
  assert.equal(entry!.recipients[0]!.bounce, 'hard');
  const [event, ...more] = await eventsOf('dead@reader.example');
  assert.deepEqual(more, []);
  const { payload } = event!;
  assert.deepEqual(
    [payload.campaign, payload.list, payload.contact, payload.message, payload.class, payload.code],
    ['', list, formatId(of.contact_id), entry!.id, 'hard', 550],
  );
  assert.deepEqual(await sent(sendConfirmation, of), []);
});

test('a welcome that comes back ends the subscription; a complaint about it ends all of them', async () => {
  const gone = await member('gone@reader.example', false);
  const [welcome] = await sent(sendWelcome, gone);
  assert.match(welcome!.raw!, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  await returned(welcome!.from!, notice(welcome!));
  assert.equal(await statusOf(gone), 'bounced');

  const angry = await member('angry@reader.example', false);
  const [second] = await sent(sendWelcome, angry);
  const complaint = complaints[0]!.raw.replaceAll(originalId, second!.messageId!);
  assert.equal((await returned(second!.from!, complaint)).kind, 'complaint');
  assert.equal(await statusOf(angry), 'unsubscribed');
  assert.equal((await suppressionOf('angry@reader.example'))!.reason, 'complaint');
  const types = (await eventsOf('angry@reader.example')).map(({ type, payload }) => [type, payload.campaign]);
  assert.deepEqual(types, [
    ['email.complaint', ''],
    ['contact.unsubscribe', ''],
  ]);
});

test('a bounce of an address that the contact no longer has leaves its subscription', async () => {
  const of = await member('old@reader.example', false);
  const [mail] = await sent(sendWelcome, of);
  await t.app.db.run(sql`
    update contact set email = 'new@reader.example', email_key = 'new@reader.example' where id = ${of.contact_id}`);
  assert.equal((await returned(mail!.from!, notice(mail!))).kind, 'bounce');
  assert.equal(await statusOf(of), 'subscribed');
  assert.equal(await suppressionOf('new@reader.example'), undefined);
  assert.equal((await suppressionOf('old@reader.example'))!.reason, 'bounce');
});

test('a complaint suppresses the present address of the contact too', async () => {
  const of = await member('before@reader.example', false);
  const [mail] = await sent(sendWelcome, of);
  await t.app.db.run(sql`
    update contact set email = 'after@reader.example', email_key = 'after@reader.example' where id = ${of.contact_id}`);
  const complaint = complaints[0]!.raw.replaceAll(originalId, mail!.messageId!);
  assert.equal((await returned(mail!.from!, complaint)).kind, 'complaint');
  for (const email of ['before@reader.example', 'after@reader.example'])
    assert.equal((await suppressionOf(email))?.reason, 'complaint', email);
});

test('a complaint about a welcome without its return path counts by List-Unsubscribe', async () => {
  const of = await member('stripped@reader.example', false);
  const [mail] = await sent(sendWelcome, of);
  const [, token] = /^List-Unsubscribe: <\S+\/u\/([\w-]+)>/m.exec(mail!.raw!.replace(/\r\n[ \t]/g, ' '))!;
  const complaint = complaints[7]!.raw.replace('/u/token', `/u/${token}`).replaceAll(originalId, mail!.messageId!);
  assert.equal((await returned('complaint@back.example', complaint)).kind, 'complaint');
  assert.equal(await statusOf(of), 'unsubscribed');
});

test('a full mailbox is counted and suppresses nothing', async () => {
  const of = await member('full@reader.example', false);
  const [mail] = await sent(sendWelcome, of);
  const full = notice(mail!, '5.2.2', '552 5.2.2 Mailbox full');
  assert.deepEqual(await returned(mail!.from!, full), { kind: 'bounce', class: 'soft' });
  assert.equal(await suppressionOf('full@reader.example'), undefined);
  assert.equal(await statusOf(of), 'subscribed');
});

test('a return path that was changed is not ours', async () => {
  const [mail] = await sent(sendWelcome, await member('jane@reader.example', false));
  const token = /\+([0-9a-f]+)@/.exec(mail!.from!)![1]!;
  assert.equal(await isOurs(t.app, token), true);
  for (let at = 0; at < token.length; at++) {
    const changed = token.slice(0, at) + (token[at] === '0' ? '1' : '0') + token.slice(at + 1);
    assert.equal(await isOurs(t.app, changed), false, `at ${at}`);
  }
});

test('a server that refuses the address at once has the same effect as a notice', async () => {
  const of = await member('550rcpt@reader.example', true);
  assert.deepEqual(await sent(sendConfirmation, of), []);
  // Held back until it is clear that the refusal is about the recipient.
  await t.app.db.run(sql`update refused set at = at - interval '1 minute'`);
  await releaseOverdue(t.app.db);
  assert.equal((await suppressionOf('550rcpt@reader.example'))!.reason, 'bounce');
  const types = (await eventsOf('550rcpt@reader.example')).map(({ type }) => type);
  assert.deepEqual(types, ['email.bounce']);
  assert.deepEqual(await t.app.db.rows(sql`select from message where content is not null`), []);
});

test('an address that is erased while its message is in flight is not kept', async () => {
  const of = await member('550rcpt.erased@reader.example', true);
  const hold = t.sink.hold({ step: 'rcpt', to: 'erased' });
  await sendConfirmation(t.context, of);
  await hold.reached;
  await t.call('contactErase', { email: '550rcpt.erased@reader.example' });
  hold.release();
  await t.allSent();
  assert.equal(await suppressionOf('550rcpt.erased@reader.example'), undefined);
  assert.deepEqual(await eventsOf('550rcpt.erased@reader.example'), []);
  assert.deepEqual(
    await t.app.db.rows(sql`
      select from message_recipient where email_key like '%erased@reader%'
      union all select from delivery where email like '%erased@reader%'`),
    [],
  );
});

test('a contact that is erased while its message is written leaves nothing behind', async () => {
  const of = await member('writing.erased@reader.example', true);
  let job = Promise.resolve();
  await t.app.db.transaction(async (tx) => {
    await tx.run(sql`delete from contact where id = ${of.contact_id}`);
    let isWritten = false;
    job = sendConfirmation(t.context, of).then(() => {
      isWritten = true;
    });
    await until('the job waits for the contact, or does not', async () => {
      const waiting = await t.app.db.row(sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%default_from_name%'`);
      return isWritten || waiting !== undefined;
    });
  });
  await job;
  assert.deepEqual(
    await t.app.db.rows(sql`select email_key from message_recipient where email_key = 'writing.erased@reader.example'`),
    [],
  );
});

test('a confirmation that waits is not sent to a former address, and the new one is asked', async () => {
  const of = await member('451x1rcpt.typo@reader.example', true);
  await sendConfirmation(t.context, of);
  const waits = async () => (await logged('451x1rcpt.typo@reader.example'))[0]!.recipients[0]!;
  await until('it is deferred', async () => (await waits()).state === 'later');
  const jobsOf = async () =>
    (await t.app.db.row<{ count: number }>(sql`
      select count(*)::int as count
      from graphile_worker._private_jobs
      where (payload ->> 'contact_id')::int = ${of.contact_id}`))!.count;
  const before = await jobsOf();
  const change = {
    id: list,
    email_address: '451x1rcpt.typo@reader.example',
    merge_vars: { EMAIL: 'right@reader.example' },
  };
  await t.call('listUpdateMember', change);
  await t.app.db.run(sql`update chunk set due_at = now() where state = 'waiting'`);
  await until('it is skipped', async () => (await waits()).state === 'skipped');
  assert.equal((await waits()).reason, 'address_changed');
  assert.equal((await jobsOf()) - before, 1);
  const [mail] = await sent(sendConfirmation, of);
  assert.equal(mail!.to, 'right@reader.example');
});

test('a message that waits is not sent when the subscription it is about has changed', async () => {
  const of = await member('451x1rcpt.changed@reader.example', false);
  await sendWelcome(t.context, of);
  const waits = async () => (await logged('451x1rcpt.changed@reader.example'))[0]!.recipients[0]!;
  await until('it is deferred', async () => (await waits()).state === 'later');
  await t.app.db.run(sql`update subscription set status = 'unsubscribed' where contact_id = ${of.contact_id}`);
  await t.app.db.run(sql`update chunk set due_at = now() where state = 'waiting'`);
  await until('it is skipped', async () => (await waits()).state === 'skipped');
  assert.equal((await waits()).reason, 'unsubscribed');
  assert.deepEqual(await t.app.db.rows(sql`select from message where content is not null`), []);
  const other = await member('goes@reader.example', false);
  await t.app.db.run(sql`update subscription set status = 'unsubscribed' where contact_id = ${other.contact_id}`);
  const [goodbye] = await sent(sendGoodbye, other);
  assert.match(goodbye!.raw!, /^Feedback-ID: 0:\w{8}:goodbye:/m);
});

test('a message whose reply is lost after the final dot is sent once more, and the copy is marked', async () => {
  await member('keepx1-dot@reader.example', true).then((of) => sendConfirmation(t.context, of));
  const copies = () => t.sink.accepted().filter(({ to }) => to === 'keepx1-dot@reader.example');
  await until('the copy is sent', () => copies().length === 2);
  assert.equal(copies()[0]!.messageId, copies()[1]!.messageId);
  await t.allSent();
  const [entry] = await t
    .call<{ data: { recipients: { resent: number }[] }[] }>('messages', { email: 'keepx1-dot@reader.example' })
    .then(({ data }) => data);
  assert.equal(entry!.recipients[0]!.resent, 1);
});

test('the notice to the owner is for administrators, and its subject in the log names no contact', async () => {
  const of = await member('left@reader.example', false);
  await t.app.db.run(sql`update subscription set status = 'unsubscribed' where contact_id = ${of.contact_id}`);
  const [mail] = await sent(sendUnsubscribeNotice, of);
  assert.equal(mail!.to, 'owner@example.com');
  assert.match(mail!.raw!, /^Subject: left@reader\.example unsubscribed from Letter\r$/m);
  const owner = await t.app.db.row<{ title: string }>(sql`
    select p.title from message m join campaign p on p.id = m.campaign_id where m.purpose = 'notice'`);
  assert.match(owner!.title, / list$/, 'links to set a password do not wait for it');
  const base = await t.listen();
  const readBy = async (key: string) => {
    const response = await fetch(`${base}/api/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'owner@example.com' }),
    });
    return ((await response.json()) as { data: Logged[] }).data;
  };
  assert.deepEqual(
    (await readBy(t.key)).map(({ purpose, subject }) => [purpose, subject]),
    [['notice', '… unsubscribed from Letter']],
  );
  assert.deepEqual(await readBy(await t.anotherKey('write')), []);
});

test('the messages of a list come from its sender while the domain is active, otherwise from the account', async () => {
  await t.app.db.run(sql`update account set plan = 'pro'`);
  const { id } = await t.call<{ id: string }>('senderCreate', { name: 'The desk', email: 'desk@letters.example' });
  await t.call('listUpdate', { id: list, name: 'sender', value: id });
  await t.call('senderDomainCreate', { domain: 'letters.example' });
  const of = await member('bea@reader.example', true);
  const sentFrom = async () => (await sent(sendConfirmation, of))[0]!.raw!;
  const unsigned = await sentFrom();
  assert.match(unsigned, new RegExp(`^From: The desk <${t.account.email}>`, 'm'));
  assert.match(unsigned, /^Reply-To: <desk@letters\.example>/m);
  await t.app.db.run(sql`update sender_domain set active = true`);
  await t.app.db.run(sql`update sender_domain_key set published = true`);
  let signed = '';
  await until('a message is signed', async () => {
    signed = await sentFrom();
    return /^DKIM-Signature:/m.test(signed);
  });
  assert.match(signed, /^From: The desk <desk@letters\.example>/m);
  assert.match(signed, /^Message-ID: <[0-9a-f]{32}@letters\.example>/im);
  assert.match(signed, /d=letters\.example/);
});

test('the address of a contact that needs UTF-8 is written as such', async () => {
  const [mail] = await sent(sendWelcome, await member('jürgen@reader.example', false));
  if (mail) assert.match(Buffer.from(mail.raw!, 'latin1').toString('utf8'), /^To: <jürgen@reader\.example>\r$/m);
  else assert.match((await logged('jürgen@reader.example'))[0]!.recipients[0]!.state, /failed|later/);
});

test('a link to set a password does not wait for the confirmations of an import, nor these for a campaign', async () => {
  const limited = await sendingApp({ relay: '&connections=1&rate=40/s' });
  try {
    const readers = Array.from({ length: 4_000 }, (_, i) => `reader${i}@reader.example`);
    const of = await listOf(limited, readers, 'Letter');
    await launchedTo(limited, of);
    const count = () => limited.sink.accepted().length;
    await until('the campaign is being sent', () => count() > 10);
    const contacts = await limited.app.db.rows<{ id: number }>(sql`select id from contact order by id limit 20`);
    for (const { id } of contacts)
      await sendWelcome(limited.context, { account_id: limited.account.id, list_id: parseId(of)!, contact_id: id });
    await sendSignInLink(limited.context, { email: 'owner@example.com' });
    const welcomes = () => limited.sink.accepted().filter(({ raw }) => /^Feedback-ID: 0:\w{8}:welcome/m.test(raw!));
    const linkAt = () => limited.sink.accepted().findIndex(({ to }) => to === 'owner@example.com');
    const before = { count: count(), welcomes: welcomes().length };
    await until('the link is sent', () => linkAt() >= 0);
    await until('the welcomes are sent', () => welcomes().length === 20);
    assert.ok(linkAt() - before.count < 500, `${linkAt() - before.count} were sent before it`);
    // Some are with the relay already.
    if (before.welcomes < 10) assert.ok(linkAt() < limited.sink.accepted().indexOf(welcomes().at(-1)!));
    assert.ok(count() < 4_000, `${count()} sent`);
  } finally {
    await limited.close();
  }
});
