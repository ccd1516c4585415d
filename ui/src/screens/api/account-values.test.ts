import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill, isFinal, placeholdersOf } from './account-values.ts';

test('placeholders are found and filled, also within structs and texts; unknown ones stay', () => {
  const example = { cid: '{{campaign}}', options: { list_id: ['{{list}}'] }, name: 'to {{domain}} "x"', limit: 5 };
  assert.deepEqual(placeholdersOf(example), ['campaign', 'list', 'domain']);
  assert.deepEqual(fill(example, { campaign: 'a1', domain: 'a "b"' }), {
    cid: 'a1',
    options: { list_id: ['{{list}}'] },
    name: 'to a "b" "x"',
    limit: 5,
  });
});

test('calls that end something keep their placeholders', () => {
  for (const name of ['campaignDelete', 'campaignSendNow', 'contactErase', 'listUnsubscribe'])
    assert.ok(isFinal(name), name);
  for (const name of ['campaignStats', 'campaignCreate', 'listMembers']) assert.ok(!isFinal(name), name);
});
