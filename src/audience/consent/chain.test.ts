// The chain of the consent log, on a real database: what it covers, and what it finds.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { postriderWith } from '../../../test/support/installation/commands.ts';
import { slowTest } from '../../../test/support/run/runs.ts';
import { raw, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { linkDue } from './chain.ts';
import { verifyChain } from './verify.ts';

type Account = Awaited<ReturnType<TestApp['anotherAccount']>>;

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const verify = ({ account }: Account, end?: { position: number; hash: string }) =>
  verifyChain(t.app.db, account.id, end);

/** Runs the task until it has linked everything that is written. */
async function linkAll(): Promise<void> {
  const target = await t.app.db.row<{ id: number }>(sql`select coalesce(max(id), 0)::int as id from consent`);
  for (;;) {
    await linkDue(t.app.db, new AbortController().signal);
    const state = await t.app.db.row<{ id: number }>(sql`select last_id::int as id from consent_chain`);
    if (state!.id >= target!.id) return;
    await sleep(5);
  }
}

/** An account with a list and some people who agreed. */
async function signedUp(count: number): Promise<{ account: Account; list: string }> {
  const account = await t.anotherAccount();
  const list = await account.call<string>('listCreate', { title: 'Chained' });
  await Promise.all(Array.from({ length: count }, (_, i) => signUp(account, list, `c${i}@example.com`)));
  return { account, list };
}

const signUp = (account: Account, id: string, email_address: string) =>
  account.call('listSubscribe', { id, email_address, double_optin: false });

test('20 sign-ups at once are linked without gaps, in each account on its own', async () => {
  const [first, second] = await Promise.all([signedUp(20), signedUp(20)]);
  assert.deepEqual((await verify(first.account)).broken, undefined);
  await linkAll();
  for (const { account } of [first, second]) {
    const { links, waiting, broken, end } = await verify(account);
    assert.deepEqual({ links, waiting, broken }, { links: 20, waiting: 0, broken: undefined });
    assert.equal(end.position, 20);
  }
  await signUp(first.account, first.list, 'late@example.com');
  assert.equal((await verify(first.account)).waiting, 1);
  await linkAll();
  assert.equal((await verify(first.account)).links, 21);
});

const tampering: [name: string, what: string, at: number, statement: (id: number) => Sql][] = [
  [
    'a changed time',
    'link altered',
    3,
    (id) => sql`
    update consent set at = at - interval '1 year' where (account_id, id) = (
      select account_id, consent_id from consent_link where account_id = ${id} and position = 3)`,
  ],
  [
    'a changed IP address',
    'record altered',
    4,
    (id) => sql`
    update consent set ip = '203.0.113.9' where (account_id, id) = (
      select account_id, consent_id from consent_link where account_id = ${id} and position = 4)`,
  ],
  [
    'a changed kind',
    'link altered',
    2,
    (id) => sql`
    update consent set kind = 'confirm' where (account_id, id) = (
      select account_id, consent_id from consent_link where account_id = ${id} and position = 2)`,
  ],
  [
    'evidence that was blanked as if the contact were erased',
    'record altered',
    5,
    (id) => sql`
    with blank as (
      update consent_link set salt = null where account_id = ${id} and position = 5 returning consent_id)
    update consent set ip = '', detail = '{}' where account_id = ${id} and id = (select consent_id from blank)`,
  ],
  [
    'a removed record',
    'record missing',
    6,
    (id) => sql`
    delete from consent where (account_id, id) = (
      select account_id, consent_id from consent_link where account_id = ${id} and position = 6)`,
  ],
  [
    'a record removed with its link',
    'link missing',
    7,
    (id) => sql`
    with link as (delete from consent_link where account_id = ${id} and position = 7 returning consent_id)
    delete from consent where account_id = ${id} and id = (select consent_id from link)`,
  ],
  [
    'two links that change places',
    'link altered',
    2,
    (id) => sql`
    update consent_link l
    set consent_id = o.consent_id, contact_id = o.contact_id, salt = o.salt, personal = o.personal, hash = o.hash
    from consent_link o
    where l.account_id = ${id} and o.account_id = l.account_id and l.position in (2, 3) and o.position = 5 - l.position`,
  ],
];

for (const [name, what, position, statement] of tampering)
  test(`${name} is found, and the first record named`, async () => {
    const { account } = await signedUp(10);
    await linkAll();
    assert.equal((await verify(account)).broken, undefined);
    assert.ok((await t.app.db.run(statement(account.account.id))) > 0);
    const { broken } = await verify(account);
    assert.deepEqual({ what: broken?.what, position: broken?.position }, { what, position });
  });

test('a record that is inserted between others is found', async () => {
  const { account } = await signedUp(10);
  // Numbers that were drawn and not used, as by a call that failed.
  const drawn = await t.app.db.row<{ id: string }>(sql`
    select nextval(pg_get_serial_sequence('consent', 'id'))::text as id`);
  await signUp(account, (await account.call<{ id: string }[]>('lists'))[0]!.id, 'last@example.com');
  await linkAll();
  await t.app.db.run(sql`
    insert into consent (account_id, contact_id, id, kind) overriding system value
    select account_id, contact_id, ${drawn!.id}::bigint, 'subscribe'
    from consent
    where account_id = ${account.account.id}
    limit 1`);
  assert.equal((await verify(account)).broken?.what, 'record inserted');
});

test('records removed from the end are found by an end that was noted', async () => {
  const { account } = await signedUp(5);
  await linkAll();
  const { end } = await verify(account);
  assert.equal((await verify(account, end)).broken, undefined);
  await t.app.db.run(sql`
    with link as (
      delete from consent_link where account_id = ${account.account.id} and position = 5 returning consent_id)
    delete from consent where account_id = ${account.account.id} and id = (select consent_id from link)`);
  assert.equal((await verify(account)).broken, undefined);
  assert.equal((await verify(account, end)).broken?.what, 'end missing');
});

test('an erased contact leaves a chain that can be verified, and nothing of its data', async () => {
  const { account } = await signedUp(5);
  await account.call('contactTagsUpdate', { emails: ['c2@example.com'], add: ['vip'] });
  await linkAll();
  await account.call('contactErase', { email: 'c2@example.com' });
  const { links, broken } = await verify(account);
  assert.deepEqual({ links, broken }, { links: 6, broken: undefined });
  const salts = await t.app.db.row<{ none: number }>(sql`
    select count(*)::int as none from consent_link where account_id = ${account.account.id} and salt is null`);
  assert.equal(salts!.none, 2);
  await linkAll();
  assert.equal((await verify(account)).broken, undefined);
  // A contact that is erased before its records are linked.
  await signUp(account, (await account.call<{ id: string }[]>('lists'))[0]!.id, 'brief@example.com');
  await account.call('contactErase', { email: 'brief@example.com' });
  await linkAll();
  assert.equal((await verify(account)).broken, undefined);
});

slowTest('a process that dies while it links leaves a whole chain', async () => {
  const { account } = await signedUp(3);
  const linked = async () =>
    (await t.app.db.row<{ count: number }>(sql`
      select count(*)::int as count from consent_link where account_id = ${account.account.id}`))!.count;
  // All that is written may be linked: transactions in other databases of the server would be waited for, too.
  const makeReady = () =>
    t.app.db.run(sql`
      update consent_chain
      set pending_id = (select max(id) from consent), pending_before = '3'`);
  await linkDue(t.app.db, new AbortController().signal);
  await t.app.db.run(sql`
    create function wait_here() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(7, 7); return new; end $$`);
  // Before the links are written, and after, when the progress is not: a transaction that is killed between the two.
  for (const where of [sql`before insert on consent_link`, sql`before update of last_id on consent_chain`]) {
    await makeReady();
    await t.app.db.run(sql`create trigger wait_here ${where} for each row execute function wait_here()`);
    await killedWhileItWaits();
    await t.app.db.run(sql`drop trigger wait_here on ${raw(where.sql.split(' on ')[1]!)}`);
    assert.equal(await linked(), 0);
  }
  await makeReady();
  await linkDue(t.app.db, new AbortController().signal);
  const { links, waiting, broken } = await verify(account);
  assert.deepEqual({ links, waiting, broken }, { links: 3, waiting: 0, broken: undefined });
});

/** Starts a process that links, and kills it when it waits for the lock of `wait_here`. */
async function killedWhileItWaits(): Promise<void> {
  const waiting = async () =>
    (
      await t.app.db.row<{ pid: number }>(sql`
      select pid
      from pg_locks
      where locktype = 'advisory'
        and not granted
        and database = (select oid from pg_database where datname = current_database())`)
    )?.pid;
  const client = await t.app.db.pool.connect();
  try {
    await client.query('select pg_advisory_lock(7, 7)');
    const runner = join(import.meta.dirname, '../../../test/support/installation/chain-runner.ts');
    const child = spawn(process.execPath, [runner, t.app.db.url], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    let pid: number | undefined;
    while (child.exitCode === null && pid === undefined) {
      await sleep(10);
      pid = await waiting();
    }
    assert.ok(pid, 'it links');
    child.kill('SIGKILL');
    await ended;
    await client.query('select pg_advisory_unlock(7, 7)');
    // The server notices that its client is gone.
    while (await t.app.db.row(sql`select from pg_stat_activity where pid = ${pid}`)) await sleep(10);
  } finally {
    client.release(true);
  }
}

test('the command names the end of each chain, and the first broken record', async () => {
  const { account } = await signedUp(3);
  await linkAll();
  const { account: other } = await signedUp(3);
  await linkAll();
  const settings = { DATABASE_URL: t.app.db.url };
  await t.app.db.run(sql`
    update consent
    set ip = '203.0.113.9'
    where account_id = ${account.account.id}
      and id = (select consent_id from consent_link where account_id = ${account.account.id} and position = 2)`);
  const all = await postriderWith(['verify-consent'], settings);
  assert.equal(all.code, 1);
  const lineOf = ({ account: { id } }: Account) => all.output.split('\n').find((line) => line.startsWith(formatId(id)));
  assert.match(lineOf(account)!, /broken at position 2 \(record \d+\): it was altered\./);
  const whole = /3 records are as they were written; 0 newer ones .* End: 3:[0-9a-f]{64}/;
  assert.match(lineOf(other)!, whole);
});

slowTest('the command ends with 0 when no record of an account is broken', async () => {
  const { account } = await signedUp(3);
  await linkAll();
  const args = ['verify-consent', '--account', formatId(account.account.id)];
  const { code, output, errors } = await postriderWith(args, { DATABASE_URL: t.app.db.url });
  assert.equal(code, 0, errors);
  assert.match(output, /^\S+ Test organisation: 3 records/);
});
