// Automations on a real database: who enters, what each step does, who leaves, and the figures.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fault } from '../../../test/conformance/fixture.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { slowTest } from '../../../test/support/run/runs.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { endImpossibleWaits } from '../../delivery/launch/clock-set-back.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { purgeAutomationRuns } from '../retention.ts';
import { lookAhead } from './advance.ts';
import { runAutomations } from './engine.ts';
import { takeSignals } from './enter.ts';

let app: TestApp;
let lists = 0;

before(async () => {
  app = await testApp();
});
after(() => app.close());

type Info = {
  version: number;
  status: string;
  status_reason: string;
  has_changes: boolean;
  problems: { step: string; problem: string }[];
  figures: Record<string, number>;
  step_figures: ({ step: string } & Record<string, number | string>)[];
};
type Run = { email: string; step: string; outcome: string; version: number; due_at: string; trail: { step: string }[] };

const newList = async () => {
  const list = await app.call<string>('listCreate', { title: `List ${++lists}` });
  await app.call('listMergeVarAdd', { id: list, tag: 'CITY', name: 'City' });
  return list;
};
const subscribe = (list: string, email: string, merge_vars: Record<string, string> = {}, double_optin = false) =>
  app.call('listSubscribe', { id: list, email_address: email, merge_vars, double_optin });
const setCity = (list: string, email: string, CITY: string) =>
  app.call('listUpdateMember', { id: list, email_address: email, merge_vars: { CITY } });
const email = (list: string, subject: string) =>
  app.call<string>('automationEmailCreate', { list, subject, text: 'Hello' });
const info = (id: string) => app.call<Info>('automationGet', { id });
const explain = (id: string, address: string) => app.call<Run[]>('automationExplain', { id, email_address: address });

/** Makes and starts an automation. */
async function automation(list: string, definition: Record<string, unknown>): Promise<string> {
  const id = await app.call<string>('automationCreate', { title: 'Test', list });
  await app.call('automationUpdate', { id, ...definition });
  await app.call('automationStart', { id });
  return id;
}

/** Runs the engine until nothing is due. */
async function settle(clock?: Date): Promise<void> {
  while ((await runAutomations(app.app, clock)) > 0);
}

/** A moment that many minutes from now. */
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

const deliveries = (cid: string) =>
  app.app.db.rows<{ email: string; occasion: string }>(sql`
    select email, occasion from delivery where campaign_id = ${parseId(cid)} order by email`);

/** Every run is on a step that its version has, and the figures of each step are what the runs show. */
async function checkAccounting(id: string): Promise<void> {
  const wrong = await app.app.db.rows(sql`
    select t.step, t.waiting, count(r.no)::int as found
    from automation_tally t
    left join automation_run r
      on r.automation_id = t.automation_id and r.ended_at is null and (t.step = '' or r.step = t.step)
    where t.automation_id = ${parseId(id)}
    group by t.step, t.waiting
    having t.waiting <> count(r.no)`);
  assert.deepEqual(wrong, []);
}

