// Every type of webhook event, caused by the real action: API, web application, form, message, link, import. Each
// action must bring exactly its events, with their members, to the webhooks that subscribe to that type, source and
// list, and to no other. The requests are real; the receiver distinguishes the webhooks by their paths.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { watchSegments } from '../../src/audience/segments/watch.ts';
import { runAutomations } from '../../src/automations/run/engine.ts';
import { sql } from '../../src/db/connect.ts';
import { startWorker, type Worker } from '../../src/delivery/worker.ts';
import { attemptTypes, bulkTypes, type EventSource, type EventType, eventTypes } from '../../src/events/types.ts';
import { type BounceListener, startBounceListener } from '../../src/returned/smtp/listener.ts';
import { handlers } from '../../src/task-handlers.ts';
import { type Dispatcher, startDispatcher } from '../../src/webhooks/dispatch.ts';
import { Browser } from '../support/browser/session.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { until } from '../support/run/until.ts';
import { complaints, originalId, report } from '../support/samples/bounces.ts';
import { type Entry, type Sink, startSink } from '../support/smtp-sink/sink.ts';

type Sent = { type: EventType; data: Record<string, unknown> & { id: string } };
type Hook = { path: string; wants(type: EventType, source: EventSource, list: string): boolean };

const sources = ['subscriber', 'admin', 'api'] as const;
const types = Object.keys(eventTypes) as EventType[];
const folder = mkdtempSync(join(tmpdir(), 'events-'));
const hooks: Hook[] = [];
let app: TestApp;
let base: string;
let sink: Sink;
let receiver: Receiver;
let listener: BounceListener;
let worker: Worker;
let dispatcher: Dispatcher;
let browser: Browser;
let list: string;
let otherList: string;
/** What eventTypes says of the data of each type. */
let examples: Map<string, Record<string, unknown>>;

