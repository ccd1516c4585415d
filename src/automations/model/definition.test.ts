// What a definition may contain: nothing that the engine does not know.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fault } from '../../../test/conformance/fixture.ts';
import { params } from '../../method/params.ts';
import { readValue } from '../../method/read-value.ts';
import { triggerParameter } from '../triggers/triggers.ts';
import { readGoal, readReentry, readSteps, readTrigger, stepsParameter } from './definition.ts';

const stepsOf = (given: unknown) => readSteps(readValue(params({ steps: stepsParameter }), { steps: given }).steps);
const triggerOf = (given: unknown) =>
  readTrigger(readValue(params({ trigger: triggerParameter }), { trigger: given }).trigger);

test('steps get keys and defaults, in arms too, and keep those that they have', () => {
  const read = stepsOf([
    { type: 'wait' },
    { type: 'condition', filter: [{ field: 'FNAME', condition: 'is', value: 'A' }], yes: [{ type: 'wait_until' }] },
    { type: 'send', key: 's1', campaign: 'c0a1b2c3' },
  ]);
  assert.deepEqual(read, [
    { key: 's2', type: 'wait', amount: 1, unit: 'days' },
    {
      key: 's3',
      type: 'condition',
      match: 'all',
      filter: [{ field: 'FNAME', condition: 'is', value: 'A' }],
      yes: [{ key: 's4', type: 'wait_until', weekdays: [], hour: 9, minute: 0 }],
      no: [],
    },
    { key: 's1', type: 'send', campaign: 'c0a1b2c3' },
  ]);
});

test('types that are not built and members of other types are refused with their place', () => {
  const refused = (given: unknown, words: string) =>
    assert.throws(() => stepsOf(given), fault('AUTOMATION_INVALID', words));
  refused([{ type: 'sms' }], 'steps.0.type');
  refused([{ type: 'wait', campaign: 'x' }], 'steps.0.campaign');
  refused([{ type: 'condition', yes: [{ type: 'wait', amount: 0 }] }], 'steps.0.yes.0.amount');
  refused([{ type: 'condition', no: [{ type: 'nothing' }] }], 'steps.0.no.0.type');
  refused(
    [
      { type: 'wait', key: 'a' },
      { type: 'wait', key: 'a' },
    ],
    'steps.1.key',
  );
  refused([{ type: 'wait', key: 'a b' }], 'steps.0.key');
  let deep: unknown = { type: 'wait' };
  for (let i = 0; i < 5; i++) deep = { type: 'condition', yes: [deep] };
  refused([deep], 'deeper than 5');
  refused(
    [
      {
        type: 'condition',
        yes: Array.from({ length: 30 }, () => ({ type: 'wait' })),
        no: Array.from({ length: 30 }, () => ({ type: 'wait' })),
      },
    ],
    'at most 50',
  );
});

test('a trigger has the members of its type only', () => {
  assert.deepEqual(triggerOf({ type: 'subscribed' }), { type: 'subscribed', imports: false });
  assert.deepEqual(triggerOf({ type: 'date', field: 'birth', repeat: 'yearly' }), {
    type: 'date',
    field: 'BIRTH',
    repeat: 'yearly',
    amount: 0,
    unit: 'days',
    direction: 'after',
    hour: 9,
  });
  assert.throws(() => triggerOf({ type: 'message' }), fault('AUTOMATION_INVALID', 'trigger.type'));
  assert.throws(() => triggerOf({ type: 'confirmed', field: 'X' }), fault('AUTOMATION_INVALID', 'trigger.field'));
});

test('an empty goal is none, and days count only when contacts may enter again', () => {
  assert.equal(readGoal({ event: ' ' }), null);
  assert.deepEqual(readGoal({ event: 'paid' }), { event: 'paid', match: 'all', filter: [] });
  assert.deepEqual(readReentry({ again: false, days: 5 }), { again: false, days: 0 });
  assert.deepEqual(readReentry({ again: true, days: 5 }), { again: true, days: 5 });
});
