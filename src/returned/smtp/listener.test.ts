// Returned mail over a real SMTP connection: the effect of each kind of notice, and that forged ones have none.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTransport, type Transporter } from 'nodemailer';
import { launchedTo, listOf, untilSent } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sample } from '../../../test/support/run/runs.ts';
import { until } from '../../../test/support/run/until.ts';
import {
  complaints,
  notified,
  originalId,
  report,
  returnPath,
  type Sample,
  samples,
} from '../../../test/support/samples/bounces.ts';
import { type Entry, type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import type { App } from '../../base/context.ts';
import { createLog } from '../../base/log.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { startWorker } from '../../delivery/worker.ts';
import { tokensOf } from '../../tracking/token-secret.ts';
import { tokenMaker } from '../../tracking/tokens.ts';
import { refusalOf } from '../parse/class.ts';
import { passedOnLimit } from '../record/operator-mail.ts';
import { frontServers } from './front-servers.ts';
import { type BounceListener, startBounceListener } from './listener.ts';

type Account = Pick<TestApp, 'account' | 'call'>;
let app: TestApp;
let other: Account;
let sink: Sink;
let folder: string;
let listener: BounceListener;
let stopWorker: () => Promise<void>;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bounces-'));
  sink = await startSink({ raw: true });
  app = await testApp({
    DATA_DIR: folder,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    BOUNCE_DOMAIN: 'back.example',
    SOFT_BOUNCES: '3',
    SOFT_BOUNCE_DAYS: '7',
  });
  other = await app.anotherAccount();
  for (const { account } of [app, other]) {
    await app.app.db.run(sql`
      insert into webhook (account_id, title, url, events)
      values (${account.id}, 'All', 'http://127.0.0.1:9/', '{email.bounce,email.complaint,contact.unsubscribe}')`);
  }
  const worker = await startWorker(app.app, {});
  stopWorker = () => worker.stop();
  listener = await startBounceListener(app.app, 0);
});
after(async () => {
  await listener.close();
  await stopWorker();
  await sink.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

let lists = 0;
/** A campaign to a new list of these addresses, delivered to the sink. */
async function send(
  of: Account,
  emails: readonly string[],
): Promise<{ id: number; cid: string; messages: Map<string, Entry> }> {
  const list = await listOf(of, emails, `List ${++lists}`);
  return sendTo(of, list);
}

async function sendTo(of: Account, list: string) {
  const before = sink.log.length;
  const id = await launchedTo({ ...of, app: app.app }, list);
  await untilSent(app, id);
  const messages = new Map(
    sink.log
      .slice(before)
      .filter((entry) => entry.event === 'accepted')
      .map((entry) => [entry.to!, entry]),
  );
  return { id, cid: formatId(id), messages };
}

/** @param kept a connection to use, instead of one of its own */
async function post(to: string, raw: string, port = listener.port, kept?: Transporter): Promise<number> {
  const transport: Transporter =
    kept ?? createTransport({ host: '127.0.0.1', port, ignoreTLS: true, name: 'mx.reader.example' });
  try {
    const sent = await transport.sendMail({ envelope: { from: '', to }, raw: raw.replace(/\r?\n/g, '\r\n') });
    return Number(String(sent.response).slice(0, 3));
  } catch (error) {
    return (error as { responseCode?: number }).responseCode ?? 0;
  } finally {
    if (!kept) transport.close();
  }
}

const dsn = (mail: Entry, status: string, words: string, email = mail.to!) =>
  report({
    from: 'MAILER-DAEMON@mx.reader.example (Mail Delivery System)',
    subject: 'Undelivered Mail Returned to Sender',
    text: 'This is the mail system at host mx.reader.example.',
    status: `Reporting-MTA: dns; mx.reader.example\n\nFinal-Recipient: rfc822; ${email}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp; ${words}`,
  }).replaceAll(originalId, mail.messageId!);
const hard = (mail: Entry) => dsn(mail, '5.1.1', '550 5.1.1 User unknown');
const soft = (mail: Entry) => dsn(mail, '5.2.2', '552 5.2.2 Mailbox full');

/** Everything that a notice could change. */
const facts = () =>
  app.app.db.row(sql`
    select (select count(*)::int from notice) as notices, (select count(*)::int from suppression) as suppressed,
      (select count(*)::int from subscription where status <> 'subscribed') as away,
      (select count(*)::int from webhook_event) as events, (select count(*)::int from consent) as consents,
      (select coalesce(sum(accepted), 0)::int from tally) as accepted`);

const memberStatus = async (of: Account, email: string) =>
  (await app.app.db.row<{ status: string }>(sql`
    select s.status
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where c.account_id = ${of.account.id} and c.email = ${email}
    limit 1`))!.status;

test('every message of a campaign has its own return path and a mailto address to unsubscribe', async () => {
  const { messages } = await send(app, ['one@reader.example', 'two@reader.example']);
  const paths = [...messages.values()].map((mail) => mail.from!);
  assert.equal(new Set(paths).size, 2);
  for (const [email, mail] of messages) {
    assert.match(mail.from!, /^bounce\+[0-9a-f]{48}@back\.example$/, email);
    assert.match(
      mail.raw!,
      /List-Unsubscribe: <http[^>]+>,\r\n <mailto:unsubscribe@back\.example\?subject=[\w-]{38}>\r\n/,
    );
  }
});

test('a hard bounce shows in every report, suppresses the address and is sent to the webhooks, once', async () => {
  const { cid, id, messages } = await send(app, ['dead@reader.example', 'alive@reader.example']);
  const mail = messages.get('dead@reader.example')!;
  assert.equal(await post(mail.from!, hard(mail)), 250);
  const after = await facts();
  assert.equal(await post(mail.from!, hard(mail)), 250);
  assert.equal(await post(mail.from!.toUpperCase(), soft(mail)), 250);
  assert.deepEqual(await facts(), after, 'the same notice again, and another one for the same message');

  const stats = await app.call<Record<string, number>>('campaignStats', { cid });
  assert.deepEqual([stats.hard_bounces, stats.soft_bounces, stats.emails_sent], [1, 0, 2]);
  const listed = await app.call<{ total: number; data: Record<string, unknown>[] }>('campaignHardBounces', { cid });
  assert.equal(listed.total, 1);
  const [message] = (await app.call<{ data: Record<string, unknown>[] }>('campaignBounceMessages', { cid })).data;
  assert.deepEqual(
    [message!.email, message!.bounce, message!.code, message!.message],
    ['dead@reader.example', 'hard', 550, '550 5.1.1 User unknown'],
  );
  const [domain] = await app.call<Record<string, unknown>[]>('campaignEmailDomainPerformance', { cid });
  assert.deepEqual([domain!.emails, domain!.bounces, domain!.delivered], [2, 1, 1]);
  const explained = await app.call<{ outcome: string; explanation: string }>('campaignExplain', {
    cid,
    email: 'dead@reader.example',
  });
  assert.equal(explained.outcome, 'returned');
  assert.match(explained.explanation, /bounced later \(hard: 550 5\.1\.1 User unknown\)/);

  assert.equal(await memberStatus(app, 'dead@reader.example'), 'bounced');
  const suppressed = await app.app.db.row(sql`
    select reason, campaign_id from suppression where value = 'dead@reader.example'`);
  assert.deepEqual(suppressed, { reason: 'bounce', campaign_id: id });
  const events = await app.app.db.rows<{ payload: Record<string, unknown> }>(sql`
    select payload from webhook_event where type = 'email.bounce' and payload ->> 'campaign' = ${cid}`);
  assert.equal(events.length, 1);
  assert.deepEqual(
    [events[0]!.payload.email, events[0]!.payload.class, events[0]!.payload.reply],
    ['dead@reader.example', 'hard', '550 5.1.1 User unknown'],
  );
  const progress = await app.call<Record<string, number>>('campaignProgress', { cid });
  assert.deepEqual([progress.recipients, progress.accepted, progress.failed], [2, 2, 0]);
});

test('a bounce or complaint about a former address suppresses that address, and a complaint the present one too', async () => {
  const { messages } = await send(app, ['typo@reader.example', 'moved@reader.example']);
  for (const name of ['typo', 'moved'])
    await app.app.db.run(sql`
      update contact
      set email = ${`${name}@present.example`}, email_key = ${`${name}@present.example`}, domain = 'present.example'
      where email_key = ${`${name}@reader.example`}`);
  const [typo, moved] = ['typo', 'moved'].map((name) => messages.get(`${name}@reader.example`)!);
  assert.equal(await post(typo!.from!, hard(typo!)), 250);
  assert.equal(await memberStatus(app, 'typo@present.example'), 'subscribed');
  assert.equal(await post(moved!.from!, complaints[0]!.raw.replaceAll(originalId, moved!.messageId!)), 250);
  assert.equal(await memberStatus(app, 'moved@present.example'), 'unsubscribed');
  const suppressed = await app.app.db.rows(sql`
    select value, reason
    from suppression
    where value ~ '^(typo|moved)@'
    order by value`);
  assert.deepEqual(suppressed, [
    { value: 'moved@present.example', reason: 'complaint' },
    { value: 'moved@reader.example', reason: 'complaint' },
    { value: 'typo@reader.example', reason: 'bounce' },
  ]);
});

test('soft bounces end subscriptions at the number and within the days of the settings, no sooner', async () => {
  const list = await app.call<string>('listCreate', { title: 'Soft' });
  for (const email of ['full@reader.example', 'late@reader.example'])
    await app.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  for (let i = 1; i <= 3; i++) {
    assert.equal(await memberStatus(app, 'full@reader.example'), 'subscribed', `before the ${i}th`);
    const { messages } = await sendTo(app, list);
    for (const email of ['full@reader.example', 'late@reader.example']) {
      const mail = messages.get(email)!;
      assert.equal(await post(mail.from!, soft(mail)), 250);
    }
    // Of the other contact, each is older than the days that are counted when the next one comes.
    await app.app.db.run(sql`update notice set at = at - interval '8 days' where email = 'late@reader.example'`);
  }
  assert.equal(await memberStatus(app, 'full@reader.example'), 'bounced');
  assert.equal(await memberStatus(app, 'late@reader.example'), 'subscribed');
  const row = await app.app.db.row(sql`select value from suppression where value = 'full@reader.example'`);
  assert.equal(row, undefined, 'a full mailbox is not dead');
});

test('messages that expired because no server answered count like soft bounces, and those that a server deferred do not', async () => {
  const list = await app.call<string>('listCreate', { title: 'Silent' });
  const notices: [email: string, status: string, words: string, expected: string][] = [
    ['expired@reader.example', '4.4.7', '554 4.4.7 Message expired: unable to deliver in 840 minutes', 'bounced'],
    ['status@reader.example', '4.4.7', 'The message could not be delivered', 'bounced'],
    [
      'grey@reader.example',
      '4.4.7',
      '554 4.4.7 Message expired: <451 4.7.1 Greylisted, try again later>',
      'subscribed',
    ],
  ];
  for (const [email] of notices)
    await app.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  for (let i = 1; i <= 3; i++) {
    const { messages } = await sendTo(app, list);
    for (const [email, status, words] of notices) {
      assert.equal(await memberStatus(app, email), 'subscribed', `${email} before the ${i}th`);
      const mail = messages.get(email)!;
      assert.equal(await post(mail.from!, dsn(mail, status, words)), 250);
    }
  }
  for (const [email, , , expected] of notices) assert.equal(await memberStatus(app, email), expected, email);
});

test('forged notices change nothing', async (t) => {
  const mine = await send(app, ['a@reader.example', 'b@reader.example']);
  const second = await send(app, ['a2@reader.example']);
  const theirs = await send(other, ['c@reader.example']);
  const a = mine.messages.get('a@reader.example')!;
  const b = mine.messages.get('b@reader.example')!;
  const a2 = second.messages.get('a2@reader.example')!;
  const c = theirs.messages.get('c@reader.example')!;
  const token = /\+([0-9a-f]{48})@/.exec(a.from!)![1]!;
  const at = (text: string) => `bounce+${text}@back.example`;
  const foreign = tokenMaker(
    ['the secret of quite another installation'],
    'the secret of quite another installation',
  ).tokens({
    account: app.account.id,
    campaign: mine.id,
    seq: 1,
    contact: 1,
    lists: [],
  });
  const unknown = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: mine.id,
    seq: 999,
    contact: 1,
    lists: [],
  });
  const flipped = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
  const swapped = c.from!.slice(7, 15) + token.slice(8);
  const before = await facts();
  const wrong: [string, string, string, number][] = [
    ['an address without a token', 'bounce@back.example', hard(a), 550],
    ['a token that is none', at('0'.repeat(48)), hard(a), 550],
    ['a token with one digit changed', at(flipped), hard(a), 550],
    ['a token cut short', at(token.slice(2)), hard(a), 550],
    ["the ids of another account before a token's MAC", at(swapped), hard(a), 550],
    ['a token made with another secret', at(foreign.bounce), hard(a), 550],
    ['a token of another purpose', at(Buffer.from(foreign.open, 'base64url').toString('hex')), hard(a), 550],
    ['a recipient that does not exist', at(unknown.bounce), hard(a), 550],
    ['another domain', `bounce+${token}@elsewhere.example`, hard(a), 550],
    ['the postmaster', 'postmaster@back.example', hard(a), 250],
    ["another account's token", c.from!, hard(a), 250],
    ['the token of another campaign', a2.from!, hard(a), 250],
    ['the token of another recipient', b.from!, hard(a), 250],
    ['a Message-ID that was made up', a.from!, hard(a).replaceAll(a.messageId!, '<made.up@example.com>'), 250],
    ['a notice to the address for complaints', 'complaint@back.example', hard(a), 550],
    ['a complaint without a token', 'complaint@back.example', complaints[0]!.raw, 550],
    [
      'a complaint with a token made with another secret',
      'complaint@back.example',
      complaints[0]!.raw.replaceAll(returnPath, at(foreign.bounce)),
      550,
    ],
    [
      'a complaint with an unsubscribe token made with another secret',
      'complaint@back.example',
      complaints[7]!.raw.replaceAll('/u/token', `/u/${foreign.unsubscribe}`),
      550,
    ],
    [
      "a complaint that bears another account's token",
      'complaint@back.example',
      complaints[0]!.raw.replaceAll(returnPath, c.from!).replaceAll(originalId, a.messageId!),
      250,
    ],
    [
      'a request to unsubscribe without a token',
      'unsubscribe@back.example',
      'From: a@reader.example\nSubject: unsubscribe\n\n',
      550,
    ],
    [
      'a request to unsubscribe with a token made with another secret',
      'unsubscribe@back.example',
      `From: a@reader.example\nSubject: ${foreign.unsubscribe}\n\n`,
      550,
    ],
    [
      'an automatic reply to a request',
      'unsubscribe@back.example',
      `From: a@reader.example\nAuto-Submitted: auto-replied\nSubject: Re: ${/subject=([\w-]+)>/.exec(a.raw!)![1]}\n\n`,
      250,
    ],
    [
      'feedback that says that it is no spam',
      a.from!,
      complaints.find((complaint) => complaint.feedbackType === 'not-spam')!.raw.replaceAll(originalId, a.messageId!),
      250,
    ],
    [
      'a notice of a delay',
      a.from!,
      hard(a).replace('Action: failed', 'Action: delayed').replace('5.1.1', '4.4.1'),
      250,
    ],
    [
      'a notice of success',
      a.from!,
      hard(a).replace('Action: failed', 'Action: delivered').replace('5.1.1', '2.0.0'),
      250,
    ],
  ];
  for (const [what, to, raw, answer] of wrong) {
    await t.test(what, async () => {
      assert.equal(await post(to, raw), answer);
      assert.deepEqual(await facts(), before);
    });
  }
});

