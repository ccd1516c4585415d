// The fence of a move: what is written for the account afterwards is refused, or finds nothing to change in a worker; others notice nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { connect, type Database, sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { launch } from '../delivery/launch/launch.ts';
import { campaignsDue } from '../delivery/sending/fair-queue.ts';
import { createIngest } from '../tracking/ingest.ts';
import { addJobs, fence } from './fence.ts';
import { addGuards, removeGuards } from './guards.ts';
import { storeHitsHere } from './hits.ts';
import { type Accounts, movingRows } from './installations.ts';

const moveId = '00000000-0000-0000-0000-000000000001';

let app: TestApp;
let worker: Database;
before(async () => {
  app = await testApp();
  worker = connect(app.app.db.url, { name: 'postrider work', maxConnections: 2 });
});
after(async () => {
  await worker.close();
  await app.close();
});

async function draining(id: number): Promise<Accounts> {
  const accounts = { id, all: [id] };
  await app.app.db.run(
    sql`insert into account_move (account, move_id, step) values (${id}, ${moveId}::uuid, 'draining')`,
  );
  await addGuards(app.app.db, accounts);
  return accounts;
}

test('after the fence callers get an error, workers find nothing to change, hits are kept, and other accounts go on', async () => {
  const { db } = app.app;
  const client = { ...(await app.anotherAccount('pro')), app: app.app };
  const other = await app.anotherAccount('pro');
  const list = await listOf(client, ['ada@guard.example', 'bea@guard.example']);
  const cid = await aCampaign(client, { to: list });
  await client.call('campaignSendNow', { cid });
  await launch(app.app, { account: client.account.id, campaign: parseId(cid) });
  const isDue = async () => (await campaignsDue(db)).some(({ account }) => account === client.account.id);
  assert.ok(await isDue());
  const accounts = await draining(client.account.id);
  assert.ok(!(await isDue()), 'nothing new is begun');
  await client.call('listCreate', { title: 'While draining' });

  await db.run(sql`update chunk set state = 'leased' where account_id = ${accounts.id}`);
  assert.equal(await fence(db, accounts, moveId), false, 'a chunk is in flight');
  await db.run(sql`update chunk set state = 'waiting' where account_id = ${accounts.id}`);
  const queued = () =>
    db.rows<{ task: string }>(sql`
      select task_identifier as task
      from graphile_worker.jobs j
      join graphile_worker._private_jobs p on p.id = j.id
      where p.payload ->> 'account_id' = ${String(accounts.id)}`);
  const jobs = (await queued()).length;
  assert.ok(jobs > 0);
  assert.equal(await fence(db, accounts, moveId), true);
  assert.deepEqual(await queued(), []);
  await assert.rejects(client.call('listCreate', { title: 'Late' }), /is moving to another server; try again/);
  const change = sql`update contact set language = 'de' where account_id = any (${[accounts.id, other.account.id]}::int[])`;
  assert.equal(await worker.run(change), 0);
  await assert.rejects(db.run(change), { code: 'PM001' });
  await assert.rejects(
    worker.run(sql`insert into freezing (account_id, campaign_id) values (${accounts.id}, 1)`),
    /PM001|moving/,
  );
  await other.call('listCreate', { title: 'Of another account' });

  const ingest = createIngest(app.app);
  const hit = {
    campaign: parseId(cid),
    seq: 1,
    kind: 'open' as const,
    link: null,
    url: '',
    ip: '',
    userAgent: '',
    machine: null,
  };
  await ingest.take({ ...hit, account: accounts.id, at: new Date() });
  assert.equal((await db.rows(sql`select from moved_hit where account = ${accounts.id}`)).length, 1);

  // As a cancelled move does.
  await movingRows(db, accounts, async (tx) => {
    const row = await tx.row<{ jobs: unknown }>(sql`select jobs from account_move where account = ${accounts.id}`);
    await addJobs(tx, row!.jobs);
    await tx.run(sql`delete from account_move where account = ${accounts.id}`);
  });
  await removeGuards(db, accounts);
  await storeHitsHere(db, accounts);
  assert.equal((await queued()).length, jobs);
  assert.deepEqual(await db.rows(sql`select from moved_hit`), []);
  assert.equal((await db.rows(sql`select from hit where account_id = ${accounts.id}`)).length, 1);
  await client.call('listCreate', { title: 'Again' });
  assert.deepEqual(await db.rows(sql`select tgname from pg_trigger where tgname like 'move_guard%'`), []);
});

test('the fence waits for a transaction that has written, which is kept whole', async () => {
  const { db } = app.app;
  const client = await app.anotherAccount('pro');
  const accounts = await draining(client.account.id);
  let fenced = false;
  let fencing: Promise<boolean> | undefined;
  await db.transaction(async (tx) => {
    await tx.run(sql`insert into list (account_id, name) values (${accounts.id}, 'Before')`);
    fencing = fence(db, accounts, moveId).then((done) => (fenced = done));
    const waits = async () =>
      (await db.row(sql`select from pg_locks where locktype = 'advisory' and classid = 7315 and not granted`)) !==
      undefined;
    while (!(await waits()));
    await tx.run(sql`insert into list (account_id, name) values (${accounts.id}, 'Still')`);
    assert.equal(fenced, false);
  });
  assert.equal(await fencing, true);
  const lists = await db.rows<{ name: string }>(
    sql`select name from list where account_id = ${accounts.id} order by name`,
  );
  assert.deepEqual(
    lists.map(({ name }) => name),
    ['Before', 'Still'],
  );
  await removeGuards(db, accounts);
});
