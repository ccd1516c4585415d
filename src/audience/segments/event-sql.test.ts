// The condition on events that were reported about a contact: the same members are found for a whole list, for a few of its members
// and within a group of alternatives; what is wrong is refused by its place; and it is described in words.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import type { Condition, Match, SegmentFilter } from '../model/segment.ts';
import { segmentCondition } from './condition-sql.ts';
import { filterInWords } from './describe.ts';
import { withJoins } from './joins.ts';
import { joinsOf, type SegmentScope, wholeList } from './scope.ts';

let app: TestApp;
let list: string;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const people = ['ann', 'ben', 'cem', 'dot'] as const;

before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Shop' });
  for (const name of people)
    await app.call('listSubscribe', { id: list, email_address: `${name}@example.com`, double_optin: false });
  const of = (name: string, event: string, more: Record<string, unknown>) => ({
    name: event,
    email_address: `${name}@example.com`,
    ...more,
  });
  const items = (...skus: string[]) => ({ items: skus.map((sku) => ({ sku })) });
  const { results } = await app.call<{ results: string[] }>('eventSendBatch', {
    events: [
      of('ann', 'order', {
        time: daysAgo(1),
        value: 59.9,
        data: { city: 'Köln', total: '59.90', paid: true, ...items('A', 'B') },
      }),
      of('ann', 'order', { time: daysAgo(40), value: 10, data: { city: 'Bonn', total: 10, ...items('B') } }),
      of('ben', 'order', { time: daysAgo(50), value: 100, data: { city: 'KÖLN', total: 100, ...items('C') } }),
      of('ben', 'visit', { time: daysAgo(1) }),
      of('cem', 'visit', { time: daysAgo(2), data: { page: { name: "a'b" }, total: 'much' } }),
      of('cem', 'visit', { time: daysAgo(2), data: { total: [1, 2] } }),
      of('cem', 'visit', { time: daysAgo(200) }),
    ],
  });
  assert.deepEqual([...new Set(results)], ['accepted']);
});
after(() => app.close());

async function found(filter: SegmentFilter, scopeOf: (scope: SegmentScope) => Promise<SegmentScope> | SegmentScope) {
  return app.app.db.transaction(async (tx) => {
    const scope = await scopeOf({ accountId: app.account.id, listId: parseId(list), zone: 'UTC' });
    const condition = segmentCondition('all', filter, scope);
    const rows = await tx.rows<{ email: string }>(sql`
      select c.email
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      ${joinsOf(scope)}
      where s.account_id = ${app.account.id}
        and s.list_id = ${parseId(list)}
        and ${condition}
      order by c.email`);
    return rows.map(({ email }) => email.split('@')[0]!);
  });
}

const event = (value: string, more: Partial<Condition> = {}): Condition => ({
  field: 'event',
  condition: 'is',
  value,
  ...more,
});
const order = (field: string, condition: string, value = '') =>
  event('order', { where: [{ field, condition, value } as NonNullable<Condition['where']>[number]] });

