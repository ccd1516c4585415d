// Copies in another account of the same person: what is in them, what is named as left out, and who may not make them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signIn } from '../../test/conformance/fixture.ts';
import { listOf } from '../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { addMember } from '../accounts/people/user.ts';
import type { Role } from '../base/permissions.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { call } from '../doors/call.ts';

let app: TestApp;
let other: Awaited<ReturnType<TestApp['anotherAccount']>>;
let list: string;
let there: string;
before(async () => {
  app = await testApp();
  other = await app.anotherAccount('pro');
  list = await listOf(app, ['a@here.example']);
  there = await listOf(other, [], 'There');
  await app.call('listMergeVarAdd', { id: list, tag: 'PLAN', name: 'Plan' });
});
after(() => app.close());

type Copied = { id: string; left_out: string[] };
/** A person of the first account with a role in the other one. */
async function person(role?: Role) {
  const { token, userId } = await signIn(app.app, app.account.id);
  if (role) await addMember(app.app.db, other.account.id, userId, role);
  return <T = Copied>(method: string, params: Record<string, unknown> = {}) =>
    call(app.app, method, params, { kind: 'session', token, ip: '' }, 'web') as Promise<T>;
}
const account = () => formatId(other.account.id);

test('a template is copied with its picture, and its alias is named', async () => {
  const asset = await app.call<{ url: string }>('assetCreate', {
    title: 'dot.png',
    content: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  });
  const template_id = await app.call<string>('templateCreate', {
    ...{ name: 'Letter', layout: 'postcard', alias: 'letter', subject: 'Hello' },
    source: `<p>Dear *|FNAME|*</p><img src="${asset.url}">`,
  });
  const me = await person('editor');
  const copied = await me('templateCopy', { template_id, account: account() });
  assert.deepEqual(copied.left_out, ['The alias letter']);
  const shown = await other.call<{ id: string; name: string; layout: string; source: string }[]>('campaignTemplates');
  const copy = shown.find(({ id }) => id === copied.id)!;
  assert.deepEqual([copy.name, copy.layout], ['Letter', 'postcard']);
  assert.match(copy.source, new RegExp(`/asset/${account()}/`));
  assert.doesNotMatch(copy.source, new RegExp(formatId(app.account.id)));
  const stored = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from asset where account_id = ${other.account.id}`);
  assert.equal(stored!.count, 1);
  const log = await other.call<{ method: string; subject: string }[]>('auditLog');
  assert.ok(log.some(({ method, subject }) => method === 'templateCopy' && subject === copied.id));
});

test('a segment is copied where the list has its fields, and otherwise not at all', async () => {
  const make = (field: string, value: string) =>
    app.call<string>('listSegmentCreate', {
      ...{ list, title: `With ${field}`, match: 'all' },
      filter: [{ match: 'any', filter: [{ field, condition: 'is', value }] }],
    });
  const me = await person('owner');
  const names = await me('segmentCopy', { id: await make('FNAME', 'Ada'), account: account(), list: there });
  assert.deepEqual(names.left_out, []);
  const [shown] = await other.call<{ id: string; name: string }[]>('segments');
  assert.deepEqual([shown!.id, shown!.name], [names.id, 'With FNAME']);
  const before = (await other.call<unknown[]>('segments')).length;
  for (const id of [await make('PLAN', 'gold'), await make('list', list)])
    await assert.rejects(me('segmentCopy', { id, account: account(), list: there }), {
      fault: 'SEGMENT_INVALID',
      message: /does not have what the conditions ask for: (PLAN|list)\. Nothing was copied/,
    });
  assert.equal((await other.call<unknown[]>('segments')).length, before);
});

test('an automation is copied as a draft with the texts of its emails, and names what it could not take along', async () => {
  const second = await listOf(app, [], 'Customers');
  const email = await app.call<string>('automationEmailCreate', { list, subject: 'Welcome', text: 'Hello *|FNAME|*' });
  const id = await app.call<string>('automationCreate', { title: 'Welcome', list });
  await app.call('automationUpdate', {
    id,
    trigger: { type: 'field', field: 'PLAN' },
    steps: [
      { type: 'send', campaign: email },
      {
        type: 'condition',
        match: 'all',
        filter: [
          { field: 'PLAN', condition: 'is', value: 'gold' },
          { field: 'FNAME', condition: 'is', value: 'Ada' },
        ],
        yes: [{ type: 'add_to_list', list: second }],
        no: [{ type: 'wait', amount: 1, unit: 'days' }],
      },
    ],
  });
  const me = await person('editor');
  const copied = await me('automationCopy', { id, account: account(), list: there });
  assert.deepEqual(copied.left_out.toSorted(), [
    'Conditions on PLAN, which the list does not have',
    'The field PLAN, which the list does not have',
    'The list Customers of a step',
    'The sender of “Welcome”: it has that of the list',
  ]);
  const copy = await other.call<{
    status: string;
    steps: { type: string; campaign: string; filter: { field: string }[]; yes: { list: string }[]; no: unknown[] }[];
  }>('automationGet', { id: copied.id });
  assert.equal(copy.status, 'draft');
  const [send, condition] = copy.steps;
  assert.notEqual(send!.campaign, email);
  assert.match((await other.call<{ html: string }>('campaignContent', { cid: send!.campaign })).html, /Hello/);
  assert.deepEqual(
    [condition!.filter.map(({ field }) => field), condition!.yes[0]!.list, condition!.no.length],
    [['FNAME'], '', 1],
  );
  const emails = await app.app.db.row<{ type: string; from: string }>(sql`
    select type, reply_to as from from campaign where id = ${parseId(send!.campaign)}`);
  assert.deepEqual([emails!.type, emails!.from], ['auto', other.account.email]);
});

test('only a person who may write in both accounts copies, and only between accounts', async () => {
  const template_id = await app.call<string>('templateCreate', { name: 'Mine', source: '<p>x</p>' });
  const stranger = await person();
  await assert.rejects(stranger('templateCopy', { template_id, account: account() }), { fault: 'NOT_ALLOWED' });
  const viewer = await person('viewer');
  await assert.rejects(viewer('templateCopy', { template_id, account: account() }), {
    message: /may not change anything/,
  });
  assert.deepEqual(await viewer('copyTargets'), []);
  const editor = await person('editor');
  assert.deepEqual(await editor('copyTargets'), [
    { id: account(), name: 'Test organisation', lists: [{ id: there, name: 'There' }] },
  ]);
  await assert.rejects(editor('templateCopy', { template_id, account: formatId(app.account.id) }), {
    fault: 'NOT_ALLOWED',
  });
  await assert.rejects(app.call('templateCopy', { template_id, account: account() }), { fault: 'NOT_ALLOWED' });
  const { token, userId } = await signIn(app.app, app.account.id);
  await addMember(app.app.db, other.account.id, userId, 'editor');
  const asked = (method: string, params: Record<string, unknown> = {}) =>
    call(app.app, method, params, { kind: 'session', token, ip: '' }, 'web');
  // A set of lists, there or here.
  for (const accountId of [other.account.id, app.account.id]) {
    const limit = (lists: number[] | null) =>
      app.app.db.run(sql`
        update membership set lists = ${lists}::int[] where account_id = ${accountId} and user_id = ${userId}`);
    await limit([parseId(accountId === app.account.id ? list : there)]);
    await assert.rejects(asked('templateCopy', { template_id, account: account() }), { fault: 'NOT_ALLOWED' });
    assert.deepEqual(await asked('copyTargets').catch(() => []), []);
    await limit(null);
  }
});
