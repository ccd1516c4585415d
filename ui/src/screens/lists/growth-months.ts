// The months of a list's growth, those without changes among them: the method leaves them out. Pure.

/** What the method returns for a month, given as "2027-03". */
type Change = { month: string; existing: number; optins: number; unsubscribes: number };

export type GrowthMonth = { month: string; joined: number; left: number; members: number };

/** The months that are charted; earlier ones, such as those of old consent dates, are in the table. */
export const chartedMonths = 24;

/** Every month from the first with a change up to now. @param now the present month, as "2027-03" */
export function growthMonths(changes: readonly Change[], now: string): GrowthMonth[] {
  const [first] = changes;
  if (first === undefined) return [];
  const known = new Map(changes.map((change) => [change.month, change]));
  const last = [now, changes.at(-1)!.month].reduce((a, b) => (a > b ? a : b));
  const months: GrowthMonth[] = [];
  let members = first.existing;
  for (let month = first.month; month <= last; month = after(month)) {
    const { optins: joined = 0, unsubscribes: left = 0 } = known.get(month) ?? {};
    members += joined - left;
    months.push({ month, joined, left, members });
  }
  return months;
}

/** The present month, as "2027-03". */
export const presentMonth = (now = new Date()) => now.toISOString().slice(0, 7);

function after(month: string): string {
  const [year, no] = month.split('-').map(Number) as [number, number];
  const next = no === 12 ? [year + 1, 1] : [year, no + 1];
  return `${String(next[0]).padStart(4, '0')}-${String(next[1]).padStart(2, '0')}`;
}