test('a new member goes through all kinds of steps, each once, and the figures add up', async () => {
  const list = await newList();
  const other = await newList();
  const first = await email(list, 'First');
  const second = await email(list, 'Second');
  const id = await automation(list, {
    trigger: { type: 'subscribed' },
    steps: [
      { key: 'mail', type: 'send', campaign: first },
      { key: 'pause', type: 'wait', amount: 30, unit: 'minutes' },
      {
        key: 'fork',
        type: 'condition',
        filter: [{ field: 'CITY', condition: 'is', value: 'Rome' }],
        yes: [{ key: 'more', type: 'send', campaign: second }],
        no: [{ key: 'tag', type: 'set_field', field: 'CITY', value: 'Elsewhere' }],
      },
      { key: 'also', type: 'add_to_list', list: other },
      { key: 'report', type: 'notify', subject: 'Through', text: 'These are through:' },
    ],
  });
  await subscribe(list, 'ada@example.com', { CITY: 'Rome' });
  await subscribe(list, 'ben@example.com', { CITY: 'Oslo' });
  await settle();
  assert.deepEqual(
    (await deliveries(first)).map((row) => row.email),
    ['ada@example.com', 'ben@example.com'],
  );
  assert.equal((await explain(id, 'ada@example.com'))[0]!.step, 'pause');
  await checkAccounting(id);
  await settle(inMinutes(29));
  assert.equal((await explain(id, 'ada@example.com'))[0]!.step, 'pause');
  await settle(inMinutes(31));
  const [ada] = await explain(id, 'ada@example.com');
  assert.equal(ada!.outcome, 'completed');
  assert.deepEqual(
    ada!.trail.map(({ step }) => step),
    ['mail', 'pause', 'fork', 'more', 'also'],
  );
  assert.deepEqual(
    (await deliveries(second)).map((row) => row.email),
    ['ada@example.com'],
  );
  const members = await app.call<unknown[]>('listMembers', { id: other });
  assert.equal(members.length, 2);
  const ben = await app.call('listMemberInfo', { id: list, email_address: 'ben@example.com' });
  assert.match(JSON.stringify(ben), /Elsewhere/);
  const jobs = await app.app.db.rows<{ text: string }>(sql`
    select payload ->> 'text' as text
    from graphile_worker._private_jobs
    where payload ->> 'subject' = 'Through'`);
  assert.deepEqual(jobs.flatMap(({ text }) => text.split('\n').filter((line) => line.includes('@'))).sort(), [
    'ada@example.com',
    'ben@example.com',
  ]);
  await checkAccounting(id);
  const { figures, step_figures } = await info(id);
  assert.deepEqual([figures.entered, figures.waiting, figures.passed], [2, 0, 2]);
  assert.equal(step_figures.find(({ step }) => step === 'mail')!.sending, 2);
});

test('several workers at once let no one in twice, and hand no email over twice', async () => {
  const list = await newList();
  const cid = await email(list, 'Once');
  const id = await automation(list, {
    trigger: { type: 'subscribed' },
    steps: [
      { key: 'mail', type: 'send', campaign: cid },
      { key: 'end', type: 'webhook', name: 'x' },
    ],
  });
  await app.call('listBatchSubscribe', {
    id: list,
    batch: Array.from({ length: 60 }, (_, i) => ({ EMAIL: `many${i}@example.com` })),
    double_optin: false,
  });
  await Promise.all(Array.from({ length: 4 }, () => settle()));
  await settle();
  assert.equal((await deliveries(cid)).length, 60);
  const { figures } = await info(id);
  assert.deepEqual([figures.entered, figures.waiting, figures.passed], [60, 0, 60]);
  await checkAccounting(id);
});

test('a date that was missed by more than MAX_LATENESS lets no contact in, unless the trigger says so, and is counted', async () => {
  const list = await newList();
  await app.call('listMergeVarAdd', { id: list, tag: 'BORN', name: 'Born', options: { field_type: 'date' } });
  const day = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 10);
  await subscribe(list, 'missed@example.com', { BORN: day(48) });
  const date = { type: 'date', field: 'BORN', hour: 0 };
  const steps = [{ key: 'wait', type: 'wait', amount: 5, unit: 'days' }];
  const waits = await automation(list, { trigger: date, steps });
  const enters = await automation(list, { trigger: { ...date, late: 'enter' }, steps });
  // As if nothing had run for three days.
  const missDays = () =>
    app.app.db.run(sql`update automation set scanned_to = now() - interval '3 days', scan_at = now()`);
  await missDays();
  await settle();
  const found = async (id: string) => {
    const { late, figures } = await app.call<Info & { late: number }>('automationGet', { id });
    return [late, figures.entered];
  };
  assert.deepEqual(await found(waits), [1, 0]);
  assert.deepEqual(await found(enters), [0, 1]);
  // What was due just now is in time, whatever else was missed.
  const { now } = (await app.app.db.row<{ now: Date }>(sql`select now() as now`))!;
  await subscribe(list, 'today@example.com', { BORN: now.toISOString().slice(0, 10) });
  await app.call('automationUpdate', { id: waits, trigger: { ...date, hour: now.getUTCHours() } });
  await app.call('automationStart', { id: waits });
  await missDays();
  await settle();
  assert.deepEqual((await explain(waits, 'today@example.com')).length, 1);
  // Found in time, and nothing ran before it was let in.
  await app.app.db.run(sql`
    insert into automation_signal (account_id, automation_id, contact_id, kind, occasion, at)
    select account_id, ${parseId(waits)}, id, 'enter', 'x', now() - interval '5 hours'
    from contact where email = 'missed@example.com'`);
  const [before] = await found(waits);
  await settle();
  assert.deepEqual([(await found(waits))[0]! - before!, (await explain(waits, 'missed@example.com')).length], [1, 0]);
  for (const id of [waits, enters]) await app.call('automationDelete', { id });
});