test('members are found by what they did, how often, when, and with what data, in every form of the statement', async () => {
  const cases: [Condition, string][] = [
    [event('order'), 'ann ben'],
    [event('order', { condition: 'not' }), 'cem dot'],
    [event('order', { days: 30 }), 'ann'],
    [event('order', { days: 30, condition: 'not' }), 'ben cem dot'],
    [event('order', { times: 2 }), 'ann'],
    [event('order', { times: 2, days: 30 }), ''],
    [event('visit', { times: 2, days: 30 }), 'cem'],
    [event('visit', { times: 3 }), 'cem'],
    [event('visit', { times: 2, condition: 'not' }), 'ann ben dot'],
    [event('Order'), ''],
    [event('never'), ''],
    [event('never', { condition: 'not' }), 'ann ben cem dot'],
    [order('data.city', 'is', 'köln'), 'ann ben'],
    [order('data.city', 'not', 'köln'), 'ann'],
    [order('data.city', 'contains', 'öl'), 'ann ben'],
    [order('data.city', 'isoneof', 'Bonn;Berlin'), 'ann'],
    [order('data.total', 'is', '59.9'), 'ann'],
    [order('data.total', 'greater', '50'), 'ann ben'],
    [order('data.total', 'less', '50'), 'ann'],
    [order('data.paid', 'is', 'true'), 'ann'],
    [order('data.paid', 'isany'), 'ann'],
    [order('data.items.0.sku', 'is', 'b'), 'ann'],
    [order('data.items.*.sku', 'is', 'b'), 'ann'],
    [order('data.items.*.sku', 'not', 'b'), 'ben'],
    [order('data.nothing.*.x', 'is', 'b'), ''],
    [order('value', 'greater', '59.9'), 'ben'],
    [order('value', 'is', '59.90'), 'ann'],
    [event('visit', { where: [{ field: 'data.page.name', condition: 'is', value: "A'B" }] }), 'cem'],
    [event('visit', { where: [{ field: 'data.total', condition: 'greater', value: '0' }] }), ''],
    [
      event('order', {
        where: [
          { field: 'data.city', condition: 'is', value: 'Köln' },
          { field: 'value', condition: 'less', value: '60' },
        ],
      }),
      'ann',
    ],
  ];
  for (const [condition, expected] of cases) {
    const name = JSON.stringify(condition);
    const never: Condition = { field: 'EMAIL', condition: 'is', value: 'x' };
    const alternatives: SegmentFilter = [{ match: 'any', filter: [condition, never] }];
    for (const filter of [[condition], alternatives]) {
      assert.equal((await found(filter, (scope) => ({ ...scope, few: true }))).join(' '), expected, `few ${name}`);
      assert.equal((await found(filter, (scope) => scope)).join(' '), expected, name);
      const whole = await app.app.db.transaction((tx) =>
        wholeList(tx, { accountId: app.account.id, listId: parseId(list), zone: 'UTC' }, filter),
      );
      assert.equal(
        (await found(filter, () => withJoins(app.app.db, whole, filter))).join(' '),
        expected,
        `whole ${name}`,
      );
    }
  }
});

test('a segment about events is saved, counted, shown in words, and asked again before each recipient', async () => {
  const filter = [
    {
      field: 'event',
      condition: 'not',
      value: 'order',
      days: '30',
      times: 2,
      where: [{ field: 'data.total', condition: 'greater', value: '5' }],
    },
  ];
  const id = await app.call<string>('listSegmentCreate', { list, title: 'No orders', match: 'all', filter });
  const [segment] = await app.call<{ filter: unknown[]; reading: string }[]>('segments');
  assert.deepEqual(segment!.filter, [{ ...filter[0], days: 30 }]);
  assert.equal((await app.call<{ count: number }>('segmentPreview', { list, match: 'all', filter })).count, 4);
  const members = await app.call<{ data: unknown[] }>('listSegmentMembers', { id });
  assert.equal(members.data.length, 4);
  const words = (one: Condition, language: string) => filterInWords('all', [one], language);
  const asked = filter[0] as unknown as Condition;
  assert.equal(
    words(asked, 'en'),
    'the event “order” happened fewer than 2 times within the last 30 days where data.total is greater than “5”',
  );
  assert.equal(
    words(asked, 'de'),
    'das Ereignis „order“ ist in den letzten 30 Tagen weniger als 2-mal eingetreten mit: data.total ist größer als „5“',
  );
  assert.equal(words(event('a%b'), 'en'), 'the event “a%b” happened');
});

