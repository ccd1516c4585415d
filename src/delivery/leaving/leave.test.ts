// Who is concerned when a person leaves by an old link, what is remembered without a contact, and how a person comes back.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MailingApp, mailingApp } from '../../../test/support/installation/mailing-app.ts';
import { until } from '../../../test/support/run/until.ts';
import { openedToken } from '../../audience/signup/form.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { tokensOf } from '../../tracking/token-secret.ts';

let app: MailingApp;
before(async () => {
  app = await mailingApp();
});
after(() => app.close());

const form = { 'content-type': 'application/x-www-form-urlencoded' };
let lists = 0;
const newList = () => app.call<string>('listCreate', { title: `List ${++lists}` });
const add = (list: string, email: string) =>
  app.call('listSubscribe', { id: list, email_address: email, double_optin: false });
const drop = (list: string, email: string) =>
  app.call('listUnsubscribe', { id: list, email_address: email, delete_member: true, send_goodbye: false });
const info = (list: string, email: string) =>
  app.call<{ id: string; status: string }>('listMemberInfo', { id: list, email_address: email });
const reason = async (email: string) =>
  (await app.app.db.row<{ reason: string }>(sql`select reason from suppression where value = ${email}`))?.reason;

/** The address to unsubscribe in a message of a list to the member as it is now. */
async function linkOf(list: string, email: string, purpose: 'unsubscribe' | 'profile' = 'unsubscribe') {
  const { id } = await info(list, email);
  const ids = { account: app.account.id, campaign: 0, seq: 0, contact: parseId(id), lists: [parseId(list)] };
  return `${app.base}/${purpose === 'profile' ? 'p' : 'u'}/${tokensOf(app.app).tokens(ids)[purpose]}`;
}

async function leave(link: string, body = 'List-Unsubscribe=One-Click') {
  const response = await fetch(link, { method: 'POST', headers: form, body });
  return { status: response.status, page: await response.text() };
}

test('the page names the list while the contact is on it, and else says that all lists are left', async () => {
  const [first, second] = [await newList(), await newList()];
  await add(first, 'two@leave.example');
  await add(second, 'two@leave.example');
  const link = await linkOf(first, 'two@leave.example');
  assert.match((await leave(link)).page, /any more emails from List \d+\./);
  assert.equal((await info(second, 'two@leave.example')).status, 'subscribed');

  await app.call('listDelete', { id: first });
  assert.match(await (await fetch(link)).text(), /from this sender\?/);
  assert.match((await leave(link)).page, /any more emails from this sender\./);
  assert.equal((await info(second, 'two@leave.example')).status, 'unsubscribed');
});

test('a link whose address is not known any more says that nothing was changed, in the language of the browser', async () => {
  const ids = { account: app.account.id, campaign: 0, seq: 0, contact: 1, lists: [1] };
  const link = `${app.base}/u/${tokensOf(app.app).tokens(ids).unsubscribe}`;
  const { status, page } = await leave(link);
  assert.equal(status, 410);
  assert.match(page, /nothing was changed/);
  assert.doesNotMatch(page, /You will not receive|have been unsubscribed/);
  const german = await fetch(link, { method: 'POST', headers: { 'accept-language': 'de' } });
  assert.match(await german.text(), /wurde nichts geändert/);
});

test('an address that left without a contact is not added again by the owner, but comes back by confirming a sign-up', async () => {
  const list = await newList();
  const email = 'back@leave.example';
  await app.call('listFormUpdate', { id: list, options: { enabled: true } });
  await add(list, email);
  const link = await linkOf(list, email);
  await drop(list, email);
  assert.match((await leave(link)).page, /any more emails from this sender\./);
  assert.equal(await reason(email), 'unsubscribe');
  await assert.rejects(add(list, email), { fault: 'ADDRESS_INVALID' });

  const { url } = await app.call<{ url: string }>('listForm', { id: list });
  const { pathname } = new URL(url);
  const look = openedToken(app.app, pathname.split('/').at(-1)!, Date.now() - 5_000);
  const body = new URLSearchParams({ EMAIL: email, CONSENT: '1', LOOK: look }).toString();
  const signedUp = await fetch(app.base + pathname, { method: 'POST', headers: form, body });
  assert.equal(signedUp.status, 200);
  const mail = async () =>
    (
      await app.app.db.row<{ source: string }>(sql`
      select convert_from(source, 'UTF8') as source from inbox_message where ${email} = any (rcpt_to)`)
    )?.source;
  await until('the confirmation arrives', async () => (await mail()) !== undefined);
  const path = /\/confirm\/[\w-]+/.exec((await mail())!.replace(/=\r?\n/g, ''))![0];
  assert.match(await (await fetch(app.base + path, { method: 'POST' })).text(), /subscribed/);
  assert.equal((await info(list, email)).status, 'subscribed');
  assert.equal(await reason(email), undefined);
});

