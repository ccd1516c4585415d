// campaignSearch: its orders, and the filters by list and by the time of sending.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

let app: TestApp;
let partners: string;
const ids = new Map<string, string>();

before(async () => {
  app = await testApp();
  const all = await listOf(app, [], 'All');
  partners = await listOf(app, [], 'Partners');
  for (const [name, list] of [
    ['beta', all],
    ['Alpha', partners],
    ['gamma', all],
  ] as const) {
    const cid = await aCampaign(app, { to: list });
    await app.call('campaignUpdate', { cid, name: 'title', value: name });
    ids.set(name, cid);
  }
  const sent = (name: string, at: string, accepted: number) =>
    app.app.db.run(sql`
      with sent as (
        update campaign set status = 'sent', send_at = ${at}, finished_at = ${at} where id = ${parseId(ids.get(name)!)}
        returning account_id, id
      )
      insert into tally (account_id, campaign_id, shard, recipients, accepted)
      select account_id, id, 0, ${accepted}, ${accepted} from sent`);
  await sent('gamma', '2027-03-01 10:00:00Z', 5);
  await sent('beta', '2027-03-02 10:00:00Z', 3);
});
after(() => app.close());

type Answer = {
  total: number;
  counts: Record<string, number>;
  automated: number;
  data: { id: string; title: string; belongs_to: { kind: string; id: string; title: string } }[];
};
const search = async (params: Record<string, unknown>) => {
  const { total, counts, data } = await app.call<Answer>('campaignSearch', params);
  return { total, counts, titles: data.map(({ title }) => title) };
};

for (const [sort, titles] of Object.entries({
  '-created': ['gamma', 'Alpha', 'beta'],
  created: ['beta', 'Alpha', 'gamma'],
  name: ['Alpha', 'beta', 'gamma'],
  '-name': ['gamma', 'beta', 'Alpha'],
  '-emails_sent': ['gamma', 'beta', 'Alpha'],
  emails_sent: ['Alpha', 'beta', 'gamma'],
  // Alpha has not been sent: its date is that of its creation, before both.
  date: ['Alpha', 'gamma', 'beta'],
  '-date': ['beta', 'gamma', 'Alpha'],
}))
  test(`sorted by ${sort}, over pages too`, async () => {
    assert.deepEqual((await search({ sort })).titles, titles);
    const pages = await Promise.all([0, 1, 2].map((start) => search({ sort, start, limit: 1 })));
    assert.deepEqual(
      pages.flatMap((page) => page.titles),
      titles,
    );
  });

test('the filters by list and by time of sending narrow the rows and the counts', async () => {
  assert.deepEqual(await search({ list_id: partners }).then(({ total, titles }) => [total, titles]), [1, ['Alpha']]);
  const from = await search({ sent_from: '2027-03-02' });
  assert.deepEqual([from.total, from.counts['sent'], from.titles], [1, 1, ['beta']]);
  assert.deepEqual((await search({ sent_to: '2027-03-02' })).titles, ['gamma']);
  assert.deepEqual((await search({ sent_from: '2027-03-01 10:00:00', sent_to: '2027-03-02 10:00:00' })).titles, [
    'gamma',
  ]);
  assert.deepEqual((await search({ sent_from: '2027-03-01', query: 'BET', state: 'sent' })).titles, ['beta']);
  assert.equal((await search({ list_id: partners, state: 'sent' })).total, 0);
});

test('what is sent automatically is found apart, with the automation or recurring campaign that it belongs to', async () => {
  const list = await listOf(app, [], 'Shop');
  const automation = await app.call<string>('automationCreate', { title: 'Forgotten cart', list });
  const email = await app.call<string>('automationEmailCreate', { list, subject: 'Your cart expires soon' });
  await app.call('automationUpdate', {
    id: automation,
    steps: [{ key: 'a', type: 'condition', filter: [], yes: [{ key: 'b', type: 'send', campaign: email }], no: [] }],
  });
  const others = await app.call<Answer>('campaignSearch', { automated: false });
  assert.deepEqual([others.total, others.counts['draft'], others.automated], [3, 1, 1]);
  const found = await app.call<Answer>('campaignSearch', { automated: true });
  assert.deepEqual([found.total, found.counts['draft'], found.counts['sent'], found.automated], [1, 1, 0, 1]);
  assert.deepEqual(
    found.data.map(({ id, belongs_to }) => [id, belongs_to]),
    [[email, { kind: 'automation', id: automation, title: 'Forgotten cart' }]],
  );
  const all = await app.call<Answer>('campaignSearch', {});
  assert.equal(all.total, 4);
  assert.equal(all.data.find(({ id }) => id === ids.get('beta'))!.belongs_to.kind, '');
  await app.call('campaignDelete', { cid: email });
});

test('an invalid date or order is refused by its name', async () => {
  await assert.rejects(search({ sent_from: 'yesterday' }), /sent_from/);
  await assert.rejects(search({ sort: 'size' }), /sort/);
});

test('opens and clicks are returned in the order of the ids; an unknown id is named', async () => {
  const cids = ['gamma', 'Alpha', 'beta'].map((name) => ids.get(name)!);
  const none = { unique_opens: 0, users_who_clicked: 0 };
  assert.deepEqual(
    await app.call('campaignReactions', { cids: [...cids, cids[1]] }),
    cids.map((id) => ({ id, ...none })),
  );
  assert.deepEqual(await app.call('campaignReactions', { cids: [] }), []);
  await assert.rejects(app.call('campaignReactions', { cids: [cids[0], 'a0000000'] }), /cids\[1\]/);
});
