// Single messages from the call to the relay and back: one process with a worker, the built-in inbox and a database.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { type MailingApp, mailingApp } from '../../test/support/installation/mailing-app.ts';
import { until } from '../../test/support/run/until.ts';
import { sql } from '../db/connect.ts';
import { endMessageDays, finishMissed } from '../delivery/outcomes/finish.ts';
import { call } from '../doors/call.ts';
import { methods } from '../doors/registry.ts';
import type { AnyMethod } from '../method/method.ts';
import { WireNumber } from '../method/wire.ts';
import { takeReturned } from '../returned/record/intake.ts';
import { parseMessageId } from './info.ts';
import { purgeMessages } from './retention.ts';

type Info = {
  id: string;
  subject: string;
  message_id: string;
  has_content: boolean;
  recipients: {
    email: string;
    type: string;
    state: string;
    reason: string;
    opens: number;
    clicks: number;
    bounce: string;
    complained: boolean;
  }[];
};

let app: MailingApp;
let list: string;

before(async () => {
  app = await mailingApp();
  list = await app.call<string>('listCreate', { title: 'List' });
});
after(() => app.close());

/** Lists within each other. */
const deep = (levels: number): unknown[] => (levels === 1 ? [] : [deep(levels - 1)]);

const send = (given: Record<string, unknown>) =>
  app.call<{ id: string; message_id: string }>('messageSend', { subject: 'Hi', plain: 'Text', ...given });

