// The search for methods.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Operation, searched, wordsOf } from './reference.ts';

const method = (name: string, summary: string, params: string[] = []): Operation => ({
  name,
  summary,
  group: 'lists',
  permissions: [],
  changes: false,
  person: false,
  description: '',
  params: { properties: Object.fromEntries(params.map((param) => [param, { type: 'string' }])) },
  returns: { type: 'array', items: { properties: { open_rate: { type: 'number' } } } },
  example: {},
  faults: [],
});
const methods = [
  method('campaignStats', 'Returns what a segment did.'),
  method('listSegmentCreate', 'Creates a saved filter.'),
  method('memberSearch', 'Finds members.', ['segment']),
];
const names = (query: string) => searched(methods, query).map(({ name }) => name);

test('a long name breaks between its words', () => {
  assert.deepEqual(wordsOf('contactTagsUpdateMatching'), ['contact', 'Tags', 'Update', 'Matching']);
  assert.deepEqual(wordsOf('ping'), ['ping']);
});

test('a method is found by its name first, then by its summary, then by a parameter', () => {
  assert.deepEqual(names('segment'), ['listSegmentCreate', 'campaignStats', 'memberSearch']);
});

test('all words must be found, in any order; members of what is returned count', () => {
  assert.deepEqual(names('create segment'), ['listSegmentCreate']);
  assert.equal(names('open_rate').length, 3);
  assert.deepEqual(names('segment teapot'), []);
  assert.equal(names('').length, 3);
});
