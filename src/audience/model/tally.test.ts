// The stored counts of members equal counted rows, whatever changes subscriptions, and while rows are merged.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { foldTally, membersByStatus, monthsOfMembers } from './tally.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const newList = async (title: string) => parseId(await t.call<string>('listCreate', { title }));

test('the tally equals the counted members after any change', async () => {
  const list = await newList('Any');
  await t.app.db.run(sql`
    insert into contact (account_id, email, email_key, domain)
    select ${t.account.id}, address, address, 'tally.example' from (select n || '@tally.example' from generate_series(1, 12) n) a (address)`);
  const some = (n: number) => sql`
    select id from contact where account_id = ${t.account.id} and domain = 'tally.example' and id % 4 = ${n}`;
  const state = fc.constantFrom('pending', 'subscribed', 'unsubscribed', 'inactive', 'bounced');
  const months = fc.option(fc.integer({ min: 0, max: 30 }), { nil: null });
  const step = fc.record({
    kind: fc.constantFrom('add', 'change', 'fields', 'remove', 'fold'),
    some: fc.integer({ min: -3, max: 3 }),
    state,
    joined: months,
    left: months,
  });
  const ago = (count: number | null): Sql =>
    count === null ? sql`null` : sql`timestamptz '2027-02-28 23:30Z' - make_interval(months => ${count})`;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const one of steps) await (one.kind === 'fold' ? foldTally(t.app.db) : t.app.db.run(statement(one)));
      assert.deepEqual(Object.fromEntries(await membersByStatus(t.app.db, t.account.id, list)), await counted());
      const shown = (await monthsOfMembers(t.app.db, t.account.id, list)).filter(
        (month) => month.joined + month.gone + month.left > 0,
      );
      assert.deepEqual(shown, await countedByMonth());
    }),
    { numRuns: 40 },
  );

  function statement(one: { kind: string; some: number; state: string; joined: number | null; left: number | null }) {
    const of = sql`account_id = ${t.account.id} and list_id = ${list} and contact_id in (${some(one.some)})`;
    if (one.kind === 'add')
      return sql`
        insert into subscription (account_id, list_id, contact_id, status, confirm_at, status_at, unsubscribe_at)
        select ${t.account.id}, ${list}, id, ${one.state}, ${ago(one.joined)}, coalesce(${ago(one.left)}, now()), ${ago(one.left)}
        from (${some(one.some)}) s
        on conflict do nothing`;
    if (one.kind === 'change')
      return sql`
        update subscription
        set status = ${one.state}, confirm_at = ${ago(one.joined)}, unsubscribe_at = ${ago(one.left)}
        where ${of}`;
    if (one.kind === 'fields') return sql`update subscription set fields = '{"FNAME": "Ada"}' where ${of}`;
    return sql`delete from subscription where ${of}`;
  }

  async function counted() {
    const rows = await t.app.db.rows<{ status: string; count: number }>(sql`
      select status, count(*)::int as count from subscription where account_id = ${t.account.id} and list_id = ${list} group by status`);
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  function countedByMonth() {
    return t.app.db.rows(sql`
      select to_char(at at time zone 'UTC', 'YYYY-MM') as month, count(*) filter (where fact = 'joined')::int as joined,
        count(*) filter (where fact = 'gone')::int as gone, count(*) filter (where fact = 'left')::int as "left"
      from subscription s
      cross join lateral (values ('joined', confirm_at),
        ('gone', case when status in ('unsubscribed', 'inactive', 'bounced') and confirm_at is not null then status_at end),
        ('left', unsubscribe_at)) f (fact, at)
      where account_id = ${t.account.id} and list_id = ${list} and at is not null
      group by 1
      order by 1`);
  }
});

test('merging rows changes no count, even twice at once and during a change', async () => {
  const list = await newList('Folded');
  for (let n = 0; n < 6; n++)
    await t.call('listSubscribe', {
      id: formatId(list),
      email_address: `fold${n}@example.com`,
      merge_vars: {},
      double_optin: false,
    });
  const rows = async () =>
    (await t.app.db.rows(sql`select from member_tally where account_id = ${t.account.id} and list_id = ${list}`))
      .length;
  const many = await rows();
  await t.app.db.transaction(async (tx) => {
    await tx.run(sql`
      update subscription set status = 'bounced', status_at = now() where account_id = ${t.account.id} and list_id = ${list}
        and contact_id = (select min(contact_id) from subscription where account_id = ${t.account.id} and list_id = ${list})`);
    await Promise.all([foldTally(t.app.db), foldTally(t.app.db)]);
  });
  assert.ok((await rows()) < many);
  await foldTally(t.app.db);
  const folded = await membersByStatus(t.app.db, t.account.id, list);
  assert.deepEqual(
    [...folded],
    [
      ['bounced', 1],
      ['subscribed', 5],
    ],
  );
  assert.equal(await rows(), 4, 'two states, one month of joining, one of going');
});

test('a deleted list leaves no counts', async () => {
  const id = await t.call<string>('listCreate', { title: 'Short' });
  await t.call('listSubscribe', { id, email_address: 'short@example.com', merge_vars: {}, double_optin: false });
  await t.call('listDelete', { id });
  await foldTally(t.app.db);
  const left = await t.app.db.rows(sql`select from member_tally where list_id = ${parseId(id)}`);
  assert.equal(left.length, 0);
});
