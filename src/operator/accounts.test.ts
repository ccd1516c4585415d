// The accounts of the installation, as their operator makes, changes, deletes and erases them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makePlaceholder } from '../../test/conformance/fixture.ts';
import { Browser } from '../../test/support/browser/session.ts';
import { listOf } from '../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { addMember, createUser, findUser } from '../accounts/people/user.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { call } from '../doors/call.ts';
import { eraseAccounts } from './erase.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

type Shown = {
  id: string;
  name: string;
  state: string;
  plan: string;
  monthly_quota: number;
  emails_this_month: number;
  rate: number;
  relays: string[];
  operator: boolean;
  has_owner: boolean;
  inactive_domains: string[];
  bounce_rate: number;
  complaint_rate: number;
  last_campaign: { title: string };
  delete_at: string;
};
const find = async (params: Record<string, unknown>) => app.call<{ total: number; data: Shown[] }>('accounts', params);
const get = async (account: string) => (await find({ account })).data[0]!;
let clients = 0;
const create = async (more: Record<string, unknown> = {}) => {
  clients += 1;
  return app.call<{ account: string; invited: boolean; link: string }>('accountCreate', {
    name: `Client ${clients}`,
    email: `client${clients}@example.net`,
    ...more,
  });
};
const context = () => ({ app: app.app, log: app.app.log, signal: new AbortController().signal });

test('an account is made pro, its owner comes by the link, and it is found by name and state', async () => {
  const { account, invited, link } = await create({
    name: 'Zebra Ltd',
    monthly_quota: 500,
    rate: 2.5,
    time_zone: 'Europe/Rome',
  });
  assert.equal(invited, true);
  const made = await get(account);
  assert.deepEqual(
    [made.plan, made.monthly_quota, made.rate, made.state, made.has_owner, made.operator],
    ['pro', 500, 2.5, 'active', false, false],
  );
  const visitor = new Browser(base);
  const joined = await visitor.ask('POST', '/session/invitation/join', {
    token: decodeURIComponent(new URL(link).hash.slice(1)),
    name: '',
    password: 'a heron by the quiet lake',
  });
  assert.equal(joined.status, 200, JSON.stringify(joined.body));
  const owner = await findUser(app.app.db, `client${clients}@example.net`);
  assert.ok(owner);
  assert.equal((await get(account)).has_owner, true);
  assert.deepEqual(
    (await find({ query: 'zEBRA' })).data.map(({ id }) => id),
    [account],
  );
  assert.equal((await find({ query: 'no such' })).total, 0);
  await app.call('accountLimitsUpdate', { account, may_send: false, name: 'Zebra AG' });
  assert.deepEqual(
    (await find({ state: 'may_not_send' })).data.map(({ name }) => name),
    ['Zebra AG'],
  );
  const log = (await call(app.app, 'auditLog', {}, { kind: 'system', accountId: parseId(account) }, 'cli')) as {
    method: string;
    detail: Record<string, string>;
  }[];
  assert.ok(
    log.some(({ method, detail }) => method === 'accountLimitsUpdate' && detail['may_send'] === 'may_send false'),
  );
});

test('the list has what an account sends and what is wrong with it', async () => {
  const client = await app.anotherAccount('pro');
  const id = client.account.id;
  await app.app.db.run(sql`
    insert into sent_count values (${id}, date_trunc('month', now() at time zone 'UTC'), 'campaign', 7), (${id}, '2020-01-01', 'message', 9)`);
  await client.call('senderDomainCreate', { domain: 'pending.example' });
  await app.app.db.run(sql`
    insert into sending_day (account_id, day, kind, list_id, provider, shard, accepted, refused, returned, complaints)
    values (${id}, (now() at time zone 'UTC')::date, 'campaign', 1, 'other', 0, 95, 5, 1, 2), (${id}, '2020-01-01', 'campaign', 1, 'other', 0, 9, 9, 9, 9)`);
  const shown = await get(formatId(id));
  assert.deepEqual([shown.emails_this_month, shown.inactive_domains], [7, ['pending.example']]);
  assert.deepEqual([shown.bounce_rate, shown.complaint_rate], [0.06, 0.021053]);
  await app.call('accountLimitsUpdate', { account: formatId(id), monthly_quota: 7 });
  assert.equal((await get(formatId(id))).state, 'quota_used');
});

