// Documents that are made from the code, or show it, are what the code says today.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiDocs, folder } from '../scripts/api-docs.ts';
import { settings } from '../src/config.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('docs/api is what "npm run docs:api" writes', () => {
  const files = apiDocs();
  assert.deepEqual(readdirSync(folder).sort(), [...files.keys()].sort());
  for (const [name, text] of files) assert.equal(readFileSync(join(folder, name), 'utf8'), text, name);
});

test('the README shows examples/first-campaign.py word for word', () => {
  const shown = /```python\n([\s\S]*?)```/.exec(read('README.md'))![1];
  assert.equal(shown, read('examples/first-campaign.py'));
});

test('docs/operations.md names every setting with its default', () => {
  const text = read('docs/operations.md').replace(/ +/g, ' ');
  for (const [name, setting] of Object.entries(settings)) {
    assert.ok(text.includes(`| \`${name}\` | ${setting.default === '' ? '' : `\`${setting.default}\` `}|`), name);
  }
});
