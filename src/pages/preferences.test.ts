// Double opt-in and the preference page, with the real messages in the built-in inbox.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MailingApp, mailingApp } from '../../test/support/installation/mailing-app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { tokensOf } from '../tracking/token-secret.ts';

let app: MailingApp;
let base: string;
let list: string;
before(async () => {
  app = await mailingApp();
  base = app.base;
  list = await app.call<string>('listCreate', { title: 'Letter & more', options: { public: true } });
});
after(() => app.close());

const info = (email: string) =>
  app.call<{ id: string; status: string; email_type: string; merges: Record<string, string> }>('listMemberInfo', {
    id: list,
    email_address: email,
  });
const post = (url: string, body: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ form: 'preferences', ...body }) });

async function mail(subject: string): Promise<string> {
  for (let tries = 0; tries < 1_200; tries++) {
    const [row] = await app
      .call<{ id: string; subject: string }[]>('inboxMessages', { limit: 50 })
      .then((rows) => rows.filter((row) => row.subject === subject));
    if (row) return (await app.call<{ text: string }[]>('inboxMessages', { id: row.id }))[0]!.text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`no mail "${subject}" arrived`);
}

test('the link at a former address confirms nothing, and the new address gets a link of its own', async () => {
  const id = await app.call<string>('listCreate', { title: 'Moved' });
  await app.call('listSubscribe', { id, email_address: 'typo@example.com' });
  const linkIn = async () => /(http\S+\/confirm\/\S+)/.exec(await mail('Please confirm: Moved'))![1]!;
  const former = await linkIn();
  await app.call('listUpdateMember', {
    id,
    email_address: 'typo@example.com',
    merge_vars: { EMAIL: 'right@example.com' },
  });
  const status = async () =>
    (await app.call<{ status: string }>('listMemberInfo', { id, email_address: 'right@example.com' })).status;
  assert.match(await (await fetch(former)).text(), /nothing left to confirm/);
  assert.match(await (await post(former)).text(), /nothing left to confirm/);
  assert.equal(await status(), 'pending');
  let link = former;
  for (let tries = 0; link === former && tries < 400; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    link = await linkIn();
  }
  assert.match(await (await post(link)).text(), /You are subscribed/);
  assert.equal(await status(), 'subscribed');
});

test('with double opt-in the message asks for confirmation, GET of its link changes nothing, POST subscribes and emits the event', async () => {
  await app.app.db.run(
    sql`insert into webhook (account_id, title, url, events) values (${app.account.id}, 'w', 'http://localhost/', '{contact.subscribe}')`,
  );
  await app.call('listSubscribe', {
    id: list,
    email_address: 'ada@example.com',
    merge_vars: { FNAME: 'http://spam.example' },
  });
  const text = await mail('Please confirm: Letter & more');
  assert.doesNotMatch(text, /spam/, 'nothing a visitor typed is in the message');
  const url = /(http\S+\/confirm\/\S+)/.exec(text)![1]!;
  for (const method of ['GET', 'HEAD']) assert.equal((await fetch(url, { method })).status, 200);
  assert.equal((await info('ada@example.com')).status, 'pending');
  assert.match(await (await post(url)).text(), /You are subscribed/);
  assert.equal((await info('ada@example.com')).status, 'subscribed');
  assert.match(await (await post(url)).text(), /nothing left to confirm/);
  const events = await app.app.db.rows<{ source: string }>(
    sql`select payload ->> 'source' as source from webhook_event`,
  );
  assert.deepEqual(events, [{ source: 'subscriber' }]);
});

test('an empty body, or one of another form, takes no one off a list', async () => {
  await app.call('listSubscribe', { id: list, email_address: 'stay@example.com', double_optin: false });
  const { id } = await info('stay@example.com');
  const ids = { account: app.account.id, campaign: 1, seq: 1, contact: parseId(id), lists: [parseId(list)] };
  const url = `${base}/p/${tokensOf(app.app).tokens(ids).profile}`;
  await fetch(url, { method: 'POST' });
  await fetch(url, { method: 'POST', body: new URLSearchParams({ email_type: 'html' }) });
  assert.equal((await info('stay@example.com')).status, 'subscribed');
  await post(url);
  assert.equal((await info('stay@example.com')).status, 'unsubscribed');
});

