// Sign-up forms that lead to several lists, check the domain of an address, or have a picture and a text: over HTTP, without script,
// with the emails that follow.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { pictures } from '../../test/support/builders/archives.ts';
import { type MailingApp, mailingApp } from '../../test/support/installation/mailing-app.ts';
import { type DnsStub, startDnsStub } from '../../test/support/network/dns-stub.ts';
import { until } from '../../test/support/run/until.ts';
import { openedToken } from '../audience/signup/form.ts';
import { sql } from '../db/connect.ts';

let program: MailingApp;
let dns: DnsStub;
before(async () => {
  dns = await startDnsStub();
  program = await mailingApp();
  program.app.config.dnsServers = [dns.server];
});
after(async () => {
  await program.close();
  await dns.close();
});

type Form = { url: string; html: string; settings: Record<string, unknown> };
let letters: string;
let offers: string;
let events: string;
let url: string;
beforeEach(async () => {
  await program.app.db.run(sql`delete from signup_count`);
  const create = (title: string) => program.call<string>('listCreate', { title });
  letters = await create('Letters');
  offers = await create('Offers');
  events = await create('Events');
  await change({ further_lists: [offers, letters, events], ask_consent: false });
  url = (await form()).url;
});

const form = () => program.call<Form>('listForm', { id: letters });
const change = (options: Record<string, unknown>) => program.call('listFormUpdate', { id: letters, options });
const page = async (query = '') => (await fetch(url + query)).text();

async function post(address: string, given: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await fetch(address, { method: 'POST', body: new URLSearchParams(given), headers });
  return { status: answer.status, body: await answer.text() };
}
let visits = 0;
function submit(given: Record<string, string>) {
  const LOOK = openedToken(program.app, url.split('/').at(-1)!, Date.now() - 5_000 - visits++);
  return post(url, { LOOK, ...given });
}
const tick = (...lists: string[]) => Object.fromEntries(lists.map((id) => [`LIST.${id}`, '1']));
type Member = { status: string; merges: Record<string, string> };
const memberOf = (list: string, email: string) =>
  program.call<Member>('listMemberInfo', { id: list, email_address: email }).catch(() => undefined);
const statuses = async (email: string) =>
  (await Promise.all([letters, offers, events].map((list) => memberOf(list, email)))).map((member) => member?.status);

type Mail = { id: string; to: string; subject: string; text: string };
const inboxOf = async (email: string) => {
  const all = await program.call<Mail[]>('inboxMessages', { contains: email, limit: 20 });
  return Promise.all(all.map(async ({ id }) => (await program.call<Mail[]>('inboxMessages', { id }))[0]!));
};

test('a visitor chooses among the lists of a form, and one link confirms them', async () => {
  const body = await page();
  for (const [id, name] of [
    [letters, 'Letters'],
    [offers, 'Offers'],
    [events, 'Events'],
  ] as const)
    assert.match(body, new RegExp(`<input type="checkbox" name="LIST.${id}" value="1"[^>]*> <span>${name}</span>`));
  assert.doesNotMatch(body, / checked/, 'no box is ticked beforehand');
  assert.match(body, /<legend>What would you like to receive\?/);
  assert.match(body, /<h1>Subscribe to Letters, Offers, and Events</);
  assert.match(await page('?ln=de'), /<legend>Was möchten Sie erhalten\?/);

  const none = await submit({ EMAIL: 'ann@example.com', FNAME: 'Ann' });
  assert.equal(none.status, 400);
  assert.match(none.body, /Please choose at least one\./);
  assert.match(none.body, /value="Ann"/);
  assert.deepEqual(await statuses('ann@example.com'), [undefined, undefined, undefined]);

  assert.equal((await submit({ EMAIL: 'ann@example.com', FNAME: 'Ann', ...tick(offers, events) })).status, 200);
  assert.deepEqual(await statuses('ann@example.com'), [undefined, 'pending', 'pending']);
  assert.equal((await memberOf(events, 'ann@example.com'))!.merges['FNAME'], 'Ann');
  await until('the confirmation arrives', async () => (await inboxOf('ann@example.com')).length > 0);
  const messages = await inboxOf('ann@example.com');
  assert.equal(messages.length, 1, 'one email for all lists');
  assert.equal(messages[0]!.subject, 'Please confirm: Offers and Events');
  assert.match(messages[0]!.text, /emails from Offers and Events to this address/);
  const link = /http\S+\/confirm\/\S+/.exec(messages[0]!.text)![0];
  assert.match(await (await fetch(link)).text(), /emails from Offers and Events at ann@example\.com/);
  assert.deepEqual(await statuses('ann@example.com'), [undefined, 'pending', 'pending'], 'GET changes nothing');
  const done = await post(link, {});
  assert.match(done.body, /You are subscribed/);
  assert.deepEqual(await statuses('ann@example.com'), [undefined, 'subscribed', 'subscribed']);
  assert.match((await post(link, {})).body, /nothing left to confirm/);
  const evidence = await program.app.db.row<{ detail: { lists: string } }>(
    sql`select detail from consent where kind = 'signup' order by id desc limit 1`,
  );
  assert.equal(evidence!.detail.lists, 'Offers and Events');
});