test('the email is sent to its recipients only after its launch, which the start requests', async () => {
  const list = await newList();
  const cid = await email(list, 'Launch');
  await automation(list, { trigger: { type: 'subscribed' }, steps: [{ type: 'send', campaign: cid }] });
  const status = () => app.app.db.row<{ status: string }>(sql`select status from campaign where id = ${parseId(cid)}`);
  assert.equal((await status())!.status, 'launching');
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  assert.equal((await status())!.status, 'sending');
});

test('F40 after the clock was set back, a step and its email that were due at once are, and a wait ends when it should', async () => {
  const list = await newList();
  const cid = await email(list, 'Clock');
  const id = await automation(list, {
    trigger: { type: 'subscribed' },
    steps: [
      { key: 'mail', type: 'send', campaign: cid },
      { key: 'pause', type: 'wait', amount: 3, unit: 'hours' },
    ],
  });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  await subscribe(list, 'sent@example.com');
  await settle(inMinutes(60));
  const due = () =>
    app.app.db.row(sql`
      select count(*) filter (where due_at <= now())::int as due, count(*)::int as of from chunk where campaign_id = ${parseId(cid)}`);
  assert.deepEqual(await due(), { due: 0, of: 1 });
  assert.equal(await endImpossibleWaits(app.app.db), 1);
  assert.deepEqual(await due(), { due: 1, of: 1 });
  // Given back for a while, as for a relay that rests.
  await app.app.db.run(sql`
    update chunk set due_at = now() + interval '5 minutes' where campaign_id = ${parseId(cid)}`);
  assert.equal(await endImpossibleWaits(app.app.db), 0);
  await subscribe(list, 'entered@example.com');
  await takeSignals(app.app, inMinutes(60));
  assert.equal((await deliveries(cid)).length, 1);
  await settle();
  assert.equal((await deliveries(cid)).length, 2);
  const [waiting] = await explain(id, 'entered@example.com');
  assert.equal(waiting!.step, 'pause');
  assert.ok(Date.parse(`${waiting!.due_at}Z`) < inMinutes(181).getTime());
  await checkAccounting(id);
});

test('who unsubscribes or is deleted leaves at once, whatever the wait', async () => {
  const list = await newList();
  const id = await automation(list, {
    trigger: { type: 'subscribed' },
    steps: [{ key: 'long', type: 'wait', amount: 30, unit: 'days' }],
  });
  for (const name of ['stay', 'leave', 'gone']) await subscribe(list, `${name}@example.com`);
  await settle();
  await app.call('listUnsubscribe', { id: list, email_address: 'leave@example.com' });
  await app.call('listUnsubscribe', { id: list, email_address: 'gone@example.com', delete_member: true });
  await settle();
  assert.equal((await explain(id, 'leave@example.com'))[0]!.outcome, 'unsubscribed');
  const { figures } = await info(id);
  assert.deepEqual([figures.waiting, figures.unsubscribed, figures.deleted], [1, 1, 1]);
  await checkAccounting(id);
});

