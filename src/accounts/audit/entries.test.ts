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
