// Triggers instead of foreign keys keep the rule between a subscription, its contact and its list.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

let t: TestApp;
let list: number;
before(async () => {
  t = await testApp();
  list = parseId(await t.call<string>('listCreate', { title: 'Parents' }));
});
after(() => t.close());

const insert = (listId: number, contactId: number) => sql`
  insert into subscription (account_id, list_id, contact_id, status)
  values (${t.account.id}, ${listId}, ${contactId}, 'subscribed')`;

async function contact(email: string): Promise<number> {
  const row = await t.app.db.row<{ id: number }>(sql`
    insert into contact (account_id, email, email_key, domain)
    values (${t.account.id}, ${email}, ${email}, 'example.com')
    returning id`);
  return row!.id;
}

async function count(contactId: number): Promise<number> {
  return (await t.app.db.rows(sql`select from subscription where contact_id = ${contactId}`)).length;
}

test('a subscription needs an existing contact and an existing list', async () => {
  await assert.rejects(t.app.db.run(insert(list, 5)), /there is no contact 5/);
  const id = await contact('orphan@example.com');
  await assert.rejects(t.app.db.run(insert(5, id)), /there is no list 5/);
  assert.equal(await count(id), 0);
});

test('deleting a contact or a list deletes its subscriptions', async () => {
  const [a, b] = [await contact('a@example.com'), await contact('b@example.com')];
  await t.app.db.run(insert(list, a));
  await t.app.db.run(insert(list, b));
  await t.app.db.run(sql`delete from contact where id = ${a}`);
  assert.deepEqual([await count(a), await count(b)], [0, 1]);
  await t.app.db.run(sql`delete from list where id = ${list}`);
  assert.equal(await count(b), 0);
});

test('a contact cannot be deleted between the subscription and its commit', async () => {
  const other = parseId(await t.call<string>('listCreate', { title: 'Race' }));
  const id = await contact('race@example.com');
  let deleted: Promise<number> | undefined;
  let isGone = false;
  await t.app.db.transaction(async (tx) => {
    await tx.run(insert(other, id));
    deleted = t.app.db.run(sql`delete from contact where id = ${id}`).finally(() => {
      isGone = true;
    });
    await tx.run(sql`select pg_sleep(0.2)`);
    assert.equal(isGone, false);
  });
  await deleted;
  assert.equal(await count(id), 0);
});
