// A person whose address is not proven may be a stranger, who joined by a link that was shown to an account. Once the owner of
// the address sets a password by a link that was mailed to it, nothing that the stranger attached to the person opens it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Browser } from '../../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { endSession, startSession } from '../access/session.ts';
import { makeLinkToken } from '../access/sign-in-link.ts';
import { createKey } from '../keys/key.ts';
import { joinByLink, setPasswordByLink } from '../sign-in/password-link.ts';
import { makeInvitationToken } from './invitation.ts';
import { addMember, createUser, setPassword } from './user.ts';

let t: TestApp;
let other: Awaited<ReturnType<TestApp['anotherAccount']>>;
before(async () => {
  t = await testApp();
  other = await t.anotherAccount();
});
after(() => t.close());

type Person = { id: number; email: string };
const bytes = () => randomBytes(20);

/** What can be attached to a person: how a stranger does it, and how many there are afterwards. */
const attachments: Record<string, { add(person: Person): Promise<unknown>; count(person: Person): Promise<number> }> = {
  passkey: {
    add: ({ id }) =>
      t.app.db.run(sql`
        insert into passkey (user_id, credential_id, public_key, counter, name)
        values (${id}, ${bytes()}, ${bytes()}, 0, 'of a stranger')`),
    count: ({ id }) => rowsOf(sql`passkey where user_id = ${id}`),
  },
  identity: {
    add: ({ id }) =>
      t.app.db.run(sql`
        insert into identity (issuer, subject, user_id)
        values ('https://id.example.com', ${bytes().toString('hex')}, ${id})`),
    count: ({ id }) => rowsOf(sql`identity where user_id = ${id}`),
  },
  recovery_code: {
    add: ({ id }) => t.app.db.run(sql`insert into recovery_code (user_id, code_hash) values (${id}, ${bytes()})`),
    count: ({ id }) => rowsOf(sql`recovery_code where user_id = ${id}`),
  },
  'a second factor': {
    add: ({ id }) =>
      t.app.db.run(sql`
        update app_user
        set totp_secret = ${bytes()}, totp_confirmed_at = now(), totp_last_step = 5
        where id = ${id}`),
    count: ({ id }) =>
      rowsOf(sql`app_user
        where id = ${id}
          and (totp_secret is not null or totp_confirmed_at is not null or totp_last_step <> 0)`),
  },
  'a second factor that is not confirmed': {
    add: ({ id }) => t.app.db.run(sql`update app_user set totp_secret = ${bytes()} where id = ${id}`),
    count: ({ id }) => rowsOf(sql`app_user where id = ${id} and totp_secret is not null`),
  },
  provider_attempt: {
    add: ({ id }) =>
      t.app.db.run(sql`
        insert into provider_attempt (state_hash, browser_hash, provider, purpose, user_id, sealed, expires_at)
        values (${bytes()}, ${bytes()}, 'google', 'connect', ${id}, ${bytes()}, now() + interval '1 hour')`),
    count: ({ id }) => rowsOf(sql`provider_attempt where user_id = ${id}`),
  },
  session: {
    add: ({ id }) => startSession(t.app.db, id, { ip: '', userAgent: '' }),
    count: ({ id }) => rowsOf(sql`session where user_id = ${id}`),
  },
  sign_in_link: {
    add: ({ id }) => makeLinkToken(t.app.db, 'sign in', id),
    count: ({ id }) => rowsOf(sql`sign_in_link where user_id = ${id}`),
  },
  api_key: {
    add: async ({ id }) => {
      await createKey(t.app.db, other.account.id, { label: 'login', scope: 'full' });
      await t.app.db.run(sql`
        update api_key
        set user_id = ${id}
        where account_id = ${other.account.id}
          and label = 'login'
          and user_id is null`);
    },
    count: ({ id }) => rowsOf(sql`api_key where user_id = ${id} and expired_at is null`),
  },
};

const rowsOf = async (where: ReturnType<typeof sql>) =>
  (await t.app.db.row<{ count: number }>(sql`select count(*)::int as count from ${where}`))!.count;

const password = 'a better horse battery';
/** The ways by which the owner of an address gets the person: each proves the address, or replaces a person without accounts. */
const ways: Record<string, { member: boolean; take(person: Person): Promise<void> }> = {
  'a mailed invitation': { member: true, take: (person) => byInvitation(person, true) },
  'a mailed link for a lost password': {
    member: true,
    take: async ({ id }) => {
      const token = await makeLinkToken(t.app.db, 'reset', id);
      await setPasswordByLink(t.app.db, { token, password }, '');
    },
  },
  'a password of the operator': { member: true, take: ({ id }) => setPassword(t.app.db, id, password) },
  'a shown invitation, of a person whom all accounts removed': {
    member: false,
    take: (person) => byInvitation(person, false),
  },
};

