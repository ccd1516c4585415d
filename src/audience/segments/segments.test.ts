// Segments: every condition against real rows, and campaigns that go to them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { conditions } from '../model/segment.ts';

const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const more: Record<string, Record<string, string>> = {
  Ada: { ENDS: dayIn(200), LANGUAGE: 'no', TOPICS: 'Tea' },
  Bob: { ENDS: dayIn(-5), LANGUAGE: 'de', TOPICS: 'Tea; Rum, old' },
};

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Letter' });
  await app.call('listMergeVarAdd', { id: list, tag: 'AGE', name: 'Age', options: { field_type: 'number' } });
  await app.call('listMergeVarAdd', { id: list, tag: 'ENDS', name: 'Ends', options: { field_type: 'date' } });
  const options = { field_type: 'multiple_choice', choices: ['Tea', 'Rum, old'] };
  await app.call('listMergeVarAdd', { id: list, tag: 'TOPICS', name: 'Topics', options });
  for (const [name, age] of [
    ['Ada', '36'],
    ['Bob', '7'],
    ['Cy_', ''],
    ['ada%', '100'],
  ] as const) {
    await app.call('listSubscribe', {
      id: list,
      email_address: `${name.toLowerCase().replace(/\W|_/g, 'x')}${age}@${name === 'Bob' ? 'example.org' : 'example.com'}`,
      merge_vars: { FNAME: name, AGE: age, ...more[name] },
      double_optin: false,
    });
  }
});
after(() => app.close());

type Condition = { field: string; condition: string; value: string };
async function held(filter: Condition[], match = 'all'): Promise<string[]> {
  const id = await app.call<string>('listSegmentCreate', { list, title: 'One', match, filter });
  const { data } = await app.call<{ data: { email: string }[] }>('listSegmentMembers', { id });
  await app.call('listSegmentDelete', { id });
  return data.map((row) => row.email.split('@')[0]!).sort();
}
const one = (condition: string, value: string, field = 'FNAME') => held([{ field, condition, value }]);

const table: [condition: string, value: string, field: string, expected: string[]][] = [
  ['is', 'ADA', 'FNAME', ['ada36']],
  ['not', 'Ada', 'FNAME', ['adax100', 'bob7', 'cyx']],
  ['isany', '', 'AGE', ['ada36', 'adax100', 'bob7']],
  ['isoneof', 'bob; cy_', 'FNAME', ['bob7', 'cyx']],
  ['notoneof', 'bob;cy_', 'FNAME', ['ada36', 'adax100']],
  ['contains', 'a%', 'FNAME', ['adax100']],
  ['contains', '_', 'FNAME', ['cyx']],
  ['notcontain', 'a', 'FNAME', ['bob7', 'cyx']],
  ['starts', 'ad', 'FNAME', ['ada36', 'adax100']],
  ['ends', 'B', 'FNAME', ['bob7']],
  ['greater', '9', 'AGE', ['ada36', 'adax100']],
  ['less', '36', 'AGE', ['bob7']],
  ['hasany', 'Rum, old', 'TOPICS', ['bob7']],
  ['hasall', 'Tea, Rum\\, old', 'TOPICS', ['bob7']],
  ['hasnone', 'Rum\\, old', 'TOPICS', ['ada36', 'adax100', 'cyx']],
  ['is', 'example.org', 'DOMAIN', ['bob7']],
  ['starts', 'cyx', 'EMAIL', ['cyx']],
  ['greater', '3 days', 'confirm_time', ['ada36', 'adax100', 'bob7', 'cyx']],
  ['less', '3 days', 'confirm_time', []],
  ['greater', '2001-01-01', 'signup_time', ['ada36', 'adax100', 'bob7', 'cyx']],
  ['greater', dayIn(0), 'signup_time', []],
  ['greater', dayIn(-1), 'signup_time', ['ada36', 'adax100', 'bob7', 'cyx']],
  ['is', '036.0', 'AGE', ['ada36']],
  ['isoneof', '7.0; 100', 'AGE', ['adax100', 'bob7']],
  ['is', '', 'AGE', ['cyx']],
  ['is', 'bob', 'MERGE1', ['bob7']],
  ['is', 'no', 'LANGUAGE', ['ada36']],
  ['greater', '30 days', 'ENDS', ['bob7']],
  ['greater', dayIn(3), 'ENDS', ['ada36']],
  ['is', dayIn(-5).split('-').reverse().join('.'), 'ENDS', ['bob7']],
  ['next', '3 days', 'ENDS', []],
  ['next', '300 days', 'ENDS', ['ada36']],
  ['anniversary', '365 days', 'ENDS', ['bob7']],
  ['anniversary', '0 days', 'ENDS', []],
  ['less', dayIn(3).split('-').reverse().join('.'), 'ENDS', ['bob7']],
];
for (const [condition, value, field, expected] of table) {
  test(`${field} ${condition} "${value}"`, async () => assert.deepEqual(await one(condition, value, field), expected));
}