test('a complaint by the token of the return path or of List-Unsubscribe suppresses the address, once', async () => {
  const { cid, messages } = await send(app, ['angry@reader.example', 'cross@reader.example', 'hidden@reader.example']);
  const [angry, cross, hidden] = ['angry', 'cross', 'hidden'].map((name) => messages.get(`${name}@reader.example`)!);
  const tokenIn = (mail: Entry) => /subject=([\w-]+)>/.exec(mail.raw!)![1]!;
  const cases: [string, string][] = [
    [angry!.from!, complaints[0]!.raw.replaceAll(originalId, angry!.messageId!)],
    [
      'complaint@back.example',
      complaints[0]!.raw.replaceAll(returnPath, cross!.from!).replaceAll(originalId, cross!.messageId!),
    ],
    [
      'complaint@back.example',
      complaints[7]!.raw.replace('/u/token', `/u/${tokenIn(hidden!)}`).replaceAll(originalId, hidden!.messageId!),
    ],
  ];
  for (const [to, raw] of [...cases, ...cases]) assert.equal(await post(to, raw), 250);
  for (const name of ['angry', 'cross', 'hidden']) {
    assert.equal(await memberStatus(app, `${name}@reader.example`), 'unsubscribed', name);
    const row = await app.app.db.row(sql`select reason from suppression where value = ${`${name}@reader.example`}`);
    assert.deepEqual(row, { reason: 'complaint' }, name);
  }
  const events = await app.app.db.rows<{ type: string; count: number }>(sql`
    select type, count(*)::int as count from webhook_event where payload ->> 'campaign' = ${cid} group by type order by type`);
  assert.deepEqual(events, [
    { type: 'contact.unsubscribe', count: 3 },
    { type: 'email.complaint', count: 3 },
  ]);
});

