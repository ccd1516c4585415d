// Addresses copied from an email program are imported one by one, however they are separated, with names and without.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { parseId } from '../../db/ids.ts';
import { runImport } from './run.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

type Preview = { columns: { heading: string; target: string; samples: string[] }[] };

async function imported(content: string, options: Record<string, unknown> = {}) {
  const list = await t.call<string>('listCreate', { title: 'Pasted' });
  const id = await t.call<string>('importCreate', { id: list, content, options });
  const { columns } = await t.call<Preview>('importPreview', { import: id });
  await t.call('importStart', { import: id });
  const signal = new AbortController().signal;
  assert.equal(await runImport(t.app, t.account.id, parseId(id), false, signal, t.app.log), 'finished');
  const { result } = await t.call<{ result: Record<string, number> }>('importGet', { import: id });
  const members = await t.call<{ email: string }[]>('listMembers', { id: list });
  return { list, id, columns, result, emails: members.map(({ email }) => email).sort() };
}

const three = ['ann@x.example', 'bob@x.example', 'cy@x.example'];
const pastes: Record<string, string> = {
  commas: 'ann@x.example, bob@x.example, cy@x.example',
  semicolons: 'ann@x.example;bob@x.example;cy@x.example',
  'semicolons with names': 'Ann Smith <ann@x.example>; Bob <bob@x.example>; cy@x.example',
  'quoted names with commas': '"Smith, Ann" <ann@x.example>, "Miller, Bob" <bob@x.example>, cy@x.example',
  'names with commas, between semicolons': 'Smith, Ann <ann@x.example>; Miller, Bob <bob@x.example>; cy@x.example;',
  'names with commas, between commas': 'Smith, Ann <ann@x.example>, Miller, Bob <bob@x.example>, cy@x.example',
  blanks: 'ann@x.example bob@x.example cy@x.example',
  tabs: 'ann@x.example\tbob@x.example\tcy@x.example',
  'names and tabs': 'Ann <ann@x.example>\tBob <bob@x.example>\tcy@x.example\n',
  'several on some lines': 'ann@x.example, bob@x.example\ncy@x.example\n',
  'a name and a comma at the end of each line':
    'Ann Smith <ann@x.example>,\r\n"Miller, Bob" <bob@x.example>,\r\ncy@x.example,\r\n',
  'one quoted name on each line': '"Smith, Ann" <ann@x.example>\n"Miller, Bob" <bob@x.example>\n<cy@x.example>\n',
  'a header line': 'To: Ann <ann@x.example>, Bob <bob@x.example>,\n cy@x.example\nCc: ann@x.example\n',
  'links of a program': 'Ann [mailto:ann@x.example]; Bob [mailto:bob@x.example]; mailto:cy@x.example',
  'a heading above': 'Email\nann@x.example; bob@x.example\ncy@x.example\n',
  'signs of other scripts': 'ann@x.example；bob@x.example、cy@x.example',
  'an address as a name': '"ann@x.example" <ann@x.example>, bob@x.example <bob@x.example>, cy@x.example',
  'an apostrophe in a name': "Ann O'Neil <ann@x.example>; 'Bob' <bob@x.example>; cy@x.example",
  'untidy ones': "\u200bann@x.example.; 'bob@x.example' ;cy\uff20x.example;",
  'a table whose first row is untidy': 'ann@x.example.;Ann\nbob@x.example;Bob\n<cy@x.example>;Cy\n',
  'a quotation mark in a name': '"Ann \\"A\\" Smith" <ann@x.example>, bob@x.example, cy@x.example',
};
for (const [name, content] of Object.entries(pastes))
  test(`every address is imported: ${name}`, async () => {
    const { emails, result } = await imported(content);
    assert.deepEqual(emails, three);
    assert.deepEqual([result['added'], result['invalid']], [3, 0]);
  });

test('names can be imported, and what is no address is listed', async () => {
  const content = '"Smith, Ann" <ann@x.example>, Bob <bob@x.example>\nnot an address at all\ncy@x.example\n';
  const { columns } = await imported('"Smith, Ann" <ann@x.example>, Bob <bob@x.example>');
  assert.deepEqual(
    columns.map(({ heading, target, samples }) => [heading, target, samples]),
    [
      ['Email', 'EMAIL', ['ann@x.example', 'bob@x.example']],
      ['Name', '', ['Smith, Ann', 'Bob']],
    ],
  );
  // The heading of a file with one column stays what a mapping names.
  assert.deepEqual((await imported('Contact\nAnn <ann@x.example>\n', { mapping: { Contact: 'EMAIL' } })).emails, [
    three[0],
  ]);
  const { list } = await imported('"Smith, Ann" <ann@x.example>, Bob <bob@x.example>', { mapping: { Name: 'FNAME' } });
  const { merges } = await t.call<{ merges: Record<string, string> }>('listMemberInfo', {
    ...{ id: list, email_address: 'ann@x.example' },
  });
  assert.equal(merges['FNAME'], 'Smith, Ann');
  const { emails, result } = await imported(content);
  assert.deepEqual(emails, three);
  assert.deepEqual([result['rows'], result['invalid']], [4, 1]);
});

test('an address of a long paste that cannot be used is rejected with its line, the others come in', async () => {
  const many = Array.from({ length: 6_000 }, (_, i) => `Person ${i} <p${i}@x.example>`);
  const { id, result } = await imported(`${many.join('; ')};\nlost words\n<bad@@x.example>; z@x.example`);
  assert.deepEqual([result['rows'], result['added'], result['invalid']], [6_003, 6_001, 2]);
  const errors = await t.call<{ line: number; value: string }[]>('importErrors', { import: id });
  assert.deepEqual(
    errors.map(({ line, value }) => [line, value]),
    [
      [2, 'lost words'],
      [3, 'bad@@x.example'],
    ],
  );
});

test('tables are read as tables', async () => {
  const tables: [content: string, columns: number][] = [
    ['ann@x.example,Ann\nbob@x.example,Bob\n', 2],
    ['Ann;ann@x.example\nBob;bob@x.example\n', 2],
    ['Email,Name\nann@x.example,Ann\n', 2],
    ['Email,Second\nann@x.example,a2@x.example\n', 2],
    ['E-Mail;Vorname\nAnn <ann@x.example>;Ann\n', 2],
    ['ann@x.example\nbob@x.example\n', 1],
    ['Ann\tSmith\tann@x.example\n', 3],
  ];
  for (const [content, columns] of tables) {
    const list = await t.call<string>('listCreate', { title: 'Table' });
    const id = await t.call<string>('importCreate', { id: list, content });
    assert.equal((await t.call<Preview>('importPreview', { import: id })).columns.length, columns, content);
  }
  // Given a delimiter, the file is a table.
  const list = await t.call<string>('listCreate', { title: 'Table' });
  const content = 'ann@x.example,bob@x.example\n';
  const id = await t.call<string>('importCreate', { id: list, content, options: { delimiter: ',' } });
  const { columns } = await t.call<Preview>('importPreview', { import: id });
  assert.deepEqual(
    columns.map(({ samples }) => samples),
    [['ann@x.example'], ['bob@x.example']],
  );
});