async function settled(id: string): Promise<Info> {
  for (let i = 0; i < 400; i++) {
    const info = await app.call<Info>('messageGet', { id });
    if (info.recipients.every(({ state }) => !['queued', 'trying'].includes(state))) return info;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return assert.fail('the message has no final state');
}

/** What an address received, newest first. */
async function received(email: string) {
  const rows = await app.app.db.rows<{ source: Buffer; mailFrom: string }>(sql`
    select source, mail_from as "mailFrom" from inbox_message where ${email} = any (rcpt_to) order by id desc`);
  return Promise.all(
    rows.map(async ({ source, mailFrom }) => ({
      mailFrom,
      raw: source.toString(),
      ...(await PostalMime.parse(source)),
    })),
  );
}

test('values may be objects and lists, which loops repeat, and each item has links of its own', async () => {
  const { id } = await send({
    to: 'cart@example.com',
    subject: 'Order *|ORDER:no|* for *|ORDER:customer.name:you|* with *|EACH:ITEMS|**|ITEM:name|*;*|END:EACH|*',
    html: '<p>*|IF:ORDER:total>20 AND NAME=Ada|*big*|END:IF|**|EACH:ITEMS|*<a href="https://shop.example/p/*|ITEM:id|*">*|ITEM:name|*</a><a href="*|ITEM:url|*">more</a>*|END:EACH|*<a href="https://shop.example/">shop</a></p>',
    plain: '*|EACH:ORDER:notes|*- *|ITEM|*\n*|END:EACH|*',
    values: {
      name: 'Ada',
      order: { no: 17, total: 30.5, customer: { name: '<Ada>' }, notes: ['one', 'two *|NAME|*'] },
      items: [
        { id: 'a', name: 'Boots & co', url: 'https://a.example/x' },
        { id: 'b', name: 'Hat', url: 'javascript:alert(1)' },
        { id: 'a', name: 'Again', url: 'https://a.example/x?*|NAME|*' },
      ],
    },
  });
  await settled(id);
  const [mail] = await received('cart@example.com');
  assert.equal(mail!.subject, 'Order 17 for <Ada> with Boots & co;Hat;Again;');
  assert.equal(mail!.text!.replace(/\r\n/g, '\n').trim(), '- one\n- two *|NAME|*');
  const numbers = new Map<string, number>();
  const html = mail!.html!.replace(/https?:\/\/[^"]*\/c\/[\w-]{32}(\w+)/g, (_, no: string) => {
    if (!numbers.has(no)) numbers.set(no, numbers.size);
    return `#${numbers.get(no)}`;
  });
  assert.match(
    html,
    /^<p>big<a href="#0">Boots &amp; co<\/a><a href="#1">more<\/a><a href="#2">Hat<\/a><a href="">more<\/a><a href="#0">Again<\/a><a href="#3">more<\/a><a href="#4">shop<\/a>/,
  );
  const links = await app.app.db.rows<{ target: string }>(sql`
    select target
    from link
    where account_id = ${app.account.id}
      and no = any (${[...numbers.keys()].map((no) => Number.parseInt(no, 36))}::int[])
    order by no`);
  assert.deepEqual(
    links.map(({ target }) => target),
    [
      'https://shop.example/p/a',
      'https://a.example/x',
      'https://shop.example/p/b',
      'https://a.example/x?%2A%7CNAME%7C%2A',
      'https://shop.example/',
    ],
  );
  // A click leads to the item.
  const click = [...mail!.html!.matchAll(/\/c\/[\w-]+/g)].map(([path]) => path)[2]!;
  const answer = await fetch(app.base + click, { redirect: 'manual' });
  assert.deepEqual([answer.status, answer.headers.get('location')], [302, 'https://shop.example/p/b']);
});

test('numbers and base64 texts within objects and lists of XML-RPC are values as those of JSON', async () => {
  const number = (raw: string) => new WireNumber(raw, Number(raw));
  const shown = (await call(
    app.app,
    'messageRender',
    {
      subject: 's',
      plain:
        '*|N|* *|ORDER:total|* *|ORDER:note|*: *|EACH:ITEMS|**|ITEM:q|*;*|END:EACH|**|EACH:NOS|**|ITEM|*;*|END:EACH|*',
      values: {
        n: number('7'),
        order: { total: number('59.90'), note: new Uint8Array(Buffer.from('Grüße')) },
        items: [{ q: number('1') }, { q: number('2') }],
        nos: [number('3'), number('12345678901234567890')],
      },
    },
    { kind: 'system', accountId: app.account.id },
    'xmlrpc',
  )) as { plain: string };
  assert.equal(shown.plain.trim(), '7 59.9 Grüße: 1;2;3;12345678901234567890;');
});

test('a message shows nothing for loops without a list, and names what is unknown', async () => {
  const shown = await app.call<Record<string, unknown>>('messageRender', {
    subject: 's',
    plain: 'a*|EACH:ITEMS|*x*|END:EACH|*b*|ORDER:no:none|*c*|ORDER|*d*|EACH:NAMES|*y*|END:EACH|*',
    values: { order: {}, names: [] },
  });
  assert.equal(shown['plain'], 'abnonecd');
  assert.deepEqual(shown['unknown_tags'], ['ITEMS', 'ORDER']);
});

test('a message reaches To, Cc and Bcc once each, with its values, headers and one Message-ID', async () => {
  const sent = await send({
    to: ['"Lovelace, Ada" <ada@example.com>', 'ADA@example.com'],
    cc: ['Zoë <zoe@example.com>'],
    bcc: ['hidden@example.com'],
    reply_to: ['help@example.com'],
    from_name: 'Shop',
    subject: 'Order *|ORDER|* – done',
    html: '<p>Dear *|name|*, see <a href="https://shop.example/o?n=*|ORDER|*">here</a> *|UNSUB|*</p>',
    plain: undefined,
    values: { NAME: '<Ada>', order: 17 },
    headers: { 'X-Order': '17', 'in-reply-to': '<a@b.example>' },
    tags: ['order'],
  });
  const info = await settled(sent.id);
  assert.deepEqual(
    info.recipients.map(({ email, type, state }) => [email, type, state]),
    [
      ['ada@example.com', 'to', 'accepted'],
      ['zoe@example.com', 'cc', 'accepted'],
      ['hidden@example.com', 'bcc', 'accepted'],
    ],
  );
  for (const email of ['ada@example.com', 'zoe@example.com', 'hidden@example.com']) {
    const [mail, ...more] = await received(email);
    assert.deepEqual(more, []);
    assert.equal(mail!.subject, 'Order 17 – done');
    assert.equal(mail!.messageId, sent.message_id);
    assert.deepEqual(mail!.to, [
      { name: 'Lovelace, Ada', address: 'ada@example.com' },
      { name: '', address: 'ADA@example.com' },
    ]);
    assert.deepEqual(mail!.cc, [{ name: 'Zoë', address: 'zoe@example.com' }]);
    assert.equal(mail!.inReplyTo, '<a@b.example>');
    assert.match(mail!.html!, /Dear &lt;Ada&gt;, see <a href="[^"]*\/c\/[\w-]{33,}">here<\/a> <\/p>/);
    assert.match(mail!.text!, /Dear <Ada>/);
    assert.doesNotMatch(mail!.raw, /hidden@example\.com|List-Unsubscribe|Precedence/);
  }
});

test('opens and clicks count for the recipient, and a click leads to the target with its value', async () => {
  const { id } = await send({
    to: 'reader@example.com',
    html: '<a href="https://shop.example/o?n=*|N|*">x</a>',
    values: { N: '1 2' },
  });
  await settled(id);
  const [mail] = await received('reader@example.com');
  const link = /href="([^"]+\/c\/[^"]+)"/.exec(mail!.html!)![1]!;
  const pixel = /src="([^"]+\/o\/[^"]+)"/.exec(mail!.html!)![1]!;
  const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
  const at = (url: string) => app.base + new URL(url).pathname;
  const clicked = await fetch(at(link), { redirect: 'manual', headers: agent });
  assert.equal(clicked.headers.get('location'), 'https://shop.example/o?n=1%202');
  await fetch(at(pixel), { headers: agent });
  const [recipient] = (await settled(id)).recipients;
  assert.deepEqual([recipient!.opens, recipient!.clicks], [1, 1]);
});

test('the same idempotency key gives one message, also for simultaneous calls', async () => {
  const key = randomUUID();
  const given = { to: 'once@example.com', idempotency_key: key };
  const answers = await Promise.all(Array.from({ length: 6 }, () => send(given)));
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
  await settled(answers[0]!.id);
  assert.deepEqual(await send(given), answers[0]);
  assert.equal((await received('once@example.com')).length, 1);
});

test('leaving a list does not keep a message back; every other suppression skips it with the reason', async () => {
  const subscribe = (email: string) =>
    app.call('listSubscribe', { id: list, email_address: email, merge_vars: {}, double_optin: false });
  await subscribe('left@example.com');
  await app.call('listUnsubscribe', { id: list, email_address: 'left@example.com', send_goodbye: false });
  await app.app.db.run(sql`
    insert into suppression (account_id, kind, value, reason)
    values (${app.account.id}, 'address', 'everywhere@example.com', 'unsubscribe'),
      (${app.account.id}, 'address', 'dead@example.com', 'bounce'),
      (${app.account.id}, 'address', 'angry@example.com', 'complaint'),
      (${app.account.id}, 'domain', 'never.example', 'manual')`);
  const { id } = await send({
    to: ['left@example.com', 'everywhere@example.com', 'Dead@example.com', 'angry@example.com', 'x@never.example'],
  });
  const info = await settled(id);
  assert.deepEqual(
    info.recipients.map(({ state, reason }) => `${state} ${reason}`.trim()),
    ['accepted', 'accepted', 'skipped suppressed', 'skipped suppressed', 'skipped suppressed'],
  );
});

test('a bounce and a complaint suppress the address, and webhooks get them with the id of the message', async () => {
  app.app.config.bounceDomain = 'bounces.example.com';
  await app.app.db.run(sql`
    insert into webhook (account_id, title, url, secret, status, events, sources)
    values (${app.account.id}, 'w', 'https://hook.example/', 'x', 'active', '{email.bounce,email.complaint}', '{subscriber}')`);
  const { id, message_id } = await send({ to: ['bounces@example.com', 'complains@example.com'] });
  await settled(id);
  const notice = async (email: string, report: string) => {
    const [mail] = await received(email);
    const token = /^bounce\+([0-9a-f]+)@/.exec(mail!.mailFrom)![1]!;
    const back = () => takeReturned(app.app, { kind: 'bounce', token }, Buffer.from(report), '192.0.2.1');
    return [await back(), await back()];
  };
  const dsn = `From: <>\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; bounces@example.com\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no such user\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: ${message_id}\r\nSubject: x\r\n\r\n.\r\n--b--\r\n`;
  assert.deepEqual(
    (await notice('bounces@example.com', dsn)).map(({ kind }) => kind),
    ['bounce', 'nothing'],
  );
  assert.deepEqual(
    (await notice('bounces@example.com', dsn.replace(message_id, '<other@example.com>'))).map(({ kind }) => kind),
    ['nothing', 'nothing'],
  );
  const arf = `From: <fbl@example.com>\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nUser-Agent: x/1\r\nVersion: 1\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: ${message_id}\r\n\r\nx\r\n--b--\r\n`;
  assert.deepEqual(
    (await notice('complains@example.com', arf)).map(({ kind }) => kind),
    ['complaint', 'nothing'],
  );
  const info = await settled(id);
  assert.deepEqual(
    info.recipients.map(({ bounce, complained }) => [bounce, complained]),
    [
      ['hard', false],
      ['', true],
    ],
  );
  const events = await app.app.db.rows<{ type: string; payload: Record<string, unknown> }>(
    sql`select type, payload from webhook_event order by type`,
  );
  assert.deepEqual(
    events.map(({ type, payload }) => [type, payload.message, payload.campaign, payload.email]),
    [
      ['email.bounce', id, '', 'bounces@example.com'],
      ['email.complaint', id, '', 'complains@example.com'],
    ],
  );
  const again = await settled((await send({ to: ['bounces@example.com', 'complains@example.com'] })).id);
  assert.deepEqual(
    again.recipients.map(({ state }) => state),
    ['skipped', 'skipped'],
  );
});

test('bad input gets a fault that names the member, and stores nothing', async () => {
  const before = await app.app.db.row(sql`select count(*)::int as count from message`);
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ to: [] }, /^to: the message has no recipient/],
    [{ to: ['a@example.com', 'nonsense'] }, /^to\.1: "nonsense" is not an email address: it has no @/],
    [{ to: 'a@example.com\r\nBcc: b@example.com' }, /^to/],
    [{ to: 'ü@example.com' }, /^to\.0: .*ASCII/],
    [{ to: 'a@example.com', subject: '' }, /^subject: the subject is missing/],
    [{ to: 'a@example.com', plain: ' ' }, /^html: give html, plain, template or template_id/],
    [{ to: 'a@example.com', template_id: 'a0000000' }, /^template_id/],
    [{ to: 'a@example.com', values: { 'a b': '1' } }, /^values\.a b: a name is/],
    [{ to: 'a@example.com', values: { a: [new Date()] } }, /^values\.a\.0 must be text, a number, true/],
    [{ to: 'a@example.com', values: { o: { b: [{ c: new Date() }] } } }, /^values\.o\.b\.0\.c must be text, a number/],
    [
      { to: 'a@example.com', values: { a: deep(21) } },
      /^values\.a(\.0){20}: lists and objects may be within each other 20/,
    ],
    [
      { to: 'a@example.com', plain: '*|EACH:O:list|*x*|END:EACH|*', values: { o: { list: Array(51).fill('x') } } },
      /^values\.O\.list has 51 items; a loop shows at most 50/,
    ],
    [
      {
        to: 'a@example.com',
        subject: '*|IF:LIST|**|EACH:LIST|*x*|END:EACH|**|END:IF|*',
        values: { list: Array(51).fill('x') },
      },
      /^values\.LIST has 51 items/,
    ],
    [{ to: 'a@example.com', headers: { Bcc: 'b@example.com' } }, /^headers\.Bcc: this header may not be set/],
    [{ to: 'a@example.com', headers: { 'X-A': '1\r\nBcc: b@example.com' } }, /^headers\.X-A must be one line/],
    [{ to: 'a@example.com', attachments: [{ name: 'a', content: '$$$' }] }, /^attachments\.0\.content is not Base64/],
    [
      {
        to: Array.from({ length: 30 }, (_, i) => `a${i}@example.com`),
        cc: Array.from({ length: 30 }, (_, i) => `b${i}@example.com`),
      },
      /50 addresses/,
    ],
  ];
  for (const [given, expected] of cases)
    await assert.rejects(send(given), { message: expected }, JSON.stringify(given));
  assert.deepEqual(await app.app.db.row(sql`select count(*)::int as count from message`), before);
});