const base64 = (text: string) =>
  Buffer.from(text.replace(/\r?\n/g, '\r\n')).toString('base64').replace(/.{76}/g, '$&\n');

/** A complaint about a message, as its relay has changed it. */
function arf(original: string, { kind = 'message/rfc822', from = '' } = {}): string {
  const file = /^application|^text\/plain/.test(kind);
  return `From: feedback@isp.example
To: complaint@back.example
Subject: complaint
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="arf"

--arf
Content-Type: text/plain

This is an email abuse report.
--arf
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: Isp/1
Version: 1
${from === '' ? '' : `Original-Mail-From: <${from}>\n`}
--arf
Content-Type: ${kind}
${file ? 'Content-Transfer-Encoding: base64\n' : ''}
${file ? base64(original) : original}
--arf--
`;
}

/** A message with others attached. */
const forwarding = (inner: string, kind = 'message/rfc822') => `From: postmaster@isp.example
To: complaint@back.example
Subject: Fwd: complaint
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="fwd"

--fwd
Content-Type: text/plain

See attached.
--fwd
Content-Type: ${kind}
${kind === 'message/rfc822' ? '' : 'Content-Transfer-Encoding: base64\n'}
${kind === 'message/rfc822' ? inner : base64(inner)}
--fwd--
`;

