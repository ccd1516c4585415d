// What a send loop does next with the chunk it holds, and how large its groups are.
// Pure: facts, limits and the clock come from the caller. Marking, sending and giving back are held-chunk.ts.

/** Why a send loop leaves a chunk. */
export type Exit =
  /** Nothing in the chunk is left to mark. */
  | { kind: 'done' }
  /** Other campaigns are served before this chunk continues. */
  | { kind: 'turn over' }
  /** The chunk waits for any worker, from `afterMs` on; with `opensAt`, until its send window opens. */
  | { kind: 'give back'; afterMs: number; opensAt?: Date }
  /** The lease is another worker's. */
  | { kind: 'lost' };

/** How long a send loop keeps a chunk before the next turn: only slow ones take so long. */
export const turnMs = 1_000;
/** A used-up daily quota is checked again after this: what was reserved and not used is given back. */
const quotaCheckMs = 5 * 60_000;

export const giveBackNow = { kind: 'give back', afterMs: 0 } as const satisfies Exit;

/** Whether the loop leaves the chunk before it marks a group. */
export function exitBeforeGroup(facts: {
  now: number;
  turnUntil: number;
  canContinue: boolean;
  relayRestMs: number;
}): Exit | undefined {
  if (facts.now > facts.turnUntil) return { kind: 'turn over' };
  if (!facts.canContinue || facts.relayRestMs > 0) return giveBackNow;
  return undefined;
}

/** @returns recipients in the next group at most; 0 while the account may start none */
export function maxGroupSize(facts: {
  accountLeft: number;
  oneByOne: boolean;
  groupSize: number;
  perSecond: number | undefined;
}): number {
  if (facts.accountLeft === 0) return 0;
  // After a crash groups shrink to single recipients, so that the one that brings the worker down is found.
  const size = facts.oneByOne ? 1 : Math.min(facts.groupSize, facts.accountLeft);
  // At most one second's worth, or waiting for the relay would look like a slow domain.
  return facts.perSecond === undefined ? size : Math.min(size, Math.max(1, Math.ceil(facts.perSecond)));
}

/** What to do when the daily quota grants nothing. */
export function moveWithoutQuota(retryMs: number, stragglers: number): Exit | { kind: 'await stragglers' } {
  // Groups of this chunk that are in flight may still give back some of theirs.
  return stragglers > 0
    ? { kind: 'await stragglers' }
    : { kind: 'give back', afterMs: Math.min(retryMs, quotaCheckMs) };
}

/** Whether the loop leaves the chunk instead of sending the group it has marked. @param group undefined when the lease is lost */
export function exitAfterMarking(
  group: { touched: number; stopped?: true; closedUntil?: { at: Date; afterMs: number }; quotaUsed?: true } | undefined,
  kind: 'first' | 'retry' | 'resend' = 'first',
): Exit | undefined {
  if (!group) return { kind: 'lost' };
  // One of first attempts is not taken before there is more of the quota (lease.ts).
  if (group.quotaUsed) return { kind: 'give back', afterMs: kind === 'first' ? 0 : quotaCheckMs };
  if (group.closedUntil)
    return { kind: 'give back', afterMs: group.closedUntil.afterMs, opensAt: group.closedUntil.at };
  if (group.stopped) return giveBackNow;
  if (group.touched === 0) return { kind: 'done' };
  return undefined;
}

/** Moves the group size towards half a second of work: unsubscribes are noticed that soon. */
export function adaptedGroupSize(groupSize: number, sent: number, ms: number): number {
  const ideal = (sent / Math.max(ms, 1)) * 500;
  return Math.round(Math.min(500, Math.max(10, groupSize * 0.5 + ideal * 0.5)));
}
