// Our own export comes back with the evidence of consent of each contact, whatever its status; and addresses that people wrote
// untidily, words of other programs and empty values of databases are read.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { exportRows } from '../export/rows.ts';
import { runImport } from './run.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const newList = () => t.call<string>('listCreate', { title: 'Readers' });
async function imported(list: string, content: string, options: Record<string, unknown> = {}) {
  const id = await t.call<string>('importCreate', { id: list, content, options });
  await t.call('importStart', { import: id });
  const signal = new AbortController().signal;
  assert.equal(await runImport(t.app, t.account.id, parseId(id), false, signal, t.app.log), 'finished');
  return (await t.call<{ result: Record<string, number> }>('importGet', { import: id })).result;
}
async function exported(list: string): Promise<string> {
  let text = '';
  for await (const part of exportRows(t.app.db, t.account.id, { list, status: '', segment: '', bom: false }))
    text += part;
  return text.split('\r\n').sort().join('\n');
}
const statusOf = async (list: string, email_address: string) =>
  (await t.call<{ status: string }>('listMemberInfo', { id: list, email_address })).status;

test('an export is imported into another list, and exported the same', async () => {
  const list = await newList();
  await t.call('listMergeVarAdd', { id: list, tag: 'BDAY', name: 'Born', options: { field_type: 'date' } });
  for (const name of ['ann', 'lou', 'pen', 'dee', 'ina'])
    await t.call('listSubscribe', {
      ...{ id: list, email_address: `${name}@x.example`, double_optin: false },
      merge_vars: { FNAME: name, BDAY: '1980-02-03', OPTINIP: '192.0.2.7', LANGUAGE: 'de' },
    });
  await t.call('contactTagsUpdate', { emails: ['ann@x.example'], add: ['vip'] });
  const set = (name: string, change: ReturnType<typeof sql>) =>
    t.app.db.run(sql`
      update subscription s
      set ${change}
      from contact c
      where c.account_id = s.account_id and c.id = s.contact_id and c.email = ${`${name}@x.example`}
        and s.list_id = ${parseId(list)}`);
  await t.app.db.run(sql`
    update subscription
    set signup_at = '2020-01-02 03:04:05Z', optin_at = '2020-01-02 03:05:06Z', confirm_at = '2020-02-03 04:05:06Z',
      confirm_ip = '192.0.2.9'
    where list_id = ${parseId(list)}`);
  await set(
    'lou',
    sql`status = 'unsubscribed', unsubscribe_at = '2021-06-07 08:09:10Z', unsubscribe_reason = 'too many'`,
  );
  await set('pen', sql`status = 'pending', confirm_at = null, confirm_ip = ''`);
  await set('dee', sql`status = 'bounced'`);
  await set('ina', sql`status = 'inactive'`);
  const before = await exported(list);
  const other = await newList();
  await t.call('listMergeVarAdd', { id: other, tag: 'BDAY', name: 'Born', options: { field_type: 'date' } });
  const result = await imported(other, before.split('\n').filter(Boolean).sort(headingFirst).join('\n'));
  assert.deepEqual([result['added'], result['invalid'], result['values_left_out']], [5, 0, 0]);
  // An import knows no inactive contacts: they come as unsubscribed, and get no email either way.
  const lines = (text: string) => text.split('\n').filter((line) => !line.startsWith('ina@'));
  assert.deepEqual(lines(await exported(other)), lines(before));
  assert.equal(await statusOf(other, 'ina@x.example'), 'unsubscribed');
});

const headingFirst = (a: string, b: string) => Number(b.startsWith('EMAIL,')) - Number(a.startsWith('EMAIL,'));

test('evidence in the future, and what cannot be read, is left out', async () => {
  const list = await newList();
  const result = await imported(
    list,
    'EMAIL,STATUS,CONFIRM_TIME,CONFIRM_IP,SIGNUP_TIME\na@x.example,subscribed,2199-01-01 00:00:00,nowhere,soon\n',
  );
  assert.deepEqual([result['added'], result['values_left_out']], [1, 3]);
});

