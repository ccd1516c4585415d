// The list of changes that no test can detect follows the code: a mutation run stops on an entry that no longer fits.
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { changesOf } from './changes.ts';
import { equivalent } from './equivalent.ts';
import { pureFiles } from './pure.ts';

const root = dirname(dirname(import.meta.dirname));

test('each change excused from detection is a change of a pure file', () => {
  const pure = pureFiles(root);
  const isPossible = ({ file, code, what }: (typeof equivalent)[number]) =>
    pure.has(file) &&
    changesOf(file, readFileSync(join(root, file), 'utf8')).some(
      (change) => change.code === code && change.what === what,
    );
  assert.deepEqual(
    equivalent.filter((entry) => !isPossible(entry)),
    [],
  );
});
