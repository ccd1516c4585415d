// Fields of the types yes/no and multiple choice: defining and changing them, what values they take through every door, what segments
// ask of them, and that a choice that is renamed or removed takes no member and no segment by surprise.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { until } from '../../../test/support/run/until.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { runImport } from '../import/run.ts';
import { undoImport } from '../import/undo.ts';

let t: TestApp;
let list: string;
before(async () => {
  t = await testApp();
  list = await newList();
});
after(() => t.close());

const newList = (title = 'List') => t.call<string>('listCreate', { title });
const topics = ['Food', 'Wine, red', 'Back\\slash', 'A;B|C'];
const addField = (id: string, tag: string, options: Record<string, unknown> = {}) =>
  t.call('listMergeVarAdd', { id, tag, name: tag, options });
const addTopics = (id: string, choices = topics) => addField(id, 'TOPICS', { field_type: 'multiple_choice', choices });
const subscribe = (id: string, name: string, merge_vars: Record<string, unknown> = {}, more = {}) =>
  t.call('listSubscribe', {
    id,
    email_address: `${name}@example.com`,
    merge_vars,
    double_optin: false,
    update_existing: true,
    ...more,
  });
const update = (id: string, tag: string, options: Record<string, unknown>) =>
  t.call('listMergeVarUpdate', { id, tag, options });
const value = async (id: string, name: string, tag = 'TOPICS') =>
  (await t.call<{ merges: Record<string, string> }>('listMemberInfo', { id, email_address: `${name}@example.com` }))
    .merges[tag];
const refusal = (code: number, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, words);
  return true;
};
const field = async (id: string, tag: string) =>
  (
    await t.call<{ tag: string; predefined_values: string[]; field_type: string; default: string }[]>('listMergeVars', {
      id,
    })
  ).find((each) => each.tag === tag)!;
const segment = (id: string, condition: string, value: unknown, tag = 'TOPICS') =>
  t.call<string>('listSegmentCreate', {
    list: id,
    title: `${condition} ${value}`,
    match: 'all',
    filter: [{ field: tag, condition, value }],
  });
const members = async (segment: string) =>
  (await t.call<{ data: { email: string }[] }>('listSegmentMembers', { id: segment })).data
    .map(({ email }) => email.split('@')[0])
    .sort();
type Stored = { id: string; filter: { condition: string; value: string }[]; reading: string };
const stored = async (id: string, segment: string) =>
  (await t.call<Stored[]>('listSegments', { id })).find((each) => each.id === segment)!;

test('a multiple choice keeps each name once, and needs one; all together have a limit', async () => {
  const id = await newList();
  const wrong = (choices: unknown, words: RegExp) =>
    assert.rejects(addField(id, 'BAD', { field_type: 'multiple_choice', choices }), refusal(254, words));
  await wrong([], /^options\.choices: a multiple choice needs at least one choice/);
  await wrong(
    Array.from({ length: 50 }, (_, i) => `${i}${'x'.repeat(60)}`),
    /together more than 2000 characters/,
  );
  await wrong(['a\u0007'], /options\.choices/);
  await addField(id, 'ONCE', { field_type: 'multiple_choice', choices: [' Tea ', 'tea', 'Black  tea'] });
  assert.deepEqual((await field(id, 'ONCE')).predefined_values, ['Tea', 'Black tea']);
  await addField(id, 'START', { field_type: 'multiple_choice', choices: ['A', 'B'], default_value: 'b|a' });
  assert.equal((await field(id, 'START')).default, 'A, B');
  await addField(id, 'VIP', { field_type: 'yes_no', default_value: 'true' });
  assert.equal((await field(id, 'VIP')).default, 'yes');
});

