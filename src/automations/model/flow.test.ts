// The order of steps, through the arms of conditions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '../steps/steps.ts';
import { everyStep, flowOf, stepAfter } from './flow.ts';

const plain = (key: string): Step => ({ key, type: 'webhook', name: key });
const fork = (key: string, yes: Step[], no: Step[]): Step => ({
  key,
  type: 'condition',
  match: 'all',
  filter: [],
  yes,
  no,
});

const steps = [plain('a'), fork('b', [plain('c'), fork('d', [plain('e')], [])], []), plain('f')];

test('each arm goes on with what follows its condition, an empty arm at once', () => {
  const flow = flowOf(steps);
  assert.equal(flow.first, 'a');
  const after = (key: string, matches?: boolean) => stepAfter(flow, key, matches);
  assert.equal(after('a'), 'b');
  assert.equal(after('b', true), 'c');
  assert.equal(after('b', false), 'f');
  assert.equal(after('c'), 'd');
  assert.equal(after('d', true), 'e');
  assert.equal(after('d', false), 'f');
  assert.equal(after('e'), 'f');
  assert.equal(after('f'), null);
});

test('an automation without steps has no first one, and a last condition with empty arms ends it', () => {
  assert.equal(flowOf([]).first, null);
  assert.equal(stepAfter(flowOf([fork('a', [], [])]), 'a', true), null);
});

test('every step is listed once', () => {
  assert.deepEqual(
    everyStep(steps).map(({ key }) => key),
    ['a', 'b', 'c', 'd', 'e', 'f'],
  );
});