test('a contact enters once, or again after the days between, and never while it is inside', async () => {
  const list = await newList();
  const steps = [{ key: 'short', type: 'wait', amount: 1, unit: 'hours' }];
  const once = await automation(list, { trigger: { type: 'event', name: 'cart' }, steps });
  const again = await automation(list, {
    trigger: { type: 'event', name: 'cart' },
    reentry: { again: true, days: 2 },
    steps,
  });
  await subscribe(list, 'eve@example.com');
  const event = () => app.call('eventSend', { name: 'cart', email_address: 'eve@example.com' });
  const count = async (id: string) => (await explain(id, 'eve@example.com')).length;
  assert.deepEqual(await event(), { triggers: 2, goals: 0, duplicate: false });
  await event();
  await settle();
  assert.deepEqual([await count(once), await count(again)], [1, 1]);
  await settle(inMinutes(61));
  await event();
  await settle(inMinutes(62));
  assert.deepEqual([await count(once), await count(again)], [1, 1], 'too early');
  await event();
  await settle(inMinutes(3 * 1_440));
  assert.deepEqual([await count(once), await count(again)], [1, 2]);
});

test('a goal ends the way: an event immediately, conditions before the next step', async () => {
  const list = await newList();
  const id = await automation(list, {
    trigger: { type: 'event', name: 'cart' },
    goal: { event: 'order', match: 'all', filter: [{ field: 'CITY', condition: 'is', value: 'Paid' }] },
    steps: [
      { key: 'first', type: 'wait', amount: 1, unit: 'hours' },
      { key: 'report', type: 'webhook', name: 'late' },
    ],
  });
  for (const name of ['orders', 'pays', 'neither']) {
    await subscribe(list, `${name}@example.com`);
    await app.call('eventSend', { name: 'cart', email_address: `${name}@example.com` });
  }
  // Before the engine has seen the first event: the order still counts.
  assert.deepEqual(await app.call('eventSend', { name: 'order', email_address: 'orders@example.com' }), {
    triggers: 0,
    goals: 1,
    duplicate: false,
  });
  await setCity(list, 'pays@example.com', 'Paid');
  await settle();
  assert.equal((await explain(id, 'orders@example.com'))[0]!.outcome, 'goal');
  assert.equal((await explain(id, 'pays@example.com'))[0]!.outcome, '');
  await settle(inMinutes(61));
  assert.equal((await explain(id, 'pays@example.com'))[0]!.outcome, 'goal');
  assert.equal((await explain(id, 'neither@example.com'))[0]!.outcome, 'completed');
  await checkAccounting(id);
});

test('triggers: confirmation, a field that gets a value, joining and leaving a segment', async () => {
  const list = await newList();
  const steps = [{ type: 'wait', amount: 1, unit: 'days' }];
  const segment = await app.call<string>('listSegmentCreate', {
    list,
    title: 'Rome',
    match: 'all',
    filter: [{ field: 'CITY', condition: 'is', value: 'Rome' }],
  });
  await subscribe(list, 'before@example.com', { CITY: 'Rome' });
  const confirmed = await automation(list, { trigger: { type: 'confirmed' }, steps });
  const field = await automation(list, { trigger: { type: 'field', field: 'CITY', value: 'Rome' }, steps });
  const joined = await automation(list, { trigger: { type: 'segment', segment, change: 'joined' }, steps });
  const left = await automation(list, { trigger: { type: 'segment', segment, change: 'left' }, steps });
  await settle();
  await subscribe(list, 'pending@example.com', {}, true);
  await subscribe(list, 'moves@example.com', { CITY: 'Oslo' });
  await setCity(list, 'moves@example.com', 'Rome');
  await setCity(list, 'before@example.com', 'Oslo');
  await app.app.db.run(sql`
    update subscription s
    set status = 'subscribed', confirm_at = now()
    from contact c
    where c.id = s.contact_id and c.email = 'pending@example.com'`);
  await settle(inMinutes(2));
  const inside = async (id: string) =>
    (await app.call<{ data: { email: string }[] }>('automationContacts', { id })).data.map((row) => row.email);
  assert.deepEqual(await inside(confirmed), ['pending@example.com']);
  assert.deepEqual(await inside(field), ['moves@example.com']);
  assert.deepEqual(await inside(joined), ['moves@example.com']);
  assert.deepEqual(await inside(left), ['before@example.com']);
});

