// What becomes of a set of lists: the table in docs/flows.md, cell by cell.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { authenticate } from '../../src/accounts/keys/authenticate.ts';
import { createKey } from '../../src/accounts/keys/key.ts';
import { addMember, createUser } from '../../src/accounts/people/user.ts';
import type { Role } from '../../src/base/permissions.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { narrowedTables } from '../../src/db/narrowed/views.ts';
import { call } from '../../src/doors/call.ts';
import { Browser } from '../support/browser/session.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { keyWith } from './list-sets-fixture.ts';

let app: TestApp;
let base: string;
let choir: string;
let board: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
  choir = await app.call<string>('listCreate', { title: 'Choir' });
  board = await app.call<string>('listCreate', { title: 'Board' });
});
after(() => app?.close());

type Person = { id: string; email: string; all_lists: boolean; lists: string[]; role: Role };
const personOf = async (email: string) => (await app.call<Person[]>('users')).find((person) => person.email === email)!;
const listsOfKey = async (label: string) =>
  (await app.call<{ label: string; all_lists: boolean; lists: string[] }[]>('apikeys')).find(
    (key) => key.label === label,
  )!;

let people = 0;
/** A member of the account, signed in. */
async function member(role: Role, lists: readonly string[]): Promise<{ browser: Browser; email: string; id: string }> {
  people += 1;
  const email = `member${people}@example.net`;
  const user = await createUser(app.app.db, { email, password: 'correct horse' });
  await addMember(app.app.db, app.account.id, user.id, role);
  await app.call('userUpdate', { id: formatId(user.id), role, lists });
  const browser = new Browser(base);
  assert.equal((await browser.signIn(email, 'correct horse')).status, 200);
  return { browser, email, id: formatId(user.id) };
}

const titles = async (browser: Browser) =>
  ((await browser.call('lists', {})).body as unknown as { name: string }[]).map(({ name }) => name);

test('a set is given with an invitation, shown, changed from the next request on, and ends with the role owner', async () => {
  await app.call('userInvite', { email: 'new@example.org', role: 'editor', lists: [choir] });
  assert.deepEqual((await personOf('new@example.org')).lists, [choir]);
  await app.call('userInvite', { email: 'new@example.org', role: 'editor', lists: [] });
  const invited = await personOf('new@example.org');
  assert.deepEqual([invited.all_lists, invited.lists], [false, []]);
  const { browser, email, id } = await member('editor', [choir]);
  assert.deepEqual(await titles(browser), ['Choir']);
  await app.call('userUpdate', { id, role: 'viewer' });
  assert.deepEqual((await personOf(email)).lists, [choir], 'another role alone changes nothing');
  await app.call('userUpdate', { id, role: 'editor', lists: [board, choir] });
  assert.deepEqual(await titles(browser), ['Choir', 'Board']);
  await assert.rejects(app.call('userUpdate', { id, role: 'owner', lists: [choir] }), { fault: 'INVALID_PARAMETER' });
  await app.call('userUpdate', { id, role: 'owner' });
  assert.equal((await personOf(email)).all_lists, true);
});

test('a member whom the command line makes an owner has all lists', async () => {
  const { browser, email, id } = await member('editor', [choir]);
  await addMember(app.app.db, app.account.id, parseId(id), 'viewer');
  assert.deepEqual((await personOf(email)).lists, [choir], 'another role changes nothing');
  await addMember(app.app.db, app.account.id, parseId(id), 'owner');
  assert.equal((await personOf(email)).all_lists, true);
  assert.deepEqual(await titles(browser), ['Choir', 'Board']);
});

test('lists and all_lists are not both given, and lists exist', async () => {
  for (const [params, fault] of [
    [{ lists: [choir], all_lists: true }, 'INVALID_PARAMETER'],
    [{ all_lists: false }, 'INVALID_PARAMETER'],
    [{ lists: ['ffffffff'] }, 'LIST_UNKNOWN'],
  ] as const) {
    await assert.rejects(app.call('apikeyAdd', { label: 'wrong', ...params }), { fault });
    await assert.rejects(app.call('userInvite', { email: 'x@example.org', role: 'viewer', ...params }), { fault });
  }
  assert.equal(await listsOfKey('wrong'), undefined);
});

test('a list that is deleted leaves every set, and a set of no list finds nothing', async () => {
  const gone = await app.call<string>('listCreate', { title: 'Tour' });
  const { browser, email } = await member('editor', [gone]);
  const key = await app.call<string>('apikeyAdd', { label: 'tour', lists: [gone] });
  await app.call('userInvite', { email: 'tour@example.org', role: 'editor', lists: [gone, choir] });
  await app.call('listDelete', { id: gone });
  await app.call<string>('listCreate', { title: 'Later' });
  assert.deepEqual(await titles(browser), []);
  const person = await personOf(email);
  assert.deepEqual([person.all_lists, person.lists], [false, []]);
  assert.deepEqual((await personOf('tour@example.org')).lists, [choir]);
  assert.deepEqual((await listsOfKey('tour')).lists, []);
  assert.deepEqual(await call(app.app, 'lists', {}, { kind: 'key', key, ip: '' }, 'json'), []);
});