test('values come as a text, an array or JSON, and what is no choice is a fault that changes nothing', async () => {
  await addTopics(list);
  await addField(list, 'VIP', { field_type: 'yes_no' });
  const cases: [unknown, string][] = [
    ['Food, Wine\\, red', 'Food, Wine\\, red'],
    ['wine, red; FOOD', 'Food, Wine\\, red'],
    [['A;B|C', 'Back\\slash'], 'Back\\\\slash, A;B|C'],
    ['["Wine, red"]', 'Wine\\, red'],
    [[], ''],
    ['', ''],
  ];
  for (const [given, kept] of cases) {
    await subscribe(list, 'ada', { TOPICS: given });
    assert.equal(await value(list, 'ada'), kept);
  }
  for (const [given, kept] of [
    ['ja', 'yes'],
    [false, 'no'],
    [true, 'yes'],
    ['0', 'no'],
    ['', ''],
  ] as const) {
    await subscribe(list, 'ada', { VIP: given });
    assert.equal(await value(list, 'ada', 'VIP'), kept);
  }
  await subscribe(list, 'ada', { TOPICS: 'Food' });
  await assert.rejects(
    subscribe(list, 'ada', { TOPICS: 'Food, Cheese', FNAME: 'Ada' }),
    refusal(254, /^merge_vars\.TOPICS: "Cheese" is not one of Food, Wine, red/),
  );
  await assert.rejects(subscribe(list, 'new', { TOPICS: ['Food', ['x']] }), refusal(254, /^merge_vars\.TOPICS\.1/));
  await assert.rejects(
    subscribe(list, 'new', { VIP: 'perhaps' }),
    refusal(254, /^merge_vars\.VIP: "perhaps" is neither yes nor no/),
  );
  assert.deepEqual([await value(list, 'ada'), await value(list, 'ada', 'FNAME')], ['Food', '']);
  await assert.rejects(value(list, 'new'), refusal(232, /new@example.com/));
});

test('add_choices adds to what the contact has chosen', async () => {
  await subscribe(list, 'adds', { TOPICS: 'Food' });
  await subscribe(list, 'adds', { TOPICS: ['Wine, red'] }, { add_choices: true });
  assert.equal(await value(list, 'adds'), 'Food, Wine\\, red');
  await t.call('listUpdateMember', {
    id: list,
    email_address: 'adds@example.com',
    merge_vars: { TOPICS: 'A;B|C' },
    add_choices: true,
  });
  assert.equal(await value(list, 'adds'), 'Food, Wine\\, red, A;B|C');
  await t.call('listBatchSubscribe', {
    id: list,
    batch: [{ EMAIL: 'adds@example.com', TOPICS: 'Food' }],
    update_existing: true,
    double_optin: false,
  });
  assert.equal(await value(list, 'adds'), 'Food');
});

test('a required yes/no takes a no, a required multiple choice needs one', async () => {
  const id = await newList();
  await addField(id, 'VIP', { field_type: 'yes_no', req: true });
  await addField(id, 'KIND', { field_type: 'multiple_choice', req: true, choices: ['A', 'B'] });
  await assert.rejects(subscribe(id, 'a', { VIP: 'no', KIND: '' }), refusal(250, /KIND/));
  await assert.rejects(subscribe(id, 'a', { KIND: 'A' }), refusal(250, /VIP/));
  await subscribe(id, 'a', { VIP: 'no', KIND: 'A' });
});