slowTest('20,000 who join a segment of 40,000 at once enter although the statistics lag behind', async () => {
  const list = await newList();
  const segment = await app.call<string>('listSegmentCreate', {
    list,
    title: 'Rome',
    match: 'all',
    filter: [{ field: 'CITY', condition: 'is', value: 'Rome' }],
  });
  const contacts = (from: number, to: number) =>
    app.app.db.run(sql`
      with made as (
        insert into contact (account_id, email, email_key, domain)
        select ${app.account.id}, email, email, 'many.example'
        from (select 'm' || n || '@many.example' as email from generate_series(${from}::int, ${to}::int) as n) as given
        returning id
      )
      insert into subscription (account_id, list_id, contact_id, status, fields)
      select ${app.account.id}, ${parseId(list)}, id, 'subscribed', '{"CITY": "Rome"}'
      from made`);
  await contacts(1, 20_000);
  const id = await automation(list, {
    trigger: { type: 'segment', segment, change: 'joined' },
    steps: [{ type: 'wait', amount: 1, unit: 'days' }],
  });
  await settle();
  await contacts(20_001, 40_000);
  await settle(inMinutes(2));
  const { figures } = await info(id);
  assert.equal(figures['entered'], 20_000);
});

test('contacts of an import enter only where the trigger wants them', async () => {
  const list = await newList();
  const steps = [{ type: 'wait', amount: 1, unit: 'days' }];
  const without = await automation(list, { trigger: { type: 'subscribed' }, steps });
  const including = await automation(list, { trigger: { type: 'subscribed', imports: true }, steps });
  await app.app.db.run(sql`
    insert into contact (account_id, id, email, email_key, domain)
    values (${app.account.id}, 77, 'imported@example.com', 'imported@example.com', 'example.com')`);
  await app.app.db.run(sql`
    insert into subscription (account_id, contact_id, list_id, status, import_id)
    values (${app.account.id}, 77, ${parseId(list)}, 'subscribed', 1)`);
  await settle();
  assert.equal((await info(without)).figures.entered, 0);
  assert.equal((await info(including)).figures.entered, 1);
});

test('contacts inside finish on their version; new ones take the published one; they can be moved', async () => {
  const list = await newList();
  const steps = (amount: number) => [{ key: 'pause', type: 'wait', amount, unit: 'days' }];
  const id = await automation(list, { trigger: { type: 'subscribed' }, steps: steps(1) });
  await subscribe(list, 'old@example.com');
  await settle();
  await app.call('automationUpdate', { id, steps: [...steps(2), { key: 'report', type: 'webhook', name: 'x' }] });
  assert.equal((await info(id)).has_changes, true);
  await subscribe(list, 'between@example.com');
  await settle();
  assert.equal(await app.call('automationStart', { id }), 2);
  assert.equal(await app.call('automationStart', { id }), 2, 'nothing to publish');
  await subscribe(list, 'new@example.com');
  await settle();
  const versionOf = async (name: string) => (await explain(id, `${name}@example.com`))[0]!.version;
  assert.deepEqual([await versionOf('old'), await versionOf('between'), await versionOf('new')], [1, 1, 2]);
  await settle(inMinutes(1_441));
  assert.equal((await explain(id, 'old@example.com'))[0]!.outcome, 'completed');
  assert.equal((await explain(id, 'new@example.com'))[0]!.outcome, '');
  await subscribe(list, 'third@example.com');
  await settle();
  await app.call('automationUpdate', { id, steps: [{ key: 'other', type: 'wait', amount: 1, unit: 'days' }] });
  await app.call('automationStart', { id });
  assert.deepEqual(await app.call('automationMoveContacts', { id }), { moved: 0, kept: 2 });
  await checkAccounting(id);
});

