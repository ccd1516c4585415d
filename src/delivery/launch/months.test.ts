// Recipients around the end of a month: which partition has them, that they are found there, and that the statements that
// send look into no other.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type DatabaseClock, movableClock } from '../../../test/support/clock/database-clock.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { makePartitions } from '../../db/partitions.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import { type Chunk, type Marked, queuedIn } from '../ledger/chunk.ts';
import { markGroup } from '../ledger/mark-group.ts';
import { writeOutcomes } from '../outcomes/write-outcomes.ts';
import { redo } from '../recovery/redo.ts';
import { endChunk, takeChunk } from '../sending/lease.ts';
import { planOccasions } from './autoresponder-planner.ts';
import { launch } from './launch.ts';

const hourMs = 3_600_000;
const taken: Verdict = { kind: 'accepted', code: 250, text: 'OK' };
const people = ['ada@example.com', 'bob@example.com', 'cy@example.com'];

let clock: DatabaseClock;
let t: TestApp;
let list: string;
let worker: number;

before(async () => {
  t = await testApp({}, async (url) => {
    clock = await movableClock(url);
    return clock.url;
  });
  await makePartitions(t.app.db, { behind: 3 });
  list = await listOf(t, people);
  const row = await t.app.db.row<{ id: number }>(
    sql`insert into worker (host, boot_id, pid, journal) values ('here', 'b', 1, '') returning id`,
  );
  worker = row!.id;
});
after(() => t.close());

/** The first moment of a month, so many from now. */
function startOf(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
}
const partitionOf = (months: number) => `delivery_${startOf(months).toISOString().slice(0, 7).replace('-', '_')}`;
const setClock = (at: Date) => clock.set((at.getTime() - Date.now()) / 1_000);
const beforeEndOf = (months: number) => new Date(startOf(months + 1).getTime() - 30_000);

const rowsOf = (campaign: number) =>
  t.app.db.rows<{ place: string; seq: number; contact: number; occasion: string; state: number }>(sql`
    select tableoid::regclass::text as place, seq, contact_id as contact, occasion, state
    from delivery
    where campaign_id = ${campaign}
    order by seq`);
const placesOf = async (campaign: number) => [...new Set((await rowsOf(campaign)).map(({ place }) => place))];
const statesOf = async (campaign: number) => (await rowsOf(campaign)).map(({ state }) => state);

async function taking(campaign: number): Promise<Chunk> {
  const leased = await takeChunk(t.app.db, worker, { account: t.account.id, campaign });
  return leased!.chunk;
}
const marking = async (tx: Tx, chunk: Chunk) => (await markGroup(tx, chunk, worker, 10, 3_600))!.marked;
const accepting = (tx: Tx, chunk: Chunk, marked: readonly Marked[]) =>
  writeOutcomes(
    tx,
    chunk,
    worker,
    marked.map((each) => ({ marked: each, verdict: taken })),
  );
const transaction = <T>(work: (tx: Tx) => Promise<T>) => t.app.db.transaction(work);

test('a campaign that is launched in the last seconds of a month keeps that month when it is sent in the next one', async () => {
  await setClock(beforeEndOf(-1));
  const id = await launchedTo(t, list);
  await clock.set(0);
  assert.deepEqual(await placesOf(id), [partitionOf(-1)]);
  const chunk = await taking(id);
  const marked = await transaction((tx) => marking(tx, chunk));
  await transaction((tx) => accepting(tx, chunk, marked));
  assert.equal(await transaction((tx) => endChunk(tx, chunk, worker)), true);
  assert.deepEqual(await statesOf(id), [2, 2, 2]);
  assert.deepEqual(await placesOf(id), [partitionOf(-1)]);
});

test('a campaign that is changed while paused, and launched again in the next month, has recipients in that month only', async () => {
  await setClock(beforeEndOf(-1));
  const id = await launchedTo(t, list);
  const cid = formatId(id);
  assert.deepEqual(await placesOf(id), [partitionOf(-1)]);
  await t.call('campaignPause', { cid });
  await clock.set(0);
  await t.call('campaignUpdate', { cid, name: 'subject', value: 'Newer' });
  assert.deepEqual(await rowsOf(id), []);
  await t.call('campaignResume', { cid });
  await launch(t.app, { account: t.account.id, campaign: id });
  assert.deepEqual(await placesOf(id), [partitionOf(0)]);
});

test('a draft of last month that is sent in this one has its recipients in this one', async () => {
  await setClock(beforeEndOf(-1));
  const cid = await aCampaign(t, { to: list });
  await clock.set(0);
  await t.call('campaignSendNow', { cid });
  await launch(t.app, { account: t.account.id, campaign: parseId(cid) });
  assert.deepEqual(await placesOf(parseId(cid)), [partitionOf(0)]);
});