test('segments ask for yes, no and nothing, and for any, all or none of some choices', async () => {
  const id = await newList();
  await addTopics(id);
  await addField(id, 'VIP', { field_type: 'yes_no' });
  await subscribe(id, 'none', {});
  await subscribe(id, 'food', { TOPICS: 'Food', VIP: 'no' });
  await subscribe(id, 'both', { TOPICS: ['Food', 'Wine, red'], VIP: 'yes' });
  await subscribe(id, 'odd', { TOPICS: ['Back\\slash', 'A;B|C'], VIP: 'yes' });
  const cases: [condition: string, value: string, tag: string, found: string[]][] = [
    ['is', 'ja', 'VIP', ['both', 'odd']],
    ['is', 'FALSE', 'VIP', ['food']],
    ['not', '1', 'VIP', ['food', 'none']],
    ['is', '', 'VIP', ['none']],
    ['isany', '', 'VIP', ['both', 'food', 'odd']],
    ['hasany', 'Food', 'TOPICS', ['both', 'food']],
    ['hasany', 'wine, red; back\\slash', 'TOPICS', ['both', 'odd']],
    ['hasall', 'Food, Wine\\, red', 'TOPICS', ['both']],
    ['hasnone', 'Food', 'TOPICS', ['none', 'odd']],
    ['hasnone', 'A;B|C, Wine, red', 'TOPICS', ['food', 'none']],
    ['is', 'Food', 'TOPICS', ['food']],
    ['not', 'Food', 'TOPICS', ['both', 'none', 'odd']],
    ['is', '', 'TOPICS', ['none']],
    ['isany', '', 'TOPICS', ['both', 'food', 'odd']],
    // As programs ask of a text.
    ['isoneof', 'Food;Back\\slash', 'TOPICS', ['both', 'food', 'odd']],
    ['contains', 'Food', 'TOPICS', ['both', 'food']],
    ['notcontain', 'Food', 'TOPICS', ['none', 'odd']],
  ];
  for (const [condition, asked, tag, found] of cases)
    assert.deepEqual(await members(await segment(id, condition, asked, tag)), found, `${tag} ${condition} ${asked}`);
  const wrong = (condition: string, asked: string, tag: string, words: RegExp) =>
    assert.rejects(segment(id, condition, asked, tag), refusal(315, words));
  await wrong('hasany', 'Cheese', 'TOPICS', /^filter\.0\.value: "Cheese" is not one of/);
  await wrong('hasany', '', 'TOPICS', /^filter\.0\.value is empty/);
  await wrong('starts', 'Food', 'TOPICS', /^filter\.0\.condition.*hasany, hasall, hasnone/);
  await wrong('is', 'perhaps', 'VIP', /^filter\.0\.value: "perhaps" is neither yes nor no/);
  await wrong('contains', 'yes', 'VIP', /^filter\.0\.condition/);
  await wrong('hasany', 'Ada', 'FNAME', /^filter\.0\.condition: hasany takes fields of the type multiple choice/);
  await wrong('hasall', 'Ada', 'EMAIL', /^filter\.0\.condition: hasall takes/);
  assert.match(
    (await stored(id, await segment(id, 'hasany', 'Food, Wine\\, red'))).reading,
    /has any of “Food”, “Wine, red”/,
  );
});

test('a renamed choice stays with its members, its segments and as the default', async () => {
  const id = await newList();
  await addField(id, 'TOPICS', { field_type: 'multiple_choice', choices: topics, default_value: 'Food' });
  await subscribe(id, 'both', { TOPICS: ['Food', 'Wine, red'] });
  await subscribe(id, 'food', { TOPICS: 'Food' });
  const any = await segment(id, 'hasany', 'Food');
  const exactly = await segment(id, 'is', 'Food, Wine\\, red');
  await update(id, 'TOPICS', {
    rename_choices: [
      { from: 'food', to: 'Food, drinks' },
      { from: 'Wine, red', to: 'Food' },
    ],
  });
  assert.deepEqual((await field(id, 'TOPICS')).predefined_values, ['Food, drinks', 'Food', 'Back\\slash', 'A;B|C']);
  assert.equal((await field(id, 'TOPICS')).default, 'Food\\, drinks');
  assert.deepEqual([await value(id, 'both'), await value(id, 'food')], ['Food\\, drinks, Food', 'Food\\, drinks']);
  assert.deepEqual([await members(any), await members(exactly)], [['both', 'food'], ['both']]);
  // Another order of the choices is another order of what is stored.
  await update(id, 'TOPICS', { choices: ['New', 'Food', 'Food, drinks', 'Back\\slash', 'A;B|C'] });
  assert.equal(await value(id, 'both'), 'Food, Food\\, drinks');
  assert.deepEqual(await members(exactly), ['both']);
  const wrong = (rename_choices: unknown, words: RegExp) =>
    assert.rejects(update(id, 'TOPICS', { rename_choices }), refusal(254, words));
  await wrong([{ from: 'Cheese', to: 'x' }], /^options\.rename_choices\.0\.from: the field has no choice "Cheese"/);
  await wrong([{ from: 'New', to: 'FOOD' }], /already has a choice "FOOD"/);
  // A dropdown too.
  await addField(id, 'SIZE', { field_type: 'dropdown', choices: ['S', 'M'] });
  await subscribe(id, 'food', { SIZE: 'S' });
  const small = await segment(id, 'isoneof', 'S', 'SIZE');
  await update(id, 'SIZE', { rename_choices: [{ from: 'S', to: 'Small' }] });
  assert.deepEqual([await value(id, 'food', 'SIZE'), await members(small)], ['Small', ['food']]);
});