test('a whole list is compared with what its contacts did exactly, whatever their ids', async () => {
  const own = await app.call<string>('listCreate', { title: 'Many' });
  const emails = Array.from({ length: 70 }, (_, n) => `many${n}@example.com`);
  await app.call('listBatchSubscribe', {
    id: own,
    batch: emails.map((EMAIL) => ({ EMAIL })),
    double_optin: false,
  });
  // Ids follow each other, so that every place in a word of 64 ids is among them, the last one too.
  const did = emails.flatMap((email_address, n) =>
    Array.from({ length: n % 3 }, () => ({ name: 'many', email_address, data: { n } })),
  );
  assert.equal(
    (await app.call<{ success_count: number }>('eventSendBatch', { events: did })).success_count,
    did.length,
  );
  const count = async (match: Match, ...filter: SegmentFilter) =>
    (await app.call<{ count: number }>('segmentPreview', { list: own, match, filter })).count;
  // Beside a condition that is not about events each member is compared, otherwise words of contacts are.
  const everyone: Condition = { field: 'EMAIL', condition: 'contains', value: 'many' };
  const expected = (is: (n: number) => boolean) => emails.filter((_, n) => is(n)).length;
  const above = (value: string) => ({ where: [{ field: 'data.n', condition: 'greater' as const, value }] });
  for (const [condition, is] of [
    [event('many'), (n) => n % 3 > 0],
    [event('many', { condition: 'not' }), (n) => n % 3 === 0],
    [event('many', { times: 2 }), (n) => n % 3 === 2],
    [event('many', { times: 2, condition: 'not' }), (n) => n % 3 < 2],
    [event('many', above('35')), (n) => n % 3 > 0 && n > 35],
    [event('many', { times: 2, ...above('35') }), (n) => n % 3 === 2 && n > 35],
  ] as [Condition, (n: number) => boolean][]) {
    assert.equal(await count('all', condition), expected(is), JSON.stringify(condition));
    assert.equal(await count('all', condition, everyone), expected(is), JSON.stringify(condition));
  }
  assert.equal(
    await count('any', event('many', { times: 2 }), event('many', above('60'))),
    expected((n) => n % 3 === 2 || (n % 3 > 0 && n > 60)),
  );
  const rare: SegmentFilter = [event('many', { condition: 'not' }), event('many', { times: 2 })];
  for (const more of [[], [everyone]]) {
    assert.equal(await count('all', event('many'), event('many', { condition: 'not' }), ...more), 0);
    const nested: SegmentFilter = [event('many'), { match: 'any', filter: rare }];
    assert.equal(
      await count('all', ...nested, ...more),
      expected((n) => n % 3 === 2),
    );
    const unmet: SegmentFilter = [{ match: 'none', filter: [event('many', { times: 2 }), event('many', above('60'))] }];
    assert.equal(
      await count('all', ...unmet, ...more),
      expected((n) => n % 3 === 0 || (n % 3 === 1 && n <= 60)),
    );
  }
  assert.equal(
    await count('none', event('many', { times: 2 })),
    expected((n) => n % 3 < 2),
  );
});

test('what is wrong in a condition on events is refused by its place', async () => {
  const where = (...details: unknown[]) => ({ where: details });
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ value: ' ' }, /^filter\.0\.value is empty/],
    [{ condition: 'contains' }, /^filter\.0\.condition: event takes is, not/],
    [{ days: 0 }, /^filter\.0\.days must be at least 1/],
    [{ days: 'x' }, /^filter\.0\.days is not a number/],
    [{ times: 1_001 }, /^filter\.0\.times must be at most 1000/],
    [where({ field: 'total', condition: 'is', value: '1' }), /^filter\.0\.where\.0\.field: "total" is neither/],
    [where({ field: 'data.', condition: 'is', value: '1' }), /^filter\.0\.where\.0\.field: "data\." is neither/],
    [where({ field: 'data.x', condition: 'next', value: '1' }), /^filter\.0\.where\.0\.condition must be one of/],
    [where({ field: 'data.x', condition: 'greater' }), /^filter\.0\.where\.0\.value is empty/],
    [where({ field: 'value', condition: 'is', value: 'much' }), /^filter\.0\.where\.0\.value is not a number/],
    [
      where(...Array.from({ length: 6 }, () => ({ field: 'data.x', condition: 'isany' }))),
      /^filter\.0\.where has more than 5/,
    ],
    [{ extra: 1 }, /^filter\.0\.extra/],
  ];
  for (const [wrong, message] of cases) {
    const filter = [{ field: 'event', condition: 'is', value: 'order', ...wrong }];
    await assert.rejects(
      app.call('segmentPreview', { list, match: 'all', filter }),
      { fault: 'SEGMENT_INVALID', message },
      JSON.stringify(wrong),
    );
  }
  const other = [{ field: 'EMAIL', condition: 'is', value: 'x', days: 3 }];
  await assert.rejects(app.call('segmentPreview', { list, match: 'all', filter: other }), {
    fault: 'SEGMENT_INVALID',
    message: /^filter\.0\.days/,
  });
});