test('attachments arrive as they were, with any name', async () => {
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 256));
  const { id } = await send({
    to: 'files@example.com',
    html: '<img src="cid:logo">',
    attachments: [
      { name: 'Rechnung "März" 2026.pdf', content: bytes.toString('base64'), content_type: 'application/pdf' },
      { name: 'logo.png', content: bytes.toString('base64'), content_type: 'image/png', cid: 'logo' },
    ],
  });
  await settled(id);
  const [mail] = await received('files@example.com');
  const found = mail!.attachments.map(({ filename, mimeType, contentId, content }) => [
    filename,
    mimeType,
    contentId,
    Buffer.from(content as ArrayBuffer).equals(bytes),
  ]);
  assert.deepEqual(found, [
    [null, 'image/png', '<logo>', true],
    ['Rechnung _März_ 2026.pdf', 'application/pdf', undefined, true],
  ]);
});

test('a batch sends all of its messages once or, if one is wrong, none', async () => {
  const batch = (messages: Record<string, unknown>[]) =>
    app.call<{ id: string }[]>('messageSendBatch', { messages, idempotency_key: randomUUID() });
  const given = (n: number) => ({
    to: `batch.${n}@example.com`,
    subject: `Batch ${n}`,
    plain: 'Text',
    tags: ['batch'],
  });
  const sent = await batch(Array.from({ length: 30 }, (_, n) => given(n)));
  for (const { id } of sent) assert.equal((await settled(id)).recipients[0]!.state, 'accepted');
  const rows = await app.app.db.row<{ count: number; once: number }>(sql`
    select count(*)::int as count, count(distinct rcpt_to)::int as once from inbox_message where rcpt_to[1] like 'batch.%'`);
  assert.deepEqual(rows, { count: 30, once: 30 });
  await assert.rejects(batch([given(200), { ...given(201), to: ['x'] }]), { message: /^messages\.1\.to\.0: / });
  const [found] = await app.app.db.rows(sql`select from message_recipient where email_key = 'batch.200@example.com'`);
  assert.equal(found, undefined);
});

