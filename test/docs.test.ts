// Documents generated from the code, or quoting it, match the code.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiDocs, folder } from '../scripts/api-docs.ts';
import { settings } from '../src/config.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('docs/api is up to date with "npm run docs:api"', () => {
  const files = apiDocs();
  assert.deepEqual(readdirSync(folder).sort(), [...files.keys()].sort());
  for (const [name, text] of files) assert.equal(readFileSync(join(folder, name), 'utf8'), text, name);
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
  const image = read('Dockerfile')
    .split(/^FROM /m)
    .at(-1)!;
  assert.match(image, /^USER node$/m);
  assert.match(image, /^HEALTHCHECK /m);
  const compose = read('compose.yaml');
  for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: ["no-new-privileges:true"]', 'SEAL_KEY: ${'])
    assert.ok(compose.includes(`\n    ${line}`) || compose.includes(`\n      ${line}`), line);
});
