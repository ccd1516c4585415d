// The web application takes types from src, and values only from the files that bin/build-ui lists: they import nothing, so that no
// other code of the server gets into the browser.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const listed = [...read('bin/build-ui').matchAll(/src\/[\w/-]+\.ts\b/g)].map(([path]) => path);

test('bin/build-ui lists the files of the server whose values the web application uses', () => {
  const used = globSync('ui/src/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => !/\.test(-d)?\.tsx?$/.test(path))
    .flatMap((path) =>
      [...read(path).matchAll(/^import (?!type )[^;]*? from '(\.[^']+)';/gm)].map(([, to]) =>
        normalize(join(path, '..', to!)),
      ),
    )
    .filter((path) => path.startsWith('src/'));
  assert.deepEqual(listed, [...new Set(used)].sort());
});

test('they import nothing', () => {
  for (const path of listed) assert.doesNotMatch(read(path), /^import |\bimport\(/m, path);
});