test('the table has a row for every condition', () => {
  assert.deepEqual([...new Set(table.map(([condition]) => condition))].sort(), [...conditions].sort());
});

test('all takes every condition, any takes one', async () => {
  const filter = [
    { field: 'FNAME', condition: 'starts', value: 'a' },
    { field: 'AGE', condition: 'greater', value: '50' },
  ];
  assert.deepEqual(await held(filter, 'all'), ['adax100']);
  assert.deepEqual(await held([...filter, { field: 'FNAME', condition: 'is', value: 'bob' }], 'any'), [
    'ada36',
    'adax100',
    'bob7',
  ]);
});

test('none takes whom no condition matches, contacts without a value among them', async () => {
  const young = { field: 'AGE', condition: 'less', value: '50' };
  const ada = { field: 'FNAME', condition: 'is', value: 'Ada' };
  assert.deepEqual(await held([young], 'none'), ['adax100', 'cyx']);
  assert.deepEqual(await held([young, ada], 'none'), ['adax100', 'cyx']);
  // Who has no value is not 7 either, so a condition that denies keeps them out.
  assert.deepEqual(await held([{ field: 'AGE', condition: 'not', value: '7' }], 'none'), ['bob7']);
  const nested = [
    { field: 'EMAIL', condition: 'contains', value: 'example.com' },
    { match: 'none', filter: [ada, { field: 'AGE', condition: 'is', value: '' }] },
  ];
  assert.deepEqual(await held(nested as never), ['adax100']);
  await app.app.db.run(sql`update subscription set confirm_at = null where list_id = ${parseId(list)}`);
  assert.equal((await held([{ field: 'confirm_time', condition: 'greater', value: '30 days' }], 'none')).length, 4);
  await app.app.db.run(sql`update subscription set confirm_at = now() where list_id = ${parseId(list)}`);
});

test('an error in a condition contains its path', async () => {
  const wrong = async (filter: Condition[], text: RegExp) =>
    assert.rejects(held(filter), (error) => error instanceof Fault && error.code === 315 && text.test(error.message));
  await wrong([{ field: 'SHOE', condition: 'is', value: '' }], /filter\.0\.field/);
  await wrong([{ field: 'FNAME', condition: 'like', value: '' }], /filter\.0\.condition/);
  await wrong([{ field: 'confirm_time', condition: 'greater', value: "now() - '1 day'" }], /filter\.0\.value/);
  await wrong([{ field: 'AGE', condition: 'is', value: 'abc' }], /filter\.0\.value: "abc" is not a number/);
  await wrong([{ field: 'ENDS', condition: 'isoneof', value: '2026-01-01; 30.2.1992' }], /"30\.2\.1992" is not a day/);
  await wrong([{ field: 'signup_time', condition: 'is', value: '3 days' }], /works with greater/);
  await wrong(
    [{ field: 'list', condition: 'is', value: 'b0000000' }],
    /the campaign or list "b0000000" does not exist/,
  );
  await wrong([{ field: 'opened', condition: 'is', value: '0 days' }], /the minimum is 1 day/);
  await wrong([{ field: 'clicked', condition: 'is', value: 'soon' }], /"soon" is neither .* or "30 days"/);
  await wrong([{ field: 'opened', condition: 'greater', value: '30 days' }], /filter\.0\.condition/);
  // When a contact got something has no index.
  await wrong([{ field: 'not_opened', condition: 'is', value: '30 days' }], /neither an id nor of the form "last 5"$/);
  await wrong([], /no condition/);
});

test('a preview refuses the unknown and foreign ids that saving refuses', async () => {
  const other = await app.anotherAccount();
  const foreign = await other.call<string>('listCreate', { title: 'Foreign' });
  const refusal = (id: string) => ({
    fault: 'SEGMENT_INVALID',
    message: `filter: the campaign or list "${id}" does not exist`,
  });
  for (const id of ['deadbeef', foreign]) {
    const filter = [{ field: 'list', condition: 'not', value: id }];
    await assert.rejects(app.call('segmentPreview', { list, filter }), refusal(id));
    await assert.rejects(app.call('listSegmentCreate', { list, title: 'S', filter, match: 'all' }), refusal(id));
  }
});

