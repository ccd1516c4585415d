// Whether work takes time in proportion to its size. A ratio holds on every machine, also on a busy one; milliseconds do not.

/** Quadratic time grows sixteenfold with four times the size, linear time fourfold. The rest is for garbage and caches. */
const maxGrowth = 9;
/** Below it a ratio says nothing. Quadratic time is far above it at the sizes that tests read. */
const shortMs = 60;

/**
 * Does the work of `size`, and where that is not short, also that of a quarter of it.
 * @throws when the work takes far more than four times as long as that of a quarter
 */
export async function needLinear(
  what: string,
  size: number,
  work: (size: number) => unknown,
  msOf = cpuMs,
): Promise<void> {
  let ms = await msOf(() => work(size));
  let quarter = Number.POSITIVE_INFINITY;
  // Other programs, the compiler and the collection of garbage only ever add to a measurement: the least counts.
  for (let again = 0; ms > shortMs; again++) {
    quarter = Math.min(quarter, await msOf(() => work(size / 4)));
    if (ms <= maxGrowth * quarter) return;
    if (again === 4) throw new Error(`${what}: ${ms} ms for ${size}; for a quarter of it: ${quarter} ms`);
    ms = Math.min(ms, await msOf(() => work(size)));
  }
}

/** What work takes of a processor, in milliseconds. */
async function cpuMs(work: () => unknown): Promise<number> {
  const begun = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}