test('a choice in use is removed only by asking for it, and never from under a segment', async () => {
  const id = await newList();
  await addTopics(id);
  await subscribe(id, 'both', { TOPICS: ['Food', 'Wine, red'] });
  await subscribe(id, 'food', { TOPICS: 'Food' });
  const rest = topics.slice(1);
  await assert.rejects(
    update(id, 'TOPICS', { choices: rest }),
    refusal(254, /^options\.choices: 2 members have chosen "Food"/),
  );
  const any = await segment(id, 'hasany', 'Food');
  await assert.rejects(
    update(id, 'TOPICS', { choices: rest, drop_values: true }),
    refusal(313, /segment [a-f0-9]{8} "hasany Food" asks for "Food"/),
  );
  assert.equal(await value(id, 'both'), 'Food, Wine\\, red');
  await t.call('listSegmentDelete', { id: any });
  await update(id, 'TOPICS', { choices: rest, drop_values: true });
  assert.deepEqual([await value(id, 'both'), await value(id, 'food')], ['Wine\\, red', '']);
  // One that no one has needs no question.
  await update(id, 'TOPICS', { choices: ['Wine, red'] });
  assert.equal(await value(id, 'both'), 'Wine\\, red');
});

test('another type takes the values that it reads and rewrites them, or is refused', async () => {
  const id = await newList();
  await addField(id, 'VIP', {});
  await addField(id, 'KIND', { field_type: 'dropdown', choices: ['A, B', 'A', 'B'] });
  await subscribe(id, 'a', { VIP: 'Ja', KIND: 'A, B' });
  await subscribe(id, 'b', { VIP: '0', KIND: 'A' });
  const said = await segment(id, 'is', 'Ja', 'VIP');
  await update(id, 'VIP', { field_type: 'yes_no' });
  assert.deepEqual([await value(id, 'a', 'VIP'), await value(id, 'b', 'VIP')], ['yes', 'no']);
  assert.deepEqual(await members(said), ['a']);
  await update(id, 'KIND', { field_type: 'multiple_choice' });
  assert.equal(await value(id, 'a', 'KIND'), 'A\\, B');
  await subscribe(id, 'b', { KIND: ['A', 'B'] });
  await assert.rejects(update(id, 'KIND', { field_type: 'number' }), refusal(254, /2 members have a value in KIND/));
  await update(id, 'KIND', { field_type: 'text' });
  assert.deepEqual([await value(id, 'a', 'KIND'), await value(id, 'b', 'KIND')], ['A, B', 'A, B']);
  await addField(id, 'WORD', {});
  await subscribe(id, 'a', { WORD: 'begin' });
  await assert.rejects(update(id, 'WORD', { field_type: 'yes_no' }), refusal(254, /1 members .* such as "begin"/));
  await subscribe(id, 'a', { WORD: 'yes' });
  await segment(id, 'starts', 'y', 'WORD');
  await assert.rejects(update(id, 'WORD', { field_type: 'yes_no' }), refusal(313, /uses WORD/));
});

test('a choice is not renamed under an import that runs, and the undo of an earlier one knows the new name', async () => {
  const id = await newList();
  await addTopics(id);
  await subscribe(id, 'ada', { TOPICS: 'Food' });
  const content = 'EMAIL,TOPICS\nada@example.com,"Wine, red"\n';
  const done = await t.call<string>('importCreate', { id, content, options: { status: 'subscribed' } });
  await t.call('importStart', { import: done });
  await assert.rejects(
    update(id, 'TOPICS', { choices: [...topics].reverse() }),
    refusal(313, /import [a-f0-9]{8} into this list/),
  );
  const { signal } = new AbortController();
  assert.equal(await runImport(t.app, t.account.id, parseId(done), false, signal, t.app.log), 'finished');
  assert.equal(await value(id, 'ada'), 'Wine\\, red');
  await update(id, 'TOPICS', { rename_choices: [{ from: 'Food', to: 'Meals' }] });
  await t.call('importUndo', { import: done });
  assert.equal(await undoImport(t.app, t.account.id, parseId(done), signal), 'finished');
  assert.equal(await value(id, 'ada'), 'Meals');
});

