// Loads one source file with a change, in the process of a test. run.ts passes the change in MUTATION.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Change } from './changes.ts';

const mutation = process.env['MUTATION'];
delete process.env['MUTATION'];
if (mutation) {
  const { file, start, end, replacement } = JSON.parse(mutation) as Change;
  const path = join(process.cwd(), file);
  registerHooks({
    load(url, context, next) {
      if (url !== pathToFileURL(path).href) return next(url, context);
      const source = readFileSync(path, 'utf8');
      return {
        format: 'module-typescript',
        source: source.slice(0, start) + replacement + source.slice(end),
        shortCircuit: true,
      };
    },
  });
}
