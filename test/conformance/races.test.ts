// Simultaneous calls about one campaign: whatever their order, the campaign starts once and ends in one consistent
// state, and a deleted one leaves nothing.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Fault } from '../../src/base/faults.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { launch, startDue } from '../../src/delivery/launch/launch.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { diceOf } from '../support/judges/dice.ts';
import { draftOf, type Fixture, makeAccount, makePlaceholder, makeSegment } from './fixture.ts';

let app: TestApp;
let own: Fixture;
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app);
});
after(() => app.close());

const draft = () => makePlaceholder(app.app, own, 'campaign') as Promise<string>;
const later = '2099-01-01 00:00:00';

/** 'ok' for true, else the fault's code. */
const outcome = (calls: Promise<unknown>[]) =>
  Promise.all(
    calls.map((call) =>
      call.then(
        (value) => (value === true || typeof value === 'string' ? 'ok' : `answered ${JSON.stringify(value)}`),
        (error: Fault) => error.code,
      ),
    ),
  );

const launchJobs = async (cid: string) => {
  const { rows } = await app.app.db.pool.query<{ count: number }>(
    `select count(*)::int as count
     from graphile_worker._private_jobs p join graphile_worker.jobs j on j.id = p.id
     where j.task_identifier = 'launchCampaign' and (p.payload ->> 'campaign_id')::int = $1`,
    [parseId(cid)],
  );
  return rows[0]!.count;
};

type Stored = { status: string; scheduled: boolean; pausedFrom: string | null; launched: boolean };
const stored = (cid: string) =>
  app.app.db.row<Stored>(sql`
    select status, schedule_at is not null as scheduled, paused_from as "pausedFrom", send_at is not null as launched
    from campaign where id = ${parseId(cid)}`);

/** Rows that name the campaign, of every table there is. */
async function rowsOf(cid: string): Promise<Record<string, number>> {
  const tables = await app.app.db.rows<{ name: string }>(sql`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'campaign_id' order by 1`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await app.app.db.pool.query<{ count: number }>(
      `select count(*)::int as count from "${name}" where campaign_id = $1`,
      [parseId(cid)],
    );
    if (rows[0]!.count > 0) counts[name] = rows[0]!.count;
  }
  return counts;
}

test('F51: 50 simultaneous calls of campaignSendNow start the campaign once; 49 get fault 313', async () => {
  const cid = await draft();
  const outcomes = await outcome(Array.from({ length: 50 }, () => own.call('campaignSendNow', { cid })));
  assert.deepEqual(outcomes.sort(), [...Array(49).fill(313), 'ok']);
  assert.equal(await launchJobs(cid), 1);
  // And however many processes run the one task, there is one delivery a recipient.
  await Promise.all(
    Array.from({ length: 5 }, () => launch(app.app, { account: own.accountId, campaign: parseId(cid) })),
  );
  assert.equal((await own.call<{ recipients: number }>('campaignProgress', { cid })).recipients, 1);
});

test('many simultaneous processes start a due campaign once', async () => {
  const cid = await draft();
  await own.call('campaignSchedule', { cid, schedule_time: later });
  await app.app.db.run(sql`update campaign set schedule_at = now() where id = ${parseId(cid)}`);
  await Promise.all(Array.from({ length: 10 }, () => startDue(app.app.db)));
  assert.equal((await stored(cid))?.status, 'launching');
  assert.equal(await launchJobs(cid), 1);
});

test('of simultaneous campaignSendNow and campaignSchedule the campaign starts once, scheduled before or not', async () => {
  for (let round = 0; round < 10; round++) {
    const cid = await draft();
    const outcomes = await outcome([
      own.call('campaignSendNow', { cid }),
      own.call('campaignSchedule', { cid, schedule_time: later }),
    ]);
    assert.equal(outcomes[0], 'ok');
    assert.ok(['ok', 313].includes(outcomes[1]!), String(outcomes));
    assert.equal((await stored(cid))?.status, 'launching');
    assert.equal(await launchJobs(cid), 1);
  }
});

