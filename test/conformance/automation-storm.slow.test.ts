// An account in which everything about automations happens at once: programs report events, contacts come, leave and are erased, two
// people edit, start, pause, move and delete, several workers run the engine, and every task of the timetable runs. Afterwards each
// contact has gone one way through, the figures are what the runs show, each event counted once, nothing is left of those who were erased,
// and nothing was logged as an error. STORM_SECONDS and STORM_SEED change how long and with which dice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Definition } from '../../src/automations/model/definition.ts';
import { flowOf } from '../../src/automations/model/flow.ts';
import { lostRace } from '../../src/automations/run/each.ts';
import { runAutomations } from '../../src/automations/run/engine.ts';
import { Fault } from '../../src/base/faults.ts';
import { createLog } from '../../src/base/log.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { type TaskDefinition, type TaskName, tasks } from '../../src/jobs/tasks.ts';
import { handlers } from '../../src/task-handlers.ts';
import { listOf } from '../support/builders/campaigns.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Dice, diceOf } from '../support/judges/dice.ts';

const seconds = Number(process.env['STORM_SECONDS'] ?? 40);
const seed = Number(process.env['STORM_SEED'] ?? 1);
/** Those who stay, whose events are counted; and those who may leave or be erased. */
const staying = Array.from({ length: 60 }, (_, n) => `stays${n}@storm.example`);
const moving = Array.from({ length: 60 }, (_, n) => `moves${n}@storm.example`);
const everyone = [...staying, ...moving];

let app: TestApp;
const logged: string[] = [];
const broken: string[] = [];
const refused = new Map<string, number>();
before(async () => {
  app = await testApp();
  app.app.log = createLog('info', 'storm', { write: (line: string) => void logged.push(line) });
});
after(() => app.close());

/** What a person or program does: a refusal has its reason, and anything else is a defect. */
async function act<T = unknown>(method: string, params: Record<string, unknown>): Promise<T | undefined> {
  try {
    return await app.call<T>(method, params);
  } catch (error) {
    if (error instanceof Fault) refused.set(error.fault, (refused.get(error.fault) ?? 0) + 1);
    else broken.push(`${method}: ${error instanceof Error ? error.stack : String(error)}`);
    return undefined;
  }
}

type World = { list: string; other: string; emails: string[]; ids: string[] };
const accepted = new Map<string, number>();
const ids = new Set<string>();
/** The clock of the engines runs ahead, so that waits end. */
let ahead = 0;
const clock = () => new Date(Date.now() + ahead);

async function build(): Promise<World> {
  const list = await listOf(app, everyone, 'Storm');
  const other = await listOf(app, [], 'Other');
  await app.call('listMergeVarAdd', { id: list, tag: 'PLAN', name: 'Plan' });
  const emails: string[] = [];
  for (const subject of ['One', 'Two', 'Three', 'Four', 'Five', 'Six'])
    emails.push(await app.call<string>('automationEmailCreate', { list, subject, text: `${subject} for you` }));
  const made: string[] = [];
  for (const title of ['Cart', 'Welcome', 'Plan'])
    made.push(await app.call<string>('automationCreate', { title, list }));
  return { list, other, emails, ids: made };
}