const file = 'application/octet-stream; name="message.eml"';
/** As Amazon SES replaces it. */
const replaced = (raw: string) =>
  raw.replace(/^message-id:.*(\r?\n[ \t].*)*/im, 'Message-ID: <0100018f@email.amazonses.example>');

const wrapped: [name: string, complaint: (mail: Entry) => string, to?: (mail: Entry) => string][] = [
  ['in a forwarded message', (mail) => forwarding(arf(mail.raw!))],
  ['in a forwarded message of a forwarded message', (mail) => forwarding(forwarding(arf(mail.raw!)))],
  ['in a forwarded file', (mail) => forwarding(arf(mail.raw!), file)],
  ['with the original as a file', (mail) => arf(mail.raw!, { kind: file })],
  ['with the original as a file without a name', (mail) => arf(mail.raw!, { kind: 'application/octet-stream' })],
  [
    'with the original as a named attachment',
    (mail) =>
      arf(mail.raw!, {
        kind: 'application/octet-stream\nContent-Disposition: attachment; filename="Original Mail.EML"',
      }),
  ],
  ['with the original as text', (mail) => arf(mail.raw!, { kind: 'text/plain; name=mail.eml' })],
  ['about a message with another Message-ID', (mail) => arf(replaced(mail.raw!))],
  ['about one with another Message-ID, as a file', (mail) => forwarding(arf(replaced(mail.raw!), { kind: file }))],
  ['about one with another Message-ID, with its return path', (mail) => arf(replaced(mail.raw!), { from: mail.from! })],
  ['about one with another Message-ID, at its return path', (mail) => arf(replaced(mail.raw!)), (mail) => mail.from!],
];