test('a campaign that also went to a list that was deleted is not of the other list alone', async () => {
  const gone = await app.call<string>('listCreate', { title: 'Gone' });
  const options = { subject: 'To both', from_email: 'a@example.com', from_name: 'A', list_id: [choir, gone] };
  const draft = () =>
    app.call<string>('campaignCreate', { type: 'HTML', options, content: { html: '<p>x</p>', plain: 'x' } });
  const [sent, unsent] = [await draft(), await draft()];
  await app.app.db.run(sql`update campaign set status = 'sent' where id = ${parseId(sent)}`);
  await app.call('listDelete', { id: gone });
  const limited = await keyWith(app.app, app.account.id, [choir]);
  const found = (await limited('campaigns', {})) as { id: string }[];
  assert.deepEqual(
    found.map(({ id }) => id),
    [unsent],
  );
});

test('a key of login() has the set of its person, and a key with both what is in both', async () => {
  const { email, id } = await member('editor', [choir]);
  const key = (await app.call('login', { username: email, password: 'correct horse' })) as string;
  const listsNow = async () => (await authenticate(app.app, { kind: 'key', key, ip: '' })).caller.lists;
  assert.deepEqual(await listsNow(), [parseId(choir)]);
  await app.call('userUpdate', { id, role: 'editor', lists: [choir, board] });
  await app.app.db.run(sql`update api_key set lists = ${[parseId(board)]}::int[] where user_id = ${parseId(id)}`);
  assert.deepEqual(await listsNow(), [parseId(board)]);
});

test('an answer that is kept for an idempotency key is for the same set only', async () => {
  const params = {
    ...{ type: 'HTML', content: { html: '<p>x</p>', plain: 'x' }, idempotency_key: 'once' },
    options: { subject: 'Once', from_email: 'a@example.com', from_name: 'A', list_id: [board] },
  };
  await app.call('campaignCreate', params);
  const limited = await keyWith(app.app, app.account.id, [choir]);
  await assert.rejects(limited('campaignCreate', params), ({ fault }: { fault: string }) => fault !== 'INTERNAL');
});

test('downloads and uploads are of the set', async () => {
  const { key } = await createKey(app.app.db, app.account.id, {
    label: 'files',
    scope: 'full',
    lists: [parseId(choir)],
  });
  const headers = { authorization: `Bearer ${key}` };
  const get = async (path: string) => (await fetch(`${base}${path}`, { headers })).status;
  assert.equal(await get(`/export/${choir}.csv`), 200);
  assert.equal(await get(`/export/${board}.csv`), await get('/export/ffffffff.csv'));
  const foreign = (await (
    await fetch(`${base}/upload?name=a.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.key}`, 'content-type': 'application/octet-stream' },
      body: 'Email\na@example.com\n',
    })
  ).json()) as { id: string };
  assert.equal(await get(`/upload/${foreign.id}`), await get('/upload/ffffffff'));
});

test('what the account has sent is not for callers with a set', async () => {
  const left = async (call: (method: string, params: Record<string, unknown>) => Promise<unknown>) =>
    ((await call('getAccountDetails', {})) as { emails_left: number }).emails_left;
  await app.app.db.run(sql`update account set monthly_quota = 50 where id = ${app.account.id}`);
  assert.equal(await left(app.call), 50);
  assert.equal(await left(await keyWith(app.app, app.account.id, [choir])), 2 ** 31 - 1);
  await app.app.db.run(sql`update account set monthly_quota = null where id = ${app.account.id}`);
});

test('without the views a call with a set fails, and nothing is read', async () => {
  const limited = await keyWith(app.app, app.account.id, [choir]);
  await app.app.db.run(sql`alter schema public_narrowed rename to elsewhere`);
  try {
    await assert.rejects(limited('lists', {}), { fault: 'INTERNAL' });
  } finally {
    await app.app.db.run(sql`alter schema elsewhere rename to public_narrowed`);
  }
  assert.equal(((await limited('lists', {})) as unknown[]).length, 1);
});

/** Tables with such a column that are not narrowed, with the reason. */
const whole: Record<string, string> = {
  account_field: 'a field of the account',
  address_change: 'written by the preference page',
  confirmation_asked: 'a limit of the account',
  consent_link: 'the chain of the account',
  list_notice: 'a task',
  report_link: 'methods refuse',
  suppression: 'of the account',
  source_migration_list: 'methods refuse',
  webhook: 'events go to all webhooks',
};

test('every table with something of a list is narrowed, or said to be of the account', async () => {
  const rows = await app.app.db.rows<{ table: string }>(sql`
    select distinct c.relname as table
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and a.attname in ('list_id', 'campaign_id', 'segment_id', 'automation_id', 'import_id', 'recurring_id', 'contact_id')
    order by 1`);
  const left = rows.map(({ table }) => table).filter((table) => !narrowedTables[table] && !whole[table]);
  assert.deepEqual(left, []);
});
