// The memory of a worker process: flags it is started with, and flags it sets itself. Both in one place, so that a
// benchmark starts a worker exactly as the supervisor does.
import { setFlagsFromString } from 'node:v8';

/**
 * Size of the young generation in MB; V8 uses up to three times this. With V8's default of 16, an import of a million
 * rows takes 20 MB more and is no faster.
 */
export const workerFlags = ['--max-semi-space-size=8'];

/**
 * Makes V8 collect garbage a little more often: nearly everything a worker allocates lives for milliseconds, and V8 would
 * rather grow to 300 MB. Halves the memory of a worker at full speed at no measurable cost (test/bench/delivery.ts).
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}
