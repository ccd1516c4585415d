// Takes the place of node:test in a mutation run: collects the tests of the files that are imported, and runs them one after the
// other as far as the first failure, the quickest first. Leaves out tests of speed, which check no results.

import type { MockTracker } from 'node:test';

/** Node's own; an import of node:test would lead to this file. */
const { mock } = process.getBuiltinModule('node:test');

type Run = (context: Context) => unknown;
type Context = {
  after(cleanUp: () => unknown): void;
  skip(): void;
  diagnostic(): void;
  mock: MockTracker;
};

/** Milliseconds that a test took when it last passed, by name. */
const times = new Map<string, number>();
let tests: { name: string; run: Run }[] = [];
const hooks = { before: [] as Run[], after: [] as Run[], beforeEach: [] as Run[], afterEach: [] as Run[] };

export default function test(name: string, ...rest: unknown[]): void {
  tests.push({ name, run: rest.at(-1) as Run });
}
export { test, test as it };

export function describe(_name: string, collect: () => void): void {
  collect();
}

export const before = (run: Run) => void hooks.before.push(run);
export const after = (run: Run) => void hooks.after.push(run);
export const beforeEach = (run: Run) => void hooks.beforeEach.push(run);
export const afterEach = (run: Run) => void hooks.afterEach.push(run);

/** Imports test files and runs their tests. @returns the name of the first test that failed, undefined if none did */
export async function firstFailure(files: string[]): Promise<string | undefined> {
  tests = [];
  for (const list of Object.values(hooks)) list.length = 0;
  const cleanUps: (() => unknown)[] = [];
  const context: Context = { after: (cleanUp) => cleanUps.push(cleanUp), skip: () => {}, diagnostic: () => {}, mock };
  let name = 'import';
  try {
    for (const file of files) await import(file);
    for (const run of hooks.before) await run(context);
    for (const { name: current, run } of tests.sort((a, b) => (times.get(a.name) ?? 0) - (times.get(b.name) ?? 0))) {
      if (/linear time|of CPU/.test(current)) continue;
      name = current;
      const startedAt = performance.now();
      for (const prepare of hooks.beforeEach) await prepare(context);
      await run(context);
      mock.reset();
      for (const finish of hooks.afterEach) await finish(context);
      times.set(name, performance.now() - startedAt);
    }
    return undefined;
  } catch {
    return name;
  } finally {
    mock.reset();
    for (const cleanUp of [...cleanUps, ...hooks.after])
      await (async () => cleanUp(context as never))().catch(() => {});
  }
}
