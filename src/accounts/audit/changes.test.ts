// What the audit log keeps of a change: the values before and after it, short, and no secret.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { runWaitingJobs } from '../../../test/support/run/jobs.ts';
import { watched } from './changes.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1/32' });
  list = await listOf(app, ['ann@example.com']);
});
after(() => app.close());

type Change = { name: string; before: string; after: string; before_length: number; after_length: number };

/** The changes of the latest entry of a method. */
async function changesOf(method: string): Promise<Change[]> {
  const [entry] = await app.call<{ changes: Change[] }[]>('auditLog', { method, limit: 1 });
  return entry!.changes;
}
const inShort = (changes: readonly Change[]) => changes.map(({ name, before, after }) => [name, before, after]);

test('a setting of the account, a list and a campaign is kept as it was and as it is', async () => {
  await app.call('accountUpdate', { name: 'company', value: 'Lumen Ltd' });
  assert.deepEqual(inShort(await changesOf('accountUpdate')), [['company', '', 'Lumen Ltd']]);
  await app.call('accountUpdate', { name: 'sender_name', value: 'Ada' });
  await app.call('accountUpdate', { name: 'sender_name', value: 'Grace' });
  assert.deepEqual(inShort(await changesOf('accountUpdate')), [['sender_name', 'Ada', 'Grace']]);
  await app.call('brandUpdate', { color: '#112233' });
  await app.call('brandUpdate', { color: '#445566' });
  assert.deepEqual(inShort(await changesOf('brandUpdate')), [['brand.color', '#112233', '#445566']]);

  await app.call('listUpdate', { id: list, name: 'title', value: 'Readers' });
  assert.deepEqual(inShort(await changesOf('listUpdate')), [['name', 'List', 'Readers']]);
  const segment = await app.call<string>('listSegmentCreate', {
    ...{ list, title: 'Near', match: 'all', filter: [{ field: 'EMAIL', condition: 'contains', value: 'example' }] },
  });
  await app.call('listSegmentUpdate', {
    ...{ id: segment, filter: [{ field: 'EMAIL', condition: 'contains', value: 'example.org' }] },
  });
  const [filter, ...others] = await changesOf('listSegmentUpdate');
  assert.deepEqual([filter!.name, others], ['filter', []]);
  assert.match(filter!.before, /contains example$/);
  assert.match(filter!.after, /contains example\.org$/);

  const cid = await aCampaign(app, { to: list });
  await app.call('campaignUpdate', { cid, name: 'subject', value: 'Hello' });
  assert.deepEqual(inShort(await changesOf('campaignUpdate')), [['subject', 'News', 'Hello']]);
  await app.call('campaignUpdate', { cid, name: 'subject', value: 'Hello' });
  assert.deepEqual(await changesOf('campaignUpdate'), []);
});

test('of a long text its first words and its length are kept, of HTML the length', async () => {
  const cid = await aCampaign(app, { to: list });
  const text = 'word '.repeat(1_000);
  await app.call('campaignUpdate', { cid, name: 'content', value: { html: `<p>${text}</p>`, plain: `${text}end` } });
  const changes = await changesOf('campaignUpdate');
  const of = (name: string) => changes.find((change) => change.name === name)!;
  assert.ok(of('plain').after.startsWith('word word') && of('plain').after.length <= 200);
  assert.equal(of('plain').after_length, 5_003);
  assert.deepEqual([of('html').before, of('html').after], ['', '']);
  assert.ok(of('html').after_length > 5_000 && of('html').before_length < 200);
});

test('no secret of a webhook is kept, neither its key nor what its address holds', async () => {
  const wid = await app.call<string>('webhookCreate', {
    title: 'Shop',
    options: { url: 'http://127.0.0.1:9/hooks/canary-one?token=canary-two', events: ['contact.subscribe'] },
  });
  const update = (name: string, value: unknown) => app.call('webhookUpdate', { wid, name, value });
  await update('url', 'http://127.0.0.1:9/hooks/canary-three?token=canary-four');
  assert.deepEqual(inShort(await changesOf('webhookUpdate')), [['url', '127.0.0.1:9', '127.0.0.1:9']]);
  await update('secret_key', 'canary-key-of-enough-characters');
  assert.deepEqual(await changesOf('webhookUpdate'), []);
  await update('events', ['contact.subscribe', 'email.bounce']);
  assert.deepEqual(inShort(await changesOf('webhookUpdate')), [
    ['events', 'contact.subscribe', 'contact.subscribe, email.bounce'],
  ]);
  const log = JSON.stringify(await app.call('auditLog', { limit: 1_000 }));
  assert.doesNotMatch(log, /canary/);
});

test('an erased contact is named in no change', async () => {
  await app.call('listSubscribe', { id: list, email_address: 'Gone@example.com', double_optin: false });
  await app.call('listUpdate', { id: list, name: 'permission_reminder', value: 'As Gone@example.com asked us.' });
  await app.call('contactErase', { email: 'gone@example.com' });
  await runWaitingJobs(app.app, 'eraseCopies');
  const [change] = await changesOf('listUpdate');
  assert.equal(change!.name, 'permission_reminder');
  assert.match(change!.after, /^As [0-9a-f]{32}@erased\.invalid asked us\.$/);
});

test('every method of which changes are kept is a method that changes something', async () => {
  const { methods } = await import('../../doors/registry.ts');
  const changing = new Set(methods.filter(({ reads }) => !reads).map(({ name }) => name));
  assert.deepEqual(
    Object.keys(watched).filter((name) => !changing.has(name)),
    [],
  );
});