test('while it is paused no contact moves or enters, and it says why it paused itself', async () => {
  const list = await newList();
  const cid = await email(list, 'Gone');
  const id = await automation(list, {
    trigger: { type: 'subscribed' },
    steps: [
      { key: 'pause', type: 'wait', amount: 1, unit: 'minutes' },
      { key: 'mail', type: 'send', campaign: cid },
    ],
  });
  await subscribe(list, 'inside@example.com');
  await settle();
  await app.call('automationPause', { id });
  await assert.rejects(app.call('automationPause', { id }), fault('AUTOMATION_STATE_CONFLICT'));
  await subscribe(list, 'outside@example.com');
  await settle(inMinutes(5));
  assert.equal((await info(id)).figures.entered, 1);
  assert.equal((await explain(id, 'inside@example.com'))[0]!.step, 'pause');
  await app.call('automationStart', { id });
  await app.call('campaignDelete', { cid });
  await settle(inMinutes(5));
  const { status, status_reason, problems } = await info(id);
  assert.equal(status, 'paused');
  assert.match(status_reason, /was deleted. Choose or write another one/);
  assert.deepEqual(
    problems.map(({ step }) => step),
    ['mail'],
  );
  assert.equal((await explain(id, 'inside@example.com'))[0]!.step, 'mail', 'still on one known step');
  await checkAccounting(id);
});

test('an incomplete automation does not start and names what it lacks by step', async () => {
  const list = await newList();
  const id = await app.call<string>('automationCreate', { title: 'Draft', list });
  await assert.rejects(app.call('automationStart', { id }), fault('AUTOMATION_INVALID', 'choose what starts it'));
  await app.call('automationUpdate', {
    id,
    trigger: { type: 'date', field: 'CITY' },
    steps: [
      { key: 'a', type: 'send' },
      { key: 'b', type: 'condition', filter: [{ field: 'NONE', condition: 'is', value: 'x' }] },
      { key: 'c', type: 'set_field', field: 'NONE', value: 'x' },
      { key: 'd', type: 'webhook' },
    ],
  });
  assert.deepEqual(
    (await info(id)).problems.map(({ step }) => step),
    ['', 'a', 'b', 'c', 'd'],
  );
});

test('of an email that an automation has handed over only the text can be changed, and it keeps its recipients', async () => {
  const list = await newList();
  const cid = await email(list, 'Fixed');
  await automation(list, { trigger: { type: 'subscribed' }, steps: [{ type: 'send', campaign: cid }] });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  await subscribe(list, 'reader@example.com');
  await settle();
  await app.call('campaignPause', { cid });
  await assert.rejects(
    app.call('campaignUpdate', { cid, name: 'tracking', value: { opens: false } }),
    fault('CAMPAIGN_STATE_CONFLICT'),
  );
  await app.call('campaignUpdate', { cid, name: 'subject', value: 'Other' });
  assert.equal((await deliveries(cid)).length, 1);
});

test('a field that an automation uses is neither deleted nor renamed, and one automation that fails stops no other', async () => {
  const list = await newList();
  const steps = [{ key: 'city', type: 'set_field', field: 'CITY', value: 'Rome' }];
  const id = await automation(list, { trigger: { type: 'subscribed' }, steps });
  await assert.rejects(
    app.call('listMergeVarDel', { id: list, tag: 'CITY' }),
    fault('CAMPAIGN_STATE_CONFLICT', 'automation'),
  );
  await assert.rejects(
    app.call('listMergeVarUpdate', { id: list, tag: 'CITY', options: { tag: 'TOWN' } }),
    fault('CAMPAIGN_STATE_CONFLICT', 'automation'),
  );
  const broken = await automation(list, { trigger: { type: 'subscribed' }, steps });
  await subscribe(list, 'both@example.com');
  await app.app.db.run(sql`
    update automation_version set definition = definition - 'steps' where automation_id = ${parseId(broken)}`);
  await settle();
  assert.equal((await explain(id, 'both@example.com'))[0]!.outcome, 'completed');
  assert.equal((await explain(broken, 'both@example.com')).length, 0, 'its signal waits');
  await app.app.db.run(sql`delete from automation where id = ${parseId(broken)}`);
});