test('the log is searched by address, tag, subject, state and time', async () => {
  await settled(
    (await send({ to: ['log@example.com', 'dead@example.com'], subject: 'Über uns', tags: ['a', 'b'] })).id,
  );
  await settled((await send({ to: 'LOG@example.com', subject: 'Second', tags: ['b'] })).id);
  const search = async (given: Record<string, unknown>) => {
    const { data, more } = await app.call<{ more: boolean; data: Info[] }>('messages', given);
    return [...data.map(({ subject }) => subject), ...(more ? ['more'] : [])];
  };
  assert.deepEqual(await search({ email: 'log@example.com' }), ['Second', 'Über uns']);
  assert.deepEqual(await search({ email: 'log@example.com', limit: 1 }), ['Second', 'more']);
  assert.deepEqual(await search({ email: 'log@example.com', limit: 1, start: 1 }), ['Über uns']);
  assert.deepEqual(await search({ tag: 'a' }), ['Über uns']);
  assert.deepEqual(await search({ subject: 'über' }), ['Über uns']);
  assert.deepEqual(await search({ email: 'log@example.com', state: 'skipped' }), ['Über uns']);
  assert.deepEqual(await search({ email: 'log@example.com', until: '2020-01-01' }), []);
  await assert.rejects(search({ since: 'yesterday' }), { code: 501 });
});

