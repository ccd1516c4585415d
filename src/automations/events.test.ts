// Events with data: what is kept of them, what counts once, what is refused, and what becomes of them when something else happens
// to the contact or the account. The table is in docs/flows.md, "Events of contacts".
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { runWaitingJobs } from '../../test/support/run/jobs.ts';
import { until } from '../../test/support/run/until.ts';
import { purgeEvents } from '../audience/events/retention.ts';
import { runImport } from '../audience/import/run.ts';
import { undoImportTask } from '../audience/import/tasks.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { makePartitions, partitionsOf } from '../db/partitions.ts';
import { call } from '../doors/call.ts';
import { WireNumber } from '../method/wire.ts';
import { purgeRunEvents } from './retention.ts';
import { runAutomations } from './run/engine.ts';

let app: TestApp;
let list: string;
let people = 0;

before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Shop' });
});
after(() => app.close());

type Event = { name: string; time: string; received_time: string; value: string; data: Record<string, unknown> };
type Batch = {
  success_count: number;
  duplicate_count: number;
  error_count: number;
  triggers: number;
  goals: number;
  results: string[];
  errors: { code: number; message: string; email: string; index: number }[];
};

const person = async () => {
  const email = `person${++people}@example.com`;
  await app.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  return email;
};
const send = (email_address: string, name: string, more: Record<string, unknown> = {}) =>
  app.call<{ triggers: number; goals: number; duplicate: boolean }>('eventSend', { name, email_address, ...more });
const batch = (events: unknown[]) => app.call<Batch>('eventSendBatch', { events });
const eventsOf = (email: string) => app.call<Event[]>('contactEvents', { email });
const namesOf = async (email: string) => (await eventsOf(email)).map(({ name }) => name);
const rows = <T>(statement: ReturnType<typeof sql>) => app.app.db.rows<T>(statement);
const stored = async (name: string) =>
  (
    await rows<{ count: number }>(sql`
      select count(*)::int as count
      from contact_event e
      join event_name n on n.no = e.name_no
      where n.name = ${name}`)
  )[0]!.count;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const signal = new AbortController().signal;
const taskContext = () => ({ app: app.app, signal }) as Parameters<typeof purgeEvents>[0];

async function automation(definition: Record<string, unknown>): Promise<string> {
  const id = await app.call<string>('automationCreate', { title: 'Test', list });
  await app.call('automationUpdate', { id, ...definition });
  await app.call('automationStart', { id });
  return id;
}
async function settle(): Promise<void> {
  while ((await runAutomations(app.app)) > 0);
}
const runEvents = (id: string) =>
  rows<{ event: { name: string; value: number | null; data: unknown } | null }>(sql`
    select event from automation_run where automation_id = ${parseId(id)} order by no`);

test('an event is kept with its data, value and time, whether an automation uses it or not', async () => {
  const email = await person();
  const data = { cart_url: 'https://shop.example/1', items: [{ name: 'Tea “Earl”', price: 4.5, gift: true }] };
  const time = daysAgo(1);
  assert.deepEqual(await send(email, ' cart.left ', { data, value: 59.9, time }), {
    triggers: 0,
    goals: 0,
    duplicate: false,
  });
  await send(email, 'page');
  const [page, cart] = await eventsOf(email);
  assert.deepEqual([page!.name, page!.value, page!.data], ['page', '', {}]);
  assert.deepEqual([cart!.name, cart!.value, cart!.data], ['cart.left', '59.9', data]);
  assert.equal(cart!.time, time.slice(0, 19).replace('T', ' '));
  assert.ok(cart!.received_time > cart!.time);
  const names = await app.call<{ total: number; data: { name: string; last_time: string }[] }>('eventNames');
  assert.deepEqual(
    names.data.filter(({ name }) => ['cart.left', 'page'].includes(name)).map(({ last_time }) => last_time),
    [cart!.time, page!.time],
  );
  const other = await app.anotherAccount();
  assert.deepEqual(await other.call('eventNames'), { total: 0, data: [] });
});