test('recipients of a month without a partition are in the default one, and found after they have moved into their own', async () => {
  await setClock(beforeEndOf(5));
  const id = await launchedTo(t, list);
  assert.deepEqual(await placesOf(id), ['delivery_default']);
  const chunk = await taking(id);
  const marked = await transaction((tx) => marking(tx, chunk));
  await makePartitions(t.app.db);
  assert.deepEqual(await placesOf(id), [partitionOf(5)]);
  await transaction((tx) => accepting(tx, chunk, marked));
  assert.equal(await transaction((tx) => endChunk(tx, chunk, worker)), true);
  assert.deepEqual(await statesOf(id), [2, 2, 2]);
  await clock.set(0);
});

test('an autoresponder sends an occasion to a contact once, whatever the month', async () => {
  await setClock(beforeEndOf(-1));
  const row = await t.app.db.row<{ id: number }>(sql`
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, plain, auto, send_at)
    values (${t.account.id}, 'auto', 'sending', 't', 's', 'Us', 'us@example.com', '<p>x</p>', 'x',
      '{"units": "day", "time": 1, "direction": "after", "event": "signup", "tag": ""}', now() - interval '3 days')
    returning id`);
  const id = row!.id;
  await t.app.db.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id) values (${t.account.id}, ${id}, ${parseId(list)})`);
  const signedUp = (email: string) =>
    t.app.db.run(sql`
    update subscription s
    set optin_at = now() - interval '1 day 1 minute', confirm_at = null, changed_at = now()
    from contact c
    where c.account_id = s.account_id and c.id = s.contact_id and c.email = ${email}`);
  const plan = async () => {
    await t.app.db.run(sql`update occasion_plan set look_at = now() where campaign_id = ${id}`);
    await planOccasions(t.app.db, 4 * hourMs);
  };
  await t.app.db.run(sql`update subscription set optin_at = now() - interval '90 days', confirm_at = null`);
  await signedUp('ada@example.com');
  await plan();
  assert.deepEqual(await statesOf(id), [0]);
  await setClock(new Date(startOf(0).getTime() + 60_000));
  await plan();
  await signedUp('bob@example.com');
  await plan();
  const rows = await rowsOf(id);
  assert.deepEqual(
    rows.map(({ place, seq, occasion }) => [place, seq, occasion]),
    [
      ['delivery_auto', 1, 'signup'],
      ['delivery_auto', 2, 'signup'],
    ],
  );
  assert.notEqual(rows[0]!.contact, rows[1]!.contact);
  await assert.rejects(
    t.app.db.run(sql`
      insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, occasion, email, domain, due_at)
      select account_id, campaign_id, 3, (select month from campaign where id = ${id}), contact_id, list_id, occasion, '', '', now()
      from delivery
      where campaign_id = ${id}
        and seq = 1`),
    { code: '23505' },
  );
  await clock.set(0);
});

/** The partitions of delivery that a transaction has locked: those in the plans of its statements. */
async function inPlans(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  return transaction(async (tx) => {
    // The plan that a prepared statement keeps when it has run often, without the values of its parameters.
    await tx.run(sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`);
    await work(tx);
    return lockedPartitions(tx);
  });
}
async function lockedPartitions(tx: Queries): Promise<string[]> {
  const rows = await tx.rows<{ name: string }>(sql`
    select distinct c.relname as name
    from pg_locks l
    join pg_class c on c.oid = l.relation
    where l.pid = pg_backend_pid()
      and c.relkind = 'r'
      and c.relname ~ '^delivery_'
    order by 1`);
  return rows.map(({ name }) => name);
}

test('the statements that send have one partition in their plans', async () => {
  const id = await launchedTo(t, list);
  const chunk = await taking(id);
  const one = [partitionOf(0)];
  assert.deepEqual(await inPlans((tx) => queuedIn(tx, chunk, 10)), one);
  let marked: readonly Marked[] = [];
  assert.deepEqual(
    await inPlans(async (tx) => {
      marked = await marking(tx, chunk);
    }),
    one,
  );
  assert.equal(marked.length, 3);
  assert.deepEqual(await inPlans((tx) => accepting(tx, chunk, marked)), one);
  assert.deepEqual(await inPlans((tx) => endChunk(tx, chunk, worker)), one);
});

test('what a fail-over lost is redone in the month of its campaign, and rows at the same place of other months stay', async () => {
  await setClock(beforeEndOf(-3));
  const old = await launchedTo(t, list);
  await setClock(beforeEndOf(-2));
  const other = await launchedTo(t, list);
  await clock.set(0);
  const ctids = (campaign: number) =>
    t.app.db.rows(sql`select ctid::text from delivery where campaign_id = ${campaign}`);
  assert.deepEqual(await ctids(old), await ctids(other));
  const entries = (await rowsOf(old)).map(({ seq, contact }) => ({
    attempt: { account: t.account.id, campaign: old, seq, contact, attempts: 1, resent: 0 },
    trace: { kind: 'outcome', verdict: taken } as const,
  }));
  assert.deepEqual(await redo(t.app, worker, entries), { outcomes: 3, unclear: 0, lost: 0 });
  assert.deepEqual(await statesOf(old), [2, 2, 2]);
  assert.deepEqual(await statesOf(other), [0, 0, 0]);
});
