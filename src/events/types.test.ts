// That the list of event types is consistent: each example is an event as its schema describes it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTypeNames, eventTypes } from './types.ts';

for (const type of eventTypeNames)
  test(`the example of ${type} fits its schema`, () => {
    const { data, example } = eventTypes[type];
    assert.deepEqual(data.parse(example), example);
  });
