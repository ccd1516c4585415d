// The states of a recipient of a campaign or a message, as the rows of `delivery` store them. See docs/flows.md, Recipient.
export const states = { queued: 0, trying: 1, accepted: 2, later: 3, failed: 4, skipped: 5, unclear: 6 } as const;

export type StateName = keyof typeof states;

export const stateNames = Object.keys(states) as StateName[];
