// How much memory a worker process lets V8 take: flags it is started with, and settings it makes itself as it begins.
// Promises that both stand in one place: what starts a worker to measure it starts it as the supervisor does.
import { setFlagsFromString } from 'node:v8';

/**
 * Room for what lives a moment only: V8 takes up to three times this, and at its own 16 MB an import of a million rows takes
 * 20 MB more for the same time.
 */
export const workerFlags = ['--max-semi-space-size=8'];

/**
 * Collects garbage a little more often: a worker makes much that lives for milliseconds, and V8 would rather take 300 MB
 * than look. Halves the memory of a worker at full speed and costs nothing measurable (test/bench/delivery.ts).
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}
