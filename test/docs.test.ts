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