test('the timeline and the export of a contact have its events', async () => {
  const email = await person();
  await send(email, 'order', { data: { no: 7 }, value: 12 });
  const timeline = await app.call<{ what: string; detail: string }[]>('contactTimeline', { email });
  assert.deepEqual(
    timeline.filter(({ what }) => what === 'event').map(({ detail }) => detail),
    ['order: 12'],
  );
  const { events } = await app.call<{ events: Event[] }>('contactExport', { email });
  assert.deepEqual(
    events.map(({ name, value, data }) => [name, value, data]),
    [['order', '12', { no: 7 }]],
  );
});

test('an id counts once for a name: in whatever month, in one batch, and with two clients at once', async () => {
  const [one, two] = [await person(), await person()];
  assert.equal((await send(one, 'paid', { id: 'A-1', time: daysAgo(100) })).duplicate, false);
  assert.equal((await send(one, 'paid', { id: ' A-1 ' })).duplicate, true);
  assert.equal((await send(two, 'paid', { id: 'A-1' })).duplicate, true, 'of any contact');
  assert.equal((await send(one, 'shipped', { id: 'A-1' })).duplicate, false, 'an order is paid and shipped');
  assert.equal(await stored('paid'), 1);
  const many = Array.from({ length: 20 }, (_, n) => ({ name: 'seen', email_address: one, id: `B-${n % 10}` }));
  const answers = await Promise.all([batch(many), batch(many.toReversed()), batch(many)]);
  assert.equal(await stored('seen'), 10);
  assert.equal(
    answers.reduce((sum, { success_count }) => sum + success_count, 0),
    10,
  );
  assert.equal(
    answers.reduce((sum, { duplicate_count }) => sum + duplicate_count, 0),
    50,
  );
  const other = await app.anotherAccount();
  const email = 'other@example.com';
  assert.equal(
    (
      await other.call<Batch>('eventSendBatch', {
        events: [{ name: 'paid', id: 'A-1', email_address: email, create_contact: true }],
      })
    ).success_count,
    1,
    'ids are those of an account',
  );
});

test('a call that is repeated with its idempotency key counts once', async () => {
  const email = await person();
  const call = () => send(email, 'again', { idempotency_key: 'event-key-1' });
  await call();
  assert.deepEqual(await call(), { triggers: 0, goals: 0, duplicate: false });
  assert.equal(await stored('again'), 1);
});