test('a message is sent again as a new one: with a Message-ID of its own, counted links, and the first one named', async () => {
  const given = {
    to: ['Ada <again@example.com>'],
    bcc: ['hidden.again@example.com'],
    subject: 'Order – 18',
    html: `<p>${'x'.repeat(60)}<a href="https://shop.example/?a=1">one</a> <a href="https://shop.example/?a=2">two</a></p>`,
    attachments: [{ name: 'a.txt', content: 'aGk=' }],
    tags: ['order'],
  };
  const first = await send(given);
  await settled(first.id);
  // As if it were of another day, whose links have an owner of their own.
  const { campaign } = parseMessageId(first.id)!;
  await app.app.db.run(sql`update campaign set title = '2020-01-01' where id = ${campaign}`);
  const key = randomUUID();
  const again = () =>
    app.call<{ id: string; message_id: string }>('messageSendAgain', { id: first.id, idempotency_key: key });
  const copy = await again();
  assert.deepEqual(await again(), copy);
  assert.notEqual(copy.id.slice(0, 8), first.id.slice(0, 8));
  assert.notEqual(copy.message_id, first.message_id);
  const info = (await settled(copy.id)) as Info & { copy_of: string; tags: string[] };
  assert.deepEqual([info.copy_of, info.subject, info.tags], [first.id, 'Order – 18', ['order']]);
  assert.deepEqual(
    info.recipients.map(({ email, type, state }) => [email, type, state]),
    [
      ['again@example.com', 'to', 'accepted'],
      ['hidden.again@example.com', 'bcc', 'accepted'],
    ],
  );
  const [mail, original] = await received('again@example.com');
  assert.deepEqual([mail!.messageId, original!.messageId], [copy.message_id, first.message_id]);
  assert.deepEqual([mail!.subject, mail!.to, mail!.text], [original!.subject, original!.to, original!.text]);
  assert.equal(mail!.attachments[0]!.filename, 'a.txt');
  const links = [...mail!.html!.matchAll(/href="([^"]+)"/g)].map(([, url]) => app.base + new URL(url!).pathname);
  const targets = await Promise.all(
    links.map(async (url) => (await fetch(url, { redirect: 'manual' })).headers.get('location')),
  );
  assert.deepEqual(targets, ['https://shop.example/?a=1', 'https://shop.example/?a=2']);
  const shown = await app.call<{ html: string }>('messageContent', { id: copy.id });
  assert.match(shown.html, /https:\/\/shop\.example\/\?a=2/);

  const one = await app.call<{ id: string }>('messageSendAgain', { id: first.id, emails: ['AGAIN@example.com'] });
  assert.deepEqual(
    (await settled(one.id)).recipients.map(({ email }) => email),
    ['again@example.com'],
  );
});

