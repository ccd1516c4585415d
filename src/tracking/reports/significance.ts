// Whether the better variant of an A/B test is better, or only luckier: a two-proportion z-test of the best against the next one. Pure.

/** People of the test group of a variant who did what decides, among those who got it. */
export type Rate = { variant: number; events: number; sent: number };

export type Comparison = {
  /** The variant with the highest rate; the first of equal ones. */
  best: number;
  /** How sure it is that the best is better than each of the others, in percent; 0 where there are too few events to say. */
  confidence: number;
};

/** From this confidence on a difference is called significant. */
export const significantFrom = 95;
/** The approximation holds where each group would have so many events and non-events if there were no difference. */
const minExpected = 5;

export function compareRates(rates: readonly Rate[]): Comparison {
  const sorted = [...rates].sort((a, b) => shareOf(b) - shareOf(a) || a.variant - b.variant);
  const [best, next] = sorted;
  if (!best || !next) return { best: best?.variant ?? 0, confidence: 0 };
  // As many comparisons as there are others, each a chance to be lucky (Bonferroni).
  const chance = Math.min(1, chanceOf(best, next) * (sorted.length - 1));
  // 100 % would claim what no test can know.
  return { best: best.variant, confidence: Math.min(99.9, Math.floor((1 - chance) * 1_000) / 10) };
}

const shareOf = ({ events, sent }: Rate): number => (sent === 0 ? 0 : events / sent);

/** The probability that chance alone makes a difference as large as this one, in either direction. */
function chanceOf(a: Rate, b: Rate): number {
  if (a.sent === 0 || b.sent === 0) return 1;
  const pooled = (a.events + b.events) / (a.sent + b.sent);
  const smaller = Math.min(a.sent, b.sent);
  if (smaller * Math.min(pooled, 1 - pooled) < minExpected) return 1;
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / a.sent + 1 / b.sent));
  return 2 * tail(Math.abs(shareOf(a) - shareOf(b)) / deviation);
}

/** The upper tail of the normal distribution. Abramowitz and Stegun 26.2.17: wrong by less than 1e-7. */
function tail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}