test('what is wrong names its member and the reason, and leaves nothing behind', async () => {
  const email = await person();
  const cases: [Record<string, unknown>, string, RegExp][] = [
    [{ name: '' }, 'INVALID_PARAMETER', /^name is empty/],
    [{ name: 'x'.repeat(101) }, 'INVALID_PARAMETER', /^name is longer than 100/],
    [{ data: 'text' }, 'INVALID_PARAMETER', /^data is not a struct/],
    [{ data: [1, 2] }, 'INVALID_PARAMETER', /^data is not a struct/],
    [{ data: { x: 'ä'.repeat(4_100) } }, 'INVALID_PARAMETER', /^data is larger than 8192 bytes of JSON/],
    [{ data: { x: { y: 'a\0b' } } }, 'INVALID_PARAMETER', /^data\.x\.y contains a NUL/],
    [
      { data: { items: [{ picture: new Uint8Array([255, 0]) }] } },
      'INVALID_PARAMETER',
      /^data\.items\.0\.picture is base64/,
    ],
    [{ value: 'much' }, 'INVALID_PARAMETER', /^value is not a number/],
    [{ value: 1e12 }, 'INVALID_PARAMETER', /^value must be at most/],
    [{ time: 'yesterday' }, 'DATE_INVALID', /^time: "yesterday" is not a time/],
    [{ time: '2026-02-30 10:00:00' }, 'DATE_INVALID', /^time: /],
    [{ time: daysAgo(-1) }, 'DATE_INVALID', /^time is more than 10 minutes in the future/],
    [{ time: daysAgo(366) }, 'DATE_INVALID', /^time is more than 365 days ago/],
    [{ id: 'i'.repeat(101) }, 'INVALID_PARAMETER', /^id is longer than 100/],
    [{ email_address: 'nobody@example.com' }, 'ADDRESS_UNKNOWN', /^email_address: "nobody@example.com"/],
    [{ email_address: 'no address', create_contact: true }, 'ADDRESS_INVALID', /^email_address: "?no address/],
    [{ extra: 1 }, 'INVALID_PARAMETER', /^extra is not a known parameter/],
  ];
  for (const [wrong, fault, message] of cases)
    await assert.rejects(send(email, 'wrong', { id: 'W-1', ...wrong }), { fault, message }, JSON.stringify(wrong));
  assert.equal(await stored('wrong'), 0);
  assert.equal((await send(email, 'wrong', { id: 'W-1' })).duplicate, false, 'no refused event has used up its id');
  // In a batch each has its own reason, and the others are accepted.
  const result = await batch([
    ...cases.map(([wrong]) => ({ name: 'worse', email_address: email, id: 'W-2', ...wrong })),
    'not a struct',
    { name: 'worse', email_address: email, id: 'W-2' },
    { name: 'worse', email_address: email, id: 'W-2' },
  ]);
  assert.deepEqual(result.results, [...cases.map(() => 'error'), 'error', 'accepted', 'duplicate']);
  assert.deepEqual([result.success_count, result.duplicate_count, result.error_count], [1, 1, cases.length + 1]);
  for (const [i, [, , message]] of cases.entries()) {
    const { index, message: text, code } = result.errors[i]!;
    assert.equal(index, i);
    assert.ok(text.startsWith(`events.${i}.`), text);
    assert.match(text.slice(`events.${i}.`.length), message);
    assert.ok(Number.isInteger(code));
  }
  assert.match(result.errors.at(-1)!.message, /^events\.17 is not a struct/);
  assert.equal(await stored('worse'), 1);
  await assert.rejects(batch(Array.from({ length: 1_001 }, () => ({}))), { fault: 'TOO_LARGE' });
  assert.deepEqual((await batch([])).results, []);
});

test('times are read as shops write them; a clock that is a little ahead counts as now', async () => {
  const email = await person();
  const day = daysAgo(3).slice(0, 10);
  const seconds = Math.floor(Date.parse(`${day}T10:00:00Z`) / 1_000);
  for (const time of [
    `${day} 10:00:00`,
    `${day}T10:00:00Z`,
    `${day}T10:00:00.123Z`,
    `${day}T12:00:00+02:00`,
    `${day}T05:00:00-0500`,
    String(seconds),
    seconds,
    `${seconds}000`,
  ])
    await send(email, 'timed', { time });
  assert.deepEqual([...new Set((await eventsOf(email)).map(({ time }) => time))], [`${day} 10:00:00`]);
  await send(email, 'ahead', { time: new Date(Date.now() + 5 * 60_000).toISOString() });
  const [ahead] = await eventsOf(email);
  assert.equal(ahead!.time, ahead!.received_time);
});

test('an unknown address becomes a contact without any subscription by choice; an erased one does not', async () => {
  const guest = 'Guest.One@shop.example';
  await assert.rejects(send(guest, 'cart'), { fault: 'ADDRESS_UNKNOWN' });
  await send(guest, 'cart', { create_contact: true, data: { a: 1 } });
  const contact = await app.call<{ email: string; subscriptions: unknown[] }>('contactGet', { email: guest });
  assert.deepEqual([contact.email, contact.subscriptions], [guest, []]);
  await app.call('contactErase', { email: guest });
  await assert.rejects(send(guest, 'cart', { create_contact: true }), {
    fault: 'ADDRESS_INVALID',
    message: /^email_address: Guest\.One@shop\.example was erased/,
  });
  const events = ['new1', 'new2', 'new1'].map((name) => ({
    name: 'guest',
    email_address: `${name}@shop.example`,
    create_contact: true,
  }));
  await Promise.all([batch(events), batch(events.toReversed())]);
  assert.equal(await stored('guest'), 6);
  assert.equal((await rows(sql`select from contact where domain = 'shop.example'`)).length, 2);
});

test('the event that lets a contact in is with its run, the first of several', async () => {
  const email = await person();
  const id = await automation({
    trigger: { type: 'event', name: 'cart.data' },
    goal: { event: 'order.data' },
    steps: [{ key: 'wait', type: 'wait', amount: 1, unit: 'days' }],
  });
  const data = { items: [{ name: 'Tea' }] };
  const answer = await batch([
    { name: 'cart.data', email_address: email, data, value: 3 },
    { name: 'cart.data', email_address: email, data: { items: [] } },
  ]);
  assert.deepEqual([answer.triggers, answer.goals], [2, 0]);
  await settle();
  assert.deepEqual(
    (await runEvents(id)).map(({ event }) => [event!.name, event!.value, event!.data]),
    [['cart.data', 3, data]],
  );
  assert.deepEqual(await send(email, 'order.data', { data: { no: 1 } }), { triggers: 0, goals: 1, duplicate: false });
  await settle();
  const [run] = await app.call<{ outcome: string }[]>('automationExplain', { id, email_address: email });
  assert.equal(run!.outcome, 'goal');
  // After the retention of events an ended run has lost it.
  await app.app.db.run(
    sql`update automation_run set ended_at = now() - interval '366 days' where automation_id = ${parseId(id)}`,
  );
  await purgeRunEvents(taskContext());
  assert.deepEqual(await runEvents(id), [{ event: null }]);
});

test('events go with their contact, deleted, erased or with its last list; undoing an import keeps both', async () => {
  const id = await automation({
    trigger: { type: 'event', name: 'gone' },
    steps: [{ key: 'wait', type: 'wait', amount: 1, unit: 'days' }],
  });
  const [deleted, erased, left] = [await person(), await person(), await person()];
  for (const email of [deleted, erased, left]) await send(email, 'gone', { data: { secret: email } });
  await settle();
  await app.call('listUnsubscribe', { id: list, email_address: deleted, delete_member: true });
  await app.call('contactErase', { email: erased });
  await app.call('listUnsubscribe', { id: list, email_address: left });
  assert.equal(await stored('gone'), 1);
  assert.deepEqual(await namesOf(left), ['gone'], 'who unsubscribes is still a contact');
  assert.equal((await send(left, 'gone')).triggers, 0);
  assert.deepEqual(
    (await runEvents(id)).map(({ event }) => event?.name ?? null),
    [null, null, 'gone'],
  );
  const other = await app.call<string>('listCreate', { title: 'Other' });
  await app.call('listSubscribe', { id: other, email_address: 'listed@example.com', double_optin: false });
  await send('listed@example.com', 'gone');
  await app.call('listDelete', { id: other });
  assert.equal(await stored('gone'), 2);
  const imported = await app.call<string>('importCreate', { id: list, content: 'EMAIL\nimported@example.com\n' });
  await app.call('importStart', { import: imported });
  const { log } = app.app;
  await runImport(app.app, app.account.id, parseId(imported), false, signal, log);
  await send('imported@example.com', 'gone', { id: 'undone' });
  assert.equal(await stored('gone'), 3);
  await app.call('importUndo', { import: imported });
  await undoImportTask(
    { app: app.app, signal, log } as never,
    { account_id: app.account.id, import_id: parseId(imported) } as never,
  );
  assert.equal(await stored('gone'), 3);
  const kept = await app.call<{ subscriptions: unknown[] }>('contactGet', { email: 'imported@example.com' });
  assert.deepEqual(kept.subscriptions, [], 'who has events stays as a contact');
});

test('events stay with a contact whose address changes; the old address is no contact any more', async () => {
  const email = await person();
  await send(email, 'moved');
  await app.call('listUpdateMember', { id: list, email_address: email, merge_vars: { EMAIL: `new.${email}` } });
  assert.deepEqual(await namesOf(`new.${email}`), ['moved']);
  await assert.rejects(send(email, 'moved'), { fault: 'ADDRESS_UNKNOWN' });
  const contact = await app.call<{ id: string }>('contactGet', { email: `new.${email}` });
  await send(contact.id, 'moved');
  assert.equal(await stored('moved'), 2);
});

test('a contact that is deleted while its event is stored leaves none behind', async () => {
  const email = await person();
  const erased = await person();
  const events = Array.from({ length: 100 }, (_, n) => ({
    name: 'race',
    email_address: n % 2 ? email : erased,
    data: { n },
  }));
  const [, , , ...answers] = await Promise.all([
    batch(events),
    app.call('listUnsubscribe', { id: list, email_address: email, delete_member: true }),
    app.call('contactErase', { email: erased }),
    batch(events),
    batch(events),
  ]);
  assert.ok(answers.every(({ success_count, error_count }) => success_count + error_count === 100));
  assert.equal(await stored('race'), 0);
});

test('structs, lists, numbers and dates of XML-RPC are kept as JSON', async () => {
  const email = await person();
  const data = {
    total: new WireNumber('59.90', 59.9),
    paid: true,
    note: new Uint8Array(Buffer.from('Grüße')),
    items: [{ sku: 'A', pieces: new WireNumber('2', 2) }],
  };
  await call(
    app.app,
    'eventSend',
    { name: 'wired', email_address: email, data, value: new WireNumber('59.90', 59.9), time: '', id: '' },
    { kind: 'system', accountId: app.account.id },
    'xmlrpc',
  );
  const [event] = await eventsOf(email);
  assert.deepEqual(
    [event!.value, event!.data],
    ['59.9', { total: 59.9, paid: true, note: 'Grüße', items: [{ sku: 'A', pieces: 2 }] }],
  );
});

test('an automation that is paused lets no one in, and the event is kept', async () => {
  const email = await person();
  const id = await automation({
    trigger: { type: 'event', name: 'quiet' },
    steps: [{ key: 'wait', type: 'wait', amount: 1, unit: 'days' }],
  });
  await app.call('automationPause', { id });
  assert.equal((await send(email, 'quiet')).triggers, 0);
  await app.call('automationStart', { id });
  await settle();
  assert.deepEqual(await runEvents(id), []);
  assert.deepEqual(await namesOf(email), ['quiet']);
});

test('an event that is being reported while another trigger is published lets no one in', async () => {
  for (const trigger of [{ type: 'event', name: 'after' }, { type: 'subscribed' }]) {
    const steps = [{ key: 'wait', type: 'wait', amount: 1, unit: 'days' }];
    const id = await automation({ trigger: { type: 'event', name: 'before' }, steps });
    const email = await person();
    const key = parseId(id);
    // What automationStart holds and writes; the event has read the version before it.
    const client = await app.app.db.pool.connect();
    try {
      await client.query(`begin; select from automation where id = ${key} for update`);
      const sending = send(email, 'before');
      await until('it waits for the publication', async () => {
        const waiting = await rows(sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`);
        return waiting.length > 0;
      });
      await client.query(
        `insert into automation_version (account_id, automation_id, no, definition)
        select account_id, automation_id, 2, definition || jsonb_build_object('trigger', $2::jsonb)
        from automation_version
        where automation_id = $1`,
        [key, JSON.stringify(trigger)],
      );
      await client.query('update automation set version = 2, trigger_type = $2 where id = $1', [key, trigger.type]);
      await client.query('commit');
      await sending;
    } finally {
      client.release(true);
    }
    await settle();
    assert.deepEqual(await runEvents(id), [], trigger.type);
  }
});

test('events are deleted after keep_events_days, and so are the ids by which they count once', async () => {
  const email = await person();
  const longer = await app.anotherAccount();
  await longer.call('accountUpdate', { name: 'keep_events_days', value: '0' });
  const old = { name: 'old', email_address: email, time: daysAgo(40), id: 'O-1', create_contact: true };
  await app.call('eventSendBatch', { events: [old, { ...old, time: daysAgo(20), id: 'O-2' }] });
  await longer.call('eventSendBatch', { events: [old, { ...old, time: daysAgo(3_000), id: 'O-2' }] });
  await app.app.db.run(
    sql`update event_id set received_at = at from (values (now() - interval '40 days')) as v(at) where account_id = ${app.account.id}`,
  );
  assert.equal(await stored('old'), 4);
  await app.call('accountUpdate', { name: 'keep_events_days', value: '30' });
  await purgeEvents(taskContext());
  assert.equal(await stored('old'), 3);
  assert.deepEqual(
    (await eventsOf(email)).map(({ time }) => time.slice(0, 10)),
    [daysAgo(20).slice(0, 10)],
  );
  assert.equal((await rows(sql`select from event_id where account_id = ${app.account.id}`)).length, 0);
  await assert.rejects(send(email, 'old', { time: daysAgo(31) }), { fault: 'DATE_INVALID', message: /30 days ago/ });
  await app.call('accountUpdate', { name: 'keep_events_days', value: '365' });
});

test('events of the last year are in the partition of their month, older ones in the default; both are found and deleted', async () => {
  const email = await person();
  await app.call('accountUpdate', { name: 'keep_events_days', value: '0' });
  const monthOf = (time: string) => `contact_event_${time.slice(0, 7).replace('-', '_')}`;
  const places = async () =>
    (
      await rows<{ place: string }>(sql`
        select e.tableoid::regclass::text as place
        from contact_event e
        join event_name n on n.no = e.name_no
        where n.name = 'long.ago'
        order by e.at desc`)
    ).map(({ place }) => place);
  const times = [100, 364, 500].map(daysAgo);
  await batch(times.map((time) => ({ name: 'long.ago', email_address: email, time })));
  assert.deepEqual(await places(), [...times.slice(0, 2).map(monthOf), 'contact_event_default']);
  const filter = [{ field: 'event', condition: 'is', value: 'long.ago', times: 3 }];
  assert.equal((await app.call<{ count: number }>('segmentPreview', { list, match: 'all', filter })).count, 1);

  const months = async () => (await partitionsOf(app.app.db, 'contact_event')).map(({ name }) => name);
  const all = await months();
  await purgeEvents(taskContext());
  assert.deepEqual(await months(), all, 'empty months of the last year stay');
  await app.call('accountUpdate', { name: 'keep_events_days', value: '60' });
  await app.app.db.run(sql`update account set settings = settings || '{"keep_events_days": 60}'`);
  await purgeEvents(taskContext());
  assert.deepEqual(await places(), []);
  assert.deepEqual((await months()).length, all.length - 2, 'two went with their rows');
  await makePartitions(app.app.db);
  assert.deepEqual(await months(), all);
  await purgeEvents(taskContext());
  assert.deepEqual(await months(), all);
  await app.call('accountUpdate', { name: 'keep_events_days', value: '365' });
});

test('the audit log names the contact of an event, never its id or its data', async () => {
  const email = await person();
  await send(email, 'audited', { id: 'aaaaaaaa', data: { secret: 'x' } });
  const [entry] = await rows<{ subject: string; detail: Record<string, string> }>(sql`
    select subject, detail from audit_entry where method = 'eventSend' order by id desc limit 1`);
  assert.deepEqual(entry, { subject: email, detail: { name: 'audited', email_address: email } });
  await runWaitingJobs(app.app);
});