test('campaignUnschedule at the due time: the campaign becomes a draft or starts, never both', async () => {
  for (let round = 0; round < 20; round++) {
    const cid = await draft();
    await own.call('campaignSchedule', { cid, schedule_time: later });
    await app.app.db.run(sql`update campaign set schedule_at = now() where id = ${parseId(cid)}`);
    const [outcomes] = await Promise.all([outcome([own.call('campaignUnschedule', { cid })]), startDue(app.app.db)]);
    const row = (await stored(cid))!;
    assert.equal(row.status, outcomes[0] === 'ok' ? 'draft' : 'launching');
    assert.equal(await launchJobs(cid), outcomes[0] === 'ok' ? 0 : 1);
  }
});

test('F51: 80 rounds of random simultaneous calls leave one valid state and no orphan', async () => {
  const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
  const dice = diceOf(seed);
  const acts: Record<string, (cid: string) => Promise<unknown>> = {
    campaignSchedule: (cid) => own.call('campaignSchedule', { cid, schedule_time: later }),
    campaignUnschedule: (cid) => own.call('campaignUnschedule', { cid }),
    campaignSendNow: (cid) => own.call('campaignSendNow', { cid }),
    campaignDelete: (cid) => own.call('campaignDelete', { cid }),
    campaignUpdate: (cid) => own.call('campaignUpdate', { cid, name: 'list_id', value: own.list }),
    campaignReplicate: (cid) => own.call('campaignReplicate', { cid }),
    campaignPause: (cid) => own.call('campaignPause', { cid }),
    campaignResume: (cid) => own.call('campaignResume', { cid }),
    launch: (cid) => launch(app.app, { account: own.accountId, campaign: parseId(cid) }).then(() => true),
    startDue: () => startDue(app.app.db).then(() => true),
  };
  const names = Object.keys(acts);
  for (let round = 0; round < 80; round++) {
    const cid = await draft();
    if (dice.below(3) === 0) await own.call('campaignSchedule', { cid, schedule_time: later });
    const chosen = Array.from({ length: 2 + dice.below(6) }, () => dice.pick(names));
    const what = `seed ${seed}, round ${round}: ${chosen.join(' ')}`;
    const outcomes = await outcome(chosen.map((name) => acts[name]!(cid)));
    for (const one of outcomes) assert.ok(['ok', 300, 313].includes(one), `${what}: ${outcomes}`);
    const count = (name: string) => chosen.filter((one, i) => one === name && outcomes[i] === 'ok').length;
    const row = await stored(cid);
    assert.ok(count('campaignDelete') <= 1, what);
    assert.equal(row === undefined, count('campaignDelete') === 1, what);
    assert.ok(count('campaignSendNow') <= 1, what);
    const rows = await rowsOf(cid);
    if (row === undefined) {
      // What hangs on the campaign goes with it; what a delivery had begun is the purge's.
      assert.ok(!('campaign_list' in rows) && !('campaign_segment' in rows), `${what}: ${JSON.stringify(rows)}`);
      continue;
    }
    assert.equal(row.status === 'scheduled', row.scheduled, `${what}: ${JSON.stringify(row)}`);
    assert.equal(row.status === 'paused', row.pausedFrom !== null, what);
    const begun = 'delivery' in rows;
    assert.equal(begun, row.launched, `${what}: ${JSON.stringify({ row, rows })}`);
    assert.equal(rows['delivery'] ?? 0, begun ? 1 : 0, what);
    const started = !['draft', 'scheduled'].includes(row.status);
    assert.equal(started, count('campaignSendNow') === 1, `${what}: ${outcomes} ${JSON.stringify(row)}`);
    if (row.status === 'launching') assert.ok((await launchJobs(cid)) >= 1, what);
  }
});

