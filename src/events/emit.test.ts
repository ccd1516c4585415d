// Which webhooks an event is written for, by both ways to emit.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { jsonb } from '../db/jsonb.ts';
import { type Event, emit, emitSet } from './emit.ts';
import { type EventSource, eventTypes } from './types.ts';

let t: TestApp;
let lists: number[];
before(async () => {
  t = await testApp();
  for (const title of ['Letter', 'Other']) await t.call('listCreate', { title });
  lists = (await t.app.db.rows<{ id: number }>(sql`select id from list order by id`)).map(({ id }) => id);
  const webhook = (title: string, listId: number | null, events: string[], sources: string[], status = 'active') =>
    t.app.db.run(sql`
      insert into webhook (account_id, title, url, list_id, events, sources, status)
      values (${t.account.id}, ${title}, 'https://example.com/', ${listId}, ${events}::text[], ${sources}::text[], ${status})`);
  await webhook('letter', lists[0]!, ['campaign.sent', 'email.complaint'], ['admin', 'api']);
  await webhook('other', lists[1]!, ['campaign.sent', 'email.complaint'], ['admin', 'api']);
  await webhook('complaints', null, ['email.complaint'], ['admin', 'api']);
  await webhook('subscriber', null, ['campaign.sent', 'email.complaint'], ['subscriber']);
  await webhook('paused', null, ['campaign.sent'], ['admin'], 'paused');
  await webhook('off', null, ['campaign.sent', 'email.complaint'], ['admin', 'api'], 'off');
});
after(() => t.close());

const complaint = (source: EventSource, listId: number): Event => ({
  type: 'email.complaint',
  source,
  listId,
  data: eventTypes['email.complaint'].example,
});
const sent: Event = { type: 'campaign.sent', source: 'admin', data: eventTypes['campaign.sent'].example };

const both = {
  emit: (event: Event) => t.app.db.transaction((tx) => emit(tx, t.account.id, [event])),
  emitSet: ({ type, source, listId, data }: Event) =>
    t.app.db.transaction((tx) =>
      emitSet(
        tx,
        t.account.id,
        [type],
        sql`select ${type}::text as type, ${source}::text as source, ${listId ?? null}::int as list_id, ${jsonb(data)}::jsonb as data`,
      ),
    ),
};

/** The titles of the webhooks that an event is written for, and its ids there. */
async function written(event: Event, by: (event: Event) => Promise<number>) {
  const count = await by(event);
  const rows = await t.app.db.rows<{ title: string; id: string; type: string; payload: Record<string, unknown> }>(sql`
    with taken as (delete from webhook_event returning webhook_id, event_id, type, payload)
    select w.title, t.event_id as id, t.type, t.payload
    from taken t
    join webhook w on w.id = t.webhook_id
    order by w.title`);
  assert.equal(rows.length, count);
  for (const { id, type, payload } of rows) {
    assert.match(id, /^evt_[0-9a-f]{24}$/);
    assert.equal(type, event.type);
    assert.deepEqual(payload, { id, ...event.data });
  }
  assert.ok(new Set(rows.map(({ id }) => id)).size <= 1, 'all webhooks get the event under one id');
  return rows.map(({ title }) => title);
}

for (const [name, by] of Object.entries(both)) {
  test(`${name}: an event of a list goes to webhooks of that list and of all lists`, async () => {
    assert.deepEqual(await written(complaint('admin', lists[0]!), by), ['complaints', 'letter']);
    assert.deepEqual(await written(complaint('api', lists[1]!), by), ['complaints', 'other']);
  });

  test(`${name}: an event without a list goes to webhooks bound to a list too, and to paused ones`, async () => {
    assert.deepEqual(await written(sent, by), ['letter', 'other', 'paused']);
  });

  test(`${name}: an event goes only to webhooks that subscribe to its source`, async () => {
    assert.deepEqual(await written(complaint('subscriber', lists[0]!), by), ['subscriber']);
  });
}

test('a webhook subscribed to all types, or to a group of them, gets the types it stands for', async () => {
  await t.app.db.run(sql`
    insert into webhook (account_id, title, url, events, sources)
    values (${t.account.id}, '*', 'https://example.com/', '{*}', '{admin}'),
      (${t.account.id}, 'email.*', 'https://example.com/', '{email.*}', '{admin}'),
      (${t.account.id}, 'emails.*', 'https://example.com/', '{emails.*}', '{admin}')`);
  for (const by of Object.values(both)) {
    const wild = async (event: Event) => (await written(event, by)).filter((title) => title.includes('*'));
    assert.deepEqual(await wild(sent), ['*']);
    assert.deepEqual(await wild(complaint('admin', lists[0]!)), ['*', 'email.*']);
  }
  await t.app.db.run(sql`update webhook set status = 'off' where title not like '%*'`);
  for (const by of Object.values(both)) assert.deepEqual(await written(sent, by), ['*']);
  await t.app.db.run(sql`delete from webhook where title like '%*'`);
  await t.app.db.run(sql`update webhook set status = 'active' where title not in ('off', 'paused')`);
});

test('an event does not wait for another transaction that emits events', async () => {
  const { db } = t.app;
  const isWritten = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const long = db.transaction(async (tx) => {
    await emit(tx, t.account.id, [sent]);
    isWritten.resolve();
    await mayCommit.promise;
  });
  await isWritten.promise;
  try {
    await db.transaction(async (tx) => {
      await tx.run(sql`set local lock_timeout = '500ms'`);
      assert.ok((await emit(tx, t.account.id, [sent])) > 0);
    });
  } finally {
    mayCommit.resolve();
    await long;
  }
});
