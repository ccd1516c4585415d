// The seven states of a recipient, and the size of a chunk. Each recipient of a campaign is in exactly one state at every moment.

export const states = { queued: 0, trying: 1, accepted: 2, later: 3, failed: 4, skipped: 5, unclear: 6 } as const;

export type StateName = keyof typeof states;

export const stateNames = Object.keys(states) as StateName[];

/** Recipients in a chunk, at most: some seconds of work for a slow relay, a tenth of a second for a fast one. */
export const chunkSize = 500;
