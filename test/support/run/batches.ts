// Several test files in one process: loading the program takes most of the time of a short file. Each file is a suite
// of its process, so its hooks concern its own tests, and one file ends before the next begins.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Imports, reachedFrom } from './imports.ts';
import { guessedSeconds, isSlow } from './selection.ts';

/** What `node:test` runs in one process: one test file, or a written file that loads several. */
export type Batch = { path: string; files: string[] };

/** Shorter batches would load the program more often; longer ones would leave a processor without work at the end. */
const batchSeconds = 12;

/** A file that looks at its process, or changes it, is alone in it. */
const looksAtProcess = /\bprocess\.[a-z]|\bmock\b|node:worker_threads|node:v8|--expose/;

/** Files beside the sources and of the conformance tests share processes, those that load the whole program apart from those that do not. */
export function inBatches(root: string, files: readonly string[], imports: Imports): Batch[] {
  const folder = join(root, 'node_modules/.cache/test-batches');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const alone: Batch[] = [];
  const kinds = new Map<boolean, string[][]>();
  for (const file of files) {
    const reached = reachedFrom(imports, file);
    if (!canShare(root, file) || reached.has('test/support/browser/chromium.ts')) {
      alone.push({ path: join(root, file), files: [file] });
      continue;
    }
    const whole = reached.has('test/support/installation/app.ts');
    const batches = kinds.get(whole) ?? [];
    kinds.set(whole, batches);
    const last = batches.at(-1);
    if (last && secondsOf([...last, file]) <= batchSeconds) last.push(file);
    else batches.push([file]);
  }
  const shared = [...kinds.values()].flat().map((together, n) => {
    // Node strips no types in node_modules.
    const path = join(folder, `${n}.test.mjs`);
    const module = pathToFileURL(import.meta.filename).href;
    writeFileSync(path, `import { loadFiles } from '${module}';\nloadFiles(${JSON.stringify([root, together])});\n`);
    return { path, files: together };
  });
  return [...alone, ...shared];
}

/** Called in the process of a batch. */
export function loadFiles([root, files]: [root: string, files: string[]]): void {
  for (const file of files)
    describe(file, async () => {
      await import(pathToFileURL(join(root, file)).href);
    });
}

function canShare(root: string, file: string): boolean {
  if (isSlow(file) || !/^(src|ui\/src|test\/conformance|test\/support)\//.test(file)) return false;
  return !looksAtProcess.test(readFileSync(join(root, file), 'utf8'));
}

const secondsOf = (files: readonly string[]) => files.reduce((sum, file) => sum + guessedSeconds(file), 0);
