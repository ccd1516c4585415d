// Fields of the account: one value of a contact on every list that has the field, whichever way it is written; joining fields
// of lists; and what happens to both meanwhile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { onBehalf } from '../../accounts/account/system-context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { runImport } from '../import/run.ts';
import { undoImport } from '../import/undo.ts';
import { confirm, subscribe } from '../members/subscribe.ts';
import { fieldsOf } from '../model/field.ts';
import { joinAccountField } from './join.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(async () => {
  try {
    assert.deepEqual(await broken(), [], 'all subscriptions agree at the end');
  } finally {
    await t.close();
  }
});

const signal = new AbortController().signal;
let numbers = 0;
/** A tag that no other test has, so that they share a database. */
const newTag = () => `T${++numbers}`;
const newList = (title = 'List') => t.call<string>('listCreate', { title });
const addField = (id: string, tag: string, options = {}) => t.call('listMergeVarAdd', { id, tag, name: tag, options });
const add = (id: string, email_address: string, merge_vars = {}) =>
  t.call('listSubscribe', { id, email_address, merge_vars, double_optin: false, update_existing: true });
const update = (id: string, email_address: string, merge_vars: object) =>
  t.call('listUpdateMember', { id, email_address, merge_vars });
const valueOn = async (id: string, email_address: string, tag: string) =>
  (await t.call<{ merges: Record<string, string> }>('listMemberInfo', { id, email_address })).merges[tag] ?? '';
const valuesOf = (lists: string[], email: string, tag: string) =>
  Promise.all(lists.map((list) => valueOn(list, email, tag)));
const runJoin = (tag: string) => joinAccountField({ app: t.app, signal }, { account_id: t.account.id, tag });
const refusal = (code: number, words: RegExp) => (error: unknown) =>
  error instanceof Fault && error.code === code && words.test(error.message);

/** Lists that share a field. */
async function sharing(count: number, options = {}): Promise<{ tag: string; lists: string[] }> {
  const tag = newTag();
  const lists = [];
  for (let i = 0; i < count; i++) lists.push(await newList(`${tag} ${i}`));
  await t.call('accountFieldCreate', { tag, name: 'Shared', lists, options });
  return { tag, lists };
}

/** Lists with a field of the same tag each, and a contact with a value on each. */
async function apart(values: string[], email: string): Promise<{ tag: string; lists: string[] }> {
  const tag = newTag();
  const lists = [];
  for (const value of values) {
    const list = await newList(`${tag} ${lists.length}`);
    await addField(list, tag);
    await add(list, email, { [tag]: value });
    lists.push(list);
  }
  return { tag, lists };
}

async function imported(list: string, content: string, options: Record<string, unknown> = {}): Promise<number> {
  const id = await t.call<string>('importCreate', { id: list, content, options });
  await t.call('importStart', { import: id });
  assert.equal(await runImport(t.app, t.account.id, parseId(id), false, signal, t.app.log), 'finished');
  return parseId(id);
}

/** Subscriptions that break the rule: of one contact, with different values of a field that is joined. */
async function broken(): Promise<unknown[]> {
  return t.app.db.rows(sql`
    select s.contact_id, a.tag
    from account_field a
    join field f on f.account_id = a.account_id and f.tag = a.tag
    join subscription s on s.account_id = f.account_id and s.list_id = f.list_id and s.status = 'subscribed'
    where a.state = 'joined'
    group by s.contact_id, a.tag
    having count(distinct coalesce(s.fields ->> a.tag, '')) > 1`);
}

test('a change through one list is the change of every list that has the field, and of no other', async () => {
  const { tag, lists } = await sharing(3);
  const other = await newList();
  await add(other, 'ada@a.example');
  for (const list of lists) await add(list, 'ada@a.example');
  await update(lists[1]!, 'ada@a.example', { [tag]: 'Lovelace' });
  assert.deepEqual(await valuesOf(lists, 'ada@a.example', tag), ['Lovelace', 'Lovelace', 'Lovelace']);
  await update(lists[0]!, 'ada@a.example', { [tag]: '' });
  assert.deepEqual(await valuesOf(lists, 'ada@a.example', tag), ['', '', '']);
  const { merges } = await t.call<{ merges: object }>('listMemberInfo', { id: other, email_address: 'ada@a.example' });
  assert.ok(!(tag in merges));
  const { tag: ofAll } = (await t.call<{ tag: string; of_account: boolean }[]>('contactFields')).find(
    ({ of_account }) => of_account,
  )!;
  assert.ok(ofAll);
});

