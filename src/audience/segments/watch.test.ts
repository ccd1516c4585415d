// Events of contacts who join or leave a segment, on a real database: each change once, for those who want it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { portion, watchSegments } from './watch.ts';

let t: TestApp;
let list: string;
before(async () => {
  t = await testApp();
});
after(() => t.close());
beforeEach(async () => {
  await t.app.db.run(sql`delete from segment`);
  await t.app.db.run(sql`delete from webhook`);
  list = await t.call('listCreate', { title: 'Letter' });
});

async function webhook(events: string[] | undefined, listId: string | null = null): Promise<void> {
  await t.app.db.run(sql`
    insert into webhook (account_id, title, url, list_id, events)
    values (${t.account.id}, 'receiver', 'https://example.com/', ${listId && parseId(listId)}, ${events ?? ['contact.subscribe']}::text[])`);
}
const subscribe = (email: string, FNAME = 'Ann') =>
  t.call('listSubscribe', {
    id: list,
    email_address: email,
    merge_vars: { FNAME },
    double_optin: false,
    update_existing: true,
  });
const segment = (title = 'Beas', name = 'Bea') =>
  t.call<string>('listSegmentCreate', {
    list,
    title,
    match: 'all',
    filter: [{ field: 'FNAME', condition: 'is', value: name }],
  });
const run = () => watchSegments({ app: t.app, signal: new AbortController().signal });

/** What a look finds, as type and address, in their order. */
async function look(): Promise<string[]> {
  await t.app.db.run(sql`delete from webhook_event`);
  await t.app.db.run(sql`update segment_watch set look_at = now()`);
  await run();
  const rows = await t.app.db.rows<{ type: string; email: string }>(sql`
    select type, payload ->> 'email' as email from webhook_event where type like 'segment.%' order by email, type`);
  return rows.map(({ type, email }) => `${type} ${email}`);
}

test('who is in it at the first look causes no event; then each change is one', async () => {
  await webhook(['segment.*']);
  await subscribe('a@example.com', 'Bea');
  const id = await segment();
  assert.deepEqual(await look(), []);
  await subscribe('b@example.com', 'Bea');
  await subscribe('c@example.com', 'Cem');
  assert.deepEqual(await look(), ['segment.joined b@example.com']);
  assert.deepEqual(await look(), []);
  await subscribe('a@example.com', 'Al');
  await t.call('listUnsubscribe', { id: list, email_address: 'b@example.com', send_goodbye: false });
  assert.deepEqual(await look(), ['segment.left a@example.com', 'segment.left b@example.com']);
  await t.call('listSegmentUpdate', { id, filter: [{ field: 'FNAME', condition: 'is', value: 'Cem' }] });
  assert.deepEqual(await look(), ['segment.joined c@example.com']);
});

test('a deleted contact leaves without an event, and a segment about a deleted campaign stays as it was', async () => {
  await webhook(['segment.left', 'segment.joined']);
  await segment();
  await subscribe('a@example.com', 'Bea');
  await look();
  await t.call('listUnsubscribe', { id: list, email_address: 'a@example.com', delete_member: true });
  assert.deepEqual(await look(), []);
  const left = await t.app.db.row<{ count: number }>(sql`select count(*)::int as count from segment_member`);
  assert.equal(left!.count, 0);
});

test('without a webhook that wants them nothing is watched, and a list of its own excludes the others', async () => {
  const watched = async () =>
    (await t.app.db.row<{ count: number }>(sql`select count(*)::int as count from segment_watch`))!.count;
  await segment();
  await webhook(undefined);
  await run();
  assert.equal(await watched(), 0);
  await webhook(['*'], await t.call('listCreate', { title: 'Other' }));
  await run();
  assert.equal(await watched(), 0);
  await webhook(['*'], list);
  await run();
  assert.equal(await watched(), 1);
  await t.app.db.run(sql`update webhook set status = 'off'`);
  await run();
  assert.equal(await watched(), 0);
});

test('several workers that look at once write one event for each change', async () => {
  await webhook(['segment.joined']);
  await segment();
  await look();
  for (let i = 0; i < 20; i++) await subscribe(`${i}@example.com`, 'Bea');
  await t.app.db.run(sql`update segment_watch set look_at = now()`);
  await Promise.all([run(), run(), run()]);
  const events = await t.app.db.rows<{ email: string }>(sql`select payload ->> 'email' as email from webhook_event`);
  assert.equal(events.length, 20);
  assert.equal(new Set(events.map(({ email }) => email)).size, 20);
});