test('a choice is not renamed while a campaign in progress has a condition on the field', async () => {
  const id = await newList();
  await addTopics(id);
  const cid = await t.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: id, subject: 's', from_email: 'a@example.com', from_name: 'A', title: 'Running' },
    content: { plain: '*|TOPICS|* *|IF:TOPICS=Food|*x*|END:IF|*' },
  });
  const when = { tag: 'TOPICS', operator: 'has', value: 'Food', negated: false };
  const freeze = async (plain: unknown) => {
    await t.app.db.run(sql`
      insert into frozen_content (account_id, campaign_id, compiled, content_hash)
      values (${t.account.id}, ${parseId(cid)}, ${JSON.stringify({ plain })}, '')
      on conflict (account_id, campaign_id, variant) do update set compiled = excluded.compiled`);
    await t.app.db.run(sql`update campaign set status = 'paused', paused_from = 'sending' where id = ${parseId(cid)}`);
  };
  const rename = (from: string, to: string) => update(id, 'TOPICS', { rename_choices: [{ from, to }] });
  await freeze([{ slot: 'choice', branches: [{ when, pieces: ['x'] }] }]);
  await assert.rejects(rename('Food', 'Meals'), refusal(313, /"Running" is being sent with a condition on TOPICS/));
  await update(id, 'TOPICS', { choices: [...topics, 'New'] });
  await freeze([{ slot: 'field', tag: 'TOPICS', fallback: '', place: 'plain', as: 'choices' }]);
  await rename('Food', 'Meals');
});

test('a call at the same time as a rename writes the new name', async () => {
  const id = await newList();
  await addTopics(id);
  const renaming = t.app.db.transaction(async (tx) => {
    await tx.run(sql`select from list where account_id = ${t.account.id} and id = ${parseId(id)} for no key update`);
    const subscribing = subscribe(id, 'late', { TOPICS: 'Food' }).catch((error: unknown) => error);
    const waiting = async () =>
      (await t.app.db.row<{ count: number }>(sql`
        select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`))!
        .count;
    await until('it waits for the lock', async () => (await waiting()) > 0);
    await tx.run(
      sql`update field set choices[1] = 'Meals' where account_id = ${t.account.id} and list_id = ${parseId(id)} and tag = 'TOPICS'`,
    );
    return { subscribing };
  });
  const error = await (await renaming).subscribing;
  assert.ok(error instanceof Fault && /"Food" is not one of Meals/.test(error.message), String(error));
});

test('an import reads yes, no and choices as other programs write them, and lists a cell with an unknown choice', async () => {
  const id = await newList();
  await addTopics(id);
  const rows = [
    'a@example.com;Food, Wine, red;ja',
    'b@example.com;wine\\, red;FALSE',
    'c@example.com;"[""Food"",""A;B|C""]";x',
    'd@example.com;Food|Back\\slash;0',
    'e@example.com;Food, Cheese;perhaps',
    'f@example.com;n/a;',
  ];
  const content = `Email;topics;Friend\n${rows.join('\n')}\n`;
  const mapping = { Friend: 'new:VIP:yes_no' };
  const made = await t.call<string>('importCreate', { id, content, options: { status: 'subscribed', mapping } });
  type Preview = { columns: { heading: string; target: string; new_field: string; invalid_count: number }[] };
  const { columns } = await t.call<Preview>('importPreview', { import: made });
  assert.deepEqual(
    columns.map(({ target, new_field, invalid_count }) => [target, new_field, invalid_count]),
    [
      ['EMAIL', '', 0],
      ['TOPICS', '', 1],
      ['VIP', 'yes_no', 1],
    ],
  );
  await t.call('importStart', { import: made });
  const { signal } = new AbortController();
  assert.equal(await runImport(t.app, t.account.id, parseId(made), false, signal, t.app.log), 'finished');
  const { result } = await t.call<{ result: Record<string, number> }>('importGet', { import: made });
  assert.deepEqual([result.added, result.invalid, result.values_left_out], [6, 0, 2]);
  const read = [];
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) read.push([await value(id, name), await value(id, name, 'VIP')]);
  assert.deepEqual(read, [
    ['Food, Wine\\, red', 'yes'],
    ['Wine\\, red', 'no'],
    ['Food, A;B|C', 'yes'],
    ['Food, Back\\\\slash', 'no'],
    ['', ''],
    ['', ''],
  ]);
});