test('welcome and goodbye messages are sent when they are enabled', async () => {
  await app.call('listSubscribe', {
    id: list,
    email_address: 'bob@example.com',
    double_optin: false,
    send_welcome: true,
  });
  assert.match(await mail('Welcome to Letter & more'), /\/u\//);
  await app.call('listUnsubscribe', { id: list, email_address: 'bob@example.com', send_notify: true });
  assert.match(await mail('You have unsubscribed from Letter & more'), /unsubscribed/);
  assert.match(await mail('bob@example.com unsubscribed from Letter & more'), /UTC/);
});

test('the preference page changes fields and format, keeps invalid input with an error, and unsubscribes', async () => {
  await app.call('listMergeVarAdd', { id: list, tag: 'BORN', name: 'Birthday', options: { field_type: 'date' } });
  const member = await info('ada@example.com');
  const tokens = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: 1,
    seq: 1,
    contact: parseId(member.id),
    lists: [parseId(list)],
  });
  const url = `${base}/p/${tokens.profile}`;
  assert.match(await (await fetch(url)).text(), /name="field\.BORN"/);
  const kept = { [`list.${list}`]: 'on', email_type: 'text' };
  const refused = await post(url, { ...kept, 'field.BORN': 'soon', 'field.FNAME': 'Ada "A" <b>' });
  assert.equal(refused.status, 400);
  const shown = await refused.text();
  assert.match(shown, /value="soon"/);
  assert.match(shown, /value="Ada &quot;A&quot; &lt;b&gt;"/);
  assert.equal((await info('ada@example.com')).email_type, 'html');
  assert.equal((await post(url, { ...kept, 'field.BORN': '2001-02-03', 'field.FNAME': 'Ada' })).status, 200);
  const after = await info('ada@example.com');
  assert.deepEqual([after.email_type, after.merges.BORN, after.merges.FNAME], ['text', '2001-02-03', 'Ada']);
  await post(url, { email_type: 'text' });
  assert.equal((await info('ada@example.com')).status, 'unsubscribed');
});

test('the preference page shows all lists of the contact, languages and pauses, and resubscribes to a list', async () => {
  const second = await app.call<string>('listCreate', { title: 'Second', options: { public: true } });
  for (const id of [list, second])
    await app.call('listSubscribe', { id, email_address: 'eve@example.com', double_optin: false });
  const member = await info('eve@example.com');
  const tokens = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: 1,
    seq: 1,
    contact: parseId(member.id),
    lists: [parseId(list)],
  });
  const url = `${base}/p/${tokens.profile}`;
  assert.match(await (await fetch(url)).text(), /Letter &amp; more[\s\S]*Second[\s\S]*12 weeks/);
  const saved = await (await post(url, { [`list.${list}`]: 'on', LANGUAGE: 'de', PAUSE: '4' })).text();
  assert.match(saved, /Ihre Änderungen wurden gespeichert[\s\S]*Pause bis [\s\S]*12 Wochen/);
  const paused = () =>
    app.app.db.row<{ days: number | null; language: string }>(sql`
      select round(extract(epoch from paused_until - now()) / 86400)::int as days, language
      from contact where email = 'eve@example.com'`);
  assert.deepEqual(await paused(), { days: 28, language: 'de' });
  const left = await app.call<{ status: string }>('listMemberInfo', { id: second, email_address: 'eve@example.com' });
  assert.equal(left.status, 'unsubscribed');
  await post(url, { [`list.${list}`]: 'on', [`list.${second}`]: 'on', PAUSE: '' });
  assert.equal((await paused())!.days, 28, 'a break stays until it is ended');
  const back = await app.call<{ status: string }>('listMemberInfo', { id: second, email_address: 'eve@example.com' });
  assert.equal(back.status, 'subscribed');
  await post(url, { [`list.${list}`]: 'on', [`list.${second}`]: 'on', PAUSE: 'end' });
  assert.equal((await paused())!.days, null);
});

test('the unsubscribe link leads to choices without values and other lists, and brings no one back to a list', async () => {
  const email = 'kim@example.com';
  const other = await app.call<string>('listCreate', { title: 'Private', options: { public: true } });
  for (const id of [list, other])
    await app.call('listSubscribe', {
      id,
      email_address: email,
      merge_vars: { FNAME: 'Kimberley' },
      double_optin: false,
    });
  const { unsubscribe } = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: 1,
    seq: 1,
    contact: parseId((await info(email)).id),
    lists: [parseId(list)],
  });
  const asked = await (await fetch(`${base}/u/${unsubscribe}`)).text();
  const [path] = /\/p\/[\w-]+/.exec(asked)!;
  const url = base + path;
  const shown = await (await fetch(url)).text();
  assert.match(shown, /Letter &amp; more/);
  assert.doesNotMatch(shown, /Private|Kimberley|field\./);
  const form = { form: 'preferences', email_type: 'text', 'field.FNAME': 'Changed' };
  assert.equal((await post(url, { ...form, [`list.${list}`]: 'on' })).status, 200);
  const kept = await info(email);
  assert.deepEqual([kept.status, kept.email_type, kept.merges.FNAME], ['subscribed', 'text', 'Kimberley']);
  const left = await (await post(url, form)).text();
  assert.match(left, /You have been unsubscribed\. <a href="[^"]*\/subscribe\/[0-9a-f]{32}\?ln=en">Subscribe to/);
  assert.doesNotMatch(left, /information stored for/, 'no value is shown, so none is announced');
  assert.match(left, new RegExp(`name="list\\.${list}" disabled`));
  await post(url, { ...form, [`list.${list}`]: 'on', [`list.${other}`]: 'on' });
  assert.equal((await info(email)).status, 'unsubscribed');
  const untouched = await app.call<{ status: string }>('listMemberInfo', { id: other, email_address: email });
  assert.equal(untouched.status, 'subscribed');
});