test('many who join at once are taken in portions, each once', async () => {
  const usual = portion.changes;
  portion.changes = 200;
  await webhook(['segment.joined', 'segment.left']);
  await segment();
  await look();
  const contacts = async (from: number, to: number) => {
    await t.app.db.run(sql`
      with made as (
        insert into contact (account_id, email, email_key, domain)
        select ${t.account.id}, 'm' || n || '@many.example', 'm' || n || '@many.example', 'many.example' from generate_series(${from}::int, ${to}::int) as n
        returning id
      )
      insert into subscription (account_id, list_id, contact_id, status, fields)
      select ${t.account.id}, ${parseId(list)}, id, 'subscribed', '{"FNAME": "Bea"}' from made`);
  };
  try {
    await contacts(1, 450);
    assert.equal((await look()).length, 450);
    await t.app.db.run(sql`update subscription set fields = '{"FNAME": "Al"}' where list_id = ${parseId(list)}`);
    const left = await look();
    assert.equal(left.length, 450);
    assert.ok(left.every((event) => event.startsWith('segment.left ')));
  } finally {
    portion.changes = usual;
  }
});

test('a segment of the values of a list is not looked at while nothing changes there', async () => {
  await webhook(['*']);
  await subscribe('a@example.com', 'Bea');
  await segment();
  const late = await t.call<string>('listSegmentCreate', {
    ...{ list, title: 'Recent', match: 'all' },
    filter: [{ field: 'signup_time', condition: 'greater', value: '30 days' }],
  });
  await look();
  await anHourPasses();
  const recorded = await lookedAt();
  assert.deepEqual(await look(), []);
  const again = await lookedAt();
  assert.equal(again.get('Beas')?.getTime(), recorded.get('Beas')?.getTime());
  assert.notEqual(again.get('Recent')?.getTime(), recorded.get('Recent')?.getTime());
  await t.call('listSegmentDelete', { id: late });
});

test('whatever changes who is in a quiet segment is noticed', async () => {
  await webhook(['*']);
  for (const name of ['a', 'b', 'c']) await subscribe(`${name}@example.com`, 'Bea');
  const id = await segment();
  await look();
  await anHourPasses();
  await subscribe('d@example.com', 'Bea');
  assert.deepEqual(await look(), ['segment.joined d@example.com']);
  await anHourPasses();
  await t.call('listUpdateMember', { id: list, email_address: 'a@example.com', merge_vars: { FNAME: 'Al' } });
  assert.deepEqual(await look(), ['segment.left a@example.com']);
  await anHourPasses();
  await t.call('listSegmentUpdate', { id, filter: [{ field: 'FNAME', condition: 'is', value: 'Al' }] });
  assert.equal((await look()).length, 4);
  await anHourPasses();
  await t.call('listMergeVarAdd', { id: list, tag: 'CITY', name: 'City' });
  await t.call('listSegmentUpdate', { id, filter: [{ field: 'CITY', condition: 'is', value: '' }] });
  await look();
  await anHourPasses();
  // Deleted and added again between two looks: no longer the same member.
  await t.call('listUnsubscribe', {
    id: list,
    email_address: 'b@example.com',
    delete_member: true,
    send_goodbye: false,
  });
  await subscribe('b@example.com', 'Bea');
  assert.deepEqual(await look(), ['segment.joined b@example.com']);
});

test('a change that is committed long after its time is noticed', async () => {
  await webhook(['segment.*']);
  await subscribe('a@example.com', 'Bea');
  await segment('Als', 'Al');
  await look();
  await anHourPasses();
  await t.app.db.run(sql`
    update subscription s
    set fields = '{"FNAME": "Al"}', changed_at = w.looked_at - interval '14 minutes'
    from segment_watch w
    where s.list_id = ${parseId(list)}`);
  assert.deepEqual(await look(), ['segment.joined a@example.com']);
});

/** Everything so far happened an hour ago. */
async function anHourPasses(): Promise<void> {
  await t.app.db.run(sql`update subscription set changed_at = changed_at - interval '1 hour'`);
  await t.app.db.run(sql`update segment set changed_at = changed_at - interval '1 hour'`);
  await t.app.db.run(sql`update segment_watch set looked_at = looked_at - interval '30 minutes'`);
}

async function lookedAt(): Promise<Map<string, Date>> {
  const rows = await t.app.db.rows<{ title: string; at: Date }>(sql`
    select g.title, h.looked_at as at from segment_watch h join segment g on g.id = h.segment_id`);
  return new Map(rows.map(({ title, at }) => [title, at]));
}
