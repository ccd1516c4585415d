// Random numbers for repeatable tests: the same seed gives the same numbers on every machine.

export interface Dice {
  /** An integer from 0 to below - 1. */
  below(below: number): number;
  pick<T>(list: readonly T[]): T;
}

/** A linear congruential generator modulo 2^31 - 1 (Park and Miller, CACM 31 number 10). */
export function diceOf(seed: number): Dice {
  let state = (Math.abs(Math.trunc(seed)) % 2147483646) + 1;
  const below = (limit: number) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
  return { below, pick: (list) => list[below(list.length)]! };
}