test('a complaint counts however it is wrapped, and although a relay replaced the Message-ID', async (t) => {
  const address = (n: number) => `wrapped${n}@reader.example`;
  const { messages } = await send(app, wrapped.map((_, n) => address(n)).concat('bystander@reader.example'));
  for (const [n, [name, complaint, to]] of wrapped.entries())
    await t.test(name, async () => {
      const mail = messages.get(address(n))!;
      assert.equal(await post(to?.(mail) ?? 'complaint@back.example', complaint(mail)), 250);
      assert.equal(await memberStatus(app, address(n)), 'unsubscribed');
      const row = await app.app.db.row(sql`select reason from suppression where value = ${address(n)}`);
      assert.deepEqual(row, { reason: 'complaint' });
    });
  await t.test('one without a token, or a forwarded message that is no complaint, does not', async () => {
    const mail = messages.get('bystander@reader.example')!;
    const without = mail.raw!.replace(/^list-unsubscribe:.*(\r?\n[ \t].*)*/im, 'X-None: 1');
    for (const raw of [arf(replaced(without)), forwarding(arf(replaced(without), { kind: file }))])
      assert.equal(await post('complaint@back.example', raw), 550);
    assert.equal(await post('complaint@back.example', forwarding(mail.raw!)), 250, 'passed on to the operator');
    assert.equal(await memberStatus(app, 'bystander@reader.example'), 'subscribed');
  });
});

test('notifications of Amazon SES to the address for complaints count, by the return path that they name', async () => {
  const { messages } = await send(app, ['gone@reader.example', 'annoyed@reader.example']);
  const [gone, annoyed] = ['gone', 'annoyed'].map((name) => messages.get(`${name}@reader.example`)!);
  const named = (kind: 'dsn' | 'arf', mail: Entry) =>
    notified
      .find((sample) => sample.kind === kind)!
      .raw.replaceAll(returnPath, mail.from!)
      .replaceAll(originalId, mail.messageId!)
      .replaceAll('joe@reader.example', mail.to!);
  assert.equal(await post('complaint@back.example', named('dsn', gone!)), 250);
  assert.equal(await memberStatus(app, 'gone@reader.example'), 'bounced');
  assert.equal(await post('complaint@back.example', named('arf', annoyed!)), 250);
  assert.equal(await memberStatus(app, 'annoyed@reader.example'), 'unsubscribed');
  const before = await facts();
  assert.equal(await post('complaint@back.example', notified[0]!.raw), 550, 'no token');
  assert.deepEqual(await facts(), before);
});

test('a request of Amazon SNS to confirm the address for complaints is accepted and its link is logged, no other link is', async () => {
  const lines: string[] = [];
  const log = createLog('info', 'test', { write: (line) => lines.push(JSON.parse(line).link) });
  const logging = await startBounceListener({ ...app.app, log }, 0);
  const request = (link: string) =>
    `Subject: x\nContent-Type: text/plain\n\n${JSON.stringify({ Type: 'SubscriptionConfirmation', SubscribeURL: link })}\n`;
  const query = '/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:eu-west-1:1:bounces&Token=2336';
  const good = `https://sns.eu-west-1.amazonaws.com${query}`;
  try {
    assert.equal(await post('complaint@back.example', request(good), logging.port), 250);
    for (const link of [`https://sns.evil.example${query}`, `${good}"onclick`, 'https://sns.eu-west-1.amazonaws.com/'])
      assert.equal(await post('complaint@back.example', request(link), logging.port), 550, link);
    assert.deepEqual(lines.filter(Boolean), [good]);
  } finally {
    await logging.close();
  }
});

