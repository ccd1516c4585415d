// Which test files a change reaches, in the repository as it is.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { leadingTo, readImports, withSources } from './imports.ts';

// Joined, because a path that a file quotes whole counts as named by it.
const locale = join('src/locales', 'en.json');
const migration = join('src/db/migrations', '0001_base.sql');
const imports = readImports(join(import.meta.dirname, '../../..'));

test('a changed text file reaches the tests of the code that reads it, and no others', () => {
  const steps = leadingTo(imports, withSources(imports, [locale]));
  assert.equal(steps.get('src/locales/text.test.ts'), 0);
  assert.ok(steps.has('src/pages/public.test.ts'));
  assert.equal(steps.has('src/config.test.ts'), false);
});

test('a changed migration brings the sources of the folder above, as its own has none', () => {
  const changed = withSources(imports, [migration]);
  assert.ok(changed.includes('src/db/migration-files.ts'));
});

test('a file that another one names stands for itself only', () => {
  assert.deepEqual(withSources(imports, ['src/locales/text.ts']), ['src/locales/text.ts']);
});
