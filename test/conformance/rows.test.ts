// Every table of the specification is covered by a test file.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tables } from './rows.ts';

test('every table of the specification is covered by exactly one test file', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const source = globSync(`${folder}spec-*.test.ts`).map((file) => readFileSync(file, 'utf8'));
  const taken = source.flatMap((text) => [...text.matchAll(/specTable\('([^']+)'\)/g)].map((match) => match[1]!));
  assert.deepEqual(taken.sort(), Object.keys(tables).sort());
});
