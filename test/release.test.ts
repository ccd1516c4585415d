// A release is made of a small repository with the same files, and refused for each reason; the list of components of this repository is
// complete. Without Git the tests of releases are skipped, with the reason.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { changelogSection } from '../scripts/release/changelog.ts';
import { releaseProblems } from '../scripts/release/checks.ts';
import { components, imageComponents } from '../scripts/release/components.ts';
import { makeRelease } from '../scripts/release.ts';
import { slowTest } from './support/run/runs.ts';

const root = join(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'release-'));
after(() => rmSync(work, { recursive: true }));

const changelog =
  '# Changelog\n\n## 1.2.3 (2026-12-01)\n\n- One thing.\n\n### Two\n\n- More.\n\n## 1.2.2 (2026-11-01)\n\n- Old.\n';

const hasGit = spawnSync('git', ['--version']).status === 0;
const gitTest = (name: string, body: (t: TestContext) => void) => test(name, { skip: !hasGit && 'needs git' }, body);

/** A repository with one commit. @param changed the text of some of its files */
function repository(t: TestContext, changed: Record<string, string> = {}) {
  const folder = mkdtempSync(join(work, 'repository-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const npm = { name: 'small', version: '1.2.3' };
  const files: Record<string, string> = {
    'package.json': JSON.stringify({ ...npm, files: ['index.js'] }),
    'package-lock.json': JSON.stringify({ ...npm, lockfileVersion: 3, packages: { '': npm } }),
    'index.js': '',
    'CHANGELOG.md': changelog,
    Dockerfile: 'LABEL org.opencontainers.image.version="1.2.3"\n',
    'examples/helm/postrider/Chart.yaml': 'name: small\nversion: 1.2.3\nappVersion: "1.2.3"\n',
    'sdk/typescript/package.json': JSON.stringify({ name: '@small/client', version: '1.2.3' }),
    'sdk/python/pyproject.toml': 'version = "1.2.3"\n',
    'sdk/php/composer.json': '{"version":"1.2.3"}',
    'integrations/n8n/package.json': '{"version":"1.2.3"}',
    ...changed,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_COMMITTER_NAME: 'Ann',
        GIT_COMMITTER_EMAIL: 'ann@example.com',
      },
    });
  git('init', '--quiet');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  const out = mkdtempSync(join(work, 'out-'));
  return { folder, git, out, make: (dry = true) => makeRelease({ root: folder, out, dry }) };
}

gitTest('a dry run writes packages, changelog, components and checksums, and makes no tag', (t) => {
  const { git, out, make } = repository(t);
  const { tag, files } = make();
  assert.equal(tag, 'v1.2.3');
  assert.deepEqual(files, [
    'changelog-1.2.3.md',
    'components-1.2.3.cdx.json',
    'small-1.2.3.tgz',
    'small-client-1.2.3.tgz',
    'SHA256SUMS',
  ]);
  assert.deepEqual(readdirSync(out).toSorted(), files.toSorted());
  assert.equal(readFileSync(join(out, 'changelog-1.2.3.md'), 'utf8'), '- One thing.\n\n### Two\n\n- More.\n');
  const bom = JSON.parse(readFileSync(join(out, 'components-1.2.3.cdx.json'), 'utf8'));
  assert.deepEqual(
    [bom.bomFormat, bom.metadata.component.name, bom.metadata.component.version],
    ['CycloneDX', 'small', '1.2.3'],
  );
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8').trim().split('\n');
  assert.equal(sums.length, 4);
  for (const line of sums) {
    const [sum, name] = line.split('  ');
    assert.equal(
      createHash('sha256')
        .update(readFileSync(join(out, name!)))
        .digest('hex'),
      sum,
      name,
    );
  }
  assert.equal(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out }).status, 0);
  assert.equal(git('tag'), '');
});

slowTest('a release makes the tag, and cannot be made again', (t) => {
  const { git, out, make } = repository(t);
  make(false);
  assert.equal(git('tag'), 'v1.2.3\n');
  assert.equal(git('cat-file', '-t', 'v1.2.3'), 'tag\n');
  rmSync(out, { recursive: true });
  assert.throws(make, /^Error: The tag v1\.2\.3 exists already\.$/);
  assert.ok(!existsSync(out), 'nothing is written');
});

