import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { states } from './states.ts';

test('the states are those that the schema describes, by number and in this order', () => {
  const schema = readFileSync(join(import.meta.dirname, 'migrations/0006_delivery.sql'), 'utf8');
  const described = /-- (0 queued(?:, \d \w+)+): src\/db\/states\.ts/.exec(schema)![1]!;
  assert.equal(
    Object.entries(states)
      .map(([name, number]) => `${number} ${name}`)
      .join(', '),
    described,
  );
});