test('each list logs the change and emits its own event', async () => {
  const { tag, lists } = await sharing(2);
  for (const list of lists) await add(list, 'eve@a.example');
  const hook = await t.call<string>('webhookCreate', {
    title: 'Test',
    options: { url: 'https://example.com/hook', events: ['contact.update'] },
  });
  await update(lists[0]!, 'eve@a.example', { [tag]: 'X' });
  const events = await t.app.db.rows<{ list: string; value: string }>(sql`
    select payload ->> 'list' as list, payload -> 'fields' ->> ${tag} as value
    from webhook_event
    where webhook_id = ${parseId(hook)}
    order by 1`);
  assert.deepEqual(
    events,
    lists.map((list) => ({ list, value: 'X' })).sort((a, b) => (a.list < b.list ? -1 : 1)),
  );
  await t.call('webhookDelete', { wid: hook });
  const logged = await t.app.db.rows<{ list: number }>(sql`
    select list_id as list
    from consent
    where kind = 'update' and detail -> 'fields' ? ${tag}
    order by list_id`);
  assert.deepEqual(
    logged.map(({ list }) => list),
    lists.map(parseId).sort((a, b) => a - b),
  );
});

test('a new member has the present value before anything looks at it, and a given value goes through', async () => {
  const { tag, lists } = await sharing(3, { req: true });
  await add(lists[0]!, 'new@a.example', { [tag]: 'old' });
  await add(lists[1]!, 'new@a.example');
  assert.equal(await valueOn(lists[1]!, 'new@a.example', tag), 'old');
  await add(lists[2]!, 'new@a.example', { [tag]: 'newer' });
  assert.deepEqual(await valuesOf(lists, 'new@a.example', tag), ['newer', 'newer', 'newer']);
  await assert.rejects(add(lists[0]!, 'none@a.example'), refusal(250, /required/));
});

test('what a stranger types into a form waits until it is confirmed', async () => {
  const { tag, lists } = await sharing(2);
  await add(lists[0]!, 'con@a.example', { [tag]: 'true' });
  const sign = (values: Record<string, string>) =>
    onBehalf(t.app, t.account.id, '', async (context) =>
      subscribe(context, {
        listId: parseId(lists[1]!),
        fields: await fieldsOf(context, parseId(lists[1]!)),
        email: 'con@a.example',
        vars: { values, email: undefined, special: {} },
        doubleOptin: true,
        updateExisting: false,
        sendWelcome: false,
        source: 'subscriber',
        ip: '',
      }),
    );
  const confirmed = async () => {
    const row = await t.app.db.row<{ id: number }>(sql`select id from contact where email = 'con@a.example'`);
    await onBehalf(t.app, t.account.id, '', (context) =>
      confirm(context, parseId(lists[1]!), row!.id, { ip: '', how: 'automatic' }),
    );
  };
  await sign({ [tag]: 'typed' });
  assert.deepEqual(await valuesOf(lists, 'con@a.example', tag), ['true', 'typed']);
  await confirmed();
  assert.deepEqual(await valuesOf(lists, 'con@a.example', tag), ['typed', 'typed']);
  // Nothing typed: the value of the time of the confirmation.
  await t.call('listUnsubscribe', { id: lists[1], email_address: 'con@a.example', send_goodbye: false });
  await sign({});
  await update(lists[0]!, 'con@a.example', { [tag]: 'meanwhile' });
  await confirmed();
  assert.deepEqual(await valuesOf(lists, 'con@a.example', tag), ['meanwhile', 'meanwhile']);
});

