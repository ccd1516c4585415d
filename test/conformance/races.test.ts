// Calls about one campaign that meet at the same moment: whatever happens must be what would have happened had they
// come one after another, in some order. A trigger notes every change of state, so that none is off the allowed edges.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { launch, startDue } from '../../src/delivery/launch.ts';
import { Fault } from '../../src/faults.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { diceOf } from '../support/dice.ts';
import { draftOf, type Fixture, makeAccount } from './fixture.ts';

let app: TestApp;
let own: Fixture;
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app);
  await app.app.db.pool.query(`
    create table status_change (campaign_id int, old text, new text);
    create function note_status() returns trigger language plpgsql as $$
      begin
        insert into status_change values (new.id, old.status, new.status);
        return new;
      end
    $$;
    create trigger note_status after update on campaign
      for each row when (old.status is distinct from new.status) execute function note_status()`);
});
after(async () => {
  await app.close();
});

const edges = new Set([
  'draft scheduled',
  'draft launching',
  'scheduled draft',
  'scheduled launching',
  'launching sending',
  'launching paused',
  'sending paused',
  'sending sent',
  'launching sent',
  'paused launching',
  'paused sending',
]);

type State = 'draft' | 'scheduled' | 'launching' | 'paused' | 'gone';
/** What a call answers in a state: the state after it, or the code of its fault. */
type Rule = (state: State) => State | number;
const onlyFrom =
  (from: State, to: State): Rule =>
  (state) =>
    state === 'gone' ? 300 : state === from ? to : 313;

const calls = {
  campaignSendNow: { rule: onlyFrom('draft', 'launching'), params: {} },
  campaignSchedule: { rule: onlyFrom('draft', 'scheduled'), params: { schedule_time: '2099-01-01 00:00:00' } },
  campaignUnschedule: { rule: onlyFrom('scheduled', 'draft'), params: {} },
  campaignUpdate: { rule: onlyFrom('draft', 'draft'), params: { name: 'subject', value: 'Changed' } },
  campaignPause: { rule: onlyFrom('launching', 'paused'), params: {} },
  campaignResume: { rule: onlyFrom('paused', 'launching'), params: {} },
  campaignReplicate: { rule: (state: State) => (state === 'gone' ? 300 : state), params: {} },
  campaignDelete: { rule: (state: State) => (state === 'gone' ? 300 : 'gone'), params: {} },
} satisfies Record<string, { rule: Rule; params: Record<string, unknown> }>;
type Name = keyof typeof calls;
const names = Object.keys(calls) as Name[];