before(async () => {
  sink = await startSink({ raw: true });
  receiver = await startReceiver();
  app = await testApp({
    DATA_DIR: folder,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    BOUNCE_DOMAIN: 'back.example',
    OUTBOUND_ALLOW: '127.0.0.0/8',
  });
  base = await app.listen();
  worker = await startWorker(app.app, handlers);
  listener = await startBounceListener(app.app, 0);
  dispatcher = startDispatcher(app.app, { gatherMs: 5, pollMs: 50 });
  browser = new Browser(base);
  assert.equal((await browser.signIn('owner@example.com', 'correct horse')).status, 200);
  list = await app.call<string>('listCreate', { title: 'Letter', options: { public: true } });
  otherList = await app.call<string>('listCreate', { title: 'Other' });
  const described = await app.call<{ type: string; example: Record<string, unknown> }[]>('eventTypes');
  examples = new Map(described.map(({ type, example }) => [type, example]));
  const add = async (path: string, options: Record<string, unknown>, wants: Hook['wants']) => {
    hooks.push({ path: `/hook/${path}`, wants });
    await app.call('webhookCreate', { title: path, options: { url: `${receiver.url}/${path}`, ...options } });
  };
  await add('all', {}, (type) => !bulkTypes.includes(type));
  for (const name of types) await add(name, { events: [name] }, (type) => type === name);
  for (const name of sources) await add(name, { sources: [name] }, (_type, source) => source === name);
  // An event that belongs to no list, such as the end of a campaign, goes to all.
  await add('list', { list_id: list }, (_type, _source, of) => of === list || of === '');
  await add('other-list', { list_id: otherList }, (_type, _source, of) => of === otherList || of === '');
  await add(
    'all-three',
    { list_id: list, sources: ['api'], events: ['contact.subscribe', 'email.open'] },
    (type, source, of) => of === list && source === 'api' && (type === 'contact.subscribe' || type === 'email.open'),
  );
});
after(async () => {
  await dispatcher.stop();
  await listener.close();
  await worker.stop();
  await receiver.close();
  await sink.close();
  app.app.outbound.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

const api = async (method: string, params: Record<string, unknown>) => {
  const response = await fetch(`${base}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  const answer = (await response.json()) as unknown;
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer as string;
};
const signedIn = async (method: string, params: Record<string, unknown>) => {
  const { status, body } = await browser.call<string>(method, params);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const visit = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, { redirect: 'manual', ...init });
  await response.arrayBuffer();
  return response.status;
};
const posted = (url: string, form: Record<string, string> = {}) =>
  visit(url, { method: 'POST', body: new URLSearchParams(form) });

const eventsIn = (from: number, path: string): Sent[] =>
  receiver.posts
    .slice(from)
    .filter((post) => post.path === path)
    .flatMap((post) => (JSON.parse(post.body.toString()) as { events: Sent[] }).events);

/** Does something, and answers with the events that came of it; every webhook must have got its part of them. */
async function causes(action: () => Promise<unknown>, expected: [EventType, EventSource, string?][]): Promise<Sent[]> {
  const from = receiver.posts.length;
  await action();
  await until(`these events have come: ${expected.map(([type]) => type).join(', ') || 'none'}`, async () => {
    const waits = await app.app.db.row(sql`select 1 from webhook_event limit 1`);
    return !waits && eventsIn(from, '/hook/all').length >= expected.length;
  });
  const all = eventsIn(from, '/hook/all');
  assert.deepEqual(all.map((event) => event.type).sort(), expected.map(([type]) => type).sort());
  for (const { type, data } of all) {
    // Only events about single messages have it.
    const { message: _message, ...ofCampaign } = data;
    const shown = type.startsWith('email.') ? ofCampaign : data;
    assert.deepEqual(shape(shown), shape(examples.get(type)!), `the example of ${type} is as what is sent`);
    const { id: _, ...rest } = data;
    assert.deepEqual(eventTypes[type].data.parse(rest), rest, `what is sent as ${type} fits its schema`);
  }
  const events = all.map((event) => {
    const [, source, of = list] = expected.find(([type]) => type === event.type)!;
    if (event.type.startsWith('contact.') || event.type === 'email.change') assert.equal(event.data['source'], source);
    if ('list' in event.data) assert.equal(event.data['list'], of);
    return { ...event, source, list: of };
  });
  for (const hook of hooks)
    assert.deepEqual(
      eventsIn(from, hook.path)
        // One for each message; they have a test of their own.
        .filter(({ type }) => !bulkTypes.includes(type))
        .map((event) => event.data.id)
        .sort(),
      events
        .filter((event) => hook.wants(event.type, event.source, event.list))
        .map((event) => event.data.id)
        .sort(),
      `what came to ${hook.path} of ${JSON.stringify(expected)}`,
    );
  return all;
}

const common = ['id', 'contact', 'list', 'email', 'email_type', 'fields', 'subscribe_ip', 'subscribe_ts', 'confirm_ip'];
const contactMembers = [...common, 'confirm_ts', 'optin_ip', 'optin_ts', 'source'].sort();
const leavingMembers = [...contactMembers, 'unsubscribe_ip', 'unsubscribe_ts', 'campaign', 'reason'].sort();
const mailMembers = ['id', 'campaign', 'list', 'contact', 'email', 'ts'];
const members = (event: Sent | undefined) => Object.keys(event!.data).sort();
/** Each member with the kind of its value. */
const shape = (data: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, typeof value]));
const timeForm = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** The newest mail to an address, its quoted-printable parts decoded as far as links need it. */
async function mailTo(email: string, since = 0): Promise<Entry & { text: string }> {
  const find = () => sink.log.slice(since).findLast((entry) => entry.event === 'accepted' && entry.to === email);
  await until(`a message to ${email} has arrived`, () => find() !== undefined);
  const entry = find()!;
  return { ...entry, text: entry.raw!.replace(/=\r\n/g, '').replaceAll('=3D', '=').replaceAll('&amp;', '&') };
}
const linkIn = (mail: { text: string }, kind: string) =>
  [...mail.text.matchAll(/https?:\/\/[^\s"'<>]+/g)]
    .map(([url]) => url)
    .find((url) => url.startsWith(`${base}/${kind}/`))!;

async function post(to: string, raw: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
  await transport.sendMail({ envelope: { from: '', to }, raw: raw.replace(/\n/g, '\r\n') });
  transport.close();
}

const subscribed = (email: string, id = list) => ({ id, email_address: email, double_optin: false });
const asApi = (email: string) => causes(() => api('listSubscribe', subscribed(email)), [['contact.subscribe', 'api']]);

/** A campaign to the list, and the events of its way out. */
async function send(extra: [EventType, EventSource, string?][] = []) {
  const cid = await api('campaignCreate', {
    type: 'html',
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'us@example.com',
      from_name: 'Us',
      tracking: { opens: true, html_clicks: true, text_clicks: true },
    },
    content: {
      html: '<p>Hello, <a href="https://example.com/offer?a=1">look</a> or <a href="*|UNSUB|*">leave</a> or <a href="*|UPDATE_PROFILE|*">change</a></p>',
      plain: 'Look: https://example.com/offer?a=1 or *|UNSUB|*',
    },
  });
  const events = await causes(
    () => api('campaignSendNow', { cid }),
    [['campaign.started', 'admin', ''], ['campaign.sent', 'admin', ''], ...extra],
  );
  return { cid, events };
}

test('contact.subscribe by a program, by a person signed in, and in a batch, each with its source and members', async () => {
  const [event] = await causes(
    () =>
      api('listSubscribe', {
        ...subscribed('ada@reader.example'),
        merge_vars: { FNAME: 'Ada', OPTINIP: '192.0.2.9', OPTINTIME: '2026-01-02 03:04:05' },
        email_type: 'text',
      }),
    [['contact.subscribe', 'api']],
  );
  assert.deepEqual(members(event), contactMembers);
  const { data } = event!;
  assert.match(data.id, /^evt_[0-9a-f]{24}$/);
  assert.deepEqual(
    [data['email'], data['email_type'], data['fields'], data['optin_ip'], data['optin_ts'], data['confirm_ts']],
    [
      'ada@reader.example',
      'text',
      { EMAIL: 'ada@reader.example', FNAME: 'Ada' },
      '192.0.2.9',
      '2026-01-02 03:04:05',
      '2026-01-02 03:04:05',
    ],
  );
  assert.match(String(data['subscribe_ts']), timeForm);
  const info = await app.call<{ id: string }>('listMemberInfo', { id: list, email_address: 'ada@reader.example' });
  assert.equal(data['contact'], info.id);
  await causes(
    () => signedIn('listSubscribe', subscribed('bob@reader.example', otherList)),
    [['contact.subscribe', 'admin', otherList]],
  );
  const batch = [{ EMAIL: 'b1@reader.example' }, { EMAIL: 'not one' }, { EMAIL: 'b2@reader.example' }];
  await causes(
    () => api('listBatchSubscribe', { id: list, batch, double_optin: false }),
    [
      ['contact.subscribe', 'api'],
      ['contact.subscribe', 'api'],
    ],
  );
});

test('with double opt-in contact.subscribe comes with the confirmation and not before, whatever asked for it', async () => {
  const { url } = await app.call<{ url: string }>('listForm', { id: list });
  const page = await (await fetch(url)).text();
  const look = /name="LOOK" value="([^"]+)"/.exec(page)![1]!;
  // A form that comes back sooner is one that no person has filled in.
  await sleep(2_500);
  await causes(() => posted(url, { EMAIL: 'form@reader.example', FNAME: 'Fay', CONSENT: '1', LOOK: look }), []);
  const mail = await mailTo('form@reader.example');
  await causes(() => visit(linkIn(mail, 'confirm')), []);
  const [event] = await causes(() => posted(linkIn(mail, 'confirm')), [['contact.subscribe', 'subscriber']]);
  assert.deepEqual(members(event), contactMembers);
  const { data } = event!;
  assert.deepEqual(
    [data['subscribe_ip'], data['confirm_ip'], data['fields']],
    ['127.0.0.1', '127.0.0.1', { EMAIL: 'form@reader.example', FNAME: 'Fay', LNAME: '' }],
  );
  await causes(() => posted(linkIn(mail, 'confirm')), []);
  await causes(() => api('listSubscribe', { id: list, email_address: 'twice@reader.example' }), []);
  const second = await mailTo('twice@reader.example');
  await causes(() => posted(linkIn(second, 'confirm')), [['contact.subscribe', 'subscriber']]);
});

test('an import emits an event for each changed contact, with the source that started it, and a dry run emits none', async () => {
  const file =
    'EMAIL,FNAME,STATUS\ni1@reader.example,Ida,\nada@reader.example,Adele,\nb1@reader.example,,unsubscribed\n';
  const ended = (id: string, state: string) =>
    until(`the import is ${state}`, async () => {
      const status = await app.call<{ state: string; predicted: Record<string, number> }>('importGet', {
        import: id,
      });
      return state === 'predicted' ? 'rows' in status.predicted : status.state === state;
    });
  const id = await api('importCreate', { id: list, content: file });
  await causes(async () => {
    await api('importDryRun', { import: id });
    await ended(id, 'predicted');
  }, []);
  const events = await causes(async () => {
    await api('importStart', { import: id });
    await ended(id, 'done');
  }, [
    ['contact.subscribe', 'api'],
    ['contact.update', 'api'],
    ['contact.unsubscribe', 'api'],
  ]);
  const of = (type: EventType) => events.find((event) => event.type === type);
  assert.deepEqual(members(of('contact.subscribe')), contactMembers);
  assert.deepEqual(members(of('contact.update')), contactMembers);
  assert.deepEqual(members(of('contact.unsubscribe')), leavingMembers);
  assert.equal((of('contact.update')!.data['fields'] as Record<string, string>)['FNAME'], 'Adele');
  assert.match(String(of('contact.unsubscribe')!.data['unsubscribe_ts']), timeForm);
  // Ids and dates are spelled by SQL here, and by the program elsewhere.
  const info = await app.call<{ id: string; confirm_time: string }>('listMemberInfo', {
    id: list,
    email_address: 'i1@reader.example',
  });
  const { contact, confirm_ts } = of('contact.subscribe')!.data;
  assert.deepEqual([contact, confirm_ts], [info.id, info.confirm_time]);
  await causes(async () => {
    await api('importUndo', { import: id });
    await ended(id, 'undone');
  }, [
    ['contact.delete', 'api'],
    ['contact.update', 'api'],
    ['contact.update', 'api'],
  ]);
  const mine = await signedIn('importCreate', { id: list, content: 'EMAIL\ni2@reader.example\n' });
  await causes(async () => {
    await signedIn('importStart', { import: mine });
    await ended(mine, 'done');
  }, [['contact.subscribe', 'admin']]);
  const asked = await api('importCreate', {
    id: list,
    content: 'EMAIL\ni3@reader.example\n',
    options: { double_optin: true },
  });
  await causes(async () => {
    await api('importStart', { import: asked });
    await ended(asked, 'done');
  }, []);
  const mail = await mailTo('i3@reader.example');
  await causes(() => posted(linkIn(mail, 'confirm')), [['contact.subscribe', 'subscriber']]);
});

test('contact.update and email.change by a program and a person signed in; by the preference page the contact is the source', async () => {
  await asApi('carl@reader.example');
  const change = (email_address: string, merge_vars: Record<string, string>) => ({
    id: list,
    email_address,
    merge_vars,
  });
  const [event] = await causes(
    () => api('listUpdateMember', change('carl@reader.example', { FNAME: 'Carl' })),
    [['contact.update', 'api']],
  );
  assert.deepEqual(members(event), contactMembers);
  assert.deepEqual(event!.data['fields'], { EMAIL: 'carl@reader.example', FNAME: 'Carl' });
  await causes(
    () => signedIn('listUpdateMember', change('carl@reader.example', { FNAME: 'Karl' })),
    [['contact.update', 'admin']],
  );
  for (const [caller, source, from, to] of [
    [api, 'api', 'carl', 'karl'],
    [signedIn, 'admin', 'karl', 'carl'],
  ] as const) {
    const events = await causes(
      () => caller('listUpdateMember', change(`${from}@reader.example`, { EMAIL: `${to}@reader.example` })),
      [
        ['email.change', source],
        ['contact.update', source],
      ],
    );
    const { data } = events.find(({ type }) => type === 'email.change')!;
    assert.deepEqual(
      Object.keys(data).sort(),
      ['id', 'contact', 'list', 'email', 'old_email', 'new_email', 'source', 'ts'].sort(),
    );
    assert.deepEqual(
      [data['old_email'], data['new_email'], data['email']],
      [`${from}@reader.example`, `${to}@reader.example`, `${to}@reader.example`],
    );
  }
});

test('contact.delete by a program and by a person signed in', async () => {
  await asApi('del1@reader.example');
  await asApi('del2@reader.example');
  const [event] = await causes(
    () => api('listMemberDelete', { id: list, email_address: 'del1@reader.example' }),
    [['contact.delete', 'api']],
  );
  assert.deepEqual(members(event), contactMembers);
  assert.equal(event!.data['email'], 'del1@reader.example');
  await causes(
    () => signedIn('listUnsubscribe', { id: list, email_address: 'del2@reader.example', delete_member: true }),
    [['contact.delete', 'admin']],
  );
});

test('campaign.sent, email.bounce, email.open, email.click, email.complaint and unsubscribing by every way a message offers', async () => {
  for (const name of ['open', 'leave', 'oneclick', 'mailto', 'profile', 'angry', 'dead', '550rcpt.refused'])
    await asApi(`${name}@reader.example`);
  const since = sink.log.length;
  const { cid, events } = await send([
    ['email.bounce', 'subscriber'],
    ['address.suppressed', 'subscriber', ''],
  ]);
  const of = (type: EventType, from = events) => from.find((event) => event.type === type);
  const sent = of('campaign.sent')!;
  assert.deepEqual(members(sent), ['id', 'campaign', 'title', 'emails_sent', 'failed', 'skipped', 'ts'].sort());
  const { accepted } = await app.call<{ accepted: number }>('campaignProgress', { cid });
  const { campaign, title, emails_sent, failed, skipped } = sent.data;
  assert.deepEqual([campaign, title, emails_sent, failed, skipped], [cid, 'News', accepted, 1, 0]);
  const refused = of('email.bounce');
  assert.deepEqual(members(refused), [...mailMembers, 'class', 'code', 'reply'].sort());
  assert.deepEqual(
    [refused!.data['email'], refused!.data['class'], refused!.data['code'], refused!.data['campaign']],
    ['550rcpt.refused@reader.example', 'hard', 550, cid],
  );

  // An open within a second of the delivery counts as a machine's.
  await sleep(1_200);
  const person = {
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
  };
  const opened = await mailTo('open@reader.example', since);
  const [openEvent] = await causes(() => visit(linkIn(opened, 'o'), person), [['email.open', 'subscriber']]);
  assert.deepEqual(members(openEvent), [...mailMembers, 'ip', 'user_agent'].sort());
  assert.deepEqual(
    [openEvent!.data['email'], openEvent!.data['campaign'], openEvent!.data['ip'], openEvent!.data['user_agent']],
    ['open@reader.example', cid, '127.0.0.1', person.headers['user-agent']],
  );
  const [click] = await causes(() => visit(linkIn(opened, 'c'), person), [['email.click', 'subscriber']]);
  assert.deepEqual(members(click), [...mailMembers, 'ip', 'user_agent', 'url'].sort());
  assert.equal(click!.data['url'], 'https://example.com/offer?a=1');
  assert.match(String(click!.data['ts']), timeForm);
  await causes(() => visit(linkIn(opened, 'c'), { method: 'HEAD', ...person }), []);
  await causes(() => visit(linkIn(opened, 'o'), { headers: { 'user-agent': 'curl/8.5.0' } }), []);

  const unsubscribe: [EventType, EventSource] = ['contact.unsubscribe', 'subscriber'];
  const leaving = await mailTo('leave@reader.example', since);
  const [left] = await causes(
    () => posted(linkIn(leaving, 'u'), { why: 'too many mails', reason: 'daily' }),
    [unsubscribe],
  );
  assert.deepEqual(members(left), leavingMembers);
  assert.deepEqual([left!.data['campaign'], left!.data['unsubscribe_ip']], [cid, '127.0.0.1']);
  assert.match(String(left!.data['reason']), /^too many mails.*daily/);
  await causes(() => posted(linkIn(leaving, 'u')), []);
  const oneClick = await mailTo('oneclick@reader.example', since);
  const header = /^List-Unsubscribe: <(http[^>]+)>/m.exec(oneClick.raw!)![1]!;
  await causes(() => posted(header, { 'List-Unsubscribe': 'One-Click' }), [unsubscribe]);
  const byMail = await mailTo('mailto@reader.example', since);
  const token = /subject=([\w-]+)>/.exec(byMail.raw!)![1]!;
  const [mailed] = await causes(
    () => post('unsubscribe@back.example', `From: mailto@reader.example\nSubject: ${token}\n\nx\n`),
    [unsubscribe],
  );
  assert.deepEqual(members(mailed), leavingMembers);
  const profile = linkIn(await mailTo('profile@reader.example', since), 'p');
  const [changed] = await causes(
    () => posted(profile, { form: 'preferences', [`list.${list}`]: '1', FNAME: 'Pat', email_type: 'text' }),
    [['contact.update', 'subscriber']],
  );
  assert.deepEqual([changed!.data['email_type'], changed!.data['email']], ['text', 'profile@reader.example']);
  await causes(() => posted(profile, { form: 'preferences', FNAME: 'Pat' }), [unsubscribe]);
  await causes(
    () => posted(profile, { form: 'preferences', [`list.${list}`]: '1', FNAME: 'Pat' }),
    [['contact.subscribe', 'subscriber']],
  );

  const dead = await mailTo('dead@reader.example', since);
  const notice = report({
    from: 'MAILER-DAEMON@mx.reader.example',
    subject: 'Undelivered Mail Returned to Sender',
    text: 'This is the mail system.',
    status: `Reporting-MTA: dns; mx.reader.example\n\nFinal-Recipient: rfc822; ${dead.to}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown`,
  }).replaceAll(originalId, dead.messageId!);
  const returned = await causes(
    () => post(dead.from!, notice),
    [
      ['email.bounce', 'subscriber'],
      ['address.suppressed', 'subscriber', ''],
    ],
  );
  const bounce = of('email.bounce', returned);
  const { kind, value, reason, campaign: cause } = of('address.suppressed', returned)!.data;
  assert.deepEqual([kind, value, reason, cause], ['address', 'dead@reader.example', 'bounce', cid]);
  assert.deepEqual(members(bounce), [...mailMembers, 'class', 'code', 'reply'].sort());
  assert.deepEqual([bounce!.data['class'], bounce!.data['reply']], ['hard', '550 5.1.1 User unknown']);
  await causes(() => post(dead.from!, notice), []);

  const angry = await mailTo('angry@reader.example', since);
  const complained = await causes(
    () => post(angry.from!, complaints[0]!.raw.replaceAll(originalId, angry.messageId!)),
    [['email.complaint', 'subscriber'], ['address.suppressed', 'subscriber', ''], unsubscribe],
  );
  assert.deepEqual(members(of('email.complaint', complained)), [...mailMembers, 'feedback_type'].sort());
  assert.deepEqual(of('email.complaint', complained)!.data['campaign'], cid);
});

test('contact.unsubscribe by a program and by a person signed in, and events of another list go only to its webhooks', async () => {
  await asApi('un1@reader.example');
  const [event] = await causes(
    () => api('listUnsubscribe', { id: list, email_address: 'un1@reader.example', send_goodbye: false }),
    [['contact.unsubscribe', 'api']],
  );
  assert.deepEqual(members(event), leavingMembers);
  assert.equal(event!.data['campaign'], '');
  await causes(
    () => signedIn('listUnsubscribe', { id: otherList, email_address: 'bob@reader.example', send_goodbye: false }),
    [['contact.unsubscribe', 'admin', otherList]],
  );
});

test('message.accepted and message.failed when the end for a recipient of a single message is known', async () => {
  const send = (to: string[]) => api('messageSend', { to, subject: 'Your order', plain: 'It is on its way.' });
  const [accepted] = await causes(() => send(['order@single.example']), [['message.accepted', 'api', '']]);
  assert.equal(accepted!.data['code'], 250);
  assert.match(String(accepted!.data['message']), /^[0-9a-f]{16}$/);
  const refused = await causes(
    () => send(['550rcpt@single.example']),
    [
      ['email.bounce', 'subscriber', ''],
      ['address.suppressed', 'subscriber', ''],
      ['message.failed', 'api', ''],
    ],
  );
  const failed = refused.find(({ type }) => type === 'message.failed')!;
  assert.deepEqual([failed.data['reason'], failed.data['code']], ['hard', 550]);
  const [skipped] = await causes(() => send(['550rcpt@single.example']), [['message.failed', 'api', '']]);
  assert.deepEqual([skipped!.data['reason'], skipped!.data['code']], ['suppressed', 0]);
});

test('address.suppressed and the events of segments, with who caused them', async () => {
  const email_address = 'never@suppressed.example';
  const [byKey] = await causes(
    () => api('suppressedListSubscribe', { email_address }),
    [['address.suppressed', 'api', '']],
  );
  assert.deepEqual([byKey!.data['value'], byKey!.data['reason']], [email_address, 'api']);
  await causes(() => api('suppressedListUnsubscribe', { email_address }), []);
  await causes(
    () => signedIn('suppressedListSubscribe', { email_address: '@suppressed.example' }),
    [['address.suppressed', 'admin', '']],
  );
  const filter = [{ field: 'FNAME', condition: 'starts', value: 'A' }];
  const [created] = await causes(
    () => api('listSegmentCreate', { list, title: 'A', match: 'all', filter }),
    [['segment.created', 'api']],
  );
  const id = created!.data['segment'];
  const [updated] = await causes(
    () => signedIn('listSegmentUpdate', { id, title: 'Letter A' }),
    [['segment.updated', 'admin']],
  );
  assert.deepEqual([updated!.data['segment'], updated!.data['title']], [id, 'Letter A']);
  await causes(() => api('listSegmentDelete', { id }), [['segment.deleted', 'api']]);
});

test('each thing that happens to a campaign is an event, with who caused it', async () => {
  const cid = await api('campaignCreate', {
    type: 'auto',
    options: { list_id: list, subject: 'Welcome', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: { html: '<p>Hello <a href="*|UNSUB|*">leave</a></p>' },
    type_opts: { 'offset-units': 'day', 'offset-time': 3, 'offset-dir': 'after', event: 'signup' },
  });
  await causes(() => api('campaignSendNow', { cid }), [['campaign.started', 'admin', '']]);
  await causes(() => api('campaignPause', { cid }), [['campaign.paused', 'api', '']]);
  await causes(() => signedIn('campaignResume', { cid }), [['campaign.resumed', 'admin', '']]);
  const news = await api('campaignCreate', {
    type: 'plain',
    options: { list_id: list, subject: 'News', from_email: 'us@example.com', from_name: 'Us' },
    content: { plain: 'Hello *|UNSUB|*' },
  });
  const schedule = { cid: news, schedule_time: '2099-05-01 09:00:00' };
  await causes(() => api('campaignSchedule', schedule), [['campaign.scheduled', 'api', '']]);
  await causes(() => signedIn('campaignUnschedule', { cid: news }), [['campaign.unscheduled', 'admin', '']]);
});

test('the end of an A/B test is an event, before the campaign is sent to the others', async () => {
  for (const name of ['one', 'two', 'three'])
    await causes(
      () => api('listSubscribe', subscribed(`${name}@variants.example`, otherList)),
      [['contact.subscribe', 'api', otherList]],
    );
  const cid = await api('campaignCreate', {
    type: 'plain',
    options: { list_id: otherList, subject: 'News', from_email: 'us@example.com', from_name: 'Us' },
    content: { plain: 'Hello *|UNSUB|*' },
  });
  await api('campaignTestUpdate', { cid, share: 1, winner: 'manual', variants: [{ subject: 'Other news' }] });
  await causes(() => api('campaignSendNow', { cid }), [['campaign.started', 'admin', '']]);
  await until('the test waits for a person', async () => {
    const { state } = await app.call<{ state: string }>('campaignTestGet', { cid });
    return state === 'waiting';
  });
  const events = await causes(
    () => api('campaignTestChoose', { cid, variant: 1 }),
    [
      ['campaign.winner_chosen', 'api', ''],
      ['campaign.sent', 'admin', ''],
    ],
  );
  const chosen = events.find(({ type }) => type === 'campaign.winner_chosen')!;
  assert.deepEqual([chosen.data['variant'], chosen.data['by']], [1, 'person']);
});

test('email.accepted and email.deferred for each message of a campaign, to webhooks that name them', async () => {
  const own = await api('listCreate', { title: 'Attempts' });
  for (const name of ['fine', '451x1rcpt.later'])
    await causes(
      () => api('listSubscribe', subscribed(`${name}@attempts.example`, own)),
      [['contact.subscribe', 'api', own]],
    );
  const cid = await api('campaignCreate', {
    type: 'plain',
    options: { list_id: own, subject: 'News', from_email: 'us@example.com', from_name: 'Us' },
    content: { plain: 'Hello *|UNSUB|*' },
  });
  const from = receiver.posts.length;
  await causes(() => api('campaignSendNow', { cid }), [['campaign.started', 'admin', '']]);
  const got = (type: EventType) => eventsIn(from, `/hook/${type}`);
  await until('both events have come', () => got('email.accepted').length > 0 && got('email.deferred').length > 0);
  assert.deepEqual(
    attemptTypes.map((type) => got(type).map(({ data }) => data['email'])),
    [['fine@attempts.example'], ['451x1rcpt.later@attempts.example']],
  );
  for (const type of attemptTypes) {
    const { id: _, ...data } = got(type)[0]!.data;
    assert.deepEqual(eventTypes[type].data.parse(data), data, type);
    assert.deepEqual([data['campaign'], data['list']], [cid, own]);
  }
  const [accepted, deferred] = attemptTypes.map((type) => got(type)[0]!.data);
  assert.equal(accepted!['code'], 250);
  assert.equal(deferred!['code'], 451);
  assert.ok(String(deferred!['next_ts']) > String(deferred!['ts']));
  await causes(() => api('campaignPause', { cid }), [['campaign.paused', 'api', '']]);
});

test('segment.joined and segment.left, to webhooks that name them', async () => {
  const own = await api('listCreate', { title: 'Watched' });
  const id = await api('listSegmentCreate', {
    list: own,
    title: 'Berlin',
    match: 'all',
    filter: [{ field: 'FNAME', condition: 'is', value: 'Bea' }],
  });
  const look = async () => {
    await app.app.db.run(sql`update segment_watch set look_at = now()`);
    await watchSegments({ app: app.app, signal: new AbortController().signal });
  };
  await look();
  const from = receiver.posts.length;
  const subscribe = (FNAME: string) =>
    api('listSubscribe', {
      id: own,
      email_address: 'bea@watched.example',
      merge_vars: { FNAME },
      double_optin: false,
      update_existing: true,
    });
  const got = (type: EventType) => eventsIn(from, `/hook/${type}`).filter(({ data }) => data['segment'] === id);
  for (const [type, name] of [
    ['segment.joined', 'Bea'],
    ['segment.left', 'Ann'],
  ] as const) {
    await subscribe(name);
    await look();
    await until(`${type} has come`, () => got(type).length > 0);
    const { id: _, ...data } = got(type)[0]!.data;
    assert.deepEqual(eventTypes[type].data.parse(data), data, type);
    assert.deepEqual([data['list'], data['title'], data['email']], [own, 'Berlin', 'bea@watched.example']);
    assert.deepEqual(data['fields'], { EMAIL: 'bea@watched.example', FNAME: name });
  }
  assert.deepEqual([got('segment.joined').length, got('segment.left').length], [1, 1]);
});

test('automation.step when a contact reaches a step of type webhook', async () => {
  const own = await api('listCreate', { title: 'Automated' });
  const id = await api('automationCreate', { title: 'Welcome', list: own });
  const steps = [{ key: 'report', type: 'webhook', name: 'joined' }];
  await api('automationUpdate', { id, trigger: { type: 'subscribed' }, steps });
  await api('automationStart', { id });
  const subscribe = async () => {
    await api('listSubscribe', subscribed('new@automated.example', own));
    await until('the engine has run', async () => (await runAutomations(app.app)) > 0);
  };
  const events = await causes(subscribe, [
    ['contact.subscribe', 'api', own],
    ['automation.step', 'admin', own],
  ]);
  const { data } = events.find(({ type }) => type === 'automation.step')!;
  assert.deepEqual([data['automation'], data['name'], data['email']], [id, 'joined', 'new@automated.example']);
});

test('every type and every source has been sent to the webhook that subscribes only to it', () => {
  for (const name of [...types, ...sources]) assert.ok(eventsIn(0, `/hook/${name}`).length > 0, name);
});
