// A migration that databases may have applied never changes: its contents are compared with the hash in migrations/frozen.json.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frozenProblems, readFrozen } from '../../scripts/freeze-migrations.ts';
import { hashOf, readMigrations } from './migration-files.ts';

test('frozen migrations are as they were, and new ones come after them', () => {
  assert.deepEqual(frozenProblems(readFrozen(), readMigrations()), []);
  assert.ok(Object.keys(readFrozen()).length >= 11);
});

test('a frozen migration that was edited, renamed or removed is found, and so is a new one before the last', () => {
  const a = { name: '0001_a', text: 'select 1;\n' };
  const c = { name: '0003_c', text: 'select 3;\n' };
  const frozen = { '0001_a': hashOf(a), '0003_c': hashOf(c) };
  const next = { name: '0004_d', text: '' };
  assert.deepEqual(frozenProblems(frozen, [a, c, next]), []);
  assert.deepEqual(frozenProblems(frozen, [a, { ...c, text: 'select 3;\r\n\r\n' }]), []);
  assert.deepEqual(frozenProblems(frozen, [{ ...a, text: 'select 1; -- one' }, c]), [
    '0001_a is frozen, but was changed',
  ]);
  assert.deepEqual(frozenProblems(frozen, [{ ...a, name: '0001_b' }, c]), [
    '0001_a is frozen, but was removed',
    '0001_b comes before 0003_c, which is frozen',
  ]);
  assert.deepEqual(frozenProblems(frozen, [a, { name: '0002_b', text: '' }, c]), [
    '0002_b comes before 0003_c, which is frozen',
  ]);
});
