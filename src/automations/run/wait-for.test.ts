// Steps that wait for an event or conditions, and data of events in triggers and goals: the cells of "Waiting for an event" in
// docs/flows.md.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { advance } from './advance.ts';
import { runAutomations } from './engine.ts';
import { takeSignals } from './enter.ts';

let app: TestApp;
let people = 0;
before(async () => {
  app = await testApp();
});
after(() => app.close());

type Run = { step: string; outcome: string; trail: { step: string }[] };
const newList = async () => {
  const list = await app.call<string>('listCreate', { title: 'List' });
  await app.call('listMergeVarAdd', { id: list, tag: 'PLAN', name: 'Plan' });
  return list;
};
async function started(list: string, definition: Record<string, unknown>): Promise<string> {
  const id = await app.call<string>('automationCreate', { title: 'Test', list });
  await app.call('automationUpdate', { id, trigger: { type: 'subscribed' }, ...definition });
  await app.call('automationStart', { id });
  return id;
}
const join = async (list: string) => {
  const email_address = `waits${++people}@example.com`;
  await app.call('listSubscribe', { id: list, email_address, double_optin: false });
  return email_address;
};
const send = (email_address: string, name: string, data = {}, value?: number) =>
  app.call<{ triggers: number; goals: number }>('eventSend', {
    name,
    email_address,
    data,
    ...(value === undefined ? {} : { value }),
  });
const settle = async (clock?: Date) => {
  while ((await runAutomations(app.app, clock)) > 0);
};
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
const runs = (id: string, email_address: string) => app.call<Run[]>('automationExplain', { id, email_address });
/** Where a contact is, or the steps that it went through. */
const where = async (id: string, email: string) => {
  const [run] = await runs(id, email);
  if (!run) return 'outside';
  return run.outcome === '' ? run.step : [...run.trail.map(({ step }) => step), run.step].join(' ');
};

const arms = { yes: [field('done', 'Pro')], no: [field('late', 'Free')] };
function field(key: string, value: string) {
  return { key, type: 'set_field', field: 'PLAN', value };
}
const waits = (more: Record<string, unknown>) => [
  { key: 'wait', type: 'wait_for', amount: 3, unit: 'days', ...arms, ...more },
];

test('a contact takes the arm yes when the event comes, and the arm no when its time is over, each once', async () => {
  const list = await newList();
  const id = await started(list, { steps: waits({ name: 'invited' }) });
  const [came, other, never] = [await join(list), await join(list), await join(list)];
  await settle();
  assert.deepEqual([await where(id, came), await where(id, other)], ['wait', 'wait']);
  await send(came, 'invited');
  await send(came, 'invited');
  await send(other, 'something else');
  await settle();
  assert.deepEqual([await where(id, came), await where(id, other)], ['wait done', 'wait']);
  await settle(inDays(2.9));
  assert.equal(await where(id, never), 'wait');
  await settle(inDays(3.1));
  assert.deepEqual([await where(id, other), await where(id, never)], ['wait late', 'wait late']);
  const { step_figures } = await app.call<{ step_figures: Record<string, number | string>[] }>('automationGet', { id });
  const figures = (key: string) => {
    const { entered, waiting, passed, yes, no } = step_figures.find(({ step }) => step === key)!;
    return [entered, waiting, passed, yes, no];
  };
  // Which way they took is counted too, on the step that has two.
  assert.deepEqual(
    [figures('wait'), figures('done'), figures('late')],
    [
      [3, 0, 3, 1, 2],
      [1, 0, 1, 0, 0],
      [2, 0, 2, 0, 0],
    ],
  );
});

