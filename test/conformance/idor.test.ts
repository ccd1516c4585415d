// Objects of another account: for every method and every parameter that takes an id, the answer to the id of another
// account's object is, byte for byte, the answer to an unknown id.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Fault } from '../../src/base/faults.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { methods } from '../../src/doors/registry.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { draftOf, type Fixture, makeAccount, makePlaceholder, memberEmail } from './fixture.ts';

let app: TestApp;
let own: Fixture;
let theirs: Fixture;
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app, 'pro', ['inline_img']);
  theirs = await makeAccount(app.app, 'pro', ['inline_img']);
});
after(() => app?.close());

/** What no row of any kind has: the last id there is. */
const unknown = 'ffffffff';
/** An id, the two of a message, or a key. */
const isId = (text: string) => /^(?:[abcdf][0-9a-f]{7}|[0-9a-f]{16}|[0-9a-f]{32})$/.test(text);

/** Placeholders that are not ids: two accounts may have the same address, domain, image or tag of a field. */
const notIds = ['email', 'suppressed', 'newcomer', 'username', 'password', 'domain', 'asset', 'block'];
const withoutId = new Set([...notIds, 'field_tag', 'free_tag', 'shared_tag']);

/** The answer as a caller gets it, with the id asked for left out. */
async function answer(method: string, params: Record<string, unknown>, asked: string): Promise<string> {
  let outcome: unknown;
  try {
    outcome = { result: await own.call(method, params) };
  } catch (error) {
    const { fault, code, message } = error as Fault & { code?: number };
    assert.ok(fault, `${method}: ${error}`);
    assert.notEqual(fault, 'INTERNAL', message);
    outcome = { fault, code, message };
  }
  return JSON.stringify(outcome).replaceAll(asked, '<id>');
}

/** The parameters with one placeholder filled in with a certain id, all others with things of one's own. */
async function filled(example: Record<string, unknown>, chosen: string, id: string): Promise<Record<string, unknown>> {
  let text = JSON.stringify(example);
  for (const [all, name] of text.matchAll(/\{\{(\w+)\}\}/g))
    text = text.replaceAll(all, name === chosen ? id : (await makePlaceholder(app.app, own, name!))!);
  return JSON.parse(text);
}

const tried = new Set<string>();
for (const method of methods.filter((method) => !method.person)) {
  const names = [...JSON.stringify(method.example.params).matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!);
  for (const name of new Set(names)) {
    if (withoutId.has(name)) continue;
    test(`${method.name}: the ${name} of another account is answered like one that does not exist`, async () => {
      const foreign = (await makePlaceholder(app.app, theirs, name))!;
      assert.ok(isId(foreign), `${foreign} is not an id`);
      tried.add(name);
      const given = await answer(method.name, await filled(method.example.params, name, foreign), foreign);
      const none = 'f'.repeat(foreign.length);
      const missing = await answer(method.name, await filled(method.example.params, name, none), none);
      assert.equal(given, missing);
      assert.match(given, /"fault"/);
    });
  }
}

test('the tests above cover every kind of object with an id', () => {
  for (const kind of ['list', 'campaign', 'segment', 'template', 'webhook', 'user']) assert.ok(tried.has(kind), kind);
});

type Named = 'list' | 'campaign' | 'segment' | 'template' | 'contact';
const within: [method: string, kind: Named, params: (id: string) => Record<string, unknown>][] = [
  ['campaigns', 'campaign', (id) => ({ filters: { campaign_id: id } })],
  ['campaigns', 'list', (id) => ({ filters: { list_id: id } })],
  ['campaignCreate', 'segment', (id) => draftOf(own.list, { options: { segment_id: id } })],
  ['campaignCreate', 'list', (id) => draftOf(own.list, { options: { list_id: [own.list, id] } })],
  ['campaignCreate', 'list', (id) => draftOf(own.list, { options: { exclude_list_id: id } })],
  ['campaignCreate', 'segment', (id) => draftOf(own.list, { options: { exclude_segment_id: [id] } })],
  ['campaignCreate', 'template', (id) => draftOf(own.list, { options: { template_id: id } })],
  ['campaignCreate', 'template', (id) => draftOf(own.list, { content: { template_id: id } })],
  ...(['list_id', 'exclude_list_id'] as const).map((name) => updating(name, 'list')),
  ...(['segment_id', 'exclude_segment_id'] as const).map((name) => updating(name, 'segment')),
  updating('template_id', 'template'),
  ['webhookCreate', 'list', (id) => ({ title: 'T', options: { url: 'http://127.0.0.1:9/', list_id: id } })],
  ['segmentPreview', 'list', (id) => ({ list: own.list, filter: [{ field: 'list', condition: 'is', value: id }] })],
  ['segmentPreview', 'list', (id) => ({ list: own.list, filter: [{ field: 'list', condition: 'not', value: id }] })],
  ...['opened', 'clicked', 'not_opened', 'was_sent'].map((field): (typeof within)[number] => [
    'segmentPreview',
    'campaign',
    (id) => ({ list: own.list, filter: [{ field, condition: 'is', value: id }] }),
  ]),
  ...['listMemberInfo', 'listMemberDelete', 'listUnsubscribe'].map((name): (typeof within)[number] => [
    name,
    'contact',
    (id) => ({ id: own.list, email_address: id }),
  ]),
  ['listUpdateMember', 'contact', (id) => ({ id: own.list, email_address: id, merge_vars: { FNAME: 'X' } })],
  ['contactTagsUpdate', 'contact', (id) => ({ emails: [id], add: ['vip'] })],
  ['contactTrackingUpdate', 'contact', (id) => ({ email: id, tracked: false })],
  ['contactPause', 'contact', (id) => ({ email: id, until: '2099-01-01 00:00:00' })],
  ...['contactGet', 'contactTimeline', 'contactExport', 'contactResume', 'contactErase'].map(
    (name): (typeof within)[number] => [name, 'contact', (id) => ({ email: id })],
  ),
];

let draft = '';
function updating(name: string, kind: Named): (typeof within)[number] {
  return ['campaignUpdate', kind, (id) => ({ cid: draft, name, value: id })];
}

/** A thing of the other account. */
async function foreignOf(kind: Named): Promise<string> {
  if (kind !== 'contact') return (await makePlaceholder(app.app, theirs, kind))!;
  const row = await app.app.db.row<{ id: number }>(
    sql`select id from contact where account_id = ${theirs.accountId} and email = ${memberEmail}`,
  );
  return formatId(row!.id);
}

for (const [i, [method, kind, params]] of within.entries()) {
  test(`${method}, place ${i}: the ${kind} of another account is answered like one that does not exist`, async () => {
    draft ||= await own.call<string>('campaignCreate', draftOf(own.list));
    const foreign = await foreignOf(kind);
    assert.equal(await answer(method, params(foreign), foreign), await answer(method, params(unknown), unknown));
  });
}
