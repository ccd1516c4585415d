// Why an account cannot be moved, in plain words, and that a refused move has changed nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../test/support/database/database.ts';
import { appOn, type TestApp, testApp } from '../../test/support/installation/app.ts';
import { createAccount } from '../accounts/account/account.ts';
import { recordPublicUrl } from '../accounts/installation/public-url.ts';
import { sql } from '../db/connect.ts';
import { whatPreventsMove } from './checks.ts';
import { accountsOf } from './installations.ts';

const settings = { SEAL_KEY: 'a key of both cells' };

/** An account in one installation, and another installation that is ready for it, on a server without logical replication. */
async function twoInstallations() {
  const one: TestApp = await testApp(settings);
  const account = await one.anotherAccount('pro');
  const database = await testDatabase();
  const secret = await one.app.db.row<{ value: unknown }>(sql`select value from installation where key = 'secret'`);
  const two = await appOn(database.url, settings);
  await two.db.run(sql`update installation set value = ${JSON.stringify(secret!.value)} where key = 'secret'`);
  await recordPublicUrl(two.db, { url: 'https://c2.example.com', source: 'operator' });
  return {
    one,
    two,
    account,
    prevents: async (id = account.account.id, target = two.db) =>
      (
        await whatPreventsMove(
          { app: one.app, source: one.app.db, target, sourceUrl: one.app.db.url },
          await accountsOf(one.app.db, id),
        )
      ).join('\n'),
    async close() {
      await two.db.close();
      await database.close();
      await one.close();
    },
  };
}

test('without logical replication or the rights for it, a move is refused with what to set', async () => {
  const both = await twoInstallations();
  try {
    const problems = await both.prevents();
    assert.match(problems, /has wal_level = replica\. Set wal_level = logical and restart PostgreSQL/);
    assert.match(problems, /user of this installation may not replicate\. Run "alter role … replication"/);
    assert.match(problems, /may not create subscriptions/);
    assert.equal(problems.split('\n').length, 3, problems);
    assert.deepEqual(await both.one.app.db.rows(sql`select from account_move`), []);
  } finally {
    await both.close();
  }
});

test('other secrets, the same database, the same ids, the account of the operator and an installation that never ran are refused', async () => {
  const both = await twoInstallations();
  const { one, two, account } = both;
  try {
    assert.match(await both.prevents(one.account.id), /is that of the operator of this installation/);
    assert.match(await both.prevents(account.account.id, one.app.db), /^Both URLs lead to the same database\.$/);
    const other = await createAccount(two.db, { name: 'Other', email: 'other@example.net' });
    await two.db.run(sql`update account set id = ${account.account.id} where id = ${other.id}`);
    assert.match(await both.prevents(), /has data of an account with the same id \(table account\)/);
    await two.db.run(sql`delete from account`);
    await recordPublicUrl(two.db, { url: one.app.baseUrl, source: 'operator' });
    assert.match(await both.prevents(), /Both installations have the public URL/);
    await two.db.run(sql`delete from installation where key = 'served_url'`);
    assert.match(await both.prevents(), /has not run yet/);
    await two.db.run(sql`update installation set value = to_jsonb(repeat('ab', 32)) where key = 'secret'`);
    assert.match(await both.prevents(), /different secrets.*postrider cell prepare/);
    await two.db.run(sql`delete from migration where name = (select max(name) from migration)`);
    assert.match(
      await both.prevents(),
      /different versions: the last migration here is \S+, there \S+\. Upgrade the older one/,
    );
  } finally {
    await both.close();
  }
});

test('a person who is not confirmed in the new installation gets into no account by its move', async () => {
  const both = await twoInstallations();
  try {
    await both.two.db.run(sql`
      insert into app_user (email, email_key, address_proven)
      select email, email_key, false
      from jsonb_populate_recordset(null::app_user, ${JSON.stringify(
        await both.one.app.db.rows(sql`
          select u.email, u.email_key
          from app_user u
          join membership m on m.user_id = u.id
          where m.account_id = ${both.account.account.id}`),
      )}::jsonb)`);
    assert.match(await both.prevents(), /is a user there whose address is not confirmed/);
  } finally {
    await both.close();
  }
});