test('a message to the List-Unsubscribe address unsubscribes, however the mail program changes its subject', async () => {
  const emails = ['u1@reader.example', 'u2@reader.example', 'u3@reader.example'];
  const { cid, messages } = await send(app, emails);
  for (const [i, email] of emails.entries()) {
    const token = /subject=([\w-]+)>/.exec(messages.get(email)!.raw!)![1]!;
    const subject = [token, `  ${token} `, `=?utf-8?B?${Buffer.from(token).toString('base64')}?=`][i];
    const raw = `From: ${email}\nTo: unsubscribe@back.example\nSubject: ${subject}\n\nunsubscribe\n`;
    assert.equal(await post('unsubscribe@back.example', raw), 250);
    assert.equal(await post('unsubscribe@back.example', raw), 250);
    assert.equal(await memberStatus(app, email), 'unsubscribed', email);
  }
  const stats = await app.call<Record<string, number>>('campaignStats', { cid });
  assert.equal(stats.unsubscribes, 3);
});

test('Apple Mail unsubscribes with a message marked as an automatic reply', async () => {
  const heads = ['Auto-Submitted: auto-replied', 'Auto-Submitted: auto-replied (zero)\nX-Apple-Unsubscribe: true'];
  const emails = heads.map((_, i) => `apple${i}@reader.example`);
  const { messages } = await send(app, emails);
  for (const [i, email] of emails.entries()) {
    const token = /subject=([\w-]+)>/.exec(messages.get(email)!.raw!)![1]!;
    const raw = `From: ${email}\nTo: unsubscribe@back.example\nSubject: ${token}\n${heads[i]}\n\nThis message was generated.\n`;
    assert.equal(await post('unsubscribe@back.example', raw), 250);
    assert.equal(await memberStatus(app, email), 'unsubscribed', email);
  }
});

test('the reply is 250 only after the commit: a notice that cannot be stored is deferred, and counts once when it comes again', async () => {
  const { cid, messages } = await send(app, ['again@reader.example']);
  const mail = messages.get('again@reader.example')!;
  const before = await facts();
  let failures = 1;
  const failing: App = {
    ...app.app,
    db: {
      ...app.app.db,
      row: app.app.db.row.bind(app.app.db),
      async transaction<T>(work: Parameters<typeof app.app.db.transaction<T>>[0]): Promise<T> {
        return app.app.db.transaction(async (tx) => {
          const result = await work(tx);
          if (failures-- > 0) throw new Error('the disk is full');
          return result;
        });
      },
    },
  };
  const weak = await startBounceListener(failing, 0);
  try {
    assert.equal(await post(mail.from!, hard(mail), weak.port), 451);
    assert.deepEqual(await facts(), before);
    assert.equal(await post(mail.from!, hard(mail), weak.port), 250);
  } finally {
    await weak.close();
  }
  assert.equal((await app.call<{ total: number }>('campaignHardBounces', { cid })).total, 1);
});

test('a client that guesses addresses is disconnected, and a message over the size limit is refused', async () => {
  const guarded = await startBounceListener(app.app, 0);
  try {
    assert.equal(await post('complaint@back.example', `Subject: x\n\n${'x'.repeat(11_000_000)}\n`, guarded.port), 552);
    const answers: number[] = [];
    for (let i = 0; i < 10; i++) {
      const tries = Array.from({ length: 10 }, (_, n) => post(`bounce+${i}.${n}@back.example`, 'x', guarded.port));
      answers.push(...(await Promise.all(tries)));
    }
    assert.deepEqual([...new Set(answers)], [550]);
    answers.push(await post('bounce+last@back.example', 'x', guarded.port));
    assert.equal(answers.at(-1), 421);
  } finally {
    await guarded.close();
  }
});

/** A session that has been asked to send its message, with what the server replied since. */
async function inData(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  // Not `once`, which rejects on the error of a write to a connection that the server has closed.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  await until('the greeting', async () => /^220 /m.test(text));
  for (const line of ['EHLO x', 'MAIL FROM:<>', 'RCPT TO:<complaint@back.example>', 'DATA'])
    socket.write(`${line}\r\n`);
  await until('DATA is accepted', async () => /^354 /m.test(text));
  return { socket, closed, replies: () => text };
}

test('a client that sends a byte from time to time is disconnected after the time of a session', async () => {
  const guarded = await startBounceListener(app.app, 0, 500);
  try {
    const { socket, closed } = await inData(guarded.port);
    const drip = setInterval(() => socket.write('x'), 50);
    await closed.finally(() => clearInterval(drip));
  } finally {
    await guarded.close();
  }
});

test('a client that sends more than twice the accepted size is disconnected', async () => {
  const guarded = await startBounceListener(app.app, 0);
  try {
    const { socket, closed, replies } = await inData(guarded.port);
    const line = `${'x'.repeat(998)}\r\n`;
    let sent = 0;
    let isOpen = true;
    void closed.then(() => {
      isOpen = false;
    });
    while (isOpen && sent < 60_000_000) {
      sent += line.length * 64;
      if (!socket.write(line.repeat(64))) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
    }
    assert.ok(sent > 20_000_000 && sent < 60_000_000, `${sent} bytes`);
    assert.doesNotMatch(replies().slice(replies().indexOf('354 ')), /^2/m);
  } finally {
    await guarded.close();
  }
});

