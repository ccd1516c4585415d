// Every way of leaving, by a message that was delivered before something else happened to the list, the membership, the
// contact, the import or the campaign: the address gets no campaign afterwards, however it is added again.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { launchedTo, untilSent } from '../../../test/support/builders/campaigns.ts';
import { type SendingApp, sendingApp } from '../../../test/support/installation/sending-app.ts';
import { until } from '../../../test/support/run/until.ts';
import type { Entry } from '../../../test/support/smtp-sink/sink.ts';
import { runImport } from '../../audience/import/run.ts';
import { undoImport } from '../../audience/import/undo.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { takeNotices } from '../../returned/notices/take.ts';
import { takeFromMailbox } from '../../returned/record/intake.ts';
import { type BounceListener, startBounceListener } from '../../returned/smtp/listener.ts';
import { purgeCampaign } from '../control/purge.ts';

let app: SendingApp;
let base: string;
let listener: BounceListener;
let notices: string;

before(async () => {
  app = await sendingApp({ settings: { BOUNCE_DOMAIN: 'back.example' }, handlers: { takeNotices } });
  base = await app.listen();
  listener = await startBounceListener(app.app, 0);
  notices = (await app.call<{ url: string }>('noticeSourceCreate', { service: 'generic' })).url;
});
after(async () => {
  await listener.close();
  await app.close();
});

type Sent = { list: string; cid: string; messages: Map<string, Entry> };

let lists = 0;
const newList = () => app.call<string>('listCreate', { title: `List ${++lists}` });

const add = (list: string, emails: readonly string[]) =>
  app.call<{ success_count: number; error_count: number }>('listBatchSubscribe', {
    id: list,
    batch: emails.map((EMAIL) => ({ EMAIL })),
    double_optin: false,
  });

const drop = (list: string, emails: readonly string[]) =>
  app.call('listBatchUnsubscribe', { id: list, emails, delete_member: true, send_goodbye: false });

async function imported(list: string, emails: readonly string[]): Promise<string> {
  const id = await app.call<string>('importCreate', { id: list, content: `EMAIL\n${emails.join('\n')}\n` });
  await app.call('importStart', { import: id });
  assert.equal(
    await runImport(app.app, app.account.id, parseId(id), false, app.context.signal, app.app.log),
    'finished',
  );
  return id;
}

async function undone(id: string) {
  await app.call('importUndo', { import: id });
  await undoImport(app.app, app.account.id, parseId(id), app.context.signal);
}

/** A campaign to a list, delivered to the sink. */
async function send(list: string): Promise<Sent> {
  const from = app.sink.log.length;
  const id = await launchedTo(app, list, '<p>x</p>');
  await untilSent(app, id);
  const accepted = app.sink.log.slice(from).filter((entry) => entry.event === 'accepted');
  return { list, cid: formatId(id), messages: new Map(accepted.map((entry) => [entry.to!, entry])) };
}

const headerUrl = (mail: Entry) =>
  new URL(/^List-Unsubscribe: <(http[^>]+)>/m.exec(mail.raw!.replace(/\r\n[ \t]/g, ' '))![1]!).pathname;

async function post(to: string, raw: string) {
  const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
  try {
    await transport.sendMail({ envelope: { from: '', to }, raw: raw.replace(/\r?\n/g, '\r\n') });
  } finally {
    transport.close();
  }
}

