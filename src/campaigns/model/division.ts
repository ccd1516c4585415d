// Who gets which variant of an A/B test. The launch numbers the recipients in a shuffled order, so the first ones are the test
// group, one range of numbers for each variant; the others get the variant that is chosen. Pure, and the only place that
// decides it: nothing is stored with a recipient, so no crash can change it. Imports nothing: the screens use it too (bin/build-ui).

export const maxVariants = 5;

/** A test for which nothing else is set: percent of the recipients, what decides, and after how long. */
export const usualTest = { share: 20, winner: 'clicks', waitMinutes: 240 } as const;

/** What people call a variant; A is the campaign itself. */
export const variantName = (variant: number): string => 'ABCDE'[variant] ?? '';

/** The recipients of a test, and what was chosen for the others. */
export type Division = { variants: number; testSize: number };

/** How many recipients are in the test group: the share, but at least one for each variant. */
export const testSizeOf = (recipients: number, share: number, variants: number): number =>
  Math.min(recipients, Math.max(variants, Math.round((recipients * share) / 100)));

/** The first and the last recipient of the test group who get this variant. Sizes differ by one at most. */
export function rangeOf(variant: number, { variants, testSize }: Division): [from: number, to: number] {
  return [Math.floor((testSize * variant) / variants) + 1, Math.floor((testSize * (variant + 1)) / variants)];
}

/** The variant of a recipient; undefined while it is held for the winner. */
export function variantOf(seq: number, division: Division, chosen: number | null): number | undefined {
  if (seq > division.testSize) return chosen ?? undefined;
  // The last one whose range begins at or before this number.
  return Math.ceil((seq * division.variants) / division.testSize) - 1;
}

/** Ranges of at most `size` recipients that cover the test group, in an order in which the variants alternate. */
export function testRanges(division: Division, size: number): [from: number, to: number][] {
  const parts: [number, number][][] = [];
  for (let variant = 0; variant < division.variants; variant++)
    for (const [nth, range] of rangesWithin(...rangeOf(variant, division), size).entries())
      parts[nth] = [...(parts[nth] ?? []), range];
  return parts.flat();
}

/** Ranges of at most `size` numbers. */
export function rangesWithin(from: number, to: number, size: number): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (let at = from; at <= to; at += size) ranges.push([at, Math.min(to, at + size - 1)]);
  return ranges;
}

/** The numbers of an int4multirange as PostgreSQL writes it: from each first one up to, without, the second. */
export function readRanges(multirange: string): [from: number, before: number][] {
  return [...multirange.matchAll(/\[(\d+),(\d*)\)/g)].map(([, from, before]) => [
    Number(from),
    before === '' ? Number.POSITIVE_INFINITY : Number(before),
  ]);
}

/** Whether one of the ranges has this number. They are in order, as PostgreSQL writes them; a correction may leave thousands. */
export function isWithin(ranges: readonly (readonly [from: number, before: number])[], seq: number): boolean {
  let low = 0;
  for (let high = ranges.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (ranges[middle]![0] <= seq) low = middle + 1;
    else high = middle;
  }
  return low > 0 && seq < ranges[low - 1]![1];
}
