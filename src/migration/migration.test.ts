// Moving in with small files, through the methods: which of them are taken, and what their names say. sources.slow.test.ts has whole
// exports of each program.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { type MigrationTools, migrationTools } from '../../test/support/installation/migrations.ts';
import { csvOf } from '../../test/support/samples/source-exports.ts';
import type { Source } from './files/item.ts';

let t: TestApp;
let tools: MigrationTools;
before(async () => {
  t = await testApp();
  tools = migrationTools(t);
});
after(() => t.close());

test('a file that does not say who has left is refused', async () => {
  const account = await t.anotherAccount();
  const files: [Source, string, string][] = [
    [
      'listmonk',
      'subscribers.csv',
      'uuid,email,name,attributes,status,created_at,updated_at\nu,a@example.com,A,{},enabled,,\n',
    ],
    ['brevo', 'all.csv', 'CONTACT ID,EMAIL\n1,a@example.com\n'],
    ['keila', 'contacts.csv', 'Email,First name\na@example.com,A\n'],
    ['mailchimp', 'people.csv', 'Email Address,First Name\na@example.com,A\n'],
  ];
  for (const [source, name, text] of files) {
    const id = await tools.prepared(account, source, [[name, Buffer.from(text)]]);
    assert.equal(await tools.run(account, id), 'failed');
    const { state, reason } = await tools.statusOf(account, id);
    assert.equal(state, 'failed');
    assert.match(reason, /does not say who has unsubscribed/);
  }
});

test('CSV files of listmonk count by the status in their names', async () => {
  const account = await t.anotherAccount();
  const rows = (emails: string[]) =>
    Buffer.from(
      csvOf([
        ['uuid', 'email', 'name', 'attributes', 'status'],
        ...emails.map((email) => ['u', email, 'A B', '{}', 'enabled']),
      ]),
    );
  const id = await tools.prepared(account, 'listmonk', [
    ['subscribed-News.csv', rows(['stay@example.com', 'both@example.com'])],
    ['unsubscribed-News.csv', rows(['gone@example.com', 'both@example.com'])],
  ]);
  await tools.run(account, id);
  await account.call('migrationStart', { migration: id });
  await tools.run(account, id);
  assert.deepEqual(await tools.subscribedOf(account), ['stay@example.com']);
});