test("a message from the account's own address in another case is sent again", async () => {
  const source = 'From: OWNER@Example.com\nSubject: Case\n\nText\n';
  const { id } = await app.call<{ id: string }>('messageSendRaw', { source, recipients: ['case@example.com'] });
  await settled(id);
  const copy = await app.call<{ id: string }>('messageSendAgain', { id });
  assert.equal((await settled(copy.id)).recipients[0]!.state, 'accepted');
});

test('what cannot be sent again gets a fault that names the reason', async () => {
  const { id } = await send({ to: 'gone.again@example.com' });
  await settled(id);
  const again = (given: object) => app.call('messageSendAgain', { id, ...given });
  await assert.rejects(again({ emails: ['other@example.com'] }), { message: /^emails\.0: .*no recipient/ });
  await assert.rejects(again({ id: 'nonsense' }), { message: /^id: the message .* does not exist/ });
  const foreign = await app.anotherAccount();
  await assert.rejects(foreign.call('messageSendAgain', { id }), { message: /^id: the message .* does not exist/ });
  await app.app.db.run(sql`update message set content = null where no = ${parseMessageId(id)!.no}`);
  await assert.rejects(again({}), { message: /content has been deleted/ });
  await app.call('listSubscribe', { id: list, email_address: 'asks.again@example.com' });
  const { data } = await app.call<{ data: Info[] }>('messages', { email: 'asks.again@example.com' });
  for (let i = 0; data.length === 0 && i < 400; i++) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    data.push(...(await app.call<{ data: Info[] }>('messages', { email: 'asks.again@example.com' })).data);
  }
  await assert.rejects(again({ id: data[0]!.id }), { message: /written by Postrider/ });
});

test('messageRender shows the texts, and messageContent what was sent, with the targets of links', async () => {
  const given = {
    subject: 'Order *|ORDER|*',
    html: '<p>*|WHO|*<a href="https://shop.example/?a=1&amp;b=*|ORDER|*">x</a></p>',
    values: { ORDER: '17' },
  };
  assert.deepEqual(await app.call('messageRender', given), {
    subject: 'Order 17',
    html: '<p><a href="https://shop.example/?a=1&amp;b=17">x</a></p>',
    plain: 'x (https://shop.example/?a=1&b=17)',
    unknown_tags: ['WHO'],
  });
  const { id } = await send({ to: 'content@example.com', ...given, attachments: [{ name: 'a.txt', content: 'aGk=' }] });
  const content = await app.call<{ html: string; plain: string; attachments: unknown[] }>('messageContent', { id });
  assert.equal(content.html.trim(), '<p><a href="https://shop.example/?a=1&amp;b=17">x</a></p>');
  assert.deepEqual(content.attachments, [{ name: 'a.txt', content_type: 'text/plain', size: 2, cid: '' }]);
});