test('the data of the event is looked at, on the step, by the trigger and by the goal', async () => {
  const list = await newList();
  const large = [{ path: 'data.order.total', condition: 'greater', value: '100' }];
  const waiting = await started(list, { steps: waits({ name: 'order', data: large }) });
  const entering = await started(list, {
    trigger: { type: 'event', name: 'order', data: large },
    steps: [{ key: 'pause', type: 'wait', amount: 9, unit: 'days' }],
    goal: { event: 'paid', data: [{ path: 'value', condition: 'is', value: '12' }] },
  });
  const email = await join(list);
  await settle();
  assert.deepEqual(await send(email, 'order', { order: { total: 99 } }), { triggers: 0, goals: 0, duplicate: false });
  await settle();
  assert.deepEqual([await where(waiting, email), await where(entering, email)], ['wait', 'outside']);
  assert.deepEqual(await send(email, 'order', { order: { total: 101 } }), { triggers: 1, goals: 0, duplicate: false });
  await settle();
  assert.deepEqual([await where(waiting, email), await where(entering, email)], ['wait done', 'pause']);
  assert.equal((await send(email, 'paid', {}, 11)).goals, 0);
  await settle();
  assert.equal(await where(entering, email), 'pause');
  assert.equal((await send(email, 'paid', {}, 12)).goals, 1);
  await settle();
  assert.equal((await runs(entering, email))[0]!.outcome, 'goal');
});

test('conditions that match on arrival or later take the arm yes, and are looked at every five minutes', async () => {
  const list = await newList();
  const id = await started(list, {
    steps: waits({ filter: [{ field: 'PLAN', condition: 'is', value: 'Team' }], name: 'called' }),
  });
  const [before, later, called, never] = [await join(list), await join(list), await join(list), await join(list)];
  const team = (email_address: string) =>
    app.call('listUpdateMember', { id: list, email_address, merge_vars: { PLAN: 'Team' } });
  await team(before);
  await settle();
  assert.deepEqual([await where(id, before), await where(id, later)], ['wait done', 'wait']);
  await team(later);
  await settle(inMinutes(4));
  assert.equal(await where(id, later), 'wait');
  await settle(inMinutes(6));
  assert.equal(await where(id, later), 'wait done');
  await send(called, 'called');
  await settle();
  assert.equal(await where(id, called), 'wait done', 'an event does not wait for the next look');
  await settle(inDays(3.1));
  assert.equal(await where(id, never), 'wait late');
});

test('an event that was reported in time counts, though nothing ran until the time was over', async () => {
  const list = await newList();
  const id = await started(list, { steps: waits({ name: 'invited' }) });
  const email = await join(list);
  await settle();
  await send(email, 'invited');
  // Another worker moves contacts before the signal is taken.
  await advance(app.app, inDays(4));
  assert.equal(await where(id, email), 'wait');
  await settle(inDays(5));
  assert.equal(await where(id, email), 'wait done');
});

test('while the automation is paused contacts stay, and an event that came then counts afterwards', async () => {
  const list = await newList();
  const id = await started(list, { steps: waits({ name: 'invited' }) });
  const email = await join(list);
  await settle();
  await app.call('automationPause', { id });
  await send(email, 'invited');
  await settle(inDays(9));
  assert.equal(await where(id, email), 'wait');
  await app.call('automationStart', { id });
  await settle(inDays(9));
  assert.equal(await where(id, email), 'wait done');
});

test('who unsubscribes, is erased or reaches the goal leaves a step that waits', async () => {
  const list = await newList();
  const id = await started(list, { steps: waits({ name: 'invited' }), goal: { event: 'bought' } });
  const [left, erased, bought] = [await join(list), await join(list), await join(list)];
  await settle();
  await app.call('listUnsubscribe', { id: list, email_address: left });
  await send(bought, 'bought');
  await send(erased, 'invited');
  await app.call('contactErase', { email: erased });
  await settle();
  const ends = await app.app.db.rows<{ outcome: string }>(sql`
    select outcome from automation_run where automation_id = ${parseId(id)} and outcome is not null order by outcome`);
  assert.deepEqual(
    ends.map(({ outcome }) => outcome),
    ['deleted', 'goal', 'unsubscribed'],
  );
});

