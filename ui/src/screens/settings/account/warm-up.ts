// Converts the warm-up setting of a new sender (first:growth:limit:date) to four fields and back. Pure.

export type WarmUp = { first: string; growth: string; most: string; date: string };

export const noWarmUp: WarmUp = { first: '', growth: '', most: '', date: '' };

/** The defaults for empty fields; shown as placeholders. */
export const usualWarmUp = (today: Date): Omit<WarmUp, 'first'> => ({
  growth: '1.5',
  most: '20000',
  date: today.toISOString().slice(0, 10),
});

export function readWarmUp(text: string): WarmUp {
  const [first = '', growth = '', most = '', date = ''] = text.split(':');
  return { first, growth, most, date };
}

/** '' without a first number, which turns the warm-up off. */
export function warmUpText(given: WarmUp, today: Date): string {
  const first = given.first.trim();
  if (first === '') return '';
  const usual = usualWarmUp(today);
  const or = (value: string, fallback: string) => value.trim().replace(',', '.') || fallback;
  return [first, or(given.growth, usual.growth), or(given.most, usual.most), or(given.date, usual.date)].join(':');
}
