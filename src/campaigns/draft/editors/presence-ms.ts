/** For so long a window of the composer that was closed is still named; longer than three times the interval at which one asks. */
export const presenceMs = 20_000;