/** One of the forms that an automation is given: the same keys at other places, other triggers, with and without a goal. */
function form(world: World, at: number, dice: Dice): Record<string, unknown> {
  const [first, second] = world.emails.slice(2 * at);
  const send = (key: string, campaign = first) => ({ key, type: 'send', campaign });
  const wait = (key: string) => ({ key, type: 'wait', amount: 1 + dice.below(3), unit: 'minutes' });
  const set = (key: string, value: string) => ({ key, type: 'set_field', field: 'PLAN', value });
  const opened = (yes: object[], no: object[]) => ({
    key: 'opened',
    type: 'wait_for',
    name: 'opened',
    amount: 2,
    unit: 'minutes',
    yes,
    no,
    ...(dice.below(2) === 0 ? {} : { filter: [{ field: 'PLAN', condition: 'is', value: 'Gold' }] }),
  });
  const filter = [{ field: 'PLAN', condition: 'is', value: 'Gold' }];
  const steps = dice.pick([
    () => [
      send('one'),
      wait('rest'),
      opened([set('gold', 'Gold')], [wait('more')]),
      { key: 'end', type: 'webhook', name: 'end' },
    ],
    () => [wait('rest'), opened([send('two', second)], [set('gold', 'Gold')]), send('one')],
    () => [
      { key: 'fork', type: 'condition', filter, yes: [send('one')], no: [opened([wait('more')], [])] },
      { key: 'join', type: 'add_to_list', list: world.other },
      wait('rest'),
    ],
    () => [
      opened([], []),
      send('two', second),
      wait('rest'),
      { key: 'out', type: 'remove_from_list', list: world.other },
    ],
  ])();
  const trigger =
    at === 0
      ? { type: 'event', name: dice.pick(['cart', 'cart', 'seen']) }
      : at === 1
        ? dice.pick([{ type: 'subscribed' }, { type: 'event', name: 'cart' }])
        : { type: 'field', field: 'PLAN', value: '' };
  return {
    trigger,
    steps,
    reentry: { again: true, days: 0 },
    goal: dice.below(2) === 0 ? { event: 'order' } : { event: '' },
  };
}

/** Two editors, each with its own dice, on the same automations. */
async function edit(world: World, dice: Dice): Promise<void> {
  const at = dice.below(world.ids.length);
  const id = world.ids[at]!;
  const email_address = dice.pick(everyone);
  await dice.pick([
    () => act('automationUpdate', { id, ...form(world, at, dice) }),
    () => act('automationUpdate', { id, ...form(world, at, dice) }),
    () => act('automationStart', { id }),
    () => act('automationStart', { id }),
    () => act('automationStart', { id }),
    () => act('automationPause', { id }),
    () => act('automationMoveContacts', { id }),
    () => act('automationRemoveContact', { id, email_address }),
    () => act('automationExplain', { id, email_address }),
    () => act('automationGet', { id }),
    () =>
      act('campaignUpdate', { cid: dice.pick(world.emails), name: 'subject', value: `Subject ${dice.below(1_000)}` }),
    async () => {
      // One that is deleted while contacts are in it.
      const made = await act<string>('automationCreate', { title: 'Short', list: world.list });
      await act('automationUpdate', {
        id: made,
        trigger: { type: 'event', name: 'cart' },
        steps: [{ key: 'w', type: 'wait', amount: 1, unit: 'minutes' }],
        reentry: { again: true },
      });
      await act('automationStart', { id: made });
      await sleep(dice.below(500));
      await act('automationDelete', { id: made });
    },
  ])();
}

const problems = () => [...broken, ...logged.filter((line) => JSON.parse(line).level >= 40)];

let nextId = 0;
async function report(dice: Dice): Promise<void> {
  const events = Array.from({ length: 1 + dice.below(40) }, () => ({
    name: dice.pick(['cart', 'cart', 'seen', 'opened', 'opened', 'order']),
    email_address: dice.pick(everyone),
    data: { url: 'https://shop.example/', to: dice.pick(everyone) },
    ...(dice.below(3) === 0 ? {} : { id: `id${dice.below(2) === 0 ? nextId++ : dice.below(nextId + 1)}` }),
  }));
  const answer = await act<{ results: string[] }>('eventSendBatch', { events });
  for (const [n, { email_address, name, id }] of events.entries()) {
    if (answer?.results[n] !== 'accepted') continue;
    accepted.set(email_address, (accepted.get(email_address) ?? 0) + 1);
    if (!id) continue;
    const key = `${name} ${id}`;
    if (ids.has(key)) broken.push(`${key} was accepted twice`);
    ids.add(key);
  }
}

async function comeAndGo(world: World, dice: Dice): Promise<void> {
  const email_address = dice.pick(moving);
  const id = world.list;
  await dice.pick([
    () => act('listSubscribe', { id, email_address, double_optin: false, send_welcome: false }),
    () => act('listSubscribe', { id, email_address, double_optin: false, send_welcome: false }),
    () => act('listUnsubscribe', { id, email_address, send_goodbye: false, send_notify: false }),
    () => act('listUnsubscribe', { id, email_address, delete_member: true, send_goodbye: false, send_notify: false }),
    () =>
      act('listUpdateMember', {
        id,
        email_address: dice.pick(everyone),
        merge_vars: { PLAN: dice.pick(['Gold', 'Free']) },
      }),
    () => act('contactErase', { email: email_address }),
  ])();
}

