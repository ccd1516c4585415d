// An account moves from one installation to another, each with a PostgreSQL of its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { raw, sql } from '../../src/db/connect.ts';
import { replicatedTables } from '../../src/move/plan.ts';
import { listOf, plainHtml } from '../support/builders/campaigns.ts';
import { type Cell, type CellAccount, type Cells, ownersOf, twoCells } from '../support/cells/cells.ts';
import { missingForReplicas } from '../support/database/replicated.ts';

const skip = missingForReplicas() ?? false;

let cells: Cells;
before(async () => {
  if (!skip) cells = await twoCells();
});
after(() => cells?.close());

/** The rows of an account in every table that goes with it. */
async function contents({ db }: Cell, id: number): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name } of await replicatedTables(db)) {
    const row = await db.row<{ rows: number; hash: string }>(sql`
      select count(*) as rows, coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as hash
      from ${raw(`"${name}"`)} t
      where account_id = ${id}`);
    if (row!.rows > 0) found[name] = `${row!.rows} ${row!.hash}`;
  }
  return found;
}

async function moved(account: CellAccount): Promise<void> {
  const mover = cells.mover(account);
  assert.equal(await mover.ended, 0, mover.output);
}

test('a quiet account is the same in its new installation, and gone from the old one', { skip }, async () => {
  const { one, two } = cells;
  await Promise.all([one.start('web'), two.start('web')]);
  const account = await cells.account('quiet@example.org');
  const other = await cells.account('other@example.org');
  const list = await listOf({ call: account.call1 }, ['ada@quiet.example', 'bea@quiet.example', 'cy@quiet.example']);
  await listOf({ call: other.call1 }, ['dan@other.example']);
  await account.call(one, 'listUnsubscribe', { id: list, email_address: 'cy@quiet.example', send_goodbye: false });
  await account.call(one, 'campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'quiet@example.org',
      from_name: 'Quiet',
      generate_text: true,
    },
    content: { html: plainHtml },
  });
  const before = await contents(one, account.id);
  assert.ok(Object.keys(before).length > 6, Object.keys(before).join());
  await moved(account);
  const after = await contents(two, account.id);
  // New numbers of records that no chain has yet, and the numbers of people.
  for (const table of ['consent', 'audit_entry']) {
    assert.equal(after[table]?.split(' ')[0], before[table]?.split(' ')[0], table);
    delete after[table];
    delete before[table];
  }
  assert.deepEqual(after, before);
  assert.deepEqual(await contents(one, account.id), {});
  assert.deepEqual(await ownersOf(cells, account), ['two']);
  assert.equal((await account.call<unknown[]>(two, 'listMembers', { id: list })).length, 2);
  await account.call(two, 'listSubscribe', {
    id: list,
    email_address: 'eve@quiet.example',
    merge_vars: {},
    double_optin: false,
  });
  assert.deepEqual(await ownersOf(cells, other), ['one']);
  assert.equal((await other.call<unknown[]>(one, 'lists')).length, 1);
  // Nothing is left of the replication.
  for (const { db } of [one, two]) {
    assert.deepEqual(await db.rows(sql`select slot_name from pg_replication_slots`), []);
    assert.deepEqual(await db.rows(sql`select subname from pg_subscription`), []);
    assert.deepEqual(await db.rows(sql`select pubname from pg_publication`), []);
    assert.deepEqual(await db.rows(sql`select tgname from pg_trigger where tgname like 'move_guard%'`), []);
  }
});