test('only the account of the operator has the methods, and it cannot close itself', async () => {
  const client = await app.anotherAccount('pro');
  for (const [method, params] of [
    ['accounts', {}],
    ['accountCreate', { name: 'X', email: 'x@example.com' }],
    ['accountLimitsUpdate', { account: formatId(client.account.id), monthly_quota: 0 }],
    ['accountDelete', { account: formatId(app.account.id) }],
    ['accountRestore', { account: formatId(client.account.id) }],
  ] as const)
    await assert.rejects(client.call(method, params), { fault: 'NOT_ALLOWED' }, method);
  const own = formatId(app.account.id);
  for (const [method, params] of [
    ['accountDelete', { account: own }],
    ['accountLimitsUpdate', { account: own, active: false }],
  ] as const)
    await assert.rejects(app.call(method, params), { message: /account of the operator/ });
  await assert.rejects(app.call('accountDelete', { account: 'ffffffff' }), { message: /no account "ffffffff"/ });
});

test('the relays of an account are limited to it; one of all accounts is no one else’s by mistake', async () => {
  const { account } = await create();
  const { account: other } = await create();
  const made = await makePlaceholder(
    app.app,
    { accountId: app.account.id, key: '', list: '', call: app.call },
    'relay',
  );
  const relay = made!;
  await assert.rejects(app.call('accountLimitsUpdate', { account, relays: [relay] }), {
    message: /is for all accounts/,
  });
  await app.app.db.run(sql`update relay set accounts = ${[parseId(other)]}::int[]`);
  await app.call('accountLimitsUpdate', { account, relays: [relay] });
  assert.deepEqual((await get(account)).relays, [relay]);
  await app.call('accountLimitsUpdate', { account: other, relays: [] });
  await assert.rejects(app.call('accountLimitsUpdate', { account, relays: [] }), { message: /for this account alone/ });
  await assert.rejects(app.call('accountLimitsUpdate', { account, relays: ['ffffffff'] }), { message: /no relay/ });
  await app.app.db.run(sql`delete from relay`);
});

test('a deleted account is suspended until its day, and can be taken back with all that is in it', async () => {
  const client = await app.anotherAccount('pro');
  const account = formatId(client.account.id);
  const list = await listOf(client, ['a@kept.example']);
  const at = await app.call<string>('accountDelete', { account, days: 7 });
  assert.ok(Date.parse(`${at}Z`) > Date.now() + 6 * 86_400_000);
  assert.equal((await get(account)).state, 'deleted');
  await assert.rejects(client.call('ping'), { fault: 'ACCOUNT_DISABLED' });
  await assert.rejects(app.call('accountLimitsUpdate', { account, active: true }), { message: /accountRestore/ });
  await eraseAccounts(context());
  await app.call('accountRestore', { account });
  assert.deepEqual(
    (await client.call<{ id: string }[]>('lists')).map(({ id }) => id),
    [list],
  );
  await assert.rejects(app.call('accountRestore', { account }), { message: /is not to be erased/ });
});

test('after its day everything of it is erased, also when the task breaks off, and nothing of others', async () => {
  const client = await app.anotherAccount('pro');
  const account = formatId(client.account.id);
  const fixture = {
    accountId: client.account.id,
    key: client.key,
    list: await listOf(client, ['a@gone.example', 'b@gone.example']),
    call: client.call,
  };
  for (const name of ['campaign', 'segment', 'template', 'webhook', 'automation', 'message', 'import'])
    await makePlaceholder(app.app, fixture, name).catch(() => undefined);
  const { account: tests } = await client.call<{ account: string }>('testKeyCreate', {});
  const both = await createUser(app.app.db, { email: 'both@example.net', password: 'correct horse' });
  for (const id of [app.account.id, client.account.id]) await addMember(app.app.db, id, both.id, 'editor');
  const before = await rowsOf(app.account.id);
  const ids = [client.account.id, parseId(tests)];
  assert.ok((await rowsOf(ids[0]!)).length > 10);
  await app.call('accountDelete', { account, days: 1 });
  await app.app.db.run(sql`update account set delete_at = now() - interval '1 second' where id = ${client.account.id}`);
  // Broken off at once: marked, so that it cannot be taken back any more.
  const broken = new AbortController();
  broken.abort();
  await assert.rejects(eraseAccounts({ ...context(), signal: broken.signal }), /continues at the next run/);
  await assert.rejects(app.call('accountRestore', { account }), { message: /is being erased/ });
  await assert.rejects(app.call('accountDelete', { account }), { message: /is being erased/ });
  await eraseAccounts(context());
  for (const id of ids) assert.deepEqual(await rowsOf(id), []);
  assert.equal((await find({ account })).total, 0);
  assert.equal(await findUser(app.app.db, client.account.email), undefined);
  assert.ok(await findUser(app.app.db, 'both@example.net'));
  const later = await rowsOf(app.account.id);
  assert.deepEqual(
    later.filter((table) => !table.startsWith('audit_entry')),
    before.filter((table) => !table.startsWith('audit_entry')),
  );
  await eraseAccounts(context());
});