test('the draft of an email goes to no list by mistake: only its automation sends it', async () => {
  const list = await newList();
  const cid = await email(list, 'Mine');
  const refused = fault('CAMPAIGN_STATE_CONFLICT', 'automation');
  await assert.rejects(app.call('campaignSendNow', { cid }), refused);
  await assert.rejects(app.call('campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' }), refused);
  await assert.rejects(app.call('campaignUpdate', { cid, name: 'type', value: 'HTML' }), refused);
  await app.call('campaignUpdate', { cid, name: 'subject', value: 'Better' });
  const copy = await app.call<string>('campaignReplicate', { cid });
  await automation(list, { trigger: { type: 'subscribed' }, steps: [{ type: 'send', campaign: copy }] });
});

test('the templates can be started, where nothing of the account is missing', async () => {
  const list = await newList();
  await app.call('listMergeVarAdd', { id: list, tag: 'BIRTH', name: 'Birth', options: { field_type: 'date' } });
  for (const [template, missing] of [
    ['welcome', 0],
    ['reengagement', 1],
    ['anniversary', 0],
    ['abandoned_cart', 0],
  ] as const) {
    const id = await app.call<string>('automationCreate', { title: template, list, template });
    assert.equal((await info(id)).problems.length, missing, template);
    if (missing === 0) assert.equal(await app.call('automationStart', { id }), 1);
  }
});

test('a contact shows the automations that it is in and was in, also in its activity', async () => {
  const list = await newList();
  const other = await newList();
  await subscribe(list, 'tour@example.com');
  await subscribe(other, 'tour@example.com');
  const event = { trigger: { type: 'event', name: 'tour' } };
  const long = await automation(list, {
    ...event,
    steps: [
      {
        key: 'fork',
        type: 'condition',
        filter: [{ field: 'EMAIL', condition: 'contains', value: '@' }],
        yes: [{ key: 'w', type: 'wait' }],
        no: [],
      },
    ],
  });
  const short = await automation(other, {
    ...event,
    steps: [{ key: 'f', type: 'set_field', field: 'CITY', value: 'X' }],
  });
  await app.call('eventSend', { name: 'tour', email_address: 'tour@example.com' });
  await settle();
  const of = async () =>
    (await app.call<Record<string, string>[]>('contactAutomations', { email: 'tour@example.com' })).map(
      ({ automation, step, step_type, outcome, status }) => [automation, step, step_type, outcome, status],
    );
  assert.deepEqual(await of(), [
    [long, 'w', 'wait', '', 'active'],
    [short, 'f', 'set_field', 'completed', 'active'],
  ]);
  await app.call('automationRemoveContact', { id: long, email_address: 'tour@example.com' });
  assert.deepEqual((await of()).map((row) => row[3]).sort(), ['completed', 'removed']);
  const timeline = await app.call<{ what: string; detail: string; list_id: string }[]>('contactTimeline', {
    email: 'tour@example.com',
  });
  assert.deepEqual(
    timeline
      .filter(({ what }) => what === 'automation')
      .map(({ detail, list_id }) => [detail, list_id])
      .sort(),
    [
      ['completed: Test', other],
      ['entered: Test', list],
      ['entered: Test', other],
      ['removed: Test', list],
    ].sort(),
  );
  await assert.rejects(app.call('contactAutomations', { email: 'none@example.com' }), fault('ADDRESS_UNKNOWN'));
  const stranger = await app.anotherAccount();
  await assert.rejects(stranger.call('contactAutomations', { email: 'tour@example.com' }), fault('ADDRESS_UNKNOWN'));
});