test('a form of all lists asks nothing and signs up to each; known lists stay as they are', async () => {
  await change({ list_choice: 'all' });
  assert.doesNotMatch(await page(), /type="checkbox"/);
  await program.call('listSubscribe', {
    id: letters,
    email_address: 'ben@example.com',
    merge_vars: { FNAME: 'Benedict' },
    double_optin: false,
  });
  const answer = await submit({ EMAIL: 'ben@example.com', FNAME: 'Ben' });
  assert.match(answer.body, /Nearly done/);
  assert.deepEqual(await statuses('ben@example.com'), ['subscribed', 'pending', 'pending']);
  assert.equal((await memberOf(letters, 'ben@example.com'))!.merges['FNAME'], 'Benedict');
  // Asked a moment ago: the same answer, and no second email.
  assert.match((await submit({ EMAIL: 'ben@example.com' })).body, /Nearly done/);
  await until('the confirmation arrives', async () => (await inboxOf('ben@example.com')).length > 0);
  assert.equal((await inboxOf('ben@example.com'))[0]!.subject, 'Please confirm: Offers and Events');
});

test('a list takes the values of its own fields, and none that it cannot hold', async () => {
  await program.call('listMergeVarAdd', {
    id: letters,
    tag: 'BORN',
    name: 'Birthday',
    options: { field_type: 'date' },
  });
  await program.call('listMergeVarAdd', { id: letters, tag: 'SIZE', name: 'Size' });
  await program.call('listMergeVarAdd', { id: offers, tag: 'BORN', name: 'Birthday', options: { field_type: 'date' } });
  await program.call('listMergeVarAdd', { id: offers, tag: 'SIZE', name: 'Size', options: { field_type: 'number' } });
  await program.call('listMergeVarAdd', { id: offers, tag: 'MUST', name: 'Must', options: { req: true } });
  const given = { EMAIL: 'cleo@example.com', BORN: '1990-05-04', SIZE: 'large', ...tick(letters, offers) };
  const answer = await submit(given);
  assert.equal(answer.status, 200, answer.body);
  const member = (await memberOf(offers, 'cleo@example.com'))!;
  assert.deepEqual([member.status, member.merges['BORN'], member.merges['SIZE']], ['pending', '1990-05-04', '']);
});

test('only lists of the account can be offered, and a deleted one is offered no more', async () => {
  const other = await program.anotherAccount();
  const foreign = await other.call<string>('listCreate', { title: 'Foreign' });
  await assert.rejects(change({ further_lists: [foreign] }), { fault: 'LIST_UNKNOWN' });
  await program.call('listDelete', { id: offers });
  assert.deepEqual((await form()).settings['further_lists'], [events]);
  assert.doesNotMatch(await page(), /Offers/);
  // The box of a list that is not offered counts for nothing.
  assert.equal((await submit({ EMAIL: 'dan@example.com', ...tick(foreign) })).status, 400);
});

test('the HTML for another site has the boxes too', async () => {
  const { html } = await form();
  assert.match(html, new RegExp(`<fieldset><legend>.*name="LIST.${letters}".*name="LIST.${events}"`, 's'));
  assert.doesNotMatch(html, /<img/);
});

test('a domain without a mail server is refused where the form says so, and a failing name server refuses no one', async () => {
  const gone = { EMAIL: 'eve@gone.example', ...tick(letters) };
  assert.equal((await submit(gone)).status, 200, 'not checked by default');
  await change({ check_domain: true });
  dns.set('mail.example', { MX: [{ exchange: 'mx.mail.example', priority: 10 }] });
  dns.set('host.example', { A: ['192.0.2.1'] });
  dns.set('null.example', { MX: [{ exchange: '', priority: 0 }], A: ['192.0.2.1'] });
  dns.set('empty.example', {});
  dns.set('broken.example', { rcode: 2 });
  dns.set('slow.example', { delayMs: Number.POSITIVE_INFINITY });
  for (const [domain, status] of [
    ['mail.example', 200],
    ['host.example', 200],
    ['broken.example', 200],
    ['slow.example', 200],
    ['null.example', 400],
    ['empty.example', 400],
    ['gone.example', 400],
  ] as const) {
    const answer = await submit({ EMAIL: `fay@${domain}`, FNAME: 'Fay', ...tick(letters) });
    assert.equal(answer.status, status, domain);
    const refused = /The part after the @ cannot receive email/.test(answer.body);
    assert.equal(refused, status === 400, domain);
    assert.equal((await memberOf(letters, `fay@${domain}`))?.status, status === 200 ? 'pending' : undefined, domain);
  }
  const asked = () => dns.questions.filter(({ name }) => name === 'mail.example').length;
  const before = asked();
  await submit({ EMAIL: 'gil@mail.example', ...tick(letters) });
  assert.equal(asked(), before, 'an answer is remembered');
  const [latest] = await program.call<{ reason: string }[]>('listFormRefusals', { id: letters, limit: 1 });
  assert.equal(latest!.reason, 'domain');
  url += '?ln=de';
  assert.match(
    (await post(url, { LOOK: openedToken(program.app, /[0-9a-f]{32}/.exec(url)![0], Date.now() - 9_000), ...gone }))
      .body,
    /Der Teil nach dem @ kann keine E-Mails empfangen/,
  );
});

