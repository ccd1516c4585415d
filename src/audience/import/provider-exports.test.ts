// Exports of other providers are imported with the mapping that is proposed: no one who left is subscribed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sample, slowTest } from '../../../test/support/run/runs.ts';
import { providerExports } from '../../../test/support/samples/provider-exports.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { exportRows } from '../export/rows.ts';
import { isMark, statusOf } from './file/status-words.ts';
import { runImport } from './run.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

async function importInto(list: string, content: string, options: Record<string, unknown> = {}): Promise<string> {
  const id = await t.call<string>('importCreate', { id: list, content, options });
  await t.call('importStart', { import: id });
  const signal = new AbortController().signal;
  assert.equal(await runImport(t.app, t.account.id, parseId(id), false, signal, t.app.log), 'finished');
  assert.deepEqual(await t.call('importErrors', { import: id }), []);
  return id;
}

const states = ['subscribed', 'unsubscribed', 'bounced', 'pending'] as const;
const table: (string | number)[][] = [];

for (const { name, content, statuses } of sample(providerExports, 4))
  test(`an export is imported with the status of each contact: ${name}`, async () => {
    const list = await t.call<string>('listCreate', { title: name });
    await importInto(list, content);
    const found: Record<string, string> = {};
    for (const email of Object.keys(statuses)) {
      const info = await t.call<{ status: string }>('listMemberInfo', { id: list, email_address: email });
      found[email] = info.status;
    }
    assert.deepEqual(found, statuses);
    const rows = content.trim().split('\r\n').length - (name.startsWith('Mailman 3') ? 0 : 1);
    const members = await t.app.db.rows<{ status: string }>(sql`
      select status from subscription where list_id = ${parseId(list)}`);
    assert.equal(members.length, rows, 'as many contacts as rows');
    const counts = states.map((state) => members.filter(({ status }) => status === state).length);
    assert.deepEqual(
      counts,
      states.map((state) => Object.values(statuses).filter((status) => status === state).length),
    );
    table.push([name, rows, ...counts, rows - members.length]);
  });

slowTest('the programs and what came of the rows of their exports', (context) => {
  const head = ['format', 'rows', ...states, 'skipped'];
  for (const row of [head, ...table])
    context.diagnostic(row.map((cell, i) => String(cell).padEnd(i === 0 ? 34 : 13)).join(''));
  assert.equal(table.length, sample(providerExports, 4).length);
  assert.ok(providerExports.length >= 60, String(providerExports.length));
});

test('an opt-out is not overridden by a status in the same row, whatever the order of the columns', async () => {
  const list = await t.call<string>('listCreate', { title: 'Order' });
  await importInto(list, 'EMAIL,Opted out,Status\na@x.example,yes,active\nb@x.example,no,active\n');
  await importInto(list, 'EMAIL,Status,Bounced,Opted out\nc@x.example,active,1,yes\nd@x.example,active,1,\n');
  const statuses = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) =>
      t.call<{ status: string }>('listMemberInfo', { id: list, email_address: `${name}@x.example` }),
    ),
  );
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['unsubscribed', 'subscribed', 'unsubscribed', 'bounced'],
  );
});

test('words of status: every one that means leaving unsubscribes, and others are not guessed', () => {
  const words: Record<string, string[]> = {
    subscribed: ['subscribed', 'ACTIVE', 'Opted-In', 'yes', '1', 'enabled', 'Aktiv'],
    unsubscribed: [
      'blocklisted',
      'Blacklisted',
      'cancelled',
      'canceled',
      'inactive',
      'deleted',
      'disabled',
      'unsubscribe',
    ].concat([
      'NEVER_SUBSCRIBED',
      'non-subscribed',
      'Opted_Out',
      'archived',
      'Marked as spam',
      'no',
      '0',
      'Abgemeldet am 3.',
    ]),
    bounced: ['Hard bounced', 'soft_bounced', 'cleaned', 'BOUNCE', 'invalid'],
    pending: ['unconfirmed', 'Pending'],
    undefined: ['', 'CA', 'gold', 'customer'],
  };
  for (const [status, all] of Object.entries(words))
    for (const word of all) assert.equal(String(statusOf(word)), status, word);
  for (const mark of ['2022-01-01', '1', 'x', 'Yes', 'too many emails', 'UNSUBSCRIBED'])
    assert.equal(isMark(mark), true, mark);
  for (const none of ['', ' ', '0', 'No', 'false', '0000-00-00 00:00:00', '[]', 'null', 'Subscribed'])
    assert.equal(isMark(none), false, none);
});

test('values that spreadsheets read as formulas come back from an export as they were', async () => {
  const values = [
    '=1+1',
    "'=1+1",
    "''=1",
    'x;=1+1',
    "x;'=1",
    'a\t-5',
    '＝1',
    'x;＠y',
    '+49 30',
    '-',
    '@a',
    "it's",
    "'",
    'a\n=1',
    ';',
  ];
  const list = await t.call<string>('listCreate', { title: 'Formulas' });
  for (const [i, value] of values.entries())
    await t.call('listSubscribe', {
      ...{ id: list, email_address: `v${i}@x.example`, double_optin: false },
      merge_vars: { FNAME: value },
    });
  let text = '';
  for await (const row of exportRows(t.app.db, t.account.id, { list, status: '', segment: '', bom: false }))
    text += row;
  assert.doesNotMatch(text, /(^|[,;\t"])[=+@＝＠]/m);
  const other = await t.call<string>('listCreate', { title: 'Again' });
  await importInto(other, text);
  for (const [i, value] of values.entries()) {
    const info = { id: other, email_address: `v${i}@x.example` };
    const { merges } = await t.call<{ merges: Record<string, string> }>('listMemberInfo', info);
    assert.equal(merges['FNAME'], value);
  }
});