test('old runs are deleted, except the latest of each contact, which keeps it from entering again', async () => {
  const list = await newList();
  await subscribe(list, 'once@example.com');
  await subscribe(list, 'new@example.com');
  const id = await automation(list, {
    trigger: { type: 'event', name: 'old' },
    reentry: { again: true, days: 0 },
    steps: [
      { key: 'a', type: 'set_field', field: 'CITY', value: 'A' },
      { key: 'b', type: 'set_field', field: 'CITY', value: 'B' },
    ],
  });
  const enter = async (email_address: string) => {
    await app.call('eventSend', { name: 'old', email_address });
    await settle();
  };
  for (let i = 0; i < 3; i++) await enter('once@example.com');
  // As if 100 days had passed.
  await app.app.db.run(sql`
    update automation_run
    set entered_at = entered_at - interval '100 days', ended_at = ended_at - interval '100 days'
    where automation_id = ${parseId(id)}`);
  await enter('new@example.com');
  const before = await info(id);
  const trails = async (address: string) => (await explain(id, address)).map(({ trail }) => trail.length);
  const purge = (days: string) =>
    app
      .call('accountUpdate', { name: 'keep_automation_runs_days', value: days })
      .then(() => purgeAutomationRuns({ app: app.app, signal: new AbortController().signal } as never));
  await purge('0');
  await purge('120');
  assert.deepEqual(await trails('once@example.com'), [1, 1, 1]);
  await purge('90');
  assert.deepEqual(await trails('once@example.com'), [0]);
  assert.deepEqual(await trails('new@example.com'), [1]);
  assert.deepEqual((await info(id)).figures, before.figures);
  await checkAccounting(id);
  await app.call('automationUpdate', { id, reentry: { again: false } });
  await app.call('automationStart', { id });
  await enter('once@example.com');
  assert.deepEqual(await trails('once@example.com'), [0]);
});

test('an email of an automation is from the sender of its list, as a campaign is', async () => {
  const own = await app.anotherAccount('pro');
  await own.call('senderCreate', { name: 'The desk', email: 'desk@letters.example' });
  const list = await own.call<string>('listCreate', { title: 'Readers' });
  const cid = await own.call<string>('automationEmailCreate', { list, subject: 'Welcome' });
  const { sender, from_email, from_name } = await own.call<Record<string, string>>('campaignGet', { cid });
  assert.deepEqual([sender, from_email, from_name], ['desk@letters.example', 'desk@letters.example', 'The desk']);
  const free = await app.anotherAccount('free');
  const other = await free.call<string>('listCreate', { title: 'Readers' });
  const email = await free.call<string>('automationEmailCreate', { list: other, subject: 'Welcome' });
  assert.equal((await free.call<Record<string, string>>('campaignGet', { cid: email }))['sender'], '');
});

test('contacts that wait in a paused automation hold no other one up, however many they are', async (context) => {
  const list = await newList();
  const steps = [
    { key: 'pause', type: 'wait', amount: 1, unit: 'minutes' },
    { key: 'tag', type: 'set_field', field: 'CITY', value: 'Rome' },
  ];
  const paused = await automation(list, { trigger: { type: 'subscribed' }, steps });
  for (const name of ['ann', 'bea', 'cem', 'dan']) await subscribe(list, `${name}@paused.example.com`);
  await settle();
  await app.call('automationPause', { id: paused });
  const running = await automation(list, { trigger: { type: 'subscribed' }, steps });
  await subscribe(list, 'eve@running.example.com');
  await settle();
  lookAhead.contacts = 3;
  context.after(() => {
    lookAhead.contacts = 5_000;
  });
  await settle(inMinutes(5));
  assert.equal((await info(running)).figures.passed, 1);
  assert.equal((await info(paused)).figures.passed, 0);
});