async function byInvitation({ email }: Person, mailed: boolean): Promise<void> {
  await t.call('userInvite', { email, role: 'owner' });
  const { id } = (await t.app.db.row<{ id: number }>(sql`
    select id from invitation where account_id = ${t.account.id} and email = ${email}`))!;
  const token = await t.app.db.transaction((tx: Tx) =>
    makeInvitationToken(tx, { accountId: t.account.id, id }, { mailed }),
  );
  const session = await joinByLink(t.app.db, { token, name: '', password }, { ip: '', userAgent: '' });
  // That of the person who joined.
  if (session !== undefined) await endSession(t.app.db, session);
}

let count = 0;
async function unproven(): Promise<Person> {
  count += 1;
  const email = `victim${count}@example.com`;
  const { id } = await createUser(t.app.db, { email, password: 'of the stranger' });
  await addMember(t.app.db, other.account.id, id, 'viewer');
  await t.app.db.run(sql`update app_user set address_proven = false where id = ${id}`);
  return { id, email };
}

for (const [way, { member, take }] of Object.entries(ways))
  for (const [what, { add, count: countOf }] of Object.entries(attachments)) {
    test(`${way} leaves nothing of a stranger: ${what}`, async () => {
      const person = await unproven();
      await add(person);
      assert.equal(await countOf(person), 1);
      if (!member) await t.app.db.run(sql`delete from membership where user_id = ${person.id}`);
      await take(person);
      assert.equal(await countOf(person), 0);
    });
  }

test('a person with a proven address keeps passkeys, identities and the second factor when the password is reset', async () => {
  const person = await unproven();
  await t.app.db.run(sql`update app_user set address_proven = true where id = ${person.id}`);
  const kept = ['passkey', 'identity', 'recovery_code', 'a second factor'];
  for (const what of kept) await attachments[what]!.add(person);
  await ways['a mailed link for a lost password']!.take(person);
  for (const what of kept) assert.equal(await attachments[what]!.count(person), 1, what);
  assert.equal(await attachments['session']!.count(person), 0);
});

test('what is added at the same moment does not stay either: the call of an ended session waits, and is refused', async () => {
  const base = await t.listen();
  for (const [method, params] of [
    ['apikeyAdd', { label: 'of a stranger' }],
    ['personUpdate', { name: 'name', value: 'Stranger' }],
  ] as const) {
    const person = await unproven();
    await addMember(t.app.db, other.account.id, person.id, 'owner');
    const browser = new Browser(base);
    assert.equal((await browser.signIn(person.email, 'of the stranger')).status, 200);
    const before = await t.app.db.rows(sql`select from api_key where account_id = ${other.account.id}`);
    let answer: Promise<{ status: number }> | undefined;
    await t.app.db.transaction(async (tx) => {
      await setPassword(tx, person.id, password);
      answer = browser.call(method, params);
      // Its session is found, as this transaction is not committed; then it waits for this one.
      await until(
        async () =>
          (await rowsOf(sql`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)) > 0,
      );
    });
    assert.equal((await answer!).status, 401, method);
    const after = await t.app.db.rows(sql`select from api_key where account_id = ${other.account.id}`);
    assert.equal(after.length, before.length);
  }
});

async function until(met: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 5_000;
  while (!(await met())) {
    assert.ok(Date.now() < end, 'it waits for the transaction');
    await sleep(10);
  }
}

/** Tables with rows of a person that open nothing. */
const harmless: Record<string, string> = {
  membership: 'a role that an account gave; the person keeps it',
  audit_entry: 'a record of what was done',
  campaign_edit: 'a record of who changed a draft',
  campaign_version: 'a record of who wrote a text',
  campaign_revision: 'a record of who corrected a text',
  campaign_approval_step: 'a record of who asked and answered',
  campaign_comment: 'a record of who wrote and resolved it',
  link: 'a record of who corrected its target',
  report_link: 'a record of who made it; it shows a report without addresses',
  template: 'a record of who wrote it',
  template_version: 'a record of who wrote it',
  campaign_presence: 'a window that is open, for twenty seconds',
};

test('every table with rows of a person is among those above, or opens nothing', async () => {
  const tables = await t.app.db.rows<{ name: string }>(sql`
    select distinct c.relname as name
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    where c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relnamespace = 'public'::regnamespace
      and not a.attisdropped
      and (
        a.attname = 'user_id'
        or exists (
          select from pg_constraint f
          where f.contype = 'f'
            and f.conrelid = c.oid
            and f.confrelid = 'app_user'::regclass
            and a.attnum = any (f.conkey)))
    order by name`);
  assert.deepEqual(
    tables
      .map(({ name }) => name)
      .filter((name) => !Object.hasOwn(attachments, name) && !Object.hasOwn(harmless, name)),
    [],
    'delete its rows in attached.ts and add it here, or give the reason why it opens nothing',
  );
});
