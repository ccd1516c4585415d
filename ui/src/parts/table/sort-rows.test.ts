import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortRows } from './sort-rows.ts';

type Row = { name: string; count: number };

const rows: Row[] = [
  { name: 'beech', count: 2 },
  { name: 'Ash', count: 10 },
  { name: 'Cedar', count: 9 },
];
const columns = [
  { name: 'name', sortBy: ({ name }: Row) => name },
  { name: 'count', sortBy: ({ count }: Row) => count },
  { name: 'plain' },
];
const names = (sort?: string) => sortRows(rows, columns, sort).map(({ name }) => name);

test('words are sorted as in a dictionary, figures by value, both also descending', () => {
  assert.deepEqual(names('name'), ['Ash', 'beech', 'Cedar']);
  assert.deepEqual(names('-name'), ['Cedar', 'beech', 'Ash']);
  assert.deepEqual(names('count'), ['beech', 'Cedar', 'Ash']);
  assert.deepEqual(names('-count'), ['Ash', 'Cedar', 'beech']);
});

test('rows stay as they are without a column to sort by', () => {
  for (const sort of [undefined, 'plain', '-gone', '']) assert.deepEqual(names(sort), ['beech', 'Ash', 'Cedar']);
});