test('a member whose status stays keeps its evidence', async () => {
  const list = await newList();
  await imported(list, 'EMAIL,STATUS,CONFIRM_TIME\na@x.example,subscribed,2020-01-02 03:04:05\n');
  await imported(list, 'EMAIL,STATUS,CONFIRM_TIME,FNAME\na@x.example,subscribed,2021-01-02 03:04:05,Ann\n');
  assert.match(await exported(list), /2020-01-02 03:04:05/);
  assert.doesNotMatch(await exported(list), /2021-01-02/);
});

test('words of other programs: resubscribed, and NULL for no value', async () => {
  const list = await newList();
  const result = await imported(
    list,
    'Email,First name,City,Status\na@x.example,Ann,NULL,resubscribed\nb@x.example,NULL,Null,unsubscribed\n',
    { mapping: { City: 'new:CITY' } },
  );
  assert.equal(result['added'], 2);
  assert.equal(await statusOf(list, 'a@x.example'), 'subscribed');
  const merges = async (email_address: string) =>
    (await t.call<{ merges: Record<string, string> }>('listMemberInfo', { id: list, email_address })).merges;
  assert.equal((await merges('a@x.example'))['CITY'] ?? '', '');
  // A place or a person can be called so.
  assert.equal((await merges('b@x.example'))['CITY'], 'Null');
  assert.equal((await merges('b@x.example'))['FNAME'] ?? '', '');
});

test('what programs write where there is no value is none, and a name, a place or a choice may be called so', async () => {
  const list = await newList();
  await t.call('listMergeVarAdd', {
    id: list,
    tag: 'DIET',
    name: 'Diet',
    options: { field_type: 'dropdown', choices: ['vegan', 'n/a'] },
  });
  const rows = ['N/A,null,vegan', '#N/A,n/a,N/A', '(null),undefined,n/a', '#REF!,NaN,#NV', 'Null,None,NULL', 'Na,Nil,'];
  await imported(
    list,
    `Email,First name,Last name,Diet\n${rows.map((row, i) => `p${i}@x.example,${row}`).join('\n')}\n`,
  );
  const stored = await Promise.all(
    rows.map(async (_, i) => {
      const { merges } = await t.call<{ merges: Record<string, string> }>('listMemberInfo', {
        id: list,
        email_address: `p${i}@x.example`,
      });
      return [merges['FNAME'] ?? '', merges['LNAME'] ?? '', merges['DIET'] ?? ''].join();
    }),
  );
  assert.deepEqual(stored, [',,vegan', ',,', ',,n/a', ',,', 'Null,None,', 'Na,Nil,']);
});

test('NULL in a column of status subscribes no one', async () => {
  const list = await newList();
  await imported(list, 'Email,Status\na@x.example,NULL\nb@x.example,subscribed\n');
  assert.equal(await statusOf(list, 'a@x.example'), 'unsubscribed');
});

test('untidy addresses are read', async () => {
  const untidy = [
    '\u200ba@x.example',
    'b@x.example\u200b',
    'c@\u2060x.example',
    'd@x.example,',
    'e@x.example.',
    "'f@x.example'",
    '"g@x.example"',
    '‘h@x.example’',
    '<i@x.example>;',
    'j @x.example',
    'k＠x.example',
    '\u00a0l@x.example\u00a0',
    'mailto:m@x.example',
    '(n@x.example)',
    'o\u00ad@x.example',
    'mailto:p@x.example?subject=Hi',
    'mailto://q@x.example',
    'r@x.example (work)',
    '- s@x.example',
    'E-mail: t@x.example',
    'u&#64;x.example',
    'v@x.example/',
    'w@x.example|',
  ];
  const list = await newList();
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const result = await imported(list, `Email\tName\n${untidy.map((text) => `${cell(text)}\tX`).join('\n')}\n`);
  assert.deepEqual([result['added'], result['invalid']], [untidy.length, 0]);
  const emails = (await t.call<{ email: string }[]>('listMembers', { id: list })).map(({ email }) => email).sort();
  assert.deepEqual(
    emails,
    untidy.map((_, i) => `${String.fromCharCode(97 + i)}@x.example`),
  );
  const wrong = await imported(await newList(), 'Email,Name\na b@x.example,X\nx.example,X\na@@x.example,X\n,X\n');
  assert.equal(wrong['invalid'], 4);
});
