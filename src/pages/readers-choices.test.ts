// What readers choose on the preference page: public lists in groups, everything left at once, a pause. Each choice meets what else
// happens to its contact; docs/flows.md has the table.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formOf } from '../../test/support/builders/html-form.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { tokensOf } from '../tracking/token-secret.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

/** An account of its own, so that a test sees its public lists only. */
async function account() {
  const { account, call } = await app.anotherAccount();
  const list = (title: string, options: Record<string, unknown> = {}) =>
    call<string>('listCreate', { title, options: { company: 'Acme', ...options } });
  const add = (id: string, email_address: string, more: Record<string, unknown> = {}) =>
    call('listSubscribe', { id, email_address, double_optin: false, ...more });
  const member = (id: string, email_address: string) =>
    call<{ id: string; status: string; merges: Record<string, string> }>('listMemberInfo', { id, email_address });
  const links = async (id: string, email: string) =>
    tokensOf(app.app).tokens({
      account: account.id,
      campaign: 0,
      seq: 0,
      contact: parseId((await member(id, email)).id)!,
      lists: [parseId(id)!],
    });
  const pageOf = async (id: string, email: string) => `${base}/p/${(await links(id, email)).profile}`;
  const suppressed = () =>
    app.app.db.rows<{ kind: string; value: string; reason: string }>(sql`
      select kind, value, reason from suppression where account_id = ${account.id} order by kind, value`);
  const log = (kind: string) =>
    app.app.db.rows<{ list: number | null; detail: Record<string, unknown> }>(sql`
      select list_id as list, detail from consent where account_id = ${account.id} and kind = ${kind} order by id`);
  const jobs = (task: string) =>
    app.app.db.rows(sql`
      select from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = ${task} and (j.payload ->> 'account_id')::int = ${account.id}`);
  return { account, call, list, add, member, links, pageOf, suppressed, log, jobs };
}

const get = async (url: string) => (await fetch(url)).text();
const post = (url: string, pairs: [string, string][]) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(pairs) });
/** Saves the page as a browser does. @param changes pairs added; null removes a name */
async function save(url: string, changes: Record<string, string | null>, page?: string) {
  const pairs = formOf(page ?? (await get(url))).filter(([name]) => !(name in changes));
  const added = Object.entries(changes).filter((pair): pair is [string, string] => pair[1] !== null);
  const answer = await post(url, [...pairs, ...added]);
  return { status: answer.status, body: await answer.text() };
}
const leaveAll = (url: string) => post(url, [['form', 'leave-everything']]);
/** What the boxes say, in order: headings, and titles with their state. */
const boxes = (page: string) =>
  [
    ...page.matchAll(/<legend>([^<]*)<|<input type="checkbox" name="list\.[^"]*"( checked| disabled)?> <span>([^<]*)/g),
  ].map(([, legend, state = '', title]) => legend ?? `${title}${state}`);

test('the options of a list say what readers see of it, and come back as they were set', async () => {
  const { call, list } = await account();
  const id = await list('Internal 2024');
  const shown = async () => {
    const got = await call<Record<string, unknown>>('listGet', { id });
    return [got['public'], got['public_title'], got['public_description'], got['public_group']];
  };
  assert.deepEqual(await shown(), [false, '', '', '']);
  const set = (name: string, value: unknown) => call('listUpdate', { id, name, value });
  await set('public', true);
  await set('public_title', 'News');
  await set('public_description', 'Once a month.\nNo advertising.');
  await set('public_group', 'About us');
  assert.deepEqual(await shown(), [true, 'News', 'Once a month.\nNo advertising.', 'About us']);
  await set('public', 'no');
  await set('public_title', '');
  assert.deepEqual(await shown(), [false, '', 'Once a month.\nNo advertising.', 'About us']);
  await assert.rejects(set('public', 'perhaps'), { fault: 'LIST_OPTION_INVALID', message: /public/ });
  await assert.rejects(set('public_group', 'x'.repeat(201)), { fault: 'LIST_OPTION_INVALID', message: /public_group/ });
  assert.deepEqual(await shown(), [false, '', 'Once a month.\nNo advertising.', 'About us']);
});

