// What an ordinary run leaves to the slow one, so that the whole suite stays short: most random cases of property tests, most
// cases of long tables, and tests of a rule that a quick test proves as well. `npm run test:slow` runs these files again with
// all of them.
import { test } from 'node:test';

const all = process.env.RUNS === 'all';

/**
 * How many random cases a property test draws: in an ordinary run a tenth, at most 300, with another seed each time.
 * @param cases those of a slow run
 * @param least those of an ordinary run, where each case is cheap
 */
export function runs(cases: number, least = 30): number {
  return all ? cases : Math.max(least, Math.min(300, Math.ceil(cases / 10)));
}

/** All items in a slow run, otherwise every `nth`. */
export function sample<T>(items: readonly T[], nth: number): readonly T[] {
  return all ? items : items.filter((_, i) => i % nth === 0);
}

/** A test of a slow run, and of a run of its file by name. */
export const slowTest = (all || process.env.SLOW_TESTS === 'yes' ? test : () => {}) as typeof test;
