// Loads one source file with a change, in the process of a test. run.ts passes the change in MUTATION. Also limits the time of
// each random test: a thorough search for rare inputs would take most of a run and detects hardly any more changes.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Change } from './changes.ts';

const mutation = process.env['MUTATION'];
delete process.env['MUTATION'];
const change = mutation ? (JSON.parse(mutation) as Change) : undefined;
const changedUrl = change && pathToFileURL(join(process.cwd(), change.file)).href;
const importsFastCheck = "import fc from 'fast-check';";

registerHooks({
  load(url, context, next) {
    if (url !== changedUrl && !url.endsWith('.test.ts')) return next(url, context);
    let source = readFileSync(new URL(url), 'utf8');
    if (change && url === changedUrl)
      source = source.slice(0, change.start) + change.replacement + source.slice(change.end);
    if (!source.includes(importsFastCheck) && url !== changedUrl) return next(url, context);
    source = source.replace(importsFastCheck, `$& fc.configureGlobal({ interruptAfterTimeLimit: 3_000 });`);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});
