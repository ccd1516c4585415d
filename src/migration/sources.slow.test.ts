// Moving in from each program with an export of 10,000 people, through the methods, with the task in this process.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { type MigrationTools, migrationTools } from '../../test/support/installation/migrations.ts';
import {
  brevoCsv,
  invalid,
  keilaCsv,
  leavers,
  listmonkDump,
  mailchimpArchive,
  mailtrainDump,
  people,
} from '../../test/support/samples/source-exports.ts';
import type { Source } from './files/item.ts';

let t: TestApp;
let tools: MigrationTools;
before(async () => {
  t = await testApp();
  tools = migrationTools(t);
});
after(() => t.close());

const exportsOf: Record<Source, { file: string; bytes: () => Buffer; lists: string[]; template: boolean }> = {
  mailchimp: { file: 'export.zip', bytes: mailchimpArchive, lists: ['News', 'Offers'], template: true },
  listmonk: { file: 'listmonk.sql.gz', bytes: listmonkDump, lists: ['News', 'Offers'], template: true },
  mailtrain: { file: 'mailtrain.sql', bytes: mailtrainDump, lists: ['News', 'Offers'], template: true },
  keila: { file: 'Readers.csv', bytes: keilaCsv, lists: ['Readers'], template: false },
  brevo: { file: 'export.csv', bytes: brevoCsv, lists: ['News', 'Offers'], template: false },
};

for (const [source, { file, bytes, lists, template }] of Object.entries(exportsOf) as [
  Source,
  (typeof exportsOf)[Source],
][])
  test(`${source}: the dry run changes nothing, those who left are not subscribed, and a second run changes nothing`, async () => {
    const account = await t.anotherAccount();
    await account.call('listCreate', { title: 'Untouched' });
    const before = await tools.stored(account);
    const id = await tools.prepared(account, source, [[file, bytes()]]);
    await tools.finish(account, id);
    const checked = await tools.statusOf(account, id);
    assert.equal(checked.state, 'checked', checked.reason);
    assert.equal(await tools.stored(account), before);
    assert.equal((await account.call<unknown[]>('lists')).length, 1);
    assert.deepEqual(
      checked.lists.map(({ name }) => name),
      lists,
    );
    const [first] = checked.lists;
    const states = first!.states;
    assert.equal(
      states['unsubscribed']! + states['bounced']! + states['complained']!,
      source === 'listmonk' ? 980 - 180 : 1_000,
    );
    await account.call('migrationStart', { migration: id });
    await tools.finish(account, id);
    const done = await tools.statusOf(account, id);
    assert.equal(done.state, 'done', done.reason);
    for (const list of done.lists) assert.deepEqual(list.result, { ...list.result, ...list.predicted });
    const subscribed = new Set(await tools.subscribedOf(account));
    assert.deepEqual(
      leavers.filter(({ email }) => subscribed.has(email)),
      [],
    );
    assert.equal(
      subscribed.size,
      people.filter(({ left, pending }) => left === '' && !(pending && hasPending(source))).length,
    );
    if (template) assert.match(await tools.stored(account), /Letter\|<p>Dear \*\|FNAME\|\*<\/p>/);
    assert.deepEqual(await tools.fieldsOf(account, 'person4@example.com'), { first: people[4]!.first, city: 'Rome' });
    const after = await tools.stored(account);
    const again = await tools.prepared(account, source, [[file, bytes()]]);
    await tools.finish(account, again);
    const predicted = await tools.statusOf(account, again);
    for (const list of predicted.lists)
      assert.equal((list.predicted['added'] ?? 0) + (list.predicted['updated'] ?? 0), 0);
    await account.call('migrationStart', { migration: again });
    await tools.finish(account, again);
    const second = await tools.statusOf(account, again);
    assert.equal(second.others['suppressions_added'], 0);
    assert.equal(second.others['templates_added'], 0);
    assert.equal(await tools.stored(account), after);
  });

const hasPending = (source: Source) => source === 'mailchimp' || source === 'listmonk';

test('rows that are not taken are named with their reason', async () => {
  const account = await t.anotherAccount();
  const id = await tools.prepared(account, 'mailchimp', [['export.zip', mailchimpArchive()]]);
  await tools.run(account, id);
  const { lists, problems } = await tools.statusOf(account, id);
  assert.equal(lists[0]!.predicted['invalid'], invalid.length);
  assert.equal(lists[0]!.predicted['duplicate'], 1);
  const all = await account.call<{ list: string; value: string; reason: string }[]>('migrationProblems', {
    migration: id,
  });
  for (const address of invalid)
    assert.ok(all.some(({ value }) => value === `Email Address: ${address}` || value.endsWith(address)));
  assert.ok(problems.some(({ reason, list }) => list === 'News' && reason === 'duplicate of an earlier row'));
});

test('who has left here, or is suppressed here, is not subscribed by a migration', async () => {
  const account = await t.anotherAccount();
  const list = await account.call<string>('listCreate', { title: 'Readers' });
  await account.call('listSubscribe', { id: list, email_address: 'person0@example.com', double_optin: false });
  await account.call('listUnsubscribe', { id: list, email_address: 'person0@example.com' });
  await account.call('suppressedListSubscribe', { email_address: 'person1@example.com' });
  const id = await tools.prepared(account, 'keila', [['Readers.csv', keilaCsv()]]);
  await tools.run(account, id);
  await account.call('migrationStart', { migration: id });
  await tools.finish(account, id);
  const status = await tools.statusOf(account, id);
  assert.equal(status.lists[0]!.list, list);
  assert.equal(status.lists[0]!.result['left'], 1);
  assert.ok(status.lists[0]!.result['suppressed']! >= 1);
  const subscribed = await tools.subscribedOf(account);
  assert.ok(!subscribed.includes('person0@example.com') && !subscribed.includes('person1@example.com'));
});

test('a migration can be stopped and resumed', async () => {
  const account = await t.anotherAccount();
  const id = await tools.prepared(account, 'listmonk', [['listmonk.sql.gz', listmonkDump()]]);
  await account.call('migrationStop', { migration: id });
  assert.equal(await tools.run(account, id), 'stopped');
  await account.call('migrationStart', { migration: id });
  await tools.finish(account, id);
  await account.call('migrationStart', { migration: id });
  const running = tools.run(account, id);
  while ((await tools.statusOf(account, id)).lists[0]!.list === '') await sleep(5);
  await account.call('migrationStop', { migration: id });
  assert.equal(await running, 'stopped');
  assert.equal((await tools.statusOf(account, id)).state, 'stopped');
  await account.call('migrationStart', { migration: id });
  await tools.finish(account, id);
  assert.equal((await tools.statusOf(account, id)).state, 'done');
});