test('two workers and a failed commit take an event once', async () => {
  const list = await newList();
  const id = await started(list, { steps: waits({ name: 'invited' }) });
  const emails = [await join(list), await join(list)];
  await settle();
  for (const email of emails) await send(email, 'invited');
  await app.app.db.run(sql`
    create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`);
  await app.app.db.run(sql`
    create trigger refuse before update of reached on automation_run for each row execute function refuse()`);
  await takeSignals(app.app);
  const left = () =>
    app.app.db.rows(sql`select from automation_signal where automation_id = ${parseId(id)} and kind = 'reach'`);
  assert.equal((await left()).length, 2, 'a signal is deleted with what it does');
  await app.app.db.run(sql`drop trigger refuse on automation_run`);
  await Promise.all([settle(), settle(), settle()]);
  await settle();
  assert.equal((await left()).length, 0);
  for (const email of emails) assert.equal(await where(id, email), 'wait done');
});

test('a version of before still waits for its event after another was published', async () => {
  const list = await newList();
  const id = await started(list, { steps: waits({ name: 'invited' }) });
  const email = await join(list);
  await settle();
  await app.call('automationUpdate', { id, steps: waits({ name: 'called' }) });
  await app.call('automationStart', { id });
  await send(email, 'called');
  await settle();
  assert.equal(await where(id, email), 'wait');
  await send(email, 'invited');
  await settle();
  assert.equal(await where(id, email), 'wait done');
});

test('a goal counts with the data of the version that a contact is on, a trigger with that of the version in force', async () => {
  const list = await newList();
  const large = [{ path: 'value', condition: 'greater', value: '100' }];
  const definition = { steps: waits({ name: 'invited' }), goal: { event: 'paid', data: large } };
  const id = await started(list, { ...definition, trigger: { type: 'event', name: 'came' } });
  const [early, late] = [await join(list), await join(list)];
  await send(early, 'came');
  await settle();
  await app.call('automationUpdate', { id, goal: { event: 'paid' } });
  await app.call('automationStart', { id });
  await send(late, 'came');
  await settle();
  for (const email of [early, late]) assert.equal((await send(email, 'paid', {}, 50)).goals, 1);
  await settle();
  assert.deepEqual([(await runs(id, early))[0]!.outcome, (await runs(id, late))[0]!.outcome], ['', 'goal']);
  const next = await join(list);
  await app.call('automationUpdate', { id, trigger: { type: 'event', name: 'came', data: large } });
  await app.call('automationStart', { id });
  // Of a call that read the version before.
  await app.app.db.run(sql`
    insert into automation_signal (account_id, automation_id, contact_id, kind, event)
    select account_id, ${parseId(id)}, id, 'enter', '{"name": "came", "value": 1, "data": {}}' from contact where email = ${next}`);
  await settle();
  assert.equal(await where(id, next), 'outside');
});

/** A time so many minutes ago, as programs report it. */
const ago = (minutes: number) => inMinutes(-minutes).toISOString();
const report = (email_address: string, name: string, time: string, data = {}) =>
  app.call<{ triggers: number; goals: number }>('eventSend', { name, email_address, time, data });
const outcomeOf = async (id: string, email: string) => {
  const [run] = await runs(id, email);
  return run ? run.outcome || 'inside' : 'outside';
};
const pause = [{ key: 'pause', type: 'wait', amount: 9, unit: 'days' }];

test('an event that is reported more than MAX_LATENESS after it happened lets no one in, and is counted', async () => {
  const list = await newList();
  const id = await started(list, { trigger: { type: 'event', name: 'cart' }, steps: pause });
  const [old, recent, day, late] = [await join(list), await join(list), await join(list), await join(list)];
  assert.equal((await report(old, 'cart', ago(5 * 60))).triggers, 0);
  assert.equal((await report(recent, 'cart', ago(3 * 60))).triggers, 1);
  // Some time of the day, which is not over.
  assert.equal((await report(day, 'cart', inDays(0).toISOString().slice(0, 10))).triggers, 1);
  await send(late, 'cart');
  // Taken late, since nothing ran.
  await settle(inDays(3));
  assert.deepEqual(await Promise.all([old, recent, day, late].map((email) => outcomeOf(id, email))), [
    'outside',
    'inside',
    'inside',
    'inside',
  ]);
  const { late: count, figures } = await app.call<{ late: number; figures: { entered: number } }>('automationGet', {
    id,
  });
  assert.deepEqual([count, figures.entered], [1, 3]);
});