test('who has left keeps the value and gets later ones; deleted from a list, the others keep it', async () => {
  const { tag, lists } = await sharing(3);
  for (const list of lists) await add(list, 'left@a.example', { [tag]: 'A' });
  await t.call('listUnsubscribe', { id: lists[0], email_address: 'left@a.example', send_goodbye: false });
  await update(lists[1]!, 'left@a.example', { [tag]: 'B' });
  assert.deepEqual(await valuesOf(lists, 'left@a.example', tag), ['B', 'B', 'B']);
  await add(lists[0]!, 'left@a.example');
  assert.equal(await valueOn(lists[0]!, 'left@a.example', tag), 'B');
  await t.call('listMemberDelete', { id: lists[1], email_address: 'left@a.example' });
  assert.deepEqual(await valuesOf([lists[0]!, lists[2]!], 'left@a.example', tag), ['B', 'B']);
});

test('erasing a contact leaves its value on no list', async () => {
  const { tag, lists } = await sharing(2);
  for (const list of lists) await add(list, 'erase@a.example', { [tag]: 'secret-name' });
  await t.call('contactErase', { email: 'erase@a.example' });
  const rows = await t.app.db.rows(sql`select from subscription where fields ->> ${tag} = 'secret-name'`);
  assert.equal(rows.length, 0);
});

test('an import goes through, gives new members the present value, and its undo takes both back', async () => {
  const { tag, lists } = await sharing(2, { req: true });
  const [first, second] = lists as [string, string];
  await add(first, 'known@a.example', { [tag]: 'before' });
  await add(first, 'both@a.example', { [tag]: 'before' });
  await add(second, 'both@a.example');
  await add(first, 'only@a.example', { [tag]: 'present' });
  const file = await imported(
    second,
    `EMAIL,${tag}\nknown@a.example,imported\nboth@a.example,imported\nonly@a.example,\nfresh@a.example,imported\n`,
    { update: 'add_update' },
  );
  for (const email of ['known@a.example', 'both@a.example'])
    assert.deepEqual(await valuesOf(lists, email, tag), ['imported', 'imported'], email);
  assert.deepEqual(await valuesOf(lists, 'only@a.example', tag), ['present', 'present']);
  assert.deepEqual(await broken(), []);
  await t.call('importUndo', { import: formatId(file) });
  await undoImport(t.app, t.account.id, file, signal);
  assert.equal(await valueOn(first, 'known@a.example', tag), 'before');
  assert.deepEqual(await valuesOf(lists, 'both@a.example', tag), ['before', 'before']);
  await assert.rejects(valueOn(second, 'known@a.example', tag), refusal(232, /./));
  const row = await t.app.db.row<{ counts: unknown }>(sql`select undo_counts as counts from import where id = ${file}`);
  assert.deepEqual(row!.counts, { removed: 3, put_back: 1, kept: 0 });
});

test('the undo of an import leaves a value that was changed since', async () => {
  const { tag, lists } = await sharing(2);
  const [first, second] = lists as [string, string];
  await add(first, 'since@a.example', { [tag]: 'before' });
  const file = await imported(second, `EMAIL,${tag}\nsince@a.example,imported\n`);
  await update(first, 'since@a.example', { [tag]: 'since' });
  await t.call('importUndo', { import: formatId(file) });
  await undoImport(t.app, t.account.id, file, signal);
  assert.deepEqual(await valuesOf(lists, 'since@a.example', tag), ['since', 'since']);
});

