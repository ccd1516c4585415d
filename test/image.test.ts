// What the image is built from, by reading its files: nothing that the build needs is left out of its context. What is built:
// e2e/image.slow.test.ts.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { test } from 'node:test';
import { readSources } from '../site/sources.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const patterns = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** As Docker decides: the last pattern that matches the file or a folder around it. */
function isIgnored(file: string): boolean {
  const folders = file.split('/').map((_, n, parts) => parts.slice(0, n + 1).join('/'));
  const last = patterns.findLast((pattern) => folders.some((path) => matchesGlob(path, pattern.replace(/^!/, ''))));
  return last !== undefined && !last.startsWith('!');
}

/** Files and folders that the stage copies in which the documentation is made. */
const stage = read('Dockerfile')
  .split(/^FROM /m)
  .find((text) => text.includes('site/build.ts'))!;
const copied = [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) => paths!.split(' '));
const isBuiltFrom = (file: string) =>
  copied.some((path) => file === path || file.startsWith(`${path}/`)) && !isIgnored(file);

test('a file that is ignored is not in the context of the build, unless a later line adds it', () => {
  for (const file of ['.env', 'data/postgres/1', 'ui/node_modules/a/b.js', 'src/main.test.ts', 'test/run.ts'])
    assert.ok(isIgnored(file), file);
  for (const file of ['src/main.ts', 'ui/package.json', 'test/upgrade/README.md']) assert.ok(!isIgnored(file), file);
});

test('the build has every file that the pages of the documentation link to', () => {
  const missing = new Set<string>();
  let links = 0;
  for (const { file, text } of readSources()) {
    if (file.startsWith('docs/api/')) continue;
    for (const [, address = ''] of text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)) {
      const linked = join(dirname(file), address).replace(/\/$/, '');
      if (!existsSync(join(root, linked))) continue;
      if (!isBuiltFrom(linked)) missing.add(linked);
      links++;
    }
  }
  assert.deepEqual([...missing], []);
  assert.ok(links > 300, `${links} links`);
});

test('the build has every file that the programs of its stages import', () => {
  const programs = [...read('Dockerfile').matchAll(/\bnode (?:--\S+ )*((?:site|scripts)\/\S+\.ts)/g)].map(
    ([, file]) => file!,
  );
  assert.ok(programs.includes('site/build.ts'));
  const reached = new Set(['ui/vite.config.ts', ...programs, ...globSync('ui/src/**/*.{ts,tsx}', { cwd: root })]);
  for (const file of reached) {
    if (/\.test\.tsx?$/.test(file)) continue;
    assert.ok(existsSync(join(root, file)) && isBuiltFrom(file), file);
    for (const [, name = ''] of read(file).matchAll(/\bfrom '(\.[^']+\.tsx?)'/g))
      reached.add(relative(root, join(root, dirname(file), name)));
  }
  assert.ok(reached.has('scripts/api-docs.ts'));
});
