// The API reference, made from the list of methods: the overview docs/api/README.md, which is kept so that changes of methods and
// faults are seen, and a page for each method, which the site of the documentation has (site/sources.ts).
// `node scripts/api-docs.ts` (npm run docs:api) writes the overview; a test fails when it is out of date.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownOf, markdownOverview } from '../src/doors/markdown.ts';
import { methods } from '../src/doors/registry.ts';

export const overviewFile = join(import.meta.dirname, '../docs/api/README.md');

export { markdownOverview as apiOverview };

/** File name → text of the pages of methods. */
export function methodPages(): Map<string, string> {
  return new Map(methods.map((method) => [`${method.name}.md`, markdownOf(method)]));
}

if (import.meta.main) {
  writeFileSync(overviewFile, markdownOverview());
  console.log('docs/api/README.md is written');
}