test('public lists are offered in groups; names of others are not shown, and one box stands for all of them', async () => {
  const { list, add, pageOf, links } = await account();
  const hostile = '<b>"Offers" & more</b>';
  const internal = await list('Internal: customers 2024');
  const second = await list('Internal: never touch');
  const titled = await list('cust_b2b', { public_title: 'For shops' });
  await list('Board (internal)', { public_title: 'Board' });
  await list('News', { public: true, public_description: 'Once a <month>' });
  await list('t2', { public: true, public_title: hostile, public_group: 'Shop' });
  await list('Talks 10', { public: true, public_group: 'Events & talks' });
  await list('Talks 9', { public: true, public_group: 'Events & talks' });
  for (const id of [internal, second, titled]) await add(id, 'ann@example.com');
  const page = await get(await pageOf(internal, 'ann@example.com'));
  assert.deepEqual(boxes(page), [
    'What would you like to receive?',
    'For shops checked',
    'News',
    'Other emails from Acme checked',
    'Events &amp; talks',
    'Talks 9',
    'Talks 10',
    'Shop',
    '&lt;b&gt;&quot;Offers&quot; &amp; more&lt;/b&gt;',
  ]);
  assert.match(page, /<span class="soft">Once a &lt;month&gt;<\/span>/);
  assert.doesNotMatch(page, /Internal|never touch|Board|cust_b2b/);
  // The link to unsubscribe is in a header that others read: its page offers nothing else.
  const choices = await get(`${base}/p/${(await links(internal, 'ann@example.com')).choices}`);
  assert.deepEqual(boxes(choices), ['What would you like to receive?', 'Emails from Acme checked']);
});

test('ticking a public list joins it, with what the page said as evidence and a welcome if the list sends one', async () => {
  const { list, add, pageOf, member, log, jobs, call, links } = await account();
  const first = await list('First');
  const news = await list('News', { public: true, public_title: 'Our news', public_description: 'Monthly' });
  const secret = await list('Secret');
  await call('listFormUpdate', { id: news, options: { send_welcome: true } });
  const email = 'bea@example.com';
  await add(first, email, { merge_vars: { FNAME: 'Bea', LNAME: 'Bo' } });
  const { body } = await save(await pageOf(first, email), { [`list.${news}`]: 'on', [`list.${secret}`]: 'on' });
  assert.match(body, /Your changes have been saved/);
  const joined = await member(news, email);
  assert.deepEqual(
    [joined.status, joined.merges['FNAME']],
    ['subscribed', 'Bea'],
    'with the values that the page showed',
  );
  const { request: _, ...evidence } = (await log('subscribe')).at(-1)!.detail;
  assert.deepEqual(evidence, { form: 'preferences', shown: 'Our news\nMonthly' });
  assert.equal((await jobs('sendWelcome')).length, 1);
  await assert.rejects(member(secret, email), { fault: 'ADDRESS_UNKNOWN' }, 'a list that is not offered is not joined');

  const other = 'bob@example.com';
  await add(first, other);
  await save(`${base}/p/${(await links(first, other)).choices}`, { [`list.${news}`]: 'on' });
  await assert.rejects(
    member(news, other),
    { fault: 'ADDRESS_UNKNOWN' },
    'nothing is joined by the link to unsubscribe',
  );
});

test('a list that waits for a confirmation is joined by the page, which only its contact can open', async () => {
  const { list, add, pageOf, member } = await account();
  const first = await list('First');
  const news = await list('News', { public: true });
  await add(first, 'cy@example.com');
  await add(news, 'cy@example.com', { double_optin: true });
  const url = await pageOf(first, 'cy@example.com');
  assert.ok(boxes(await get(url)).includes('News'));
  await save(url, { [`list.${news}`]: 'on' });
  assert.equal((await member(news, 'cy@example.com')).status, 'subscribed');
});

test('a required field that the contact has no value for is asked for before a list is joined', async () => {
  const { list, add, pageOf, member, call } = await account();
  const first = await list('First');
  const club = await list('Club', { public: true });
  await call('listMergeVarAdd', { id: club, tag: 'NO', name: 'Member number', options: { req: true, public: false } });
  await add(first, 'dan@example.com');
  const url = await pageOf(first, 'dan@example.com');
  assert.doesNotMatch(await get(url), /Member number/);
  const asked = await save(url, { [`list.${club}`]: 'on' });
  assert.equal(asked.status, 400);
  assert.match(asked.body, /This was not saved: Member number: Please fill in this field\.</);
  assert.ok(boxes(asked.body).includes('Club checked'), 'the box stays ticked');
  await assert.rejects(member(club, 'dan@example.com'), { fault: 'ADDRESS_UNKNOWN' });
  assert.equal((await member(first, 'dan@example.com')).status, 'subscribed');
  const done = await save(url, { 'field.NO': '17' }, asked.body);
  assert.equal(done.status, 200);
  assert.equal((await member(club, 'dan@example.com')).merges['NO'], '17');
});