test('no value becomes part of a statement', async () => {
  for (const value of ["'; drop table contact; --", '%', "\\' or 1=1", '$1', 'a\u2028b']) {
    for (const condition of conditions)
      if (condition === 'next' || condition === 'anniversary')
        await assert.rejects(one(condition, value, 'ENDS'), { fault: 'SEGMENT_INVALID' });
      else if (condition.startsWith('has'))
        await assert.rejects(one(condition, value, 'TOPICS'), { fault: 'SEGMENT_INVALID' });
      else await one(condition, value);
  }
  const row = await app.app.db.row<{ count: number }>(sql`select count(*) as count from contact`);
  assert.equal(row!.count, 4);
});

test('a campaign with a segment goes to its members only, and the segment cannot be deleted during that time', async () => {
  const segment = await app.call<string>('listSegmentCreate', {
    list,
    title: 'A',
    match: 'all',
    filter: [{ field: 'FNAME', condition: 'starts', value: 'a' }],
  });
  const cid = await app.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, segment_id: segment, subject: 's', from_email: 'a@example.com', from_name: 'A' },
    content: { plain: 'x' },
  });
  await assert.rejects(
    app.call('listSegmentDelete', { id: segment }),
    (error) => error instanceof Fault && error.code === 313,
  );
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  const rows = await app.app.db.rows<{ email: string }>(
    sql`select email from delivery where campaign_id = ${parseId(cid)} order by email`,
  );
  assert.deepEqual(
    rows.map((row) => row.email),
    ['ada36@example.com', 'adax100@example.com'],
  );
  assert.equal(formatId(parseId(segment)), segment);
});

test('pages together have each member once, in order, and each knows how many there are', async () => {
  const many = await app.call<string>('listCreate', { title: 'Pages' });
  const members = Array.from({ length: 30 }, (_, i) => ({
    email: `page${i}@example.com`,
    FNAME: i % 5 === 0 ? 'Fifth' : i < 3 ? 'First' : 'Other',
  }));
  for (const { email, FNAME } of members)
    await app.call('listSubscribe', { id: many, email_address: email, merge_vars: { FNAME }, double_optin: false });
  const filters: [Condition, typeof members][] = [
    [{ field: 'FNAME', condition: 'isany', value: '' }, members],
    [{ field: 'FNAME', condition: 'is', value: 'Fifth' }, members.filter(({ FNAME }) => FNAME === 'Fifth')],
    [{ field: 'FNAME', condition: 'is', value: 'First' }, members.filter(({ FNAME }) => FNAME === 'First')],
    [{ field: 'FNAME', condition: 'is', value: 'Nobody' }, []],
    [{ field: 'signup_time', condition: 'greater', value: '1 days' }, members],
  ];
  for (const [condition, expected] of filters) {
    const id = await app.call<string>('listSegmentCreate', {
      list: many,
      title: 'Pages',
      match: 'all',
      filter: [condition],
    });
    for (const limit of [4, 15_000])
      for (let start = 0; start <= Math.ceil(expected.length / limit); start++) {
        const page = await app.call<{ total: number; data: { email: string }[] }>('listSegmentMembers', {
          id,
          start,
          limit,
        });
        assert.equal(page.total, expected.length, `${condition.value}, page ${start} of ${limit}`);
        assert.deepEqual(
          page.data.map(({ email }) => email),
          expected.slice(start * limit, (start + 1) * limit).map(({ email }) => email),
          `${condition.value}, page ${start} of ${limit}`,
        );
      }
  }
});

test('conditions are described in the language of the person, and in English to a program, with the labels of fields', async () => {
  const browser = new Browser(await app.listen());
  await browser.signIn('owner@example.com', 'correct horse');
  const filter = [
    { field: 'AGE', condition: 'greater', value: '30' },
    { field: 'opened', condition: 'is', value: '1 days' },
  ];
  const id = await app.call<string>('listSegmentCreate', { list, title: 'Read', match: 'all', filter });
  await app.app.db.run(sql`update account set language = 'fr' where id = ${app.account.id}`);
  type Read = { id: string; reading: string };
  const readings = async (ask: (method: string, params: object) => Promise<unknown>) => {
    const [preview, ...lists] = [
      (await ask('segmentPreview', { list, match: 'all', filter })) as Read,
      (await ask('listSegments', { id: list })) as Read[],
      (await ask('segments', {})) as Read[],
    ] as const;
    return [preview, ...lists.map((rows) => rows.find((row) => row.id === id)!)].map(({ reading }) => reading);
  };
  const own = async (method: string, params: object) => (await browser.call(method, { ...params })).body;
  const english = 'Age is greater than “30” and the contact opened a message within the last day';
  const german = 'Age ist größer als „30“ und der Kontakt hat innerhalb des letzten Tages eine Nachricht geöffnet';
  assert.deepEqual(await readings((method, params) => app.call(method, { ...params })), Array(3).fill(english));
  browser.headers['accept-language'] = 'de';
  assert.deepEqual(await readings(own), Array(3).fill(german));
  await app.call('listSegmentDelete', { id });
});
