// The seven states of a recipient. At every moment each recipient of a campaign is in exactly one of them.

export const states = { queued: 0, trying: 1, accepted: 2, later: 3, failed: 4, skipped: 5, unclear: 6 } as const;

export type StateName = keyof typeof states;

export const stateNames = Object.keys(states) as StateName[];
