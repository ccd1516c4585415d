import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTypes } from '../../../../src/events/types.ts';
import { isSubscribed, purposeOf, typesFor, withPatterns } from './event-choice.ts';

const all = Object.keys(eventTypes);

test('a purpose has events that there are, none that comes for each email, and is known by them', () => {
  assert.deepEqual(typesFor('sync', all), [
    'contact.subscribe',
    'contact.unsubscribe',
    'contact.update',
    'contact.delete',
    'email.change',
  ]);
  assert.deepEqual(typesFor('problems', all).sort(), [
    'address.suppressed',
    'email.bounce',
    'email.complaint',
    'message.failed',
  ]);
  for (const purpose of ['sync', 'problems', 'everything'] as const)
    assert.equal(purposeOf(typesFor(purpose, all), all), purpose);
  assert.equal(purposeOf(['email.bounce'], all), 'choose');
  assert.equal(purposeOf([], all), 'choose');
  assert.ok(isSubscribed(typesFor('everything', all), 'campaign.sent'));
  assert.deepEqual(withPatterns(all, all), ['*']);
});
