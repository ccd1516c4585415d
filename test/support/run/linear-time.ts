// Whether work takes time in proportion to its size. A ratio holds on every machine, also on a busy one; milliseconds do not.

/** Work is compared with that of a part of this size. */
const parts = 8;
/**
 * With eight times the size, quadratic time grows 64-fold and linear time eightfold. The limit is as far from one as from the other:
 * large work fills the caches and leaves more garbage, which a busy machine collects slowly.
 */
const maxGrowth = 24;
/** Below it a ratio says nothing. Quadratic time is far above it at the sizes that tests read. */
const shortMs = 60;

/**
 * Does the work of `size`, and where that is not short, also that of an eighth of it.
 * @throws when the work takes far more than eight times as long as that of an eighth
 */
export async function needLinear(
  what: string,
  size: number,
  work: (size: number) => unknown,
  msOf = cpuMs,
): Promise<void> {
  let ms = await msOf(() => work(size));
  let part = Number.POSITIVE_INFINITY;
  // Other programs, the compiler and the collection of garbage only ever add to a measurement: the least counts.
  for (let again = 0; ms > shortMs; again++) {
    part = Math.min(part, await msOf(() => work(size / parts)));
    if (ms <= maxGrowth * part) return;
    if (again === 4) throw new Error(`${what}: ${ms} ms for ${size}; for an eighth of it: ${part} ms`);
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
