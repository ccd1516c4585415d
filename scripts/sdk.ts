// Generates the typed parts of the SDKs in sdk/ from the description of the API: `node scripts/sdk.ts` (npm run docs:sdk); a test
// fails when the files are out of date. What calls, retries and iterates is written by hand, in client.js, client.py and Client.php.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describedApi } from './sdk/description.ts';
import { eventFiles } from './sdk/events.ts';
import { phpFiles } from './sdk/php.ts';
import { pythonFiles } from './sdk/python.ts';
import { typescriptFiles } from './sdk/typescript.ts';

export const folder = join(import.meta.dirname, '../sdk');

/** File name → text of all generated files. */
export function sdkFiles(): Map<string, string> {
  const { methods, shapes } = describedApi();
  return new Map([
    ...typescriptFiles(methods, shapes),
    ...pythonFiles(methods, shapes),
    ...phpFiles(methods, shapes),
    ...eventFiles(),
  ]);
}

if (import.meta.main) {
  const files = sdkFiles();
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  console.log(`${files.size} files written`);
}