test('a goal, and an event that is waited for, count only if they did not happen before the contact was let in', async () => {
  const list = await newList();
  const id = await started(list, { steps: waits({ name: 'called' }), goal: { event: 'paid' } });
  const [paid, called, asleep] = [await join(list), await join(list), await join(list)];
  // Nothing runs: it happened after the contact subscribed, though before it enters.
  await send(asleep, 'paid');
  await settle();
  assert.equal(await outcomeOf(id, asleep), 'goal');
  for (const email of [paid, called]) {
    await report(email, 'paid', ago(1));
    await report(email, 'called', ago(60 * 24));
  }
  await settle();
  assert.deepEqual([await where(id, paid), await where(id, called)], ['wait', 'wait']);
  // In whole seconds: it may have happened after the contact came.
  await report(called, 'called', inDays(0).toISOString().slice(0, 19));
  await send(paid, 'paid');
  await settle();
  assert.deepEqual([await where(id, called), await outcomeOf(id, paid)], ['wait done', 'goal']);
});

test('a goal after the event that lets a contact in ends its way, in whatever order they are reported', async () => {
  const list = await newList();
  const id = await started(list, {
    trigger: { type: 'event', name: 'cart' },
    goal: { event: 'order', data: [{ path: 'paid', condition: 'is', value: 'true' }] },
    steps: pause,
  });
  const [apart, batched, other, earlier, next, around] = [
    await join(list),
    await join(list),
    await join(list),
    await join(list),
    await join(list),
    await join(list),
  ];
  const paid = { paid: true };
  await report(apart, 'order', inMinutes(0.1).toISOString(), paid);
  await settle();
  await report(apart, 'cart', ago(1));
  const batch = (email: string, ...events: [name: string, time: string, data?: object][]) =>
    app.call('eventSendBatch', {
      events: events.map(([name, time, data = {}]) => ({ name, time, data, email_address: email })),
    });
  await batch(batched, ['order', inMinutes(0.1).toISOString(), paid], ['cart', ago(5)]);
  await batch(other, ['order', ago(1), { paid: false }], ['cart', ago(5)]);
  await batch(earlier, ['order', ago(5), paid], ['cart', ago(1)]);
  await batch(next, ['order', ago(3), paid], ['cart', ago(5)], ['cart', ago(1)]);
  // Reported after the cart, and between its time and that of the entry.
  await batch(around, ['cart', ago(5)], ['order', ago(3), paid]);
  await settle();
  const all = [apart, batched, other, earlier, next, around];
  assert.deepEqual(await Promise.all(all.map((email) => outcomeOf(id, email))), [
    'goal',
    'goal',
    'inside',
    'inside',
    'inside',
    'goal',
  ]);
  const { figures } = await app.call<{ figures: Record<string, number> }>('automationGet', { id });
  assert.deepEqual([figures['entered'], figures['waiting'], figures['goal']], [6, 3, 3]);
});

test('an incomplete wait is not started, and what it lacks is named', async () => {
  const list = await newList();
  const id = await app.call<string>('automationCreate', { title: 'Test', list });
  const problems = async (step: Record<string, unknown>) => {
    await app.call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps: waits(step) });
    const { problems } = await app.call<{ problems: { problem: string }[] }>('automationGet', { id });
    return problems.map(({ problem }) => problem).join();
  };
  assert.match(await problems({}), /name of an event, or conditions/);
  assert.match(await problems({ name: 'x', data: [{ path: ' ', condition: 'exists' }] }), /which member of the data/);
  assert.match(await problems({ name: 'x', data: [{ path: 'a.b', condition: 'is' }] }), /"a\.b" is compared with/);
  assert.equal(await problems({ name: 'x', data: [{ path: 'a', condition: 'exists' }] }), '');
  await assert.rejects(
    app.call('automationUpdate', { id, steps: waits({ name: 'x', data: [{ path: 'a', condition: 'equals' }] }) }),
    { fault: 'AUTOMATION_INVALID', message: /^steps\.0\.data\.0\.condition/ },
  );
});