test('each change on the page or by a method is recorded with its fields and its cause; without a change nothing is', async () => {
  const email = 'ivy@example.com';
  await app.call('listSubscribe', {
    id: list,
    email_address: email,
    merge_vars: { FNAME: 'Secret', LANGUAGE: 'en' },
    double_optin: false,
  });
  const { profile } = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: 1,
    seq: 1,
    contact: parseId((await info(email)).id),
    lists: [parseId(list)],
  });
  const page = `${base}/p/${profile}`;
  const form = { [`list.${list}`]: 'on', email_type: 'text', 'field.FNAME': 'Ivy', LANGUAGE: 'fr' };
  for (const PAUSE of ['2', '']) await post(page, { ...form, PAUSE });
  const paused = async () => (await app.call<{ paused_until: string }>('contactGet', { email })).paused_until;
  const until = await paused();
  assert.match(until, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  await post(page, { ...form, PAUSE: 'end' });
  assert.equal(await paused(), '');
  await app.call('listUpdateMember', { id: list, email_address: email, merge_vars: { LNAME: 'Ray', TIMEZONE: 'UTC' } });
  await app.call('listUpdateMember', { id: list, email_address: email, merge_vars: { LNAME: 'Ray' } });
  await app.call('contactPause', { email, until: '2098-01-02 03:04:05' });
  assert.equal(await paused(), '2098-01-02 03:04:05');
  for (let i = 0; i < 2; i++) await app.call('contactResume', { email });
  assert.equal(await paused(), '');
  await assert.rejects(app.call('contactPause', { email, until: '2020-01-01' }), { fault: 'DATE_INVALID' });
  const returned = await app.call<
    { what: string; detail: string; source: string; ip: string; evidence: { form?: string } }[]
  >('contactTimeline', { email });
  assert.deepEqual(
    returned.slice(1).map((item) => [item.what, item.detail, item.source, item.evidence.form ?? '', item.ip !== '']),
    [
      ['update', 'LANGUAGE', 'subscriber', 'preferences', true],
      ['pause', until, 'subscriber', 'preferences', true],
      ['update', 'FNAME, EMAIL_TYPE', 'subscriber', 'preferences', true],
      ['resume', '', 'subscriber', 'preferences', true],
      ['update', 'LNAME, TIMEZONE', 'api', '', false],
      ['pause', '2098-01-02 03:04:05', 'api', '', false],
      ['resume', '', 'api', '', false],
    ],
  );
  assert.doesNotMatch(JSON.stringify(returned), /Secret|Ray/, 'the values themselves are not copied');
});

test('a contact turns the recording of opens and clicks off and on on the page; a form without our mark changes nothing', async () => {
  const email = 'quiet@example.com';
  await app.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  const ids = { account: app.account.id, campaign: 1, seq: 1, contact: parseId((await info(email)).id) };
  const page = `${base}/p/${tokensOf(app.app).tokens({ ...ids, lists: [parseId(list)] }).profile}`;
  const form = { [`list.${list}`]: 'on', email_type: 'html' };
  const tracked = async () => (await app.call<{ tracked: boolean }>('contactGet', { email })).tracked;
  const ticked = async () => / name="UNTRACKED" checked/.test(await (await fetch(page)).text());
  assert.deepEqual([await tracked(), await ticked()], [true, false]);
  for (let i = 0; i < 2; i++) await post(page, { ...form, UNTRACKED: 'on' });
  assert.deepEqual([await tracked(), await ticked()], [false, true]);
  await fetch(page, { method: 'POST', body: new URLSearchParams({ email_type: 'html' }) });
  assert.equal(await tracked(), false);
  await post(page, form);
  assert.deepEqual([await tracked(), await ticked()], [true, false]);
  await app.call('contactTrackingUpdate', { email, tracked: false });
  const changes = await app.call<{ what: string; source: string; evidence: { form?: string } }[]>('contactTimeline', {
    email,
  });
  assert.deepEqual(
    changes
      .filter(({ what }) => what.endsWith('track'))
      .map(({ what, source, evidence }) => [what, source, evidence.form ?? '']),
    [
      ['untrack', 'subscriber', 'preferences'],
      ['track', 'subscriber', 'preferences'],
      ['untrack', 'api', ''],
    ],
  );
});