test('a preview shows how many contacts differ, with examples and the value that would stay; it changes nothing', async () => {
  const { tag, lists } = await apart(['Alt', 'Neu'], 'wed@a.example');
  await add(lists[0]!, 'fill@a.example', { [tag]: 'here' });
  await add(lists[1]!, 'fill@a.example');
  await add(lists[0]!, 'same@a.example', { [tag]: 'same' });
  await add(lists[1]!, 'same@a.example', { [tag]: 'same' });
  const preview = (more = {}) => t.call<Record<string, unknown>>('accountFieldPreview', { tag, ...more });
  const { lists: shown, ...newest } = await preview();
  assert.deepEqual(newest, {
    tag,
    field_type: 'text',
    predefined_values: [],
    conflicts: 1,
    filled: 1,
    examples: [
      {
        email: 'wed@a.example',
        kept: 'Neu',
        values: [
          { list: `${tag} 0`, value: 'Alt' },
          { list: `${tag} 1`, value: 'Neu' },
        ],
      },
    ],
  });
  assert.equal((shown as unknown[]).length, 2);
  const preferred = await preview({ rule: 'list', list: lists[0] });
  assert.equal((preferred.examples as { kept: string }[])[0]!.kept, 'Alt');
  // A change of that value alone makes it the newest.
  await update(lists[0]!, 'wed@a.example', { [tag]: 'Alt 2' });
  assert.equal(((await preview()).examples as { kept: string }[])[0]!.kept, 'Alt 2');
  assert.deepEqual(await valuesOf(lists, 'wed@a.example', tag), ['Alt 2', 'Neu']);
});

test('joining keeps the newest value or that of the preferred list, and an empty one never', async () => {
  for (const [rule, kept] of [
    [{ rule: 'newest' }, 'Neu'],
    [{ rule: 'list' }, 'Alt'],
  ] as const) {
    const { tag, lists } = await apart(['Alt', 'Neu', ''], `join-${rule.rule}@a.example`);
    const all = { ...rule, ...(rule.rule === 'list' ? { list: lists[0] } : {}) };
    await assert.rejects(t.call('accountFieldJoin', { tag, ...all, conflicts: 0 }), refusal(273, /1 contacts/));
    await t.call('accountFieldJoin', { tag, ...all, conflicts: 1 });
    await runJoin(tag);
    assert.deepEqual(await valuesOf(lists, `join-${rule.rule}@a.example`, tag), [kept, kept, kept]);
    const field = (await t.call<Record<string, unknown>[]>('accountFields')).find((one) => one.tag === tag)!;
    assert.deepEqual([field.state, field.joined_contacts], ['joined', 1]);
    // Running again changes nothing.
    await runJoin(tag);
  }
});

test('of two clients that join at once one is refused', async () => {
  const { tag } = await apart(['1', '2'], 'twice@a.example');
  const ends = await Promise.allSettled([1, 2].map(() => t.call('accountFieldJoin', { tag, conflicts: 1 })));
  assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const [refused] = ends.filter((end) => end.status === 'rejected');
  assert.match(String(refused!.reason), /already/);
  await runJoin(tag);
});

test('what is written while the values are joined stays, and members that join then do not decide', async () => {
  const { tag, lists } = await apart(['Alt', 'Neu'], 'during@a.example');
  const third = await newList();
  await addField(third, tag);
  await add(lists[0]!, 'open@a.example', { [tag]: 'old' });
  await add(lists[1]!, 'open@a.example', { [tag]: 'new' });
  await t.call('accountFieldJoin', { tag, conflicts: 2 });
  await update(lists[0]!, 'during@a.example', { [tag]: 'written' });
  await add(third, 'open@a.example');
  assert.equal(await valueOn(third, 'open@a.example', tag), '');
  await runJoin(tag);
  assert.deepEqual(await valuesOf(lists, 'during@a.example', tag), ['written', 'written']);
  assert.deepEqual(await valuesOf([...lists, third], 'open@a.example', tag), ['new', 'new', 'new']);
});

test('a write that began before the join is waited for and joined', async () => {
  const { tag, lists } = await apart(['same', 'same'], 'race@a.example');
  let joining: Promise<void> | undefined;
  await t.app.db.transaction(async (tx) => {
    // A call that has read that the field is not of the account, and has written.
    await tx.run(sql`
      update subscription
      set fields = fields || jsonb_build_object(${tag}::text, 'late')
      where list_id = ${parseId(lists[0]!)}`);
    await t.call('accountFieldJoin', { tag, conflicts: 0 });
    joining = runJoin(tag);
    joining.catch(() => {});
    for (let waits = false; !waits; )
      waits = (await t.app.db.row(sql`select from pg_locks where not granted limit 1`)) !== undefined;
  });
  await joining;
  const [one, two] = await valuesOf(lists, 'race@a.example', tag);
  assert.equal(one, two);
});

