import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisons, type DataConditions, dataRecord, matchesData, readData } from './data-conditions.ts';

const event = {
  value: 59.9,
  data: {
    plan: 'Pro',
    seats: '12',
    paid: true,
    none: '',
    renews: '2026-03-01',
    order: { total: 120.5, id: 7 },
    items: [
      { sku: 'TEA-1', price: 4 },
      { sku: 'cup', price: '19.00' },
    ],
    tags: ['new', 'VIP'],
  },
};
type Condition = DataConditions[number]['condition'];
const cases: [path: string, condition: Condition, value: string, holds: boolean][] = [
  ['plan', 'is', 'pro', true],
  ['plan', 'is', 'prof', false],
  ['plan', 'is_not', 'Pro', false],
  ['plan', 'is_not', 'Free', true],
  ['missing', 'is_not', 'x', true],
  ['missing', 'is', '', false],
  ['plan', 'contains', 'R', true],
  ['seats', 'greater', '9', true],
  ['seats', 'less', '9', false],
  ['seats', 'is', '12.0', true],
  ['plan', 'greater', '1', false],
  ['paid', 'is', 'true', true],
  ['order.total', 'greater', '120', true],
  ['order.total', 'less', '120.5', false],
  ['order', 'is', '[object Object]', false],
  ['order', 'exists', '', true],
  ['none', 'exists', '', false],
  ['missing', 'exists', '', false],
  ['items.sku', 'is', 'tea-1', true],
  ['items.0.sku', 'is', 'cup', false],
  ['items.1.price', 'is', '19', true],
  ['items.price', 'greater', '18', true],
  ['items.9.sku', 'exists', '', false],
  ['items.sku', 'is_not', 'cup', false],
  ['tags', 'is', 'vip', true],
  ['tags.1', 'is', 'new', false],
  ['renews', 'less', '2026-03-02', true],
  ['renews', 'greater', '2026-03-01T00:00:00Z', false],
  ['value', 'greater', '50', true],
  ['__proto__', 'exists', '', false],
  ['constructor.name', 'is', 'Object', false],
  ['plan.length', 'is', '3', false],
];

test('conditions on the data of an event compare what is at their path', () => {
  for (const [path, condition, value, holds] of cases)
    assert.equal(matchesData([{ path, condition, value }], event), holds, `${path} ${condition} ${value}`);
  const all = [
    { path: 'plan', condition: 'is', value: 'pro' },
    { path: 'value', condition: 'less', value: '50' },
  ] as const;
  assert.equal(matchesData([...all], event), false, 'all must hold');
  assert.equal(matchesData(undefined, event), true);
  assert.equal(matchesData([{ path: 'value', condition: 'exists', value: '' }], { value: null, data: {} }), false);
});

test('conditions are stored without the word data and blanks around them, and none are not stored', () => {
  assert.deepEqual(readData(undefined), {});
  assert.deepEqual(readData([]), {});
  assert.deepEqual(readData([{ path: ' data.order.total ', condition: 'less', value: ' 5 ' }]), {
    data: [{ path: 'order.total', condition: 'less', value: '5' }],
  });
  assert.deepEqual(readData([{ path: 'plan', condition: 'exists', value: 'x' }]).data?.[0]?.value, '');
});

test('every comparison that the table above decides is stored', () => {
  const used = new Set(cases.map(([, condition]) => condition));
  assert.deepEqual([...used].sort(), [...comparisons].sort());
  for (const condition of used)
    assert.ok(dataRecord.safeParse([{ path: 'a', condition, value: '' }]).success, condition);
});