const refusals: [what: string, changed: Record<string, string>, reason: RegExp][] = [
  ['no section in the changelog', { 'CHANGELOG.md': '# Changelog\n\n## 1.2.30\n\n- x\n' }, /no section for 1\.2\.3\./],
  [
    'an empty section',
    { 'CHANGELOG.md': '# Changelog\n\n## 1.2.3\n\n## 1.2.2\n\n- x\n' },
    /section for 1\.2\.3 .* is empty/,
  ],
  [
    'another version in the lock file',
    { 'package-lock.json': '{"packages":{"":{"version":"1.2.2"}}}' },
    /package-lock\.json has the version 1\.2\.2/,
  ],
  ['no version in the image', { Dockerfile: 'FROM scratch\n' }, /Dockerfile has the version \(none\)/],
  [
    'another version in a client',
    { 'sdk/php/composer.json': '{"version":"1.2.4"}' },
    /sdk\/php has the version 1\.2\.4/,
  ],
];
for (const [what, changed, reason] of refusals)
  gitTest(`a release with ${what} is refused`, (t) => {
    const { out, make } = repository(t, changed);
    assert.throws(make, reason);
    assert.deepEqual(readdirSync(out), []);
  });

gitTest('a release of files that are not committed is refused, and all reasons are named at once', (t) => {
  const { folder, git, make } = repository(t);
  writeFileSync(join(folder, 'new file'), '');
  writeFileSync(join(folder, 'index.js'), 'changed');
  git('tag', 'v1.2.3');
  assert.throws(make, /not committed: (?=.*index\.js)(?=.*new file).*\n.*tag v1\.2\.3 exists/);
});

gitTest('a folder with other files is refused', (t) => {
  const { out, make } = repository(t);
  writeFileSync(join(out, 'other'), '');
  assert.throws(make, /is not empty/);
  assert.deepEqual(readdirSync(out), ['other']);
});

gitTest('a changelog that calls the version unreleased is enough for a dry run only', (t) => {
  const { folder, git, make } = repository(t, { 'CHANGELOG.md': changelog.replace('2026-12-01', 'unreleased') });
  assert.throws(() => make(false), /no date/);
  assert.equal(git('tag'), '');
  assert.deepEqual(releaseProblems(folder, { dry: true }), []);
});

gitTest('the command ends with 1 and the reasons, without a stack trace', (t) => {
  const { out } = repository(t);
  writeFileSync(join(out, 'other'), '');
  const run = spawnSync(process.execPath, [join(root, 'scripts/release.ts'), '--dry', '--out', out], {
    encoding: 'utf8',
  });
  assert.equal(run.status, 1);
  assert.match(run.stderr, /is not empty\.\n$/);
  assert.doesNotMatch(run.stderr, /\n\s+at /);
});

test('the changelog of this repository has a section for its version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.ok(changelogSection(root, version)!.text.length > 1_000);
});

slowTest(
  'the components are all packages of the lock file that are installed or built in, and the same each time',
  () => {
    const bom = components(root);
    const names = new Set(bom.components.map(({ name }) => name));
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) assert.ok(names.has(name), name);
    for (const name of ['react', '@mantine/core', 'minisearch', 'grapesjs']) assert.ok(names.has(name), name);
    for (const name of ['@biomejs/biome', 'dependency-cruiser', 'vite']) assert.ok(!names.has(name), name);
    assert.deepEqual(components(root), bom);
  },
);

slowTest('the components of the image are the packages in its folder, its Node, and what is built in', (t) => {
  const folder = mkdtempSync(join(work, 'image-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const has = ['zod', '@fastify/static', '@fastify/static/node_modules/inner', 'zod/locales'];
  for (const name of has) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    writeFileSync(join(folder, 'node_modules', name, 'package.json'), '{}');
  }
  assert.throws(
    () => imageComponents(root, folder),
    /does not have node_modules\/@fastify\/static\/node_modules\/inner\./,
  );
  rmSync(join(folder, 'node_modules/@fastify/static/node_modules'), { recursive: true });
  const bom = imageComponents(root, folder);
  const built = bom.components.filter(({ properties }) => properties?.some(({ name }) => name === 'postrider:use'));
  const others = bom.components.filter((one) => !built.includes(one)).map(({ name }) => name);
  assert.deepEqual(others.sort(), ['@fastify/static', 'node', 'zod']);
  assert.ok(built.some(({ name }) => name === 'react'));
  const refs = new Set([bom.metadata.component['bom-ref'], ...bom.components.map((one) => one['bom-ref'])]);
  assert.equal(refs.size, bom.components.length + 1);
  for (const { ref, dependsOn } of bom.dependencies)
    for (const one of [ref, ...dependsOn]) assert.ok(refs.has(one), one);
  assert.equal(bom.metadata.timestamp, undefined);
  assert.deepEqual(imageComponents(root, folder), bom);
});