test('a mail server in front is not shut out by the wrong addresses it forwards, nor limited to ten connections', async () => {
  const config = { ...app.app.config, trustProxy: ['192.0.2.1', '127.0.0.0/8', 'loopback'] };
  const behind = await startBounceListener({ ...app.app, config }, 0);
  try {
    const answers: number[] = [];
    for (let i = 0; i < 8; i++) {
      const tries = Array.from({ length: 15 }, (_, n) => post(`bounce+${i}.${n}@back.example`, 'x', behind.port));
      answers.push(...(await Promise.all(tries)));
    }
    assert.deepEqual([...new Set(answers)], [550]);
  } finally {
    await behind.close();
  }
});

test('addresses in front are single ones and ranges of both families', () => {
  const isFront = frontServers(['10.1.0.0/16', '192.0.2.7', 'fd00::/8', 'loopback']);
  for (const host of ['10.1.2.3', '192.0.2.7', 'fd12::1', '::ffff:10.1.2.3']) assert.ok(isFront(host), host);
  for (const host of ['10.2.0.1', '192.0.2.8', 'fe80::1', '127.0.0.1', '']) assert.ok(!isFront(host), host);
});

test('a host has ten connections at once, and another host still gets one', async () => {
  const guarded = await startBounceListener(app.app, 0);
  const sockets: Socket[] = [];
  /** The greeting that a client from this address gets. */
  const greeting = async (localAddress: string) => {
    const socket = connect({ port: guarded.port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    const [line] = await once(socket, 'data');
    return String(line).slice(0, 3);
  };
  try {
    for (let i = 0; i < 10; i++) assert.equal(await greeting('127.0.0.1'), '220');
    assert.equal(await greeting('127.0.0.1'), '421');
    assert.equal(await greeting('127.0.0.2'), '220');
    sockets[0]!.destroy();
    await until('a place is free', async () => (await greeting('127.0.0.1')) === '220');
  } finally {
    for (const socket of sockets) socket.destroy();
    await guarded.close();
  }
});

test('notices of the corpus come to what each of them says', async () => {
  // All of them are also read without a server, in parse/bounce.test.ts.
  const posted = sample(samples, 8);
  const email = (i: number) => `reader${i}@corpus.example`;
  const { id, messages } = await send(
    app,
    posted.map((_, i) => email(i)),
  );
  assert.equal(messages.size, posted.length);
  const kept = createTransport({
    host: '127.0.0.1',
    port: listener.port,
    ignoreTLS: true,
    pool: true,
    maxConnections: 1,
    maxMessages: 1_000,
  });
  for (const [i, { name, raw }] of posted.entries()) {
    const mail = messages.get(email(i))!;
    const about = (text: string) =>
      text.replaceAll(originalId, mail.messageId!).replaceAll('joe@reader.example', email(i));
    const own = about(raw).replace(/^[A-Za-z0-9+/]{200,}={0,2}$/gm, (coded) =>
      Buffer.from(about(Buffer.from(coded, 'base64').toString())).toString('base64'),
    );
    assert.equal(await post(mail.from!, own === '' ? '\n' : own, listener.port, kept), 250, name);
  }
  kept.close();
  const rows = await app.app.db.rows<{
    email: string;
    kind: string;
    class: string;
    status: string;
    suppressed: boolean;
  }>(sql`
    select c.email, coalesce(n.kind, '') as kind, coalesce(n.class, '') as class, s.status,
      exists (select from suppression x where x.account_id = c.account_id and x.value = c.email_key) as suppressed
    from delivery d
    join contact c on c.account_id = d.account_id and c.id = d.contact_id
    join subscription s on s.account_id = d.account_id and s.list_id = d.list_id and s.contact_id = d.contact_id
    left join notice n
      on n.account_id = d.account_id and n.campaign_id = d.campaign_id and n.seq = d.seq and n.kind <> 'unsubscribe'
    where d.campaign_id = ${id}`);
  const found = new Map(rows.map((row) => [row.email, row]));
  const counts = { bounce: 0, complaint: 0, nothing: 0 };
  for (const [i, notice] of posted.entries()) {
    const row = found.get(email(i))!;
    assert.ok(
      expected(notice).includes(row.kind === 'bounce' ? row.class : row.kind || row.status),
      `${notice.name}: ${JSON.stringify(row)}`,
    );
    const dead = (row.kind === 'bounce' && row.class === 'hard') || row.kind === 'complaint';
    assert.equal(row.suppressed, dead, notice.name);
    counts[row.kind === 'bounce' || row.kind === 'complaint' ? row.kind : 'nothing'] += 1;
  }
  const share = posted.length / samples.length;
  assert.ok(counts.bounce > 250 * share && counts.nothing > 30 * share, JSON.stringify(counts));
});

/** What a sample may come to: classes of bounces, `complaint`, or the status of a contact whom it does not concern. */
function expected(sample: Sample): string[] {
  if (sample.kind === 'arf') {
    if (sample.feedbackType === 'opt-out') return ['unsubscribed'];
    return ['not-spam', 'auth-failure'].includes(sample.feedbackType ?? '') ? ['subscribed'] : ['complaint'];
  }
  if (sample.kind !== 'dsn') return ['subscribed'];
  const classes = (sample.recipients ?? []).map(([, found]) => found);
  // A temporary one is a delay or its end; among several addresses one may have got the mail.
  const mayBeNothing = classes.length > 1 || classes.some((found) => found === null || found === 'temporary');
  return [...classes.filter((found) => found !== null), ...(mayBeNothing ? ['subscribed'] : [])];
}

const one = (
  finalRecipient: string,
  action: 'failed' | 'delayed' | 'delivered',
  found: 'hard' | 'soft' | 'temporary' | null,
) => ({
  finalRecipient,
  originalRecipient: '',
  action,
  status: '',
  diagnostic: '',
  class: found,
});
for (const [what, recipients, found] of [
  ['one address refused', [one('a@x.example', 'failed', 'hard')], 'hard'],
  ['an address that it was forwarded to', [one('b@y.example', 'failed', 'hard')], 'hard'],
  [
    'its own address among others',
    [one('b@y.example', 'failed', 'hard'), one('A@X.example', 'failed', 'soft')],
    'soft',
  ],
  [
    'one of two that it was forwarded to got it',
    [one('b@y.example', 'failed', 'hard'), one('c@y.example', 'delivered', null)],
    undefined,
  ],
  ['a delay', [one('a@x.example', 'delayed', 'temporary')], undefined],
  ['no recipient', [], undefined],
  ['an address that is not named', [one('', 'failed', 'hard')], 'hard'],
] as const) {
  test(`the refusal that counts for a@x.example: ${what}`, () => {
    assert.equal(refusalOf(recipients, 'a@x.example')?.class, found);
  });
}

const code = (to: string) =>
  `From: Feedback Loop <fbl@isp.example>\nTo: ${to}\nSubject: =?UTF-8?Q?Best=C3=A4tigung?=\nAuto-Submitted: auto-generated\nContent-Type: text/html; charset=utf-8\n\n<p>Your code for ${to} is <b>7Q4-XYZ</b></p>\n`;

const passedOn = () =>
  app.app.db.rows<{ subject: string; text: string; account: number }>(sql`
    select payload ->> 'subject' as subject, payload ->> 'text' as text, (payload ->> 'account_id')::int as account
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendAccountNotice'
      and payload ->> 'subject' like 'To %@back.example:%'
    order by j.id`);

test('mail to postmaster, abuse and the address for complaints is passed on to the operator, so many a day', async () => {
  const usual = passedOnLimit.perDay;
  passedOnLimit.perDay = 1_000;
  const before = (await passedOn()).length;
  const addresses = ['postmaster', 'POSTMASTER', 'abuse', 'complaint'];
  for (const to of addresses) assert.equal(await post(`${to}@back.example`, code(to)), 250, to);
  const notices = (await passedOn()).slice(before);
  assert.deepEqual(
    notices.map(({ subject, account }) => [subject, account]),
    addresses.map((to) => [`To ${to.toLowerCase()}@back.example: Bestätigung`, app.account.id]),
  );
  for (const { text } of notices)
    assert.match(text, /From: Feedback Loop <fbl@isp\.example>.*Your code for \w+ is\s+7Q4-XYZ/s);
  passedOnLimit.perDay = 0;
  assert.equal(await post('postmaster@back.example', code('x')), 250, 'taken, but not passed on');
  assert.equal(await post('root@back.example', code('x')), 550);
  assert.equal((await passedOn()).length, before + addresses.length);
  passedOnLimit.perDay = usual;
});

test('postmaster needs no domain', async () => {
  const socket = connect(listener.port, '127.0.0.1').setEncoding('utf8');
  const replies: string[] = [];
  for (const line of ['', 'HELO mx.reader.example', 'MAIL FROM:<>', 'RCPT TO:<Postmaster>', 'QUIT']) {
    if (line !== '') socket.write(`${line}\r\n`);
    const [reply] = (await once(socket, 'data')) as [string];
    replies.push(reply.slice(0, 3));
  }
  socket.destroy();
  assert.deepEqual(replies, ['220', '250', '250', '250', '221']);
});

test('a complaint to abuse counts like one to the address for complaints', async () => {
  const { messages } = await send(app, ['abused@reader.example']);
  assert.equal(await post('abuse@back.example', arf(messages.get('abused@reader.example')!.raw!)), 250);
  assert.equal(await memberStatus(app, 'abused@reader.example'), 'unsubscribed');
});
