// automationSearch: automations and autoresponders in one table.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';

let app: TestApp;
before(async () => {
  app = await testApp({ plan: 'pro' });
});
after(() => app.close());

type Found = {
  total: number;
  counts: Record<string, number>;
  hidden: number;
  data: {
    kind: string;
    id: string;
    title: string;
    status: string;
    list_name: string;
    event: string;
    waiting: number;
    sent: number;
    emails: string[];
    labels: { name: string }[];
  }[];
};
const search = (params: object = {}) => app.call<Found>('automationSearch', { ...params });
const titles = async (params: object) => (await search(params)).data.map(({ title }) => title);

test('automations and autoresponders are one table, with their states, figures and labels', async () => {
  const list = await app.call<string>('listCreate', { title: 'Readers' });
  const cart = await app.call<string>('automationCreate', { title: 'Cart', list, template: 'abandoned_cart' });
  const old = await app.call<string>('automationCreate', { title: 'Old flow', list });
  await app.call('automationUpdate', { id: old, hidden: true });
  const birthday = await app.call<string>('campaignCreate', {
    type: 'auto',
    options: { list_id: list, subject: 'Birthday', from_email: 'a@example.com', from_name: 'A', generate_text: true },
    content: { html: '<p>x</p>' },
    type_opts: { 'offset-units': 'day', 'offset-time': 1, event: 'signup' },
  });
  await app.app.db.run(sql`
    update campaign set status = 'sending' where id = ${parseId(birthday)}`);
  const all = await search();
  assert.deepEqual(
    all.data.map(({ kind, title, status, list_name }) => [kind, title, status, list_name]),
    [
      ['autoresponder', 'Birthday', 'active', 'Readers'],
      ['automation', 'Old flow', 'draft', 'Readers'],
      ['automation', 'Cart', 'draft', 'Readers'],
    ],
    'the drafts of the emails of automations are not among them',
  );
  assert.deepEqual([all.total, all.hidden, all.counts], [3, 1, { active: 1, paused: 0, draft: 2, ended: 0 }]);
  assert.deepEqual([all.data[0]!.event, all.data[0]!.emails], ['signup', [birthday]]);
  assert.equal(all.data[2]!.emails.length, 2);
  const label = await app.call<string>('labelCreate', { name: 'Shop' });
  await app.call('automationUpdate', { id: cart, add_label: label });
  await app.call('campaignUpdate', { cid: birthday, name: 'add_label', value: label });
  assert.deepEqual(await titles({ label }), ['Birthday', 'Cart']);
  assert.deepEqual((await search({ label })).data[1]!.labels[0]!.name, 'Shop');
  assert.deepEqual(await titles({ hidden: false, status: 'draft' }), ['Cart']);
  assert.deepEqual(await titles({ query: 'FLOW' }), ['Old flow']);
  assert.deepEqual(await titles({ start: 1, limit: 2 }), ['Cart']);
});
