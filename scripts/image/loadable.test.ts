// What the image keeps of packages, with packages of the test: what sources import, require and name, and nothing else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';

const work = mkdtempSync(join(tmpdir(), 'loadable-'));
after(() => rmSync(work, { recursive: true }));

/** Runs the script on a folder with these files. */
function keepLoadable(files: Record<string, string>) {
  const folder = mkdtempSync(join(work, 'image-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const words = ['--experimental-import-meta-resolve', join(import.meta.dirname, 'keep-loadable.ts'), folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  const left = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(folder, 'node_modules'), join(entry.parentPath, entry.name)));
  return { status, stdout, stderr, left: left.sort() };
}

test('of a package with two builds the one is kept that Node loads, with what it loads in turn', () => {
  const exports = { import: './esm/index.js', require: './cjs/index.js' };
  const { left, stdout, stderr } = keepLoadable({
    'src/main.ts': "import type { Never } from 'types'; import { two } from 'two'; export const one: Never = two;",
    'node_modules/two/package.json': JSON.stringify({ name: 'two', type: 'module', exports }),
    'node_modules/two/esm/index.js': "export { two } from './part.js'; export const lazy = () => import('nested');",
    'node_modules/two/esm/part.js': 'export const two = 2;',
    'node_modules/two/esm/other.js': 'export const other = 1;',
    'node_modules/two/esm/index.js.map': '{}',
    'node_modules/two/cjs/index.js': 'exports.two = 2;',
    'node_modules/two/LICENSE': 'MIT',
    'node_modules/two/README.md': '# Two',
    'node_modules/two/node_modules/nested/package.json': '{"name":"nested","version":"2.0.0"}',
    'node_modules/two/node_modules/nested/index.js': 'module.exports = 2;',
    'node_modules/nested/package.json': '{"name":"nested","version":"1.0.0"}',
    'node_modules/nested/index.js': 'module.exports = 1;',
    'node_modules/types/package.json': '{"name":"types","main":"index.js"}',
    'node_modules/types/index.js': 'module.exports = 0;',
    'node_modules/.bin/two': '',
  });
  assert.equal(stderr, '');
  assert.match(stdout, /kept 0\.0 MB, deleted 0\.0 MB/);
  assert.deepEqual(left, [
    'two/LICENSE',
    'two/esm/index.js',
    'two/esm/part.js',
    'two/node_modules/nested/index.js',
    'two/node_modules/nested/package.json',
    'two/package.json',
  ]);
});

test('a script that is started by its name is kept with what it loads, and files that code may read; tests go', () => {
  const { left, stderr } = keepLoadable({
    'src/main.ts':
      "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); require('a');",
    'node_modules/a/package.json': '{"name":"a"}',
    'node_modules/a/index.js': "new Worker(require('path').join(__dirname, 'lib', 'worker.js')); require('absent');",
    'node_modules/a/lib/worker.js': "require('./inner'); require('fs').readFileSync('words.txt');",
    'node_modules/a/lib/inner.js': 'with ({}) {}',
    'node_modules/a/lib/words.txt': '',
    'node_modules/a/web/worker.mjs': '',
    'node_modules/a/web/machine.wasm': '',
    'node_modules/a/sql/one.sql': '',
    'node_modules/a/test/worker.js': '',
    'node_modules/a/test/package.json': '{}',
  });
  assert.equal(stderr, '');
  assert.deepEqual(left, [
    'a/index.js',
    'a/lib/inner.js',
    'a/lib/words.txt',
    'a/lib/worker.js',
    'a/package.json',
    'a/sql/one.sql',
  ]);
});

test('of a package that computes what it loads all code is kept but its tests', () => {
  const { left } = keepLoadable({
    'src/main.ts': "await import('a');",
    'node_modules/a/package.json': '{"name":"a"}',
    'node_modules/a/index.js': 'module.exports = (name) => require("./parts/" + name);',
    'node_modules/a/parts/one.js': "require('b');",
    'node_modules/a/test/one.js': '',
    'node_modules/b/package.json': '{"name":"b"}',
    'node_modules/b/index.js': '',
  });
  assert.deepEqual(left, ['a/index.js', 'a/package.json', 'a/parts/one.js', 'b/index.js', 'b/package.json']);
});

test('a source that computes what it imports is refused, and nothing is deleted', () => {
  const { status, stderr, left } = keepLoadable({
    'src/main.ts': 'export const load = (name: string) => import(name);',
    'node_modules/a/package.json': '{"name":"a"}',
  });
  assert.notEqual(status, 0);
  assert.match(stderr, /src\/main\.ts computes the name of what it imports/);
  assert.deepEqual(left, ['a/package.json']);
});
