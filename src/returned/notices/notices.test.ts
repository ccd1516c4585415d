// Notices of sending services over HTTP: forty requests in the shape of eight services, each with the class and effect it
// should have, and that forged, replayed and foreign ones have none. Also that a report of SES has the same effect as mail.

import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { launchedTo, listOf, untilSent } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sample } from '../../../test/support/run/runs.ts';
import { until } from '../../../test/support/run/until.ts';
import {
  type About,
  type Posted,
  serviceSamples,
  sesBounce,
  sesMail,
  signedByMailgun,
  signedByResend,
  signedBySendGrid,
  signedBySns,
  unsigned,
} from '../../../test/support/samples/notices.ts';
import { createAuthority, createCertificate } from '../../../test/support/smtp-sink/certificate.ts';
import { type Entry, type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { createOutbound } from '../../base/outbound/outbound.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { type ServiceName, serviceNames } from '../../delivery/message/notice-fields.ts';
import { startWorker } from '../../delivery/worker.ts';
import { sendWelcome } from '../../mail/list-mail.ts';
import { takeFromMailbox } from '../record/intake.ts';
import { services } from './services/index.ts';
import { takeNotices } from './take.ts';

type Account = Pick<TestApp, 'account' | 'call'>;
let app: TestApp;
let other: Account;
let sink: Sink;
let folder: string;
let stopWorker: () => Promise<void>;
let closeSns: () => Promise<void>;

const snsHost = 'sns.eu-west-1.amazonaws.com';
const certUrl = `https://${snsHost}/SimpleNotificationService-0123456789abcdef.pem`;
const topic = 'arn:aws:sns:eu-west-1:123456789012:returned';
const authority = createAuthority();
const snsCertificate = createCertificate(authority, [snsHost]);
const snsKey = createPrivateKey(snsCertificate.key);
const sendGridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const mailgunKey = randomBytes(16).toString('hex');
const resendKey = `whsec_${randomBytes(24).toString('base64')}`;
const keys: Partial<Record<ServiceName, string>> = {
  sendgrid: sendGridKeys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  mailgun: mailgunKey,
  resend: resendKey,
};
/** The paths that SNS was asked for. */
const asked: string[] = [];
const urls = new Map<string, string>();

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'notices-'));
  sink = await startSink({ raw: true });
  app = await testApp({ DATA_DIR: folder, SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`, SOFT_BOUNCES: '3' });
  other = await app.anotherAccount();
  await startSns();
  await app.app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${app.account.id}, 'All', 'http://127.0.0.1:9/', '{email.bounce,email.complaint,contact.unsubscribe}')`);
  const worker = await startWorker(app.app, { takeNotices });
  stopWorker = () => worker.stop();
  await app.listen();
  for (const service of serviceNames) {
    const key = keys[service];
    const made = await app.call<{ url: string }>('noticeSourceCreate', { service, ...(key && { options: { key } }) });
    urls.set(service, made.url);
  }
});
after(async () => {
  await stopWorker();
  await closeSns();
  await sink.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

/** SNS on loopback: the program asks for port 443 of its host, which leads here. */
async function startSns() {
  const server = createServer(createCertificate(authority, [snsHost]), (request, response) => {
    asked.push(request.url!);
    response.end(request.url!.endsWith('.pem') ? snsCertificate.cert : '<ConfirmSubscriptionResponse/>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hostsFile = join(folder, 'hosts');
  writeFileSync(hostsFile, `127.0.0.1 ${snsHost}\n`);
  const outbound = createOutbound({ allow: ['127.0.0.1'], hostsFile, caCertificates: [authority.cert] });
  app.app.outbound = {
    ...outbound,
    fetch: (url, request) => outbound.fetch(url.replace(`https://${snsHost}/`, `https://${snsHost}:${port}/`), request),
  };
  closeSns = async () => {
    outbound.close();
    await new Promise((resolve) => server.close(resolve));
  };
}

let lists = 0;
/** A campaign to a new list of these addresses, delivered to the sink. */
async function send(of: Account, emails: readonly string[]) {
  const list = await listOf(of, emails, `List ${++lists}`);
  const from = sink.log.length;
  const id = await launchedTo({ ...of, app: app.app }, list);
  await untilSent(app, id);
  const messages = sink.log.slice(from).filter((entry) => entry.event === 'accepted');
  return { id, cid: formatId(id), list, messages: new Map(messages.map((entry) => [entry.to!, entry])) };
}

function aboutOf(message: Entry, serviceId = ''): About {
  const token = /^X-Postrider-ID: (\w+)\r$/m.exec(message.raw!)?.[1] ?? '';
  return { email: message.to!, token, messageId: message.messageId!, serviceId };
}

/** As the service would sign it. */
function genuine(service: string, body: unknown): Posted {
  if (service === 'ses') return signedBySns({ message: JSON.stringify(body), topic, certUrl }, snsKey);
  if (service === 'sendgrid') return signedBySendGrid(body, sendGridKeys.privateKey);
  if (service === 'mailgun') return signedByMailgun(body as object, mailgunKey);
  if (service === 'resend') return signedByResend(body, resendKey);
  return unsigned(body);
}

async function post(url: string, { headers, body }: Posted): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

const allTaken = () =>
  until('all notices are taken', async () => {
    const row = await app.app.db.row<{ count: number }>(sql`select count(*) as count from incoming_notice`);
    return row!.count === 0;
  });

type Outcome = { kind: string | null; class: string | null; suppressed: string | null; status: string };

async function outcomeOf(of: Account, email: string): Promise<Outcome> {
  const row = await app.app.db.row<Outcome>(sql`
    select n.kind, n.class, s.status,
      (select reason from suppression p where p.account_id = c.account_id and p.value = c.email_key) as suppressed
    from contact c
    join subscription s on s.account_id = c.account_id and s.contact_id = c.id
    left join notice n on n.account_id = c.account_id and n.contact_id = c.id
    where c.account_id = ${of.account.id}
      and c.email = ${email}`);
  return row!;
}

function expected({ kind, class: found }: (typeof serviceSamples)[number]): Outcome {
  if (kind === 'nothing') return { kind: null, class: null, suppressed: null, status: 'subscribed' };
  if (kind === 'complaint') return { kind, class: 'abuse', suppressed: 'complaint', status: 'unsubscribed' };
  if (kind === 'unsubscribe') return { kind, class: '', suppressed: null, status: 'unsubscribed' };
  if (found === 'hard') return { kind, class: found, suppressed: 'bounce', status: 'bounced' };
  return { kind, class: found!, suppressed: null, status: 'subscribed' };
}

/** Everything that a notice could change. */
const facts = () =>
  app.app.db.row(sql`
    select (select count(*)::int from notice) as notices, (select count(*)::int from suppression) as suppressed,
      (select count(*)::int from subscription where status <> 'subscribed') as away,
      (select count(*)::int from webhook_event) as events, (select count(*)::int from consent) as consents`);

test('requests of eight services have the class and effect they should have, and none again when replayed', async () => {
  assert.equal(serviceSamples.length, 40);
  const chosen = sample(serviceSamples, 2);
  assert.equal(new Set(chosen.map(({ service }) => service)).size, 8);
  const emails = chosen.map((_, index) => `reader${index}@reader.example`);
  const { id, messages } = await send(app, emails);
  const requests = chosen.map((sample, index) => {
    const serviceId = `0102018f1a2b3c4d-${String(index).padStart(8, '0')}`;
    const about = aboutOf(messages.get(emails[index]!)!, serviceId);
    assert.match(about.token, /^[0-9a-f]{48}$/);
    return { service: sample.service, about, posted: genuine(sample.service, sample.body(about)) };
  });
  for (const { about } of requests)
    await app.app.db.run(sql`
      update delivery set reply = ${`Ok: queued as ${about.serviceId}`}
      where campaign_id = ${id} and email = ${about.email}`);
  for (const { service, posted } of requests) assert.equal(await post(urls.get(service)!, posted), 200, service);
  await allTaken();
  const wrong: unknown[] = [];
  for (const [index, sample] of chosen.entries()) {
    const found = await outcomeOf(app, emails[index]!);
    const wanted = expected(sample);
    if (!isDeepStrictEqual({ ...found }, wanted))
      wrong.push({ sample: `${sample.service}: ${sample.name}`, found, wanted });
  }
  assert.deepEqual(wrong, []);
  const events = await app.app.db.row<{ count: number }>(sql`
    select count(*) as count from webhook_event where type in ('email.bounce', 'email.complaint')`);
  const counted = chosen.filter((sample) => sample.kind === 'bounce' || sample.kind === 'complaint');
  assert.equal(events!.count, counted.length);

  const before = await facts();
  for (const { service, posted } of requests) assert.equal(await post(urls.get(service)!, posted), 200, service);
  await allTaken();
  assert.deepEqual(await facts(), before);
  const sources = await app.call<Record<string, unknown>[]>('noticeSources');
  for (const source of sources.filter((source) => source.service !== 'generic')) {
    assert.deepEqual([source.state, source.unknown, source.refused], ['working', 0, 0], String(source.service));
    assert.equal(source.matched, source.received, String(source.service));
    assert.notEqual(source.heard_at, '');
  }
});

/** Type, sub type, status and diagnostic code of a bounce that SES reports, and its class. */
const sesBounces: [type: string, subType: string, status: string, diagnosticCode: string, expected: string][] = [
  // The reply decides, whatever SES calls the bounce.
  ['Permanent', 'General', '5.1.1', 'smtp; 550 5.1.1 user unknown', 'hard'],
  ['Undetermined', 'Undetermined', '5.1.1', 'smtp; 550 5.1.1 user unknown', 'hard'],
  [
    'Permanent',
    'General',
    '5.7.1',
    'smtp; 554 5.7.1 Service unavailable; client host blocked using Spamhaus',
    'blocked',
  ],
  ['Permanent', 'General', '5.7.26', 'smtp;550 5.7.26 This message fails DMARC', 'blocked'],
  ['Permanent', 'NoEmail', '5.2.2', 'smtp; 552 5.2.2 mailbox full', 'soft'],
  ['Permanent', 'General', '5.3.4', 'smtp; 552 5.3.4 message size exceeds fixed maximum', 'soft'],
  ['Permanent', 'General', '5.0.0', 'smtp; 550 too many connections from your host', 'temporary'],
  ['Permanent', 'General', '5.1.1', 'smtp; 550 5.1.1 sender rejected (in reply to MAIL FROM command)', 'blocked'],
  // No class is harder than the category of SES.
  ['Transient', 'General', '5.1.1', 'smtp; 550 5.1.1 user unknown', 'temporary'],
  ['Transient', 'MailboxFull', '5.1.1', 'smtp; 550 5.1.1 user unknown', 'soft'],
  // The reply decides nothing: SES does.
  ['Permanent', 'General', '', '', 'generic'],
  ['Permanent', 'General', '5.0.0', 'smtp; 550 mailbox unavailable', 'generic'],
  ['Permanent', 'NoEmail', '', '', 'hard'],
  ['Permanent', 'Suppressed', '', 'Amazon SES has suppressed sending to this address', 'hard'],
  ['Permanent', 'MailboxFull', '', '', 'soft'],
  ['Transient', 'MessageTooLarge', '', '', 'soft'],
  ['Permanent', 'ContentRejected', '', '', 'blocked'],
  ['Transient', 'AttachmentRejected', '', '', 'blocked'],
  ['Transient', 'General', '', '', 'temporary'],
  ['Undetermined', 'Undetermined', '', '', 'generic'],
];

test('a report of SES has the same class and effect as mail and over HTTPS', async () => {
  const complaint = (about: About, complaintFeedbackType?: string) => ({
    notificationType: 'Complaint',
    complaint: { complainedRecipients: [{ emailAddress: about.email }], complaintFeedbackType },
    mail: sesMail(about, true),
  });
  const reports: { name: string; of: (about: About) => object; expected: [string | null, string | null] }[] = [
    ...sesBounces.map(([type, subType, status, diagnosticCode, found]) => ({
      name: `${type} ${subType} ${diagnosticCode}`,
      of: (about: About) => ({
        eventType: 'Bounce',
        bounce: sesBounce(about, type, subType, status, diagnosticCode),
        mail: sesMail(about, true),
      }),
      expected: ['bounce', found] as [string, string],
    })),
    { name: 'abuse', of: (about) => complaint(about, 'Abuse'), expected: ['complaint', 'abuse'] },
    { name: 'without feedback type', of: (about) => complaint(about), expected: ['complaint', 'abuse'] },
    { name: 'no complaint', of: (about) => complaint(about, 'not-spam'), expected: [null, null] },
    {
      name: 'unsubscribe on the page of SES',
      of: (about) => ({ eventType: 'Subscription', mail: sesMail(about, true), subscription: { source: 'web' } }),
      expected: ['unsubscribe', ''],
    },
    {
      name: 'delivery',
      of: (about) => ({ notificationType: 'Delivery', mail: sesMail(about, true), delivery: {} }),
      expected: [null, null],
    },
  ];
  const emails = reports.flatMap((_, index) => [`mail${index}@ses.example`, `https${index}@ses.example`]);
  const { messages } = await send(app, emails);
  for (const [index, { name, of, expected }] of reports.entries()) {
    const [byMail, byHttps] = ['mail', 'https'].map((door) => aboutOf(messages.get(`${door}${index}@ses.example`)!));
    const raw = `From: no-reply@sns.example\nContent-Type: text/plain\n\n${JSON.stringify(of(byMail!))}\n\n--\nUnsubscribe\n`;
    await takeFromMailbox(app.app, app.account.id, Buffer.from(raw));
    assert.equal(await post(urls.get('ses')!, genuine('ses', of(byHttps!))), 200, name);
    await allTaken();
    const results = await Promise.all(
      [byMail!, byHttps!].map(async ({ email }) => ({ ...(await outcomeOf(app, email)), ...(await replyTo(email)) })),
    );
    assert.deepEqual(results[0], results[1], name);
    assert.deepEqual([results[0]!.kind, results[0]!.class], expected, name);
    assert.equal(results[0]!.suppressed === 'bounce', results[0]!.class === 'hard', name);
  }
});

test('bounces of Resend have the class of those of SES', async () => {
  for (const [type, subType, , diagnosticCode, expected] of sesBounces) {
    const { headers, body } = signedByResend(
      {
        type: 'email.bounced',
        data: { to: ['x@reader.example'], bounce: { type, subType, message: '', diagnosticCode: [diagnosticCode] } },
      },
      resendKey,
    );
    const arrived = { headers, body: Buffer.from(body), key: resendKey, topic: '' };
    const reading = await services.resend.read(app.app, arrived);
    assert.ok(reading.ok);
    assert.equal(reading.notices[0]!.class, expected, `${type} ${subType} ${diagnosticCode}`);
  }
});

const replyTo = (email: string) =>
  app.app.db.row<{ code: number; reply: string }>(sql`
    select n.code, n.reply
    from notice n
    join contact c on c.account_id = n.account_id and c.id = n.contact_id
    where c.email = ${email}`);

test('a hard bounce after a soft one counts, and a soft one after a hard one does not', async () => {
  const { messages } = await send(app, ['later-dead@reader.example']);
  const about = aboutOf(messages.get('later-dead@reader.example')!);
  const bounce = (reply: string) =>
    unsigned({ type: 'bounce', email: about.email, message_id: about.messageId, reply });
  const full = bounce('552 5.2.2 mailbox full');
  const dead = bounce('550 5.1.1 user unknown');
  for (const [posted, found] of [
    [full, 'soft'],
    [dead, 'hard'],
    [full, 'hard'],
  ] as const) {
    assert.equal(await post(urls.get('generic')!, posted), 200);
    await allTaken();
    assert.equal((await outcomeOf(app, about.email)).class, found);
  }
  assert.equal((await outcomeOf(app, about.email)).suppressed, 'bounce');
});

/** Sends a message of the program or of a caller, and returns what the sink got. */
async function sendSingle(email: string, start: () => Promise<unknown>): Promise<Entry> {
  const accepted = () => sink.log.filter((entry) => entry.event === 'accepted' && entry.to === email);
  const before = accepted().length;
  await start();
  await until('it is sent', () => accepted().length > before);
  await until('its outcome is written', async () => {
    const row = await app.app.db.row(sql`select from delivery where email = ${email} and state in (0, 1)`);
    return row === undefined;
  });
  return accepted().at(-1)!;
}

type Logged = { recipients: { state: string; bounce: string; complained: boolean; unsubscribed: boolean }[] };

test('notices about a message of a list have the effects of a campaign, but for the campaign', async () => {
  const list = await app.call<string>('listCreate', { title: 'Confirmed' });
  const member = async (email: string) => {
    await app.call('listSubscribe', { id: list, email_address: email, double_optin: false });
    const row = await app.app.db.row<{ id: number }>(sql`select id from contact where email = ${email}`);
    return { account_id: app.account.id, list_id: parseId(list)!, contact_id: row!.id };
  };
  const context = { app: app.app, log: app.app.log, signal: new AbortController().signal };
  for (const [type, expected] of [
    ['bounce', ['bounce', 'bounced']],
    ['complaint', ['complaint', 'unsubscribed']],
    ['unsubscribe', [null, 'unsubscribed']],
  ] as const) {
    const email = `${type}.of-list@reader.example`;
    const of = await member(email);
    const about = aboutOf(await sendSingle(email, () => sendWelcome(context, of)));
    const notice = { type, email, id: about.token, reply: '550 5.1.1 no such user', status: '5.1.1' };
    assert.equal(await post(urls.get('generic')!, unsigned([notice, notice])), 200);
    await allTaken();
    const found = await outcomeOf(app, email);
    assert.deepEqual([found.suppressed, found.status], expected, type);
    const events = await app.app.db.rows<{ type: string; payload: { campaign: string; contact: string } }>(sql`
      select type, payload from webhook_event where payload ->> 'email' = ${email}`);
    assert.ok(events.length > 0 && events.every(({ payload }) => payload.campaign === ''), type);
    const { data } = await app.call<{ data: Logged[] }>('messages', { email });
    const [{ bounce, complained, unsubscribed }] = data[0]!.recipients as [Logged['recipients'][number]];
    assert.deepEqual(
      [bounce, complained, unsubscribed],
      [type === 'bounce' ? 'hard' : '', type === 'complaint', type === 'unsubscribe'],
    );
  }
});

test('notices about a single message are matched by token, Message-ID or the id of the reply, and keep to its scope', async () => {
  const send = async (email: string, cc: string[] = []) => {
    let id = '';
    const entry = await sendSingle(email, async () => {
      ({ id } = await app.call<{ id: string }>('messageSend', { to: [email], cc, subject: 'Hi', plain: 'Text' }));
    });
    return { id, about: aboutOf(entry) };
  };
  const recipientOf = async (id: string, email: string) => {
    const { recipients } = await app.call<{ recipients: ({ email: string } & Logged['recipients'][number])[] }>(
      'messageGet',
      { id },
    );
    const { bounce, complained, unsubscribed } = recipients.find((recipient) => recipient.email === email)!;
    return [bounce, complained, unsubscribed];
  };
  const suppressed = async (email: string) =>
    (await app.app.db.row<{ reason: string }>(sql`select reason from suppression where value = ${email}`))?.reason;

  // By Message-ID and address, of two recipients the one that the notice names.
  const two = await send('first@single.example', ['second@single.example']);
  const bounce = { type: 'bounce', reply: '550 5.1.1 unknown', message_id: two.about.messageId };
  assert.equal(await post(urls.get('generic')!, unsigned({ ...bounce, email: 'SECOND@single.example' })), 200);
  assert.equal(await post(urls.get('generic')!, unsigned({ ...bounce, email: 'third@single.example' })), 200);
  assert.equal(await post(urls.get('generic')!, unsigned({ ...bounce, email: '' })), 200);
  await allTaken();
  assert.deepEqual(await recipientOf(two.id, 'second@single.example'), ['hard', false, false]);
  assert.deepEqual(await recipientOf(two.id, 'first@single.example'), ['', false, false]);
  assert.deepEqual(
    [await suppressed('second@single.example'), await suppressed('third@single.example')],
    ['bounce', undefined],
  );

  // By the token, though the service has replaced the Message-ID.
  const angry = await send('angry@single.example');
  const { token } = angry.about;
  const complaint = { type: 'complaint', email: 'angry@single.example', id: token, message_id: '<x@service.example>' };
  assert.equal(await post(urls.get('generic')!, unsigned(complaint)), 200);
  await allTaken();
  assert.deepEqual(await recipientOf(angry.id, 'angry@single.example'), ['', true, false]);
  assert.equal(await suppressed('angry@single.example'), 'complaint');

  // By the id in the relay's reply, as SES has it. An unsubscribe is shown and suppresses nothing.
  const leaves = await send('leaves@single.example');
  await app.app.db.run(sql`
    update delivery set reply = 'Ok 0100019abc-77777777' where email = 'leaves@single.example'`);
  const unsubscribe = { type: 'unsubscribe', email: 'leaves@single.example', service_id: '0100019abc-77777777' };
  assert.equal(await post(urls.get('generic')!, unsigned(unsubscribe)), 200);
  await allTaken();
  assert.deepEqual(await recipientOf(leaves.id, 'leaves@single.example'), ['', false, true]);
  assert.equal(await suppressed('leaves@single.example'), undefined);
  const again = await send('leaves@single.example');
  assert.notEqual(again.id, leaves.id);

  // Another account learns and changes nothing, whatever it knows of the message.
  const theirs = await other.call<{ url: string }>('noticeSourceCreate', { service: 'generic' });
  const foreign = {
    type: 'bounce',
    email: 'leaves@single.example',
    message_id: again.about.messageId,
    id: again.about.token,
  };
  assert.equal(await post(theirs.url, unsigned({ ...foreign, reply: '550 5.1.1' })), 200);
  await allTaken();
  assert.deepEqual(await recipientOf(again.id, 'leaves@single.example'), ['', false, false]);
});

const unknownOf = async (service: string) =>
  (await app.call<{ service: string; unknown: number }[]>('noticeSources')).find(
    (source) => source.service === service,
  )!.unknown;

test('forged and foreign requests have no effect, and are counted', async () => {
  const mine = await send(app, ['mine@reader.example', 'second@reader.example']);
  const theirs = await send(other, ['theirs@reader.example']);
  const about = aboutOf(mine.messages.get('mine@reader.example')!);
  const second = aboutOf(mine.messages.get('second@reader.example')!);
  const foreign = aboutOf(theirs.messages.get('theirs@reader.example')!);
  const bodyOf = (service: string, of: About) =>
    serviceSamples.find((sample) => sample.service === service && sample.class === 'hard')!.body(of);
  const before = await facts();
  const unknownBefore = await unknownOf('generic');

  const stranger: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const changed = (posted: Posted): Posted => ({ ...posted, body: posted.body.replaceAll(about.email, second.email) });
  const sns = (given: Partial<Parameters<typeof signedBySns>[0]>, key = snsKey) =>
    signedBySns({ message: JSON.stringify(bodyOf('ses', about)), topic, certUrl, ...given }, key);
  const forged: [service: string, posted: Posted, status: number][] = [
    ['ses', sns({}, stranger), 401],
    ['ses', changed(sns({})), 401],
    ['ses', sns({ topic: 'arn:aws:sns:eu-west-1:999999999999:theirs' }), 401],
    ['ses', sns({ certUrl: 'https://sns.eu-west-1.amazonaws.com.evil.example/a.pem' }), 401],
    ['ses', sns({ certUrl: 'https://evil.example/sns.eu-west-1.amazonaws.com/a.pem' }), 401],
    ['ses', sns({ certUrl: 'http://sns.eu-west-1.amazonaws.com/a.pem' }), 401],
    ['ses', sns({ type: 'SubscriptionConfirmation', subscribeUrl: 'https://evil.example/confirm' }), 401],
    ['ses', unsigned(bodyOf('ses', about)), 401],
    ['sendgrid', signedBySendGrid(bodyOf('sendgrid', about), stranger), 401],
    ['sendgrid', changed(signedBySendGrid(bodyOf('sendgrid', about), sendGridKeys.privateKey)), 401],
    ['sendgrid', unsigned(bodyOf('sendgrid', about)), 401],
    ['mailgun', signedByMailgun(bodyOf('mailgun', about) as object, 'another key of sixteen'), 401],
    ['resend', signedByResend(bodyOf('resend', about), `whsec_${randomBytes(24).toString('base64')}`), 401],
    ['resend', changed(signedByResend(bodyOf('resend', about), resendKey)), 401],
    ['resend', signedByResend(bodyOf('resend', about), resendKey, Date.now() - 6 * 60_000), 401],
    ['postmark', { headers: {}, body: '{"RecordType":' }, 400],
    ['generic', unsigned({ type: 'dead', email: about.email, message_id: about.messageId }), 401],
  ];
  for (const [index, [service, posted, status]] of forged.entries())
    assert.equal(await post(urls.get(service)!, posted), status, `${index} ${service}`);

  // The signature of Mailgun does not cover its body: the same token does not carry another one.
  const once = signedByMailgun({ 'event-data': { event: 'delivered' } }, mailgunKey);
  assert.equal(await post(urls.get('mailgun')!, once), 200);
  const moved = JSON.stringify({ ...(bodyOf('mailgun', about) as object), signature: JSON.parse(once.body).signature });
  assert.equal(await post(urls.get('mailgun')!, { ...once, body: moved }), 401);

  // Wrong addresses.
  const postmark = new URL(urls.get('postmark')!);
  const good = unsigned(bodyOf('postmark', about));
  for (const path of [
    `/in/postmark/${'A'.repeat(43)}`,
    `/in/brevo/${postmark.pathname.split('/').at(-1)}`,
    '/in/postmark/x',
    '/in/nothing/x',
  ])
    assert.equal(await post(new URL(path, postmark).href, good), 404, path);

  // Genuine requests about messages of another account, of no account, to another address.
  const wrong = (hex: string) => hex.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  for (const notice of [
    { id: foreign.token, email: foreign.email },
    { message_id: foreign.messageId, email: foreign.email },
    { id: wrong(about.token), email: about.email },
    { message_id: '<20261120.1234@elsewhere.example>', email: about.email },
    { message_id: about.messageId.replace(/\w@/, (end) => wrong(end[0]!) + '@'), email: about.email },
    { email: about.email },
    { id: about.token, email: second.email },
  ])
    assert.equal(
      await post(urls.get('generic')!, unsigned({ type: 'bounce', reply: '550 5.1.1 unknown', ...notice })),
      200,
    );
  await allTaken();
  assert.deepEqual(await facts(), before);
  const sources = await app.call<Record<string, unknown>[]>('noticeSources');
  const named = (service: string) => sources.find((source) => source.service === service)!;
  assert.deepEqual([named('ses').refused, named('ses').state], [8, 'refused']);
  assert.equal((await unknownOf('generic')) - unknownBefore, 6);
  assert.match(String(named('sendgrid').problem), /signature/);
});

test('a body of the wrong kind is refused with what was expected', async () => {
  const problemOf = async (service: string) => {
    const sources = await app.call<{ service: string; problem: string }[]>('noticeSources');
    return sources.find((source) => source.service === service)!.problem;
  };
  const kinds: [json: string, kind: string][] = [
    ['null', 'null'],
    ['7', 'a number'],
    ['"x"', 'a string'],
  ];
  const lists = ['generic', 'postmark', 'brevo', 'mailjet', 'sparkpost'];
  const singles = ['mailgun', 'ses'];
  for (const [json, kind] of kinds) {
    for (const service of [...lists, ...singles]) {
      assert.equal(await post(urls.get(service)!, { headers: {}, body: json }), 400, service);
      const expected = lists.includes(service) ? 'an object or an array of objects' : 'an object';
      assert.equal(await problemOf(service), `the body must be ${expected}, but is ${kind}`);
    }
    assert.equal(await post(urls.get('resend')!, genuine('resend', JSON.parse(json))), 400);
    assert.equal(await problemOf('resend'), `the body must be an object, but is ${kind}`);
  }
  assert.equal(await post(urls.get('generic')!, { headers: {}, body: '[{"type":"bounce"},null]' }), 400);
  assert.equal(await problemOf('generic'), 'item 2 of the array must be an object, but is null');
  assert.equal(await post(urls.get('mailgun')!, { headers: {}, body: '[]' }), 400);
  assert.equal(await problemOf('mailgun'), 'the body must be an object, but is an array');
});

test('SNS is confirmed once its message is genuine, and ties the source to its topic', async () => {
  const { url } = await app.call<{ url: string }>('noticeSourceCreate', { service: 'ses', title: 'Second' });
  const confirmation = (of: string) =>
    signedBySns(
      {
        type: 'SubscriptionConfirmation',
        message: 'You have chosen to subscribe to the topic.',
        topic: of,
        certUrl,
        subscribeUrl: `https://${snsHost}/?Action=ConfirmSubscription&TopicArn=${of}`,
      },
      snsKey,
    );
  const first = 'arn:aws:sns:eu-west-1:123456789012:first';
  assert.equal(await post(url, confirmation(first)), 200);
  assert.equal(asked.filter((path) => path.includes(first)).length, 1);
  const second = 'arn:aws:sns:eu-west-1:123456789012:second';
  assert.equal(await post(url, confirmation(second)), 401);
  assert.ok(!asked.some((path) => path.includes(second)));
});

test('a new URL replaces the old one, a key is checked, and no answer repeats a secret', async () => {
  const made = await app.call<{ id: string; url: string }>('noticeSourceCreate', { service: 'brevo' });
  const empty = unsigned({ event: 'delivered', email: 'x@reader.example' });
  assert.equal(await post(made.url, empty), 200);
  assert.equal((await fetch(made.url)).status, 200);
  const replaced = await app.call<{ url: string }>('noticeSourceReplaceUrl', { id: made.id });
  assert.equal(await post(made.url, empty), 404);
  assert.equal(await post(replaced.url, empty), 200);
  const listed = JSON.stringify(await app.call('noticeSources'));
  for (const secret of [replaced.url, replaced.url.split('/').at(-1)!, mailgunKey, resendKey])
    assert.ok(!listed.includes(secret));
  await assert.rejects(app.call('noticeSourceUpdate', { id: made.id, name: 'key', value: 'x' }), /brevo does not sign/);
  await assert.rejects(other.call('noticeSourceDelete', { id: made.id }), /does not exist/);
  const pending = await app.call<{ id: string; url: string }>('noticeSourceCreate', { service: 'resend' });
  const state = async () =>
    (await app.call<Record<string, unknown>[]>('noticeSources')).find((source) => source.id === pending.id)!.state;
  assert.equal(await state(), 'needs_key');
  assert.equal(await post(pending.url, signedByResend({ type: 'email.sent' }, resendKey)), 401);
  await assert.rejects(app.call('noticeSourceUpdate', { id: pending.id, name: 'key', value: 'whsec_x' }), /key/);
  await app.call('noticeSourceUpdate', { id: pending.id, name: 'key', value: resendKey });
  assert.equal(await post(pending.url, signedByResend({ type: 'email.sent' }, resendKey)), 200);
  assert.equal(await state(), 'working');
  await app.call('noticeSourceDelete', { id: made.id });
  assert.equal(await post(replaced.url, empty), 404);
});
