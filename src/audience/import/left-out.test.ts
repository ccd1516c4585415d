// A cell that does not fit an optional field costs its value, not the contact; what was left out is counted by column and reason.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { runImport } from './run.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

type Counts = Record<string, number>;
type Status = { predicted: Counts; result: Counts };
type Problem = { column: string; reason: string; count: number; line: number; value: string };

const run = (id: string, dry: boolean) =>
  runImport(t.app, t.account.id, parseId(id), dry, new AbortController().signal, t.app.log);

/** Imports cells of one column; the value of each contact by its number, the counts, and the groups of problems. */
async function imported(list: string, target: string, cells: string[]) {
  const content = `email;cell\n${cells.map((cell, i) => `a${100 + i}@x.example;${cell}\n`).join('')}`;
  const id = await t.call<string>('importCreate', { id: list, content, options: { mapping: { cell: target } } });
  await t.call('importDryRun', { import: id });
  assert.equal(await run(id, true), 'finished');
  await t.call('importStart', { import: id });
  assert.equal(await run(id, false), 'finished');
  const { predicted, result } = await t.call<Status>('importGet', { import: id });
  assert.deepEqual(predicted, result);
  const tag = target.replace(/^new:/, '').replace(/:.*/, '');
  const rows = await t.app.db.rows<{ value: string }>(sql`
    select coalesce(s.fields ->> ${tag}, '') as value
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where s.list_id = ${parseId(list)}
    order by c.email`);
  const problems = await t.call<Problem[]>('importProblems', { import: id });
  return { values: rows.map(({ value }) => value), result, problems };
}
const newList = () => t.call<string>('listCreate', { title: 'Readers' });

test('numbers are read as people write them; others are left out', async () => {
  const { values, result, problems } = await imported(await newList(), 'new:POINTS:number', [
    '1,234.50',
    '1234',
    '1.234,50',
    '€ 12',
    '12%',
    'n/a',
    "1'234.5",
    '1 234',
    '-7',
    '$1,000,000',
    '3.5 kg',
  ]);
  assert.deepEqual(values, ['1234.5', '1234', '1234.5', '12', '12', '', '1234.5', '1234', '-7', '1000000', '']);
  assert.equal(result['added'], 11);
  assert.equal(result['invalid'], 0);
  assert.equal(result['values_left_out'], 2);
  assert.deepEqual(
    problems.map(({ column, count, line, value }) => ({ column, count, line, value })),
    [{ column: 'cell', count: 2, line: 7, value: 'n/a' }],
  );
  assert.match(problems[0]!.reason, /left out/);
});

test('in a column with decimal commas a dot is of thousands', async () => {
  const { values } = await imported(await newList(), 'new:SUM:number', ['1.234', '12,5', '1.234,50']);
  assert.deepEqual(values, ['1234', '12.5', '1234.5']);
  const plain = await imported(await newList(), 'new:SUM:number', ['1.234', '12.5', '1,234']);
  assert.deepEqual(plain.values, ['1.234', '12.5', '1234']);
});

test('websites without a scheme get one; others are left out', async () => {
  const { values, result } = await imported(await newList(), 'new:SITE:website', [
    'www.example.com',
    'example.com/x?a=b',
    'https://ok.example',
    'n/a',
    'none yet',
    'someone@example.com',
    'javascript:alert(1)',
    '//cdn.example.com/x',
  ]);
  assert.deepEqual(values, [
    'http://www.example.com',
    'http://example.com/x?a=b',
    'https://ok.example',
    ...['', '', '', ''],
    'http://cdn.example.com/x',
  ]);
  assert.equal(result['values_left_out'], 4);
});

test('an unknown choice, date, address, language or time of consent is left out', async () => {
  const list = await newList();
  await t.call('listMergeVarAdd', {
    ...{ id: list, tag: 'PLAN', name: 'Plan' },
    options: { field_type: 'dropdown', choices: ['Free', 'Pro'] },
  });
  const plans = await imported(list, 'PLAN', ['pro', 'Gold', 'Free']);
  assert.deepEqual(plans.values, ['Pro', '', 'Free']);
  for (const [target, cell] of [
    ['new:BDAY:date', 'in spring'],
    ['new:SECOND:email', 'not an address'],
    ['LANGUAGE', 'Klingon tongue'],
    ['TIMEZONE', 'Mars/Base'],
    ['OPTINTIME', 'yesterday'],
    ['OPTINTIME', '2199-01-01'],
    ['OPTINIP', '999.1.1.1'],
    ['EMAIL_TYPE', 'pigeon'],
    ['TAGS', 'x'.repeat(60)],
    ['new:NOTE', 'y'.repeat(2_001)],
    ['new:NOTE', 'broken \ufffd byte'],
  ] as const) {
    const { result } = await imported(await newList(), target, [cell]);
    assert.deepEqual([result['added'], result['invalid'], result['values_left_out']], [1, 0, 1], target);
  }
});

test('what is left out keeps the value that a contact has, also where empty cells clear it', async () => {
  const list = await newList();
  await imported(list, 'new:POINTS:number', ['7']);
  const content = 'email;points\na100@x.example;many\n';
  const options = { mapping: { points: 'POINTS' }, empty: 'clear' };
  const id = await t.call<string>('importCreate', { id: list, content, options });
  await t.call('importStart', { import: id });
  await run(id, false);
  const { merges } = await t.call<{ merges: Record<string, string> }>('listMemberInfo', {
    ...{ id: list, email_address: 'a100@x.example' },
  });
  assert.equal(merges['POINTS'], '7');
});

test('a required field without a value, an address and a status that cannot be read reject the row', async () => {
  const list = await newList();
  await t.call('listMergeVarAdd', { id: list, tag: 'NO', name: 'No', options: { field_type: 'number', req: true } });
  const required = await imported(list, 'NO', ['many', '7']);
  assert.deepEqual([required.result['added'], required.result['invalid']], [1, 1]);
  const unknown = await imported(await newList(), 'STATUS', ['gold', 'active']);
  assert.deepEqual([unknown.result['added'], unknown.result['invalid']], [1, 1]);
});

test('the good ones of several tags are kept', async () => {
  const list = await newList();
  await imported(list, 'TAGS', [`"vip, ${'x'.repeat(60)}, press"`]);
  assert.deepEqual((await t.call<{ tags: string[] }>('contactGet', { email: 'a100@x.example' })).tags, [
    'press',
    'vip',
  ]);
});
