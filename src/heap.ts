// The memory of the child processes: flags that the parent starts them with, and what they do themselves. In one place, so that
// a benchmark starts a worker exactly as the parent does. Flags are on the command line because V8 refuses compiled code from
// the cache that was made under other flags: set later, every start would compile again, and overwrite what others cached.
import { setFlagsFromString } from 'node:v8';

/** For all children: collectStartGarbage needs it. */
const childFlags = ['--expose-gc'];

/**
 * Makes V8 collect garbage a little more often: nearly everything a worker allocates lives for milliseconds, and V8 would
 * rather grow to 300 MB. Halves the memory of a worker at full speed at no measurable cost (test/bench/delivery.ts).
 */
const growthFlags = ['--semi-space-growth-factor=1', '--heap-growing-percent=20'];

/**
 * Size of the young generation in MB; V8 uses up to three times this. With V8's default maximum of 16, an import of a million
 * rows takes 20 MB more and is no faster. V8 would begin with 1 and, with growthFlags, stay there: it then collects every 50
 * messages, moves what is still in flight to the old generation, and so collects that every two seconds. With 4 a message costs
 * a sixth less CPU of the worker, for 5 MB; with 8 it is no faster.
 */
const youngFlags = ['--min-semi-space-size=4', '--max-semi-space-size=8'];

export const workerFlags = [...childFlags, ...youngFlags, ...growthFlags];

export const flagsOf = (command: string): string[] => (command === 'work' ? workerFlags : childFlags);

/** For a worker that was started without workerFlags, once its code is loaded. */
export function limitHeapGrowth(): void {
  if (process.execArgv.includes(growthFlags[0]!)) return;
  for (const flag of growthFlags) setFlagsFromString(flag);
}

/**
 * Collects what loading the code has left, 15 to 40 MB, which V8 would keep as long as the process has little to do. Does so a
 * little later, when those that waited for this start have been served.
 */
export function collectStartGarbage(): void {
  setTimeout(() => globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' }), 1_500).unref();
}