test('an account is exported line by line, without secrets, for the operator alone', async () => {
  const client = await app.anotherAccount('pro');
  const account = formatId(client.account.id);
  const emails = Array.from({ length: 1_203 }, (_, n) => `r${n}@export.example`);
  await listOf({ app: app.app, ...client }, emails, 'Exported');
  await client.call('templateCreate', { name: 'Kept', source: '<p>x</p>' });
  const address = `${app.app.baseUrl}/export/account/${account}.jsonl`;
  assert.equal(
    (await fetch(address, { headers: { authorization: `Bearer ${app.key}` } })).status,
    403,
    'not asked for',
  );
  const asked = call(app.app, 'accountExport', { account }, { kind: 'key', key: app.key, ip: '192.0.2.8' }, 'json');
  const { url } = (await asked) as { url: string };
  assert.equal(url, address);
  const get = (key: string) => fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const text = await (await get(app.key)).text();
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { table: string; name?: string; email?: string });
  const of = (table: string) => rows.filter((row) => row.table === table);
  assert.deepEqual(
    [of('account').length, of('list').length, of('contact').length, of('subscription').length],
    [1, 1, 1_203, 1_203],
  );
  assert.equal(new Set(of('contact').map(({ email }) => email)).size, 1_203);
  assert.equal(of('template').filter(({ name }) => name === 'Kept').length, 1);
  assert.doesNotMatch(text, /password|key_hash|erasure_salt|secret/);
  assert.equal((await get(client.key)).status, 403);
  await assert.rejects(client.call('accountExport', { account }), { fault: 'NOT_ALLOWED' });
});

test('a person with account:admin alone, or a key with it, has nothing of other accounts', async () => {
  const client = await app.anotherAccount('pro');
  const account = formatId(client.account.id);
  const key = await app.call<string>('apikeyAdd', { permissions: ['account:admin', 'contacts:export'] });
  const clerk = (method: string, params: Record<string, unknown>) =>
    call(app.app, method, params, { kind: 'key', key, ip: '192.0.2.8' }, 'json');
  for (const [method, params] of [
    ['accounts', {}],
    ['accountCreate', { name: 'Mine', email: 'mine@example.net' }],
    ['accountLimitsUpdate', { account, monthly_quota: 1 }],
    ['accountExport', { account }],
    ['accountDelete', { account }],
    ['accountRestore', { account }],
  ] as const)
    await assert.rejects(clerk(method, params), { fault: 'NOT_ALLOWED' }, method);
  await app.call('accountExport', { account });
  const address = `${app.app.baseUrl}/export/account/${account}.jsonl`;
  assert.equal((await fetch(address, { headers: { authorization: `Bearer ${key}` } })).status, 403);
});

test('a person of a suspended account sees that it is, goes to another account, and answers invitations', async () => {
  const client = await app.anotherAccount('pro');
  const email = 'pat@suspended.example';
  const { id } = await createUser(app.app.db, { email, name: 'Pat', password: 'correct horse' });
  await addMember(app.app.db, client.account.id, id, 'owner');
  const browser = new Browser(base);
  await browser.signIn(email, 'correct horse');
  const account = formatId(client.account.id);
  await app.call('accountLimitsUpdate', { account, active: false });
  const { body } = await browser.call<{ account: { suspended: boolean }; permissions: string[] }>('sessionGet');
  assert.deepEqual([body.account.suspended, body.permissions], [true, []]);
  for (const method of ['lists', 'homeSummary', 'campaigns', 'users'])
    assert.equal((await browser.call(method)).status, 403, method);
  assert.equal((await browser.call('invitations')).status, 200);
  const other = await app.anotherAccount('pro');
  await addMember(app.app.db, other.account.id, id, 'viewer');
  assert.equal((await browser.call('sessionSwitch', { account_id: formatId(other.account.id) })).status, 200);
  assert.equal((await browser.call('lists')).status, 200);
  const again = new Browser(base);
  await again.signIn(email, 'correct horse');
  const now = await again.call<{ account: { id: string } }>('sessionGet');
  assert.equal(now.body.account.id, formatId(other.account.id), 'the first one that can be used');
});

/** The tables that have rows of an account, with their number. */
async function rowsOf(id: number): Promise<string[]> {
  const tables = await app.app.db.rows<{ name: string }>(sql`
    select c.relname as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and c.relkind in ('r', 'p')
      and not c.relispartition
    order by 1`);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await app.app.db.pool.query(`select count(*)::int as count from ${name} where account_id = $1`, [
      id,
    ]);
    if (rows[0].count > 0) found.push(`${name} ${rows[0].count}`);
  }
  return found;
}
