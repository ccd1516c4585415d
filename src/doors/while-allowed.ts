// A long download asks again and again whether it is still allowed: it ends in the middle when the right was taken away.
const askEveryMs = 1_000;

/** @param again fails when the caller may not go on */
export async function* whileAllowed<T>(
  parts: AsyncIterable<T>,
  again: () => Promise<void>,
  now: () => number = () => performance.now(),
): AsyncGenerator<T> {
  let askedAt = now();
  for await (const part of parts) {
    if (now() - askedAt >= askEveryMs) {
      await again();
      askedAt = now();
    }
    yield part;
  }
}