async function notify(event: Record<string, unknown>) {
  const response = await fetch(notices, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  assert.equal(response.status, 200);
  await until('the notice is taken', async () => {
    const row = await app.app.db.row<{ count: number }>(sql`select count(*) as count from incoming_notice`);
    return row!.count === 0;
  });
}

const dsn = (email: string) =>
  [
    'From: MAILER-DAEMON@mx.reader.example',
    'Subject: Undelivered',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'It was not delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.reader.example',
    '',
    `Final-Recipient: rfc822; ${email}`,
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
    '',
    '--b--',
    '',
  ].join('\n');

const arf = (mail: Entry) =>
  [
    'From: fbl@mx.reader.example',
    'Subject: Complaint',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    'Version: 1',
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    mail.raw!.replace(/\r\n/g, '\n'),
    '--b--',
    '',
  ].join('\n');

const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** By what a person leaves, from the message that it got. */
const ways: Record<string, (mail: Entry) => Promise<unknown>> = {
  'one-click': async (mail) => {
    const body = 'List-Unsubscribe=One-Click';
    const response = await fetch(base + headerUrl(mail), { method: 'POST', headers: form, body });
    assert.equal(response.status, 200);
  },
  page: async (mail) => {
    assert.equal((await fetch(base + headerUrl(mail))).status, 200);
    const response = await fetch(base + headerUrl(mail), { method: 'POST', headers: form, body: 'why=other' });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /You will not receive any more emails from/);
  },
  preferences: async (mail) => {
    const path = /(?:http:\/\/[^\s"<>]+)?(\/p\/[\w-]+)/.exec(mail.raw!.replace(/=\r\n/g, ''))![1]!;
    const response = await fetch(base + path, { method: 'POST', headers: form, body: 'form=preferences' });
    assert.equal(response.status, 200);
  },
  'message to List-Unsubscribe': (mail) => {
    const [, to, subject] = /<mailto:([^?>]+)\?subject=([\w-]+)>/.exec(mail.raw!)!;
    return post(to!, `From: ${mail.to}\nSubject: ${subject}\n\n.\n`);
  },
  'complaint to the return path': (mail) => post(mail.from!, arf(mail)),
  'complaint by the token in List-Unsubscribe': (mail) => post('complaint@back.example', arf(mail)),
  'returned mail': (mail) => post(mail.from!, dsn(mail.to!)),
  'returned mail in a mailbox': (mail) =>
    takeFromMailbox(
      app.app,
      app.account.id,
      Buffer.from(dsn(mail.to!).replace('--b--', `--b\nContent-Type: message/rfc822\n\n${mail.raw!}\n--b--`)),
    ),
  'complaint of a service': (mail) => notify({ type: 'complaint', email: mail.to, message_id: mail.messageId }),
  'bounce of a service': (mail) =>
    notify({ type: 'bounce', class: 'hard', email: mail.to!.toUpperCase(), message_id: mail.messageId }),
  'unsubscribe at a service': (mail) => notify({ type: 'unsubscribe', email: mail.to, message_id: mail.messageId }),
};

type Happening = (sent: Sent, emails: readonly string[]) => Promise<void>;

const purge = async ({ cid }: Sent) =>
  purgeCampaign(app.context, { account_id: app.account.id, campaign_id: parseId(cid) });

/** What happens between the delivery and leaving. */
const happenings: Record<string, Happening> = {
  nothing: async () => {},
  'the list is deleted, after its members went to another': async ({ list }, emails) => {
    await add(await newList(), emails);
    await app.call('listDelete', { id: list });
  },
  'the list is deleted, before its members come to another': async ({ list }, emails) => {
    await app.call('listDelete', { id: list });
    await imported(await newList(), emails);
  },
  'memberships are deleted and added again': async ({ list }, emails) => {
    await drop(list, emails);
    await add(list, emails);
  },
  'memberships are deleted and added again twice, in capitals': async ({ list }, emails) => {
    await drop(list, emails);
    await imported(list, emails);
    await drop(list, emails);
    await add(
      list,
      emails.map((email) => email.toUpperCase()),
    );
  },
  'members are moved to another list, and a third': async ({ list }, emails) => {
    await drop(list, emails);
    await add(await newList(), emails);
    await add(await newList(), emails);
  },
  'contacts are erased and added again': async ({ list }, emails) => {
    for (const email of emails) await app.call('contactErase', { email, keep_suppressed: false });
    await add(list, emails);
  },
  'the campaign is deleted': async (sent) => {
    await app.call('campaignDelete', { cid: sent.cid });
    await purge(sent);
  },
  'the campaign was deleted a moment ago': async ({ cid }) => {
    await app.call('campaignDelete', { cid });
  },
  'the campaign is deleted, and memberships are made again': async (sent, emails) => {
    await drop(sent.list, emails);
    await app.call('campaignDelete', { cid: sent.cid });
    await purge(sent);
    await add(sent.list, emails);
  },
  'campaign and list are deleted, and members come to another': async (sent, emails) => {
    await app.call('campaignDelete', { cid: sent.cid });
    await purge(sent);
    await app.call('listDelete', { id: sent.list });
    await add(await newList(), emails);
  },
};

/** Sends a campaign to every list of the account; @returns those of the addresses that get it. */
async function stillReached(emails: readonly string[]): Promise<string[]> {
  const reached = new Set<string>();
  for (const { id } of await app.call<{ id: string }[]>('lists')) {
    const { messages } = await send(id);
    for (const to of messages.keys()) if (emails.includes(to.toLowerCase())) reached.add(to.toLowerCase());
  }
  return [...reached];
}

async function emptied() {
  for (const { id } of await app.call<{ id: string }[]>('lists')) await app.call('listDelete', { id });
}

let persons = 0;
const persona = (count: number) => Array.from({ length: count }, () => `p${++persons}@reader.example`);

for (const [happening, happen] of Object.entries(happenings))
  test(`leaving in each way ends all campaigns although: ${happening}`, async () => {
    await emptied();
    const names = Object.keys(ways);
    const emails = persona(names.length);
    const list = await newList();
    await add(list, emails);
    const sent = await send(list);
    await happen(sent, emails);
    for (const [index, name] of names.entries()) await ways[name]!(sent.messages.get(emails[index]!)!);
    const reached = await stillReached(emails);
    assert.deepEqual(
      reached.map((email) => names[emails.indexOf(email)]),
      [],
    );
  });

test('an address that has no contact is remembered when it leaves, and not added again by a batch or an import', async () => {
  for (const erase of [false, true]) {
    await emptied();
    const names = Object.keys(ways);
    const emails = persona(names.length);
    const list = await newList();
    await add(list, emails);
    const sent = await send(list);
    if (erase) for (const email of emails) await app.call('contactErase', { email, keep_suppressed: false });
    else await drop(list, emails);
    for (const [index, name] of names.entries()) await ways[name]!(sent.messages.get(emails[index]!)!);
    assert.equal((await add(list, emails)).success_count, 0);
    await imported(list, emails);
    assert.deepEqual(await stillReached(emails), []);
  }
});

test('after an import is undone and repeated, leaving by a message of the first still works', async () => {
  await emptied();
  const names = Object.keys(ways);
  const emails = persona(names.length);
  const list = await newList();
  const first = await imported(list, emails);
  const sent = await send(list);
  await undone(first);
  await imported(list, emails);
  for (const [index, name] of names.entries()) await ways[name]!(sent.messages.get(emails[index]!)!);
  const reached = await stillReached(emails);
  assert.deepEqual(
    reached.map((email) => names[emails.indexOf(email)]),
    [],
  );
});
