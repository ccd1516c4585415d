// Several test files in one process: loading the program takes most of the time of a short file. Each file is a suite
// of its process, so its hooks concern its own tests, and one file ends before the next begins.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Imports, reachedFrom } from './imports.ts';
import { timeFile } from './processor-time.ts';
import { guessedSeconds, isSlow } from './selection.ts';

/** What `node:test` runs in one process: one test file, or a written file that loads several. */
export type Batch = { path: string; files: string[] };

/**
 * Loading the program takes 0.6 s of a processor, and its first app and server half as much again: shorter batches would do so
 * more often. Longer ones would leave a processor without work at the end.
 */
const batchSeconds = { small: 60, whole: 60, browser: 95 };

/** What a file loads; files of one kind share processes. */
type Kind = keyof typeof batchSeconds;

/** A file that looks at what others do with its process, or changes it, is alone in it. */
const looksAtProcess = /\bprocess\.[a-z]|\bmock\b|node:worker_threads|node:v8|--expose/;
/** What is the same whichever files run in a process. The limits of its time are seconds, and nothing of another file runs beside. */
const readsProcess =
  /\bprocess\.(?:execPath|pid|ppid|platform|config|getuid|getgid|cpuUsage|threadCpuUsage|kill|getBuiltinModule|ts)\b|\.\.\.process\.env\b|(?<!\bdelete )\bprocess\.env(?:\.\w+\b|\['\w+'\])(?!\s*=[^=])/g;

/** Files of a kind share processes, but for slow ones. */
export function inBatches(root: string, files: readonly string[], imports: Imports): Batch[] {
  const folder = folderOfRun(join(root, 'node_modules/.cache/test-batches'));
  return processesOf(root, files, imports).map(({ together, shared }, n) => {
    if (!shared) return { path: join(root, together[0]!), files: together };
    // Node strips no types in node_modules.
    const path = join(folder, `${n}.test.mjs`);
    const module = pathToFileURL(import.meta.filename).href;
    writeFileSync(
      path,
      `import { loadFiles } from '${module}';\nawait loadFiles(${JSON.stringify([root, together])});\n`,
    );
    return { path, files: together };
  });
}

/** A folder of this run alone: another run in the same tree has its own. Those of ended runs are removed. */
export function folderOfRun(parent: string): string {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent))
    if (!isRunning(Number.parseInt(name, 10))) rmSync(join(parent, name), { recursive: true, force: true });
  const folder = join(parent, String(process.pid));
  mkdirSync(folder, { recursive: true });
  return folder;
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The files of each process; `shared`: of a process for files of one kind, even if there is only one. */
export function processesOf(
  root: string,
  files: readonly string[],
  imports: Imports,
  secondsOf = guessedSeconds,
): { together: string[]; shared: boolean }[] {
  const alone: string[] = [];
  const kinds = new Map<Kind, { together: string[]; seconds: number }[]>();
  const hooked = new Set([...imports.keys()].filter((file) => setsUp(root, file)));
  for (const file of files) {
    const reached = reachedFrom(imports, file);
    const kind = kindOf(reached);
    if (!canShare(root, file) || (kind === 'browser') !== file.startsWith('test/ui/')) {
      alone.push(file);
      continue;
    }
    const batches = kinds.get(kind) ?? [];
    kinds.set(kind, batches);
    const seconds = secondsOf(file);
    const batch = batches.find(
      (batch) =>
        batch.seconds + seconds <= batchSeconds[kind] &&
        !batch.together.some((other) => sharesAny(hooked, reached, reachedFrom(imports, other))),
    );
    if (!batch) batches.push({ together: [file], seconds });
    else {
      batch.together.push(file);
      batch.seconds += seconds;
    }
  }
  return [
    ...alone.map((file) => ({ together: [file], shared: false })),
    ...[...kinds.values()].flat().map(({ together }) => ({ together, shared: true })),
  ];
}

/** Whether a module sets up what its tests need as it is loaded: in a process that happens once, for the first file only. */
const setsUp = (root: string, file: string) =>
  file.startsWith('test/support/') &&
  /^(?:before\(|after\(|export const \w+ = uiTest\()/m.test(readFileSync(join(root, file), 'utf8'));

const sharesAny = (of: ReadonlySet<string>, a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  [...of].some((file) => a.has(file) && b.has(file));

function kindOf(reached: ReadonlySet<string>): Kind {
  if (reached.has('test/support/browser/chromium.ts')) return 'browser';
  return reached.has('test/support/installation/app.ts') ? 'whole' : 'small';
}

/** Called in the process of a batch. */
export async function loadFiles([root, files]: [root: string, files: string[]]): Promise<void> {
  after(failUnlessEnded);
  if (files.some((file) => file.startsWith('test/ui/'))) {
    const { shareBrowser } = await import('../browser/chromium.ts');
    after(shareBrowser());
  }
  for (const file of files)
    describe(file, async () => {
      let ended = () => {};
      before(() => {
        ended = timeFile(file);
      });
      await import(pathToFileURL(join(root, file)).href);
      after(() => ended());
    });
}

/** A timer or server that a test leaves behind would keep the process alive after its last test, and with it the whole run. */
function failUnlessEnded(): void {
  const fail = () => {
    const held = process.getActiveResourcesInfo().join(', ');
    console.error(`The tests ended a minute ago, but their process did not. It holds: ${held}`);
    process.exit(1);
  };
  setTimeout(fail, 60_000).unref();
}

function canShare(root: string, file: string): boolean {
  if (isSlow(file)) return false;
  return !looksAtProcess.test(readFileSync(join(root, file), 'utf8').replaceAll(readsProcess, ''));
}