test('two writes through two lists at once: one value counts on both', async () => {
  const { tag, lists } = await sharing(2);
  for (const list of lists) await add(list, 'clash@a.example', { [tag]: '0' });
  for (let i = 0; i < 3; i++) {
    await Promise.all(lists.map((list) => update(list, 'clash@a.example', { [tag]: `${i} ${list}` })));
    const [one, two] = await valuesOf(lists, 'clash@a.example', tag);
    assert.equal(one, two);
  }
});

test('a list or its field can be deleted; with the last one the field of the account is gone', async () => {
  const { tag, lists } = await sharing(3);
  for (const list of lists) await add(list, 'gone@a.example', { [tag]: 'kept' });
  await t.call('listDelete', { id: lists[0] });
  await t.call('listMergeVarDel', { id: lists[1], tag });
  assert.equal(await valueOn(lists[2]!, 'gone@a.example', tag), 'kept');
  const isThere = async () => (await t.call<{ tag: string }[]>('accountFields')).some((field) => field.tag === tag);
  assert.ok(await isThere());
  await t.call('listMergeVarDel', { id: lists[2], tag });
  assert.ok(!(await isThere()));
});

test('a preferred list that is deleted during the join leaves the newest value', async () => {
  const { tag, lists } = await apart(['Alt', 'Neu', 'Neuest'], 'pref@a.example');
  await t.call('accountFieldJoin', { tag, rule: 'list', list: lists[0], conflicts: 1 });
  await t.call('listDelete', { id: lists[0] });
  await runJoin(tag);
  assert.deepEqual(await valuesOf(lists.slice(1), 'pref@a.example', tag), ['Neuest', 'Neuest']);
});

test('a list that gets the field later gives its members the present value; another type is refused', async () => {
  const { tag, lists } = await sharing(2);
  const late = await newList();
  await add(lists[0]!, 'late@a.example', { [tag]: 'there' });
  await add(late, 'late@a.example');
  await assert.rejects(
    addField(late, tag, { field_type: 'date' }),
    refusal(254, /field of the account with the type text/),
  );
  await addField(late, tag);
  await runJoin(tag);
  assert.equal(await valueOn(late, 'late@a.example', tag), 'there');
  const names = await t.call<{ tag: string; name: string }[]>('listMergeVars', { id: late });
  assert.equal(names.find((field) => field.tag === tag)!.name, 'Shared');
});

test('tag, name, type and choices change on every list, the rest on one', async () => {
  const { tag, lists } = await sharing(2);
  for (const list of lists) await add(list, 'ren@a.example', { [tag]: '1' });
  const after = newTag();
  await t.call('listMergeVarUpdate', {
    id: lists[0],
    tag,
    options: { tag: after, name: 'Number', field_type: 'dropdown', choices: ['1', '2'], req: true, order: 1 },
  });
  const fields = await Promise.all(
    lists.map(async (id) =>
      (await t.call<Record<string, unknown>[]>('listMergeVars', { id })).find((f) => f.tag === after),
    ),
  );
  assert.deepEqual(
    fields.map((field) => [field!.name, field!.field_type, field!.predefined_values, field!.req]),
    [
      ['Number', 'dropdown', ['1', '2'], true],
      ['Number', 'dropdown', ['1', '2'], false],
    ],
  );
  assert.deepEqual(await valuesOf(lists, 'ren@a.example', after), ['1', '1']);
  await update(lists[1]!, 'ren@a.example', { [after]: '2' });
  assert.deepEqual(await valuesOf(lists, 'ren@a.example', after), ['2', '2']);
  // A value of another list that does not fit keeps everything as it is.
  await assert.rejects(
    t.call('listMergeVarUpdate', { id: lists[0], tag: after, options: { field_type: 'date' } }),
    refusal(254, /does not fit/),
  );
});