test('campaignCreate and listDelete at the same time: no campaign goes to a deleted list', async () => {
  for (let round = 0; round < 20; round++) {
    const list = await own.call<string>('listCreate', { title: 'Short' });
    const [created, deleted] = await Promise.allSettled([
      own.call<string>('campaignCreate', draftOf(list)),
      own.call('listDelete', { id: list }),
    ]);
    assert.equal(deleted.status, 'fulfilled');
    if (created.status === 'rejected') {
      assert.equal((created.reason as Fault).code, 200);
    } else {
      assert.deepEqual(await rowsOf(created.value), {});
      await assert.rejects(
        own.call('campaignSendNow', { cid: created.value }),
        (error: Fault) => error.code === 311,
        'a campaign whose list is gone must not start',
      );
    }
  }
});

test('campaignSendNow and listDelete at the same time: one succeeds, the other is refused with a reason', async () => {
  for (let round = 0; round < 20; round++) {
    const list = await own.call<string>('listCreate', { title: 'Short' });
    const cid = await own.call<string>('campaignCreate', draftOf(list));
    const outcomes = await outcome([own.call('campaignSendNow', { cid }), own.call('listDelete', { id: list })]);
    assert.ok(['ok,313', '311,ok'].includes(outcomes.join()), outcomes.join());
  }
});

test('listSubscribe and listDelete at the same time leave no contact on a deleted list', async () => {
  for (let round = 0; round < 20; round++) {
    const list = await own.call<string>('listCreate', { title: 'Short' });
    const email_address = `r${round}@example.com`;
    const outcomes = await outcome([
      own.call('listSubscribe', { id: list, email_address, double_optin: false }),
      own.call('listDelete', { id: list }),
    ]);
    assert.ok(['ok,ok', '200,ok'].includes(outcomes.join()), outcomes.join());
    const left = await app.app.db.rows(sql`
      select contact_id from subscription
      where list_id = ${parseId(list)}`);
    assert.deepEqual(left, []);
  }
});

test('a list that a scheduled campaign goes to is not deleted', async () => {
  const list = await own.call<string>('listCreate', { title: 'Scheduled for' });
  const cid = await own.call<string>('campaignCreate', draftOf(list));
  await own.call('campaignSchedule', { cid, schedule_time: later });
  await assert.rejects(own.call('listDelete', { id: list }), { code: 313, message: /is scheduled for this list/ });
  await own.call('campaignUnschedule', { cid });
  assert.equal(await own.call('listDelete', { id: list }), true);
});

test('listDelete removes its segments from the campaigns', async () => {
  const list = await own.call<string>('listCreate', { title: 'Short' });
  const segment_id = await makeSegment(app.app, own.accountId, list);
  const cid = await own.call<string>(
    'campaignCreate',
    draftOf(own.list, { options: { list_id: [own.list, list], segment_id } }),
  );
  await own.call('listDelete', { id: list });
  const [row] = await own.call<Record<string, unknown>[]>('campaigns', { filters: { campaign_id: cid } });
  assert.deepEqual([row?.list_ids, row?.segment_ids], [[own.list], []]);
});

test('uniqueness also holds for simultaneous calls', async () => {
  const list = await own.call<string>('listCreate', { title: 'Crowded' });
  const five = (method: string, params: Record<string, unknown>) =>
    outcome(Array.from({ length: 5 }, () => own.call(method, params)));
  assert.deepEqual((await five('listMergeVarAdd', { id: list, tag: 'CITY', name: 'City' })).sort(), [
    254,
    254,
    254,
    254,
    'ok',
  ]);
  const email_address = 'one@example.com';
  assert.deepEqual((await five('listSubscribe', { id: list, email_address, double_optin: false })).sort(), [
    214,
    214,
    214,
    214,
    'ok',
  ]);
  assert.deepEqual((await five('listUnsubscribe', { id: list, email_address })).sort(), [231, 231, 231, 231, 'ok']);
  assert.deepEqual((await five('listDelete', { id: list })).sort(), [200, 200, 200, 200, 'ok']);
});
