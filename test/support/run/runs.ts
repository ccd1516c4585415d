// How many random cases a property test draws. An ordinary run draws a tenth, with another seed each time, so that the
// whole suite stays short; `npm run test:slow` runs these files again with all of them.

/** @param all the cases of a slow run */
export function runs(all: number): number {
  return process.env.RUNS === 'all' ? all : Math.max(30, Math.ceil(all / 10));
}

/** All items in a slow run, otherwise every `nth`. */
export function sample<T>(items: readonly T[], nth: number): readonly T[] {
  return process.env.RUNS === 'all' ? items : items.filter((_, i) => i % nth === 0);
}
