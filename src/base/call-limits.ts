/** The highest limits of calls that an installation can set for each API key, and a key for itself. */
export const callLimits = { perMinute: 1_000_000, atOnce: 10_000 };
