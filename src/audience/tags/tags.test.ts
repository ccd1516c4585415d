// Tags of contacts, and the condition that compares them, on a real database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await listOf(app, ['ada@example.com', 'bob@example.com', 'cy@example.com']);
});
after(() => app.close());

const change = (emails: string[], add: string[], remove: string[] = []) =>
  app.call<number>('contactTagsUpdate', { emails, add, remove });
const tagsOf = async (email: string) => (await app.call<{ tags: string[] }>('contactGet', { email })).tags;
const having = async (condition: string, value: string) =>
  (
    await app.call<{ data: { email: string }[] }>('contacts', {
      filter: [{ field: 'contact_tag', condition, value }],
      sort: 'email',
    })
  ).data.map(({ email }) => email.split('@')[0]);

test('tags are added and removed once each, in lower case and in order; what changes is logged', async () => {
  assert.equal(
    await change(['ada@example.com', 'bob@example.com', 'ada@example.com'], ['VIP', ' New  York ', 'vip']),
    2,
  );
  assert.equal(await change(['ada@example.com'], ['vip']), 0);
  assert.deepEqual(await tagsOf('ada@example.com'), ['new york', 'vip']);
  const { id } = await app.call<{ id: string }>('contactGet', { email: 'bob@example.com' });
  assert.equal(await change([id], ['press'], ['NEW YORK', 'unknown']), 1);
  assert.deepEqual(await tagsOf('bob@example.com'), ['press', 'vip']);
  assert.deepEqual(await app.call('contactTags'), [
    { tag: 'new york', contacts: 1 },
    { tag: 'press', contacts: 1 },
    { tag: 'vip', contacts: 2 },
  ]);
  const timeline = await app.call<{ what: string; detail: string }[]>('contactTimeline', { email: 'bob@example.com' });
  assert.deepEqual(
    timeline.filter(({ what }) => what === 'update').map(({ detail }) => detail),
    ['TAGS', 'TAGS'],
  );
  const { data } = await app.call<{ data: { email: string; tags: string[] }[] }>('contacts', { query: 'bob' });
  assert.deepEqual(data[0]!.tags, ['press', 'vip']);
});

test('contacts, segments and campaigns are narrowed by tags', async () => {
  assert.deepEqual(await having('is', 'Vip'), ['ada', 'bob']);
  assert.deepEqual(await having('not', 'press'), ['ada', 'cy']);
  assert.deepEqual(await having('isoneof', 'press; New York'), ['ada', 'bob']);
  assert.deepEqual(await having('notoneof', 'press;new york'), ['cy']);
  assert.deepEqual(await having('isany', ''), ['ada', 'bob']);
  const filter = [{ field: 'contact_tag', condition: 'is', value: 'press' }];
  assert.equal(await app.call('contactCount', { filter }), 1);
  const members = await app.call<{ data: { email: string }[] }>('memberSearch', { list, filter });
  assert.deepEqual(
    members.data.map(({ email }) => email),
    ['bob@example.com'],
  );
  const segment = await app.call<string>('listSegmentCreate', { list, title: 'Press', match: 'all', filter });
  const cid = await aCampaign(app, { to: list, segment_id: [segment] });
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  const rows = await app.app.db.rows<{ email: string }>(
    sql`select email from delivery where campaign_id = ${parseId(cid)}`,
  );
  assert.deepEqual(
    rows.map(({ email }) => email),
    ['bob@example.com'],
  );
});

test('what is no tag, an unknown contact and too many are refused, and nothing changes', async () => {
  const before = await tagsOf('cy@example.com');
  for (const tag of ['', ' ', 'a;b', 'a,b', 'x'.repeat(51), 'a\u0000b'])
    await assert.rejects(change(['cy@example.com'], ['fine', tag]));
  await assert.rejects(change(['cy@example.com', 'no@example.com'], ['fine']), /emails\.1/);
  await change(
    ['cy@example.com'],
    Array.from({ length: 50 }, (_, n) => `t${n}`),
  );
  await assert.rejects(change(['cy@example.com'], ['one more']), /more than 50 tags/);
  await change(
    ['cy@example.com'],
    [],
    Array.from({ length: 50 }, (_, n) => `t${n}`),
  );
  assert.deepEqual(await tagsOf('cy@example.com'), before);
  for (const [condition, value] of [
    ['contains', 'v'],
    ['greater', '1'],
  ])
    await assert.rejects(having(condition!, value!), { fault: 'SEGMENT_INVALID' });
});

test('an erased contact leaves no tag', async () => {
  await change(['cy@example.com'], ['only cy']);
  await app.call('contactErase', { email: 'cy@example.com' });
  assert.doesNotMatch(JSON.stringify(await app.call('contactTags')), /only cy/);
});

test('contacts that match are changed in one call, and only those that need it', async () => {
  const tagged = await listOf(app, ['m1@match.example', 'm2@match.example', 'm3@match.example']);
  const matching = (given: Record<string, unknown>) =>
    app.call<{ changed: number; more: boolean }>('contactTagsUpdateMatching', { query: 'match.example', ...given });
  await change(['m1@match.example'], ['Spring']);
  assert.deepEqual(await matching({ add: ['spring', 'Berlin'] }), { changed: 3, more: false });
  assert.deepEqual(await matching({ add: ['spring', 'Berlin'] }), { changed: 0, more: false });
  assert.deepEqual(await tagsOf('m2@match.example'), ['berlin', 'spring']);
  const filter = [{ field: 'contact_tag', condition: 'is', value: 'berlin' }];
  assert.deepEqual(await matching({ filter, remove: ['berlin'] }), { changed: 3, more: false });
  assert.deepEqual(await tagsOf('m3@match.example'), ['spring']);
  const logged = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count
    from consent n
    join subscription s on s.contact_id = n.contact_id and s.list_id = ${parseId(tagged)}
    where n.detail -> 'fields' ? 'TAGS'`);
  assert.equal(logged!.count, 7);
  await assert.rejects(matching({ add: Array.from({ length: 50 }, (_, i) => `t${i}`) }), /more than 50 tags/);
});
