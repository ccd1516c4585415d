// Adding, replacing and removing steps, in arms too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '../types.ts';
import { freeKey, keysOf, replaced, topLevel, withStep } from './edit-steps.ts';

const email = (key: string): Step => ({ key, type: 'send', campaign: '' });
const fork: Step = { key: 's2', type: 'condition', match: 'all', filter: [], yes: [email('s3')], no: [] };
const steps = [email('s1'), fork];

test('a step is added in the list and in either arm', () => {
  const one = email('s9');
  assert.deepEqual(keysOf(withStep(steps, topLevel(1), one)), ['s1', 's9', 's2', 's3']);
  assert.deepEqual(keysOf(withStep(steps, { of: 's2', arm: 'yes', index: 1 }, one)), ['s1', 's2', 's3', 's9']);
  const inNo = withStep(steps, { of: 's2', arm: 'no', index: 0 }, one)[1];
  assert.ok(inNo?.type === 'condition');
  assert.deepEqual(keysOf(inNo.no), ['s9']);
});

test('a step is replaced and removed by its key, wherever it is', () => {
  assert.deepEqual(keysOf(replaced(steps, 's3', undefined)), ['s1', 's2']);
  assert.deepEqual(keysOf(replaced(steps, 's2', undefined)), ['s1']);
  assert.deepEqual(keysOf(replaced(steps, 's3', email('s3'))), ['s1', 's2', 's3']);
});

test('a free key is one that neither the steps nor the figures have', () => {
  assert.equal(freeKey(steps), 's4');
  assert.equal(freeKey(steps, ['s4', 's5']), 's6');
  assert.equal(freeKey([]), 's1');
});