test('leaving everything on the preference page is remembered without a contact too', async () => {
  const list = await newList();
  const email = 'prefs@leave.example';
  await add(list, email);
  const link = await linkOf(list, email, 'profile');
  await drop(list, email);
  assert.equal((await leave(link, '')).status, 410, 'an empty form changes nothing');
  assert.equal(await reason(email), undefined);
  assert.equal((await leave(link, 'form=preferences')).status, 200);
  assert.equal(await reason(email), 'unsubscribe');
});

test('a contact that has another address by now leaves, and so does the one that has the address of the message now', async () => {
  const list = await newList();
  await add(list, 'old@leave.example');
  const { id } = await info(list, 'old@leave.example');
  const campaign = 600_000_001;
  await app.app.db.run(sql`
    insert into former_recipient (account_id, campaign_id, seq, contact_id, list_id, email, state)
    values (${app.account.id}, ${campaign}, 1, ${parseId(id)}, ${parseId(list)}, 'old@leave.example', 2)`);
  await app.call('listUpdateMember', {
    id: list,
    email_address: 'old@leave.example',
    merge_vars: { EMAIL: 'new@leave.example' },
  });
  await add(list, 'old@leave.example');
  const ids = { account: app.account.id, campaign, seq: 1, contact: parseId(id), lists: [parseId(list)] };
  assert.equal((await leave(`${app.base}/u/${tokensOf(app.app).tokens(ids).unsubscribe}`)).status, 200);
  assert.equal((await info(list, 'new@leave.example')).status, 'unsubscribed');
  assert.equal((await info(list, 'old@leave.example')).status, 'unsubscribed');
});

test('a message of a list stands for every address that the contact had, also after it was deleted', async () => {
  for (const isDeleted of [false, true]) {
    const list = await newList();
    const [first, second, third] = ['first', 'second', 'third'].map(
      (name) => `${name}${isDeleted ? 2 : 1}@moved.example`,
    );
    await add(list, first!);
    const link = await linkOf(list, first!);
    for (const [from, to] of [
      [first!, second!],
      [second!, third!],
    ] as const)
      await app.call('listUpdateMember', { id: list, email_address: from, merge_vars: { EMAIL: to } });
    if (isDeleted) await drop(list, third!);
    else await add(list, first!);
    assert.equal((await leave(link)).status, 200);
    if (isDeleted)
      for (const email of [first!, second!, third!]) assert.equal(await reason(email), 'unsubscribe', email);
    else for (const email of [first!, third!]) assert.equal((await info(list, email)).status, 'unsubscribed', email);
  }
});

test('a member that left, was deleted by a program and is added by a batch is subscribed again', async () => {
  const list = await newList();
  const email = 'readded@leave.example';
  const batch = () =>
    app.call<{ success_count: number }>('listBatchSubscribe', {
      id: list,
      batch: [{ EMAIL: email }],
      double_optin: false,
      update_existing: true,
    });
  await add(list, email);
  await leave(await linkOf(list, email));
  assert.equal((await info(list, email)).status, 'unsubscribed');
  await drop(list, email);
  // docs/decisions/0074-who-leaves.md: deleting and adding is two decisions of the owner, as resubscribing is one.
  assert.equal((await batch()).success_count, 1);
  assert.equal((await info(list, email)).status, 'subscribed');
});

test('a contact that is added again is not tracked and paused, as it was; what it changed last counts', async () => {
  const list = await newList();
  const [quiet, loud] = ['quiet@leave.example', 'loud@leave.example'];
  for (const email of [quiet, loud]) {
    await add(list, email);
    await app.call('contactTrackingUpdate', { email, tracked: false });
    await app.call('contactPause', { email, until: '2037-01-01 00:00:00' });
  }
  const facts = (email: string) =>
    app.app.db.row(sql`
      select untracked, paused_until > now() as paused, changed_at = created_at as unchanged
      from contact
      where email_key = ${email}`);
  for (const email of [quiet, loud]) await drop(list, email);
  await add(list, quiet.toUpperCase().replace('LEAVE.EXAMPLE', 'leave.example'));
  assert.deepEqual(await facts(quiet), { untracked: true, paused: true, unchanged: true });
  const log = await app.app.db.rows<{ kind: string }>(sql`
    select k.kind
    from consent k
    join contact c on c.id = k.contact_id
    where c.email_key = ${quiet} and k.detail ? 'restored'
    order by kind`);
  assert.deepEqual(
    log.map(({ kind }) => kind),
    ['pause', 'untrack'],
  );

  // By an import, and after it changed its mind.
  const id = await app.call<string>('importCreate', { id: list, content: `EMAIL\n${loud}\n` });
  await app.call('importStart', { import: id });
  await until('the import has ended', async () => {
    const { state } = await app.call<{ state: string }>('importGet', { import: id });
    return state === 'done';
  });
  assert.deepEqual(await facts(loud), { untracked: true, paused: true, unchanged: true });
  await app.call('importUndo', { import: id });
  await until('it is gone', async () => (await facts(loud)) === undefined);
  await add(list, loud);
  await app.call('contactTrackingUpdate', { email: loud, tracked: true });
  await app.call('contactResume', { email: loud });
  await drop(list, loud);
  await add(list, loud);
  assert.deepEqual(await facts(loud), { untracked: false, paused: null, unchanged: true });
});
