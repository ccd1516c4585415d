// Waiting for a condition instead of a time.

/**
 * Pauses between two looks: what does not hold soon is looked at less often, as most looks ask the database.
 * @param sinceMs for how long it has been waited
 */
export const pauseMs = (sinceMs: number, least = 20) => Math.min(least + sinceMs / 20, 150);

/** Waits until something holds. @throws Error when it does not in time */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    const sinceMs = performance.now() - startedAt;
    if (sinceMs > withinMs) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs(sinceMs)));
  }
}