/** The outcome of a call: its fault's code, or 0. */
async function outcome(method: Name, cid: string): Promise<number> {
  try {
    const answer = await own.call(method, { cid, ...calls[method].params });
    assert.ok(answer === true || method === 'campaignReplicate', `${method} answered ${answer}`);
    return 0;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

async function stateOf(cid: string): Promise<State> {
  const row = await app.app.db.row<{ status: State; consistent: boolean }>(sql`
    select status, (status = 'scheduled') = (schedule_at is not null) as consistent
    from campaign
    where account_id = ${own.accountId}
      and id = ${parseId(cid)}`);
  assert.notEqual(row?.consistent, false, 'a due time stands with a scheduled campaign and with no other');
  return row?.status ?? 'gone';
}

const launches = async (cid: string) =>
  (await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'launchCampaign'
      and j.payload ->> 'campaign_id' = ${String(parseId(cid))}`))!.count;

/** Whether the outcomes and the last state are those of the calls in some order. */
function fits(start: State, made: { name: Name; code: number }[], end: State): boolean {
  if (made.length === 0) return start === end;
  return made.some(({ name, code }, i) => {
    const next = calls[name].rule(start);
    if (typeof next === 'number') return next === code && fits(start, made.toSpliced(i, 1), end);
    return code === 0 && fits(next, made.toSpliced(i, 1), end);
  });
}

test('of 50 campaignSendNow at once one starts the campaign, the others are told that it is started', async () => {
  const cid = await own.call<string>('campaignCreate', draftOf(own.list));
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => own.call('campaignSendNow', { cid })));
  const refused = answers.filter((one) => one.status === 'rejected').map((one) => one.reason as Fault);
  assert.deepEqual(
    answers.filter((one) => one.status === 'fulfilled').map((one) => one.value),
    [true],
  );
  for (const { code, message } of refused) {
    assert.equal(code, 313);
    assert.match(message, /being sent already \(launching\)/);
  }
  assert.equal(await launches(cid), 1);
  await Promise.all([1, 2, 3].map(() => launch(app.app, own.accountId, parseId(cid))));
  const rows = await app.app.db.row<{ count: number }>(
    sql`select count(*)::int as count from delivery where account_id = ${own.accountId} and campaign_id = ${parseId(cid)}`,
  );
  assert.equal(rows!.count, 1);
});

test('calls that meet on one campaign end as if they had come one after another', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
  const dice = diceOf(seed);
  for (let round = 0; round < 120; round++) {
    const cid = await own.call<string>('campaignCreate', draftOf(own.list));
    const start: State = dice.below(2) === 0 ? 'draft' : 'scheduled';
    if (start === 'scheduled') await own.call('campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' });
    const chosen = Array.from({ length: 2 + dice.below(5) }, () => dice.pick(names));
    const made = await Promise.all(chosen.map(async (name) => ({ name, code: await outcome(name, cid) })));
    const end = await stateOf(cid);
    const story = `seed ${seed}, round ${round}: ${start} → ${JSON.stringify(made)} → ${end}`;
    assert.ok(fits(start, made, end), story);
    const begun = made.filter(
      ({ name, code }) => code === 0 && (name === 'campaignSendNow' || name === 'campaignResume'),
    );
    assert.equal(await launches(cid), begun.length, story);
  }
});

test('unscheduling at the very moment a campaign is due leaves a draft or a started campaign, never both', async () => {
  const seen = { draft: 0, launching: 0 };
  for (let round = 0; round < 60; round++) {
    const cid = await own.call<string>('campaignCreate', draftOf(own.list));
    await own.call('campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' });
    await app.app.db.run(sql`
      update campaign
      set schedule_at = clock_timestamp() + ${`${round % 6} milliseconds`}::interval
      where account_id = ${own.accountId}
        and id = ${parseId(cid)}`);
    const loop = async () => {
      for (let i = 0; i < 4; i++) await startDue(app.app.db);
    };
    const [code] = await Promise.all([outcome('campaignUnschedule', cid), loop(), loop()]);
    await startDue(app.app.db);
    const row = await app.app.db.row<{ status: 'draft' | 'launching' }>(
      sql`select status from campaign where account_id = ${own.accountId} and id = ${parseId(cid)}`,
    );
    assert.equal(row!.status, code === 0 ? 'draft' : 'launching');
    assert.equal(await launches(cid), code === 0 ? 0 : 1);
    seen[row!.status]++;
    await own.call('campaignDelete', { cid });
  }
  assert.ok(seen.draft > 0, 'not one round was won by campaignUnschedule');
});

test('a campaign that is started while its lists change goes to the lists before or after, not to a mixture', async () => {
  const other = await own.call<string>('listCreate', { title: 'Others' });
  for (let round = 0; round < 20; round++) {
    const cid = await own.call<string>('campaignCreate', draftOf(own.list));
    const [updated, sent] = await Promise.allSettled([
      own.call('campaignUpdate', { cid, name: 'list_id', value: other }),
      own.call('campaignSendNow', { cid }),
    ]);
    assert.equal(sent.status, 'fulfilled');
    const [record] = await own.call<{ list_ids: string[] }[]>('campaigns', { filters: { campaign_id: cid } });
    assert.deepEqual(record!.list_ids, [updated.status === 'fulfilled' ? other : own.list]);
  }
});

test('every change of state in these races was along an allowed edge', async () => {
  const changes = await app.app.db.rows<{ change: string; count: number }>(
    sql`select old || ' ' || new as change, count(*)::int as count from status_change group by 1`,
  );
  assert.deepEqual(
    changes.filter(({ change }) => !edges.has(change)),
    [],
  );
  assert.ok(changes.length >= 5, JSON.stringify(changes));
});
