// Generates the API reference in docs/api/ from the list of methods: an overview, a page per method and the OpenAPI
// description. `node scripts/api-docs.ts` (npm run docs:api); a test fails when the files are out of date.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../src/base/version.ts';
import { markdownOf, markdownOverview } from '../src/doors/markdown.ts';
import { openApi } from '../src/doors/openapi/openapi.ts';
import { methods } from '../src/doors/registry.ts';

export const folder = join(import.meta.dirname, '../docs/api');

/** File name → text of all files. */
export function apiDocs(): Map<string, string> {
  const files = new Map<string, string>([['README.md', markdownOverview()]]);
  for (const method of methods) files.set(`${method.name}.md`, markdownOf(method));
  files.set('openapi.json', `${JSON.stringify(openApi('http://127.0.0.1:8080', version), null, 2)}\n`);
  return files;
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  const files = apiDocs();
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  console.log(`${files.size} files written to docs/api`);
}