test('choices: joined if they are the same, renamed on every list, and several of them go through', async () => {
  const { tag, lists } = await sharing(2, { field_type: 'multiple_choice', choices: ['Red', 'Green', 'Blue'] });
  for (const list of lists) await add(list, 'pick@a.example');
  await update(lists[0]!, 'pick@a.example', { [tag]: ['Blue', 'Red'] });
  const [one, two] = await valuesOf(lists, 'pick@a.example', tag);
  assert.ok(one !== '' && one === two);
  const rename = { rename_choices: [{ from: 'Red', to: 'Ruby' }] };
  await t.call('listMergeVarUpdate', { id: lists[1], tag, options: rename });
  const renamed = await valuesOf(lists, 'pick@a.example', tag);
  assert.ok(renamed[0] === renamed[1] && renamed[0]!.includes('Ruby'));
  await t.call('accountFieldDelete', { tag });
  await t.call('listMergeVarUpdate', { id: lists[1], tag, options: { choices: ['Blue', 'Green', 'Ruby'] } });
  await assert.rejects(t.call('accountFieldPreview', { tag }), refusal(254, /choices of .* differ/));
});

test('what cannot be a field of the account is refused with the reason', async () => {
  const { tag, lists } = await apart(['1'], 'no@a.example');
  const other = await newList('Dates');
  await addField(other, tag, { field_type: 'date' });
  const preview = (params: object) => t.call('accountFieldPreview', params as never);
  await assert.rejects(preview({ tag }), refusal(254, /type text, but another one on "Dates" \(date\)/));
  await assert.rejects(preview({ tag: 'EMAIL' }), refusal(251, /already/));
  await assert.rejects(preview({ tag: 'NOWHERE' }), refusal(254, /no list has/));
  await t.call('listMergeVarDel', { id: other, tag });
  await assert.rejects(preview({ tag, rule: 'list', list: other }), refusal(254, /has no field/));
  await assert.rejects(preview({ tag, rule: 'list' }), refusal(200, /./));
  await assert.rejects(t.call('accountFieldCreate', { tag, name: 'x' }), refusal(254, /join it instead/));
  await assert.rejects(t.call('accountFieldDelete', { tag }), refusal(254, /no field of the account/));
  await t.call('accountFieldJoin', { tag, conflicts: 0 });
  await assert.rejects(preview({ tag }), refusal(254, /already/));
  await assert.rejects(
    t.call('listMergeVarUpdate', { id: lists[0], tag: 'FNAME', options: { tag } }),
    refusal(254, /list already has|field of the account/),
  );
  await runJoin(tag);
});

test('a field of the account can be one of each list again, with its values', async () => {
  const { tag, lists } = await sharing(2);
  for (const list of lists) await add(list, 'again@a.example', { [tag]: 'A' });
  await t.call('accountFieldDelete', { tag });
  await update(lists[0]!, 'again@a.example', { [tag]: 'B' });
  assert.deepEqual(await valuesOf(lists, 'again@a.example', tag), ['B', 'A']);
});

test('a segment and an automation of another list see the value that was written to this one', async () => {
  const { tag, lists } = await sharing(2);
  for (const list of lists) await add(list, 'seg@a.example', { [tag]: 'no' });
  const automation = await t.call<string>('automationCreate', { list: lists[1], title: 'Yes' });
  await t.call('automationUpdate', {
    id: automation,
    trigger: { type: 'field', field: tag, value: 'yes' },
    steps: [{ type: 'wait', amount: 1, unit: 'days' }],
  });
  await t.call('automationStart', { id: automation });
  await update(lists[0]!, 'seg@a.example', { [tag]: 'yes' });
  const segment = await t.call<{ total: number }>('memberSearch', {
    list: lists[1],
    filter: [{ field: tag, condition: 'is', value: 'yes' }],
  });
  assert.equal(segment.total, 1);
  const signals = await t.app.db.rows(sql`
    select from automation_signal where automation_id = ${parseId(automation)} and kind = 'enter'`);
  assert.equal(signals.length, 1);
});
