// Documents generated from the code, or quoting it, match the code.
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiOverview, methodPages, overviewFile } from '../scripts/api-docs.ts';
import { settings } from '../src/config.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('docs/api/README.md is up to date with "npm run docs:api"', () => {
  assert.equal(readFileSync(overviewFile, 'utf8'), apiOverview());
});

test('the reference has a page for each method of its overview', () => {
  const pages = methodPages();
  const listed = [...apiOverview().matchAll(/^\| \[\w+\]\((\w+\.md)\)/gm)].map(([, name]) => name!);
  assert.deepEqual([...pages.keys()].sort(), listed.sort());
  for (const [name, text] of pages) assert.match(text, new RegExp(`^# ${name.replace('.md', '')}\n`), name);
});

test('the README quotes examples/first-campaign.py verbatim', () => {
  const shown = /```python\n([\s\S]*?)```/.exec(read('README.md'))![1];
  assert.equal(shown, read('examples/first-campaign.py'));
});

test('docs/operations.md lists every setting with its default and meaning', () => {
  const text = read('docs/operations.md').replace(/ +/g, ' ');
  for (const { name, default: fallback, help } of Object.values(settings)) {
    const row = `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\` `}| ${help} |`;
    assert.ok(text.includes(row), row);
  }
});

test('the image runs as an ordinary user, and compose.yaml takes away what the program does not need', () => {
  const stages = read('Dockerfile')
    .split(/^FROM (?:--platform=\$BUILDPLATFORM )?/m)
    .slice(1);
  const program = stages.find((stage) => /^\S+ AS program$/m.test(stage))!;
  assert.match(program, /^USER 1000$/m);
  assert.match(program, /^HEALTHCHECK .* CMD \[/m);
  assert.match(program, /^CMD \[/m);
  for (const stage of stages) {
    const base = stage.split(/\s/)[0]!;
    assert.ok(
      /:(?!latest)./.test(base) || stages.some((other) => other.startsWith(`${other.split(/\s/)[0]} AS ${base}\n`)),
      base,
    );
    assert.equal([...stage.matchAll(/^USER (\w+)$/gm)].at(-1)?.[1] ?? '1000', '1000');
    // Native code comes in optional packages.
    assert.doesNotMatch(stage, /--omit=optional/);
    for (const [, copied] of stage.matchAll(/^COPY (?!--from)(.*) \S+$/gm))
      for (const path of copied!.split(' ')) assert.ok(existsSync(join(root, path)) && path !== '.', `COPY ${path}`);
  }
  const ignored = read('.dockerignore').split('\n');
  for (const path of ['**/*.test.ts', 'test', '.env', '.git']) assert.ok(ignored.includes(path), path);
  // The image has the built documentation, not its sources.
  assert.doesNotMatch(program, /^COPY (docs|site) /m);
  const compose = read('compose.yaml');
  for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: ["no-new-privileges:true"]', 'SEAL_KEY: ${'])
    assert.ok(compose.includes(`\n    ${line}`) || compose.includes(`\n      ${line}`), line);
});

test('a document shows every picture of docs/images', () => {
  const text = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map(read).join('\n');
  assert.deepEqual(
    readdirSync(join(root, 'docs/images')).filter((name) => !text.includes(`images/${name})`)),
    [],
  );
});
