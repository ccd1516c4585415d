// When complaints and hard bounces are too many. Imports nothing, so that the screens show the same (bin/build-ui).
export const reputationRules = {
  /** The days whose rates are shown and judged. */
  days: 30,
  /** Complaints per accepted message at which the owner is warned, and below which the warning ends. */
  warnAt: 0.001,
  warnUntil: 0.0008,
  /** Rates at which a campaign is paused, if its account wants that. */
  pauseComplaints: 0.003,
  pauseBounces: 0.05,
  /** Fewer messages, or fewer complaints, mean nothing. */
  minMessages: 500,
  minComplaints: 5,
} as const;

export type Counts = { accepted: number; refused: number; returned: number; complaints: number };

/** Complaints per accepted message; 0 without any. */
export const complaintRate = ({ accepted, complaints }: Pick<Counts, 'accepted' | 'complaints'>): number =>
  accepted <= 0 ? 0 : complaints / accepted;

/** Hard bounces per message that was accepted or refused as one. */
export function bounceRate({ accepted, refused, returned }: Omit<Counts, 'complaints'>): number {
  const attempted = accepted + refused;
  return attempted <= 0 ? 0 : (refused + returned) / attempted;
}

/** For what a campaign with these counts is paused. */
export function reasonsToPause(counts: Counts): ('bounces' | 'complaints')[] {
  const { accepted, refused, complaints } = counts;
  const { minMessages, minComplaints, pauseBounces, pauseComplaints } = reputationRules;
  const bounces = accepted + refused >= minMessages && bounceRate(counts) >= pauseBounces;
  const complains = accepted >= minMessages && complaints >= minComplaints && complaintRate(counts) >= pauseComplaints;
  return [...(bounces ? (['bounces'] as const) : []), ...(complains ? (['complaints'] as const) : [])];
}

/** Whether a complaint rate is too high; one that was stays so until it is clearly lower. */
export const isTooHigh = (counts: Pick<Counts, 'accepted' | 'complaints'>, wasBefore: boolean): boolean =>
  counts.accepted >= reputationRules.minMessages &&
  counts.complaints >= reputationRules.minComplaints &&
  complaintRate(counts) >= (wasBefore ? reputationRules.warnUntil : reputationRules.warnAt);
