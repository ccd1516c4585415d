// Tests the condition tree: the filter sent, the filter read back, and which condition a fault belongs to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInFields } from '../../../../../src/audience/model/segment.ts';
import {
  type Filter,
  facts,
  filterOf,
  isGroup,
  isWhole,
  keyAt,
  newCondition,
  newGroup,
  noDetails,
  nodesOf,
  replaced,
} from './conditions.ts';

const types = new Map([
  ['CITY', 'text'],
  ['AGE', 'number'],
  ['BIRTHDAY', 'date'],
]);
const stored: Filter = [
  { field: 'CITY', condition: 'is', value: '' },
  { field: 'CITY', condition: 'is', value: 'Hamburg' },
  { field: 'AGE', condition: 'greater', value: '30' },
  { field: 'BIRTHDAY', condition: 'greater', value: '30 days' },
  { field: 'BIRTHDAY', condition: 'less', value: '2000-01-01' },
  { field: 'BIRTHDAY', condition: 'next', value: '0 days' },
  { field: 'BIRTHDAY', condition: 'next', value: '10 days' },
  { field: 'BIRTHDAY', condition: 'anniversary', value: '0 days' },
  { field: 'BIRTHDAY', condition: 'anniversary', value: '7 days' },
  { field: 'signup_time', condition: 'anniversary', value: '0 days' },
  { field: 'contact_tag', condition: 'is', value: '' },
  { field: 'contact_tag', condition: 'isany', value: '' },
  { field: 'opened', condition: 'not', value: 'last 5' },
  { field: 'opened', condition: 'is', value: '30 days' },
  { field: 'clicked', condition: 'not', value: '7 days' },
  { field: 'event', condition: 'is', value: 'order.placed' },
  {
    field: 'event',
    condition: 'not',
    value: 'order.placed',
    days: 30,
    times: 2,
    where: [
      { field: 'data.total', condition: 'greater', value: '50' },
      { field: 'value', condition: 'isany', value: '' },
    ],
  },
  { match: 'any', filter: [{ field: 'signup_time', condition: 'less', value: '7 days' }] },
  {
    match: 'none',
    filter: [
      { field: 'CITY', condition: 'is', value: 'Bonn' },
      { field: 'AGE', condition: 'greater', value: '30' },
    ],
  },
];

test('every fact of the server can be asked about, and there is no other', () => {
  assert.deepEqual(Object.keys(facts).sort(), [...builtInFields].sort());
});

test('a stored filter survives conversion to the edited tree and back', () => {
  assert.deepEqual(filterOf(nodesOf(stored, types)), stored);
});

test('a half-typed condition is incomplete', () => {
  assert.equal(isWhole([newCondition('CITY', 'is', ' ')]), false);
  assert.equal(isWhole([newCondition('CITY', 'unknown')]), true);
  assert.equal(isWhole([newGroup('any', [newCondition('CITY', 'is', '')])]), false);
  assert.equal(isWhole([]), false);
  const event = (field: string, value: string) =>
    isWhole([
      { ...newCondition('event', 'yes', 'order'), event: { ...noDetails, where: [{ field, condition: 'is', value }] } },
    ]);
  assert.deepEqual([event('data.total', '5'), event('data.', '5'), event('value', ' ')], [true, false, false]);
});

test('a group is removed with its last condition', () => {
  const inner = newCondition('CITY', 'is', 'Kiel');
  const nodes = [newCondition('EMAIL', 'contains', 'x'), newGroup('any', [inner])];
  assert.equal(replaced(nodes, inner.key, undefined).length, 1);
  const [, group] = replaced(nodes, inner.key, { ...inner, value: 'Bonn' });
  assert.ok(group && isGroup(group));
  assert.deepEqual(filterOf(group.nodes), [{ field: 'CITY', condition: 'is', value: 'Bonn' }]);
});

test('the path of a fault identifies its condition', () => {
  const inner = newCondition('AGE', 'more', 'x');
  const nodes = [newCondition(), newGroup('any', [newCondition(), inner])];
  assert.equal(keyAt(nodes, 'filter.1.filter.1.value'), inner.key);
  assert.equal(keyAt(nodes, 'filter.7.value'), undefined);
  assert.equal(keyAt(nodes, undefined), undefined);
});

test('what is stored wrongly about an event, such as by hand in the address, does not fail', () => {
  const odd = [
    { field: 'event', condition: 'is', value: 'x', days: 'a', times: {}, where: [null, 1, { condition: 'z' }] },
  ];
  const [node] = nodesOf(odd as unknown as Filter, types);
  assert.deepEqual(filterOf([node!]), [
    { field: 'event', condition: 'is', value: 'x', where: [{ field: '', condition: 'is', value: '' }] },
  ]);
});