test('the hosted page has a stored picture and a text, and the picture stays while the form uses it', async () => {
  assert.doesNotMatch(await page(), /class="landing"/);
  const content = pictures.png.toString('base64');
  const asset = await program.call<{ name: string; url: string }>('assetCreate', { content, title: 'Lake' });
  await change({
    picture_url: asset.url,
    picture_alt: 'A "lake"',
    about: 'Ten letters a year.\n\nRead [the last one](https://example.com/last).\n<b>No HTML</b>',
  });
  const body = await page();
  const path = new URL(asset.url).pathname;
  assert.ok(body.includes(`<img src="${path}" alt="A &quot;lake&quot;">`), body);
  assert.match(
    body,
    /<p>Ten letters a year\.<\/p><p>Read <a href="https:\/\/example\.com\/last"[^>]*>the last one<\/a>\.<br>&lt;b&gt;/,
  );
  await program.call('assetDelete', { name: asset.name });
  assert.equal((await fetch(asset.url)).status, 200);
  for (const picture_url of ['https://example.com/lake.png', asset.url.replace(/[0-9a-f]{32}/, '0'.repeat(32))])
    await assert.rejects(change({ picture_url }), { fault: 'LIST_OPTION_INVALID', message: /stored image/ });
  await change({ picture_url: '', about: '' });
  assert.doesNotMatch(await page(), /class="landing"/);
});

test('readers see the name for readers wherever a list is named, and never its internal one', async () => {
  for (const [id, name] of [
    [letters, 'Tea lovers'],
    [offers, 'Cups'],
  ] as const) {
    await program.call('listUpdate', { id, name: 'title', value: `Kunden intern ${name.length}` });
    await program.call('listUpdate', { id, name: 'public_title', value: name });
  }
  await change({ further_lists: [offers], send_welcome: true, send_goodbye: true, ask_consent: true });
  const seen: string[] = [];
  const look = async (address: string, given?: Record<string, string>) => {
    const { body } = given ? await post(address, given) : { body: await (await fetch(address)).text() };
    seen.push(body);
    return body;
  };
  assert.match(await look(`${url}?ln=de`), /Tea lovers[\s\S]*Cups/);
  seen.push((await submit({ EMAIL: 'tea@example.com', CONSENT: '1', ...tick(letters, offers) })).body);
  await until('the confirmation arrives', async () => (await inboxOf('tea@example.com')).length > 0);
  const [asked] = await inboxOf('tea@example.com');
  assert.match(asked!.subject, /Tea lovers and Cups/);
  const link = /http\S+\/confirm\/\S+/.exec(asked!.text)![0];
  assert.match(await look(link), /Tea lovers and Cups/);
  await look(link, {});
  await until('the welcome arrives', async () => (await inboxOf('tea@example.com')).length > 1);
  const cid = await program.call<string>('campaignCreate', {
    type: 'regular',
    options: {
      list_id: letters,
      subject: 'News of *|LIST:NAME|*',
      from_email: 'ann@shop.example',
      from_name: 'Ann',
      generate_text: true,
    },
    content: { html: '<p>From *|LIST:NAME|*, <a href="*|UNSUB|*">leave</a></p>' },
  });
  await program.call('campaignSendNow', { cid });
  const letter = async () => (await inboxOf('tea@example.com')).find(({ subject }) => subject === 'News of Tea lovers');
  await until('the letter arrives', async () => (await letter()) !== undefined);
  const leave = /http\S+\/u\/[\w-]+/.exec((await letter())!.text)![0];
  assert.match(await look(leave), /emails from Tea lovers/);
  assert.match(await look(leave, {}), /emails from Tea lovers/);
  await until('the goodbye arrives', async () => (await inboxOf('tea@example.com')).length > 3);
  for (const text of [...seen, JSON.stringify(await inboxOf('tea@example.com'))]) assert.doesNotMatch(text, /intern/);
});