test('the box of internal names leaves all of them, and brings back the list of the link only', async () => {
  const { list, add, pageOf, member } = await account();
  const [first, second] = [await list('x1'), await list('x2')];
  const email = 'eva@example.com';
  for (const id of [first, second]) await add(id, email);
  const url = await pageOf(second, email);
  const left = await save(url, { 'list.other': null });
  assert.deepEqual(boxes(left.body), ['What would you like to receive?', 'Emails from Acme']);
  const statuses = async () => [(await member(first, email)).status, (await member(second, email)).status];
  assert.deepEqual(await statuses(), ['unsubscribed', 'unsubscribed']);
  await save(url, { 'list.other': 'on' });
  assert.deepEqual(await statuses(), ['unsubscribed', 'subscribed']);
});

test('a form that an earlier version showed keeps its contact on the lists that it names', async () => {
  const { list, add, pageOf, member } = await account();
  const [first, second] = [await list('x1'), await list('x2')];
  for (const id of [first, second]) await add(id, 'leo@example.com');
  await post(await pageOf(first, 'leo@example.com'), [
    ['form', 'preferences'],
    [`list.${first}`, 'on'],
  ]);
  assert.equal((await member(first, 'leo@example.com')).status, 'subscribed');
  assert.equal((await member(second, 'leo@example.com')).status, 'unsubscribed');
});

test('of two tabs, the older neither leaves what the newer joined nor brings back what it left', async () => {
  const { list, add, pageOf, member } = await account();
  const [letter, news] = [await list('Letter', { public: true }), await list('News', { public: true })];
  const email = 'fay@example.com';
  await add(letter, email);
  const url = await pageOf(letter, email);
  const old = await get(url);
  await save(url, { [`list.${news}`]: 'on', [`list.${letter}`]: null, PAUSE: '2' });
  assert.equal((await save(url, {}, old)).status, 200);
  assert.deepEqual(
    [(await member(letter, email)).status, (await member(news, email)).status],
    ['unsubscribed', 'subscribed'],
  );
  assert.match(await get(url), /On a break until/, 'a form that chooses nothing ends no pause');
  const before = await get(url);
  await leaveAll(url);
  await save(url, {}, before);
  assert.equal((await member(news, email)).status, 'unsubscribed');
});

test('leaving everything ends each subscription once and suppresses the address, until its owner joins again', async () => {
  const { list, add, pageOf, member, suppressed, log, jobs, call, links } = await account();
  const [letter, news, other] = [
    await list('Letter', { public: true }),
    await list('News', { public: true }),
    await list('x'),
  ];
  for (const id of [letter, news]) await call('listFormUpdate', { id, options: { send_goodbye: true } });
  const email = 'Gil@example.com';
  await add(letter, email);
  await add(news, email);
  await add(other, email, { double_optin: true });
  const url = await pageOf(letter, email);
  assert.match(await get(url), /<button class="quiet">Leave everything<\/button>/);
  for (let i = 0; i < 2; i++) {
    const answer = await leaveAll(url);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /You have been unsubscribed[\s\S]*<a href="">Back to your preferences/);
  }
  for (const id of [letter, news, other]) assert.equal((await member(id, email)).status, 'unsubscribed');
  assert.equal((await log('unsubscribe')).length, 3);
  assert.equal((await jobs('sendGoodbye')).length, 1, 'one farewell');
  const entry = { kind: 'address', value: 'gil@example.com', reason: 'unsubscribe' };
  assert.deepEqual(await suppressed(), [entry]);
  assert.doesNotMatch(await get(url), /Leave everything/, 'there is nothing left to leave');

  // One click in an older email.
  const { unsubscribe } = await links(letter, email);
  assert.equal((await post(`${base}/u/${unsubscribe}`, [['List-Unsubscribe', 'One-Click']])).status, 200);
  assert.equal((await log('unsubscribe')).length, 3);

  const fresh = await list('Imported');
  await assert.rejects(add(fresh, email), { fault: 'ADDRESS_INVALID' });
  await save(url, { [`list.${news}`]: 'on' });
  assert.equal((await member(news, email)).status, 'subscribed');
  assert.deepEqual(await suppressed(), []);
});