const timetable = (Object.entries(tasks) as [TaskName, TaskDefinition][])
  .filter(([, { cron }]) => cron !== undefined)
  .map(([name]) => name as 'requeueForgotten');

async function internal(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    broken.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

/** Publishes emails and corrections that were begun, as the launch task does. */
async function launchAll(): Promise<void> {
  const waiting = await app.app.db.rows<{ id: number }>(sql`
    select id from campaign where account_id = ${app.account.id} and status = 'launching'`);
  for (const { id } of waiting) await launch(app.app, { account: app.account.id, campaign: id });
}

test(`everything about automations at once for ${seconds} s, with dice ${seed}`, async (t) => {
  const world = await build();
  for (const [at, id] of world.ids.entries()) {
    await app.call('automationUpdate', { id, ...form(world, at, diceOf(at + 1)) });
    await app.call('automationStart', { id });
  }
  const until = performance.now() + seconds * 1_000;
  const loop = async (work: () => Promise<unknown>, restMs: number) => {
    while (performance.now() < until) {
      await work();
      await sleep(restMs);
    }
  };
  const dice = Array.from({ length: 8 }, (_, n) => diceOf(seed * 100 + n + 1));
  const stopping = new AbortController();
  const context = { app: app.app, log: app.app.log, signal: stopping.signal };
  let turn = 0;
  await Promise.all([
    loop(() => edit(world, dice[0]!), 10),
    loop(() => edit(world, dice[1]!), 10),
    loop(() => report(dice[2]!), 5),
    loop(() => report(dice[3]!), 5),
    loop(() => comeAndGo(world, dice[4]!), 2),
    loop(() => comeAndGo(world, dice[5]!), 2),
    loop(() => internal('engine', () => runAutomations(app.app, clock())), 5),
    loop(() => internal('engine', () => runAutomations(app.app, clock())), 5),
    loop(() => internal('engine', () => runAutomations(app.app, clock())), 20),
    loop(() => internal('launch', launchAll), 50),
    loop(async () => {
      const name = timetable[turn++ % timetable.length]!;
      await internal(name, () => handlers[name](context, {}, 1));
    }, 20),
    loop(async () => {
      ahead += 20_000;
    }, 200),
  ]);
  t.diagnostic(
    `${nextId} ids, ${[...accepted.values()].reduce((sum, n) => sum + n, 0)} events; refused: ${JSON.stringify(Object.fromEntries(refused))}`,
  );
  await checkErased();
  for (const id of world.ids) await act('automationStart', { id });
  await internal('launch', launchAll);
  ahead += 86_400_000;
  for (let idle = 0; idle < 5; ahead += 600_000) idle = (await runAutomations(app.app, clock())) > 0 ? 0 : idle + 1;
  assert.deepEqual(problems(), []);
  const races = logged.filter((line) => line.includes(lostRace)).length;
  t.diagnostic(`${races} lost races of the engine`);
  // Each of them stops an engine for a second.
  assert.ok(races <= seconds / 5, `${races} lost races`);
  await checkErased();
  await checkRuns(world);
  await checkEvents();
});

/** No run has the data of an event of a contact that is gone. */
async function checkErased(): Promise<void> {
  const left = await app.app.db.rows(sql`
    select r.automation_id, r.contact_id, r.step, r.outcome
    from automation_run r
    where r.event is not null
      and not exists (select from contact c where c.account_id = r.account_id and c.id = r.contact_id)`);
  assert.deepEqual(left, [], 'nothing is kept of an erased contact');
}

async function checkRuns({ ids: made }: World): Promise<void> {
  const { db } = app.app;
  assert.equal((await db.rows(sql`select from automation_signal`)).length, 0, 'all signals are taken');
  const wrong = await db.rows(sql`
    with shown as (
      select automation_id, step, count(*) filter (where ended_at is null)::int as waiting from automation_run group by 1, 2
      union all
      select automation_id, '', count(*) filter (where ended_at is null)::int from automation_run group by 1
    )
    select t.automation_id, t.step, t.waiting, s.waiting as shown
    from automation_tally t
    left join shown s on s.automation_id = t.automation_id and s.step = t.step
    where t.waiting <> coalesce(s.waiting, 0)`);
  assert.deepEqual(wrong, [], 'the figures are what the runs show');
  const totals = await db.rows(sql`
    select t.automation_id, t.entered, r.runs, t.passed, r.completed, t.goal, r.goals
    from automation_tally t
    join (
      select automation_id, count(*)::int as runs, count(*) filter (where outcome = 'completed')::int as completed,
        count(*) filter (where outcome = 'goal')::int as goals
      from automation_run
      group by 1
    ) r on r.automation_id = t.automation_id
    where t.step = ''
      and (t.entered, t.passed, t.goal) is distinct from (r.runs, r.completed, r.goals)`);
  assert.deepEqual(totals, [], 'the figures of the whole are what the runs show');
  for (const id of made) await checkWays(parseId(id));
  // An email for each time that a run passed the step, and no other.
  const sent = await db.rows(sql`
    with passed as (
      select r.no, x ->> 'step' as step
      from automation_run r, jsonb_array_elements(r.trail) as x
      -- The last step is not in the trail. A contact that was moved to another version may pass a step again, and gets its email once.
      union
      select r.no, r.step
      from automation_run r
      where r.outcome = 'completed'
    ), wanted as (
      select 'run ' || no as occasion, count(*)::int as emails from passed where step in ('one', 'two') group by 1
    ), got as (
      select occasion, count(*)::int as emails from delivery where occasion like 'run %' group by 1
    )
    select occasion, w.emails as wanted, g.emails as got
    from wanted w
    full join got g using (occasion)
    where w.emails is distinct from g.emails`);
  assert.deepEqual(sent, [], 'a run gets the email of each step that it passed once');
}

/** Each run went from step to step as a version of its automation says. */
async function checkWays(automation: number): Promise<void> {
  const { db } = app.app;
  const versions = await db.rows<{ definition: Definition }>(sql`
    select definition from automation_version where automation_id = ${automation}`);
  const follows = new Set<string>();
  const firsts = new Set<string>();
  const lasts = new Set<string>();
  for (const { definition } of versions) {
    const flow = flowOf(definition.steps);
    firsts.add(flow.first!);
    for (const [key, { step, next }] of flow.steps) {
      const arms = 'yes' in step ? [step.yes[0]?.key ?? next, step.no[0]?.key ?? next] : [next];
      for (const to of arms)
        if (to === null) lasts.add(key);
        else follows.add(`${key} ${to}`);
    }
  }
  const runs = await db.rows<{ no: number; way: string[]; outcome: string | null; event: { name: string } | null }>(sql`
    select no, outcome, event, array(select x ->> 'step' from jsonb_array_elements(trail) with ordinality as e(x, n) order by n) || step as way
    from automation_run
    where automation_id = ${automation}`);
  assert.ok(runs.length > 0, `${formatId(automation)} was entered`);
  for (const { no, way, outcome } of runs) {
    assert.equal(outcome === null, false, `run ${no} has ended: ${way}`);
    assert.ok(firsts.has(way[0]!), `run ${no} begins at a first step: ${way}`);
    for (const [n, key] of way.slice(1).entries())
      assert.ok(follows.has(`${way[n]} ${key}`), `run ${no}: ${way[n]} ${key}`);
    if (outcome === 'completed') assert.ok(lasts.has(way.at(-1)!), `run ${no} ended after a last step: ${way}`);
  }
}

/** Of those who stay each event that was accepted is there, once. */
async function checkEvents(): Promise<void> {
  const rows = await app.app.db.rows<{ email: string; count: number }>(sql`
    select c.email, count(*)::int as count
    from contact_event e
    join contact c on c.account_id = e.account_id and c.id = e.contact_id
    where c.email like 'stays%'
    group by 1`);
  const stored = new Map(rows.map(({ email, count }) => [email, count]));
  for (const email of staying) assert.equal(stored.get(email) ?? 0, accepted.get(email) ?? 0, email);
}