test('unsubscribing on the page stores the chosen and the typed reason, and sends the goodbye message once if enabled', async () => {
  await app.call('listFormUpdate', { id: list, options: { send_goodbye: true } });
  await app.call('listTextUpdate', { id: list, name: 'goodbye.subject', value: 'Farewell, *|FNAME:friend|*' });
  await app.call('listTextUpdate', { id: list, name: 'goodbye.html', value: '<p>Bye <b>*|FNAME|*</b></p>' });
  await app.call('listSubscribe', {
    id: list,
    email_address: 'fay@example.com',
    merge_vars: { FNAME: 'F & "y"' },
    double_optin: false,
  });
  const member = await info('fay@example.com');
  const { unsubscribe } = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: 0,
    seq: 0,
    contact: parseId(member.id),
    lists: [parseId(list)],
  });
  const url = `${base}/u/${unsubscribe}`;
  assert.match(await (await fetch(url)).text(), /value="too many mails"/);
  await post(url, { why: 'too many mails', reason: ' Daily is too much ' });
  await post(url, {});
  const row = await app.app.db.row<{ reason: string }>(sql`
    select unsubscribe_reason as reason from subscription where contact_id = ${parseId(member.id)}`);
  assert.equal(row!.reason, 'too many mails: Daily is too much');
  await mail('Farewell, F & "y"');
  const all = await app.call<{ subject: string }[]>('inboxMessages', { limit: 50 });
  assert.equal(all.filter((item) => item.subject.startsWith('Farewell')).length, 1);
});

test("the confirmation message has the owner's texts, and the welcome message follows if enabled", async () => {
  const id = await app.call<string>('listCreate', { title: 'Own words' });
  await assert.rejects(
    app.call('listTextUpdate', { id, name: 'confirm.text', value: 'No way on' }),
    /value does not contain \*\|CONFIRM\|\*/,
  );
  await assert.rejects(
    app.call('listTextUpdate', { id, name: 'confirm.subject', value: 'Hello *|FNAME|*' }),
    /value contains \*\|FNAME\|\*/,
  );
  await app.call('listTextUpdate', { id, name: 'confirm.subject', value: 'Ja? *|LIST:NAME|*', language: 'de' });
  await app.call('listFormUpdate', { id, options: { send_welcome: true } });
  await app.call('listSubscribe', {
    id,
    email_address: 'gil@example.com',
    merge_vars: { FNAME: 'SPAM', LANGUAGE: 'de' },
  });
  const asked = await mail('Ja? Own words');
  assert.match(asked, /Wir wurden gebeten/);
  assert.doesNotMatch(asked, /SPAM/);
  await post(/(http\S+\/confirm\/\S+)/.exec(asked)![1]!);
  await mail('Willkommen bei Own words');
  const texts = await app.call<{ name: string; value: string; edited: boolean; languages: string[] }[]>('listTexts', {
    id,
    language: 'de',
  });
  const subject = texts.find((text) => text.name === 'confirm.subject');
  assert.deepEqual([subject!.value, subject!.edited, subject!.languages], ['Ja? *|LIST:NAME|*', true, ['de']]);
  await app.call('listTextUpdate', { id, name: 'confirm.subject', value: '', language: 'de' });
  const [again] = (await app.call<{ name: string; edited: boolean }[]>('listTexts', { id, language: 'de' })).filter(
    (item) => item.name === 'confirm.subject',
  );
  assert.equal(again!.edited, false);
});

test('the links of an email to a hundred lists leave all of them', async () => {
  const email = 'every@example.com';
  const lists: string[] = [];
  for (let n = 0; n < 100; n++) {
    const id = await app.call<string>('listCreate', { title: `Chapter ${n}` });
    lists.push(id);
    if (n >= 80) await app.call('listSubscribe', { id, email_address: email, double_optin: false });
  }
  const contact = await app.call<{ id: string }>('listMemberInfo', { id: lists[99], email_address: email });
  const { unsubscribe, profile } = tokensOf(app.app).tokens({
    account: app.account.id,
    campaign: 1,
    seq: 1,
    contact: parseId(contact.id),
    lists: lists.map(parseId),
  });
  for (const page of [`${base}/u/${unsubscribe}`, `${base}/p/${profile}`])
    assert.equal((await fetch(page)).status, 200);
  const answer = await fetch(`${base}/u/${unsubscribe}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  assert.equal(answer.status, 200);
  for (const id of [lists[80], lists[99]]) {
    const { status } = await app.call<{ status: string }>('listMemberInfo', { id, email_address: email });
    assert.equal(status, 'unsubscribed');
  }
});