test('a pause stays when its contact leaves by one click, comes twice by one link, and is forgotten by an erasure', async () => {
  const { list, add, pageOf, links, call, log, account: of } = await account();
  const letter = await list('Letter', { public: true });
  const email = 'hal@example.com';
  await add(letter, email);
  const url = await pageOf(letter, email);
  const page = await get(url);
  for (let i = 0; i < 2; i++) await save(url, { PAUSE: '1' }, page);
  const until = async () => (await call<{ paused_until: string }>('contactGet', { email })).paused_until;
  const days = (Date.parse(`${(await until()).replace(' ', 'T')}Z`) - Date.now()) / 86_400_000;
  assert.ok(days > 6.99 && days <= 7, String(days));
  assert.equal((await log('pause')).length, 2);
  await post(`${base}/u/${(await links(letter, email)).unsubscribe}`, [['List-Unsubscribe', 'One-Click']]);
  assert.notEqual(await until(), '');
  const exported = await call<{ contact: { paused_until: string }; timeline: { what: string }[] }>('contactExport', {
    email,
  });
  assert.equal(exported.contact.paused_until, await until());
  assert.equal(exported.timeline.filter(({ what }) => what === 'pause').length, 2);
  await call('contactErase', { email, keep_suppressed: false });
  await add(letter, email);
  assert.equal(await until(), '');
  assert.deepEqual(
    await app.app.db.rows(sql`select from former_contact where account_id = ${of.id} and paused_until is not null`),
    [],
  );
});

test('who has left everything stays away when the contact is erased, when it is deleted with its list, and by a link without one', async () => {
  const { list, add, pageOf, call, suppressed, log } = await account();
  const [letter, gone] = [await list('Letter', { public: true }), await list('Gone', { public: true })];
  await add(letter, 'ida@example.com');
  await leaveAll(await pageOf(letter, 'ida@example.com'));
  await call('contactErase', { email: 'ida@example.com' });
  assert.deepEqual(
    (await suppressed()).map(({ kind, reason }) => [kind, reason]),
    [['hash', 'erased']],
  );
  await add(letter, 'ina@example.com');
  await leaveAll(await pageOf(letter, 'ina@example.com'));
  await call('contactErase', { email: 'ina@example.com', keep_suppressed: false });
  assert.equal((await suppressed()).length, 1);

  await add(gone, 'jan@example.com');
  const url = await pageOf(gone, 'jan@example.com');
  await add(gone, 'jo@example.com');
  const later = await pageOf(gone, 'jo@example.com');
  await leaveAll(url);
  await call('listDelete', { id: gone });
  const left = await leaveAll(later);
  assert.equal(left.status, 200);
  assert.doesNotMatch(await left.text(), /Back to your preferences/, 'there are none any more');
  assert.deepEqual(
    (await suppressed()).filter(({ kind }) => kind === 'address').map(({ value }) => value),
    ['jan@example.com', 'jo@example.com'],
  );
  assert.equal((await log('unsubscribe')).length, 3, 'of those that had a subscription');
});

test('leaving everything is one transaction: if a part of it fails, nothing of it remains', async () => {
  const { list, add, pageOf, member, suppressed, log } = await account();
  const letter = await list('Letter', { public: true });
  await add(letter, 'kim@example.com');
  const url = await pageOf(letter, 'kim@example.com');
  await app.app.db.run(sql`
    create function stop() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`);
  await app.app.db.run(sql`create trigger stop before insert on suppression for each row execute function stop()`);
  try {
    assert.equal((await leaveAll(url)).status, 500);
  } finally {
    await app.app.db.run(sql`drop trigger stop on suppression`);
  }
  assert.equal((await member(letter, 'kim@example.com')).status, 'subscribed');
  assert.deepEqual([await suppressed(), await log('unsubscribe')], [[], []]);
  assert.equal((await leaveAll(url)).status, 200);
  assert.equal((await member(letter, 'kim@example.com')).status, 'unsubscribed');
});

test('an erased or unknown contact has no page to leave', async () => {
  const { account: of } = await account();
  const { profile } = tokensOf(app.app).tokens({ account: of.id, campaign: 0, seq: 0, contact: 4_711, lists: [1] });
  const answer = await leaveAll(`${base}/p/${profile}`);
  assert.equal(answer.status, 410);
  const changed = profile.slice(0, -1) + (profile.endsWith('x') ? 'y' : 'x');
  assert.equal((await leaveAll(`${base}/p/${changed}`)).status, 404);
});
