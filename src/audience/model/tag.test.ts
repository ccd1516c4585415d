// Tags of merge fields: their form, and those that already mean something.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../base/faults.ts';
import { builtInTargets } from '../import/plan.ts';
import { canBeTag, isReservedTag, needNewTag } from './tag.ts';

const isFault = (key: string, values: object) => (error: Fault) => {
  assert.deepEqual([error.fault, error.text], ['FIELD_INVALID', { key, values: { member: 'tag', ...values } }]);
  return true;
};

test('a tag is stored in upper case', () => {
  assert.equal(needNewTag(' shoe_size2 '), 'SHOE_SIZE2');
  assert.equal(needNewTag('a'.repeat(50)), 'A'.repeat(50));
});

test('a tag of another form is refused', () => {
  for (const tag of ['', '2nd', '_A', 'SHOE SIZE', 'SHOE-SIZE', 'GRÖSSE', 'A'.repeat(51)])
    assert.throws(() => needNewTag(tag), isFault('field.tag_format', { value: tag.slice(0, 40) }), tag);
});

test('a tag that means something in messages, segments or imports is refused', () => {
  for (const tag of ['email', 'UNSUB', 'MERGE', 'MERGE12', 'STATUS']) {
    assert.throws(() => needNewTag(tag), isFault('field.tag_reserved', { tag: tag.toUpperCase() }), tag);
    assert.equal(isReservedTag(tag.toUpperCase()), true, tag);
  }
  assert.equal(isReservedTag('MERGED'), false);
});

test('no field can have the name of a column of exports, which would leave it out', () => {
  for (const tag of builtInTargets) assert.equal(isReservedTag(tag), true, tag);
});

test('a name can be a tag if a new field takes it, in any case', () => {
  for (const name of ['shoe', 'SHOE_2', 'a'.repeat(50)]) assert.equal(canBeTag(name), true, name);
  for (const name of ['status', 'Status', 'merge3', 'opened', 'widget-form', '_id', 'GRÖSSE', 'a'.repeat(51), ' shoe'])
    assert.equal(canBeTag(name), false, name);
});