test('an attachment needs a valid media type', async () => {
  const sending = (content_type: string) =>
    send({ to: 'file@example.com', attachments: [{ name: 'a.txt', content: 'aGk=', content_type }] });
  for (const content_type of ['te xt', 'text', 'text/plain/x'])
    await assert.rejects(sending(content_type), {
      fault: 'INVALID_PARAMETER',
      message: 'attachments.0.content_type is not a media type such as application/pdf',
    });
  await sending('text/plain; charset="utf-8"');
});

test('the header Idempotency-Key serves as idempotency_key', async () => {
  const post = async (key: string) => {
    const response = await fetch(`${app.base}/api/messageSend`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.key}`, 'idempotency-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ to: ['header@example.com'], subject: 'x', plain: 'x' }),
    });
    return ((await response.json()) as { id: string }).id;
  };
  const first = await post('a');
  assert.match(first, /^[0-9a-f]{16}$/);
  assert.equal(await post('a'), first);
  assert.notEqual(await post('b'), first);
});

test('the owner of a day is no campaign for anyone, and another account sees no message', async () => {
  const { id } = await send({ to: 'owner@example.com' });
  await settled(id);
  const owner = id.slice(0, 8);
  assert.deepEqual(await app.call('campaigns', {}), []);
  const searched = await app.call<{ total: number }>('campaignSearch', { query: '' });
  assert.equal(searched.total, 0);
  await app.call('homeSummary', {});
  for (const { name, example, person } of methods as AnyMethod[])
    if ('cid' in example.params && !person)
      await assert.rejects(app.call(name, { ...example.params, cid: owner }), { code: 300 }, name);
  await finishMissed(app.app.db);
  const { campaign } = parseMessageId(id)!;
  assert.deepEqual(await app.app.db.row(sql`select status, type from campaign where id = ${campaign}`), {
    status: 'sending',
    type: 'message',
  });
  await assert.rejects(app.call('messageGet', { id: `${owner}7fffffff` }), /does not exist/);
  await assert.rejects(app.call('messageGet', { id: 'nonsense' }), /does not exist/);
});

test('a day that is over ends; contents and later the messages are deleted after the days the account keeps them', async () => {
  const { id } = await send({ to: 'old@example.com' });
  await settled(id);
  const { campaign } = parseMessageId(id)!;
  const { db } = app.app;
  await db.run(sql`
    update campaign
    set title = to_char(now() - interval '40 days', 'YYYY-MM-DD'), created_at = now() - interval '40 days'
    where id = ${campaign}`);
  await db.run(sql`
    update delivery set month = (select month from campaign where id = ${campaign}) where campaign_id = ${campaign}`);
  await until('the day ends', async () => {
    await endMessageDays(db);
    const row = await db.row<{ status: string }>(sql`select status from campaign where id = ${campaign}`);
    return row!.status === 'sent';
  });
  const context = { app: app.app, log: app.app.log, signal: new AbortController().signal };
  await purgeMessages(context);
  const info = await app.call<Info>('messageGet', { id });
  assert.deepEqual([info.has_content, info.recipients[0]!.state], [false, 'accepted']);
  await app.call('accountUpdate', { name: 'keep_messages_days', value: '30' });
  await purgeMessages(context);
  await assert.rejects(app.call('messageGet', { id }), /does not exist/);
  // The rest goes by a job of its own, which a stop does not lose.
  await until('nothing is left', async () => {
    const left = await Promise.all(
      [sql`delivery`, sql`chunk`, sql`tally`, sql`message_recipient`, sql`link`].map((table) =>
        db.row(sql`select from ${table} where campaign_id = ${campaign} limit 1`),
      ),
    );
    return left.every((row) => row === undefined);
  });
});

test('a message on a day whose owner has ended, as the clock was ahead, is sent', async () => {
  const { id } = await send({ to: 'before@example.com' });
  await settled(id);
  const { campaign } = parseMessageId(id)!;
  await app.app.db.run(sql`update campaign set status = 'sent', finished_at = now() where id = ${campaign}`);
  const { id: next } = await send({ to: 'after@example.com' });
  assert.equal(parseMessageId(next)!.campaign, campaign);
  assert.equal((await settled(next)).recipients[0]!.state, 'accepted');
});
