// The entries of the audit log name what they are about, on a real database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

test('what a call has created is the subject of its entry, by its name', async () => {
  const list = await t.call<string>('listCreate', { title: 'Readers' });
  const cid = await t.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      title: 'Spring letter',
      subject: 'Spring',
      from_email: 'us@example.com',
      from_name: 'Us',
    },
    content: { html: '<p>x</p>', plain: 'x' },
  });
  const [entry] = await t.call<Record<string, unknown>[]>('auditLog', { limit: 1 });
  assert.deepEqual(
    [entry!['method'], entry!['subject'], entry!['subject_name']],
    ['campaignCreate', cid, 'Spring letter'],
  );
});

test('a sender domain is named by its domain', async () => {
  await t.call('senderDomainCreate', { domain: 'news.example.com' });
  const [entry] = await t.call<Record<string, unknown>[]>('auditLog', { methods: ['senderDomainCreate'] });
  assert.equal(entry!['subject'], 'news.example.com');
});

test('the entries of several methods are read together, and no others', async () => {
  const list = await t.call<string>('listCreate', { title: 'Partners' });
  await t.call('listUpdate', { id: list, name: 'title', value: 'Friends' });
  await t.call('labelCreate', { name: 'Spring', colour: 'teal' });
  const read = async (methods: string[]) =>
    (await t.call<{ method: string; subject: string }[]>('auditLog', { methods }))
      .filter(({ subject }) => [list, 'Partners', 'Spring'].includes(subject))
      .map(({ method }) => method);
  assert.deepEqual(await read(['listcreate', 'listUpdate']), ['listUpdate', 'listCreate']);
  assert.deepEqual(await read([]), []);
});

type Named = { method: string; subject: string; subject_name: string; subject_deleted: boolean };
const about = async (subject: string) =>
  (await t.call<Named[]>('auditLog', { limit: 100 }))
    .filter((entry) => entry.subject === subject)
    .map(({ method, subject_name, subject_deleted }) => [method, subject_name, subject_deleted]);

test('people, segments and senders are named, and what was deleted keeps its last name and says that it is gone', async () => {
  const list = await t.call<string>('listCreate', { title: 'Members of the club' });
  const filter = [{ field: 'EMAIL', condition: 'contains', value: 'a' }];
  const segment = await t.call<string>('listSegmentCreate', { list, title: 'First', match: 'all', filter });
  await t.call('listSegmentUpdate', { id: segment, title: 'Second' });
  assert.deepEqual((await about(segment))[0], ['listSegmentUpdate', 'Second', false]);
  await t.call('listSegmentDelete', { id: segment });
  assert.deepEqual(await about(segment), [
    ['listSegmentDelete', 'Second', true],
    ['listSegmentUpdate', 'Second', true],
  ]);

  const { id } = await t.call<{ id: string }>('userInvite', { email: 'jo@example.com', role: 'viewer' });
  await t.call('userUpdate', { id, role: 'editor' });
  assert.deepEqual(await about(id), [['userUpdate', 'jo@example.com', false]]);
  await t.call('userDelete', { id });
  assert.deepEqual(await about(id), [
    ['userDelete', 'jo@example.com', true],
    ['userUpdate', 'jo@example.com', true],
  ]);
});

test('the entries about an API key have its label, and never the key', async () => {
  const key = await t.call<string>('apikeyAdd', { label: 'shop' });
  await t.call('apikeyUpdate', { key, scope: 'read' });
  await t.call('apikeyExpire', { key });
  const entries = await t.call<{ method: string; detail: Record<string, string> }[]>('auditLog', {
    methods: ['apikeyAdd', 'apikeyUpdate', 'apikeyExpire'],
  });
  assert.deepEqual(
    entries.slice(0, 3).map(({ method, detail }) => [method, detail['label']]),
    [
      ['apikeyExpire', 'shop'],
      ['apikeyUpdate', 'shop'],
      ['apikeyAdd', 'shop'],
    ],
  );
  assert.ok(!JSON.stringify(entries).includes(key));
});
