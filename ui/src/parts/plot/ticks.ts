// The values at the axis of a plot: from 0 in round steps, 1, 2 or 5 with zeros. Pure.
import type { PlotProps } from './props.ts';

/** The most steps of an axis. */
const maxSteps = 5;

/** Whole numbers from 0 to the first round one that is not below the top. */
export function ticksUpTo(top: number): number[] {
  const wanted = Math.max(1, top / maxSteps);
  const size = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((round) => round >= wanted)!;
  return Array.from({ length: Math.max(1, Math.ceil(top / step)) + 1 }, (_, i) => i * step);
}

/** The highest value of a plot; of stacked bars, the highest sum. */
export function topOf({ rows, series, stacked }: Pick<PlotProps, 'rows' | 'series' | 'stacked'>): number {
  const heights = rows.map((row) => {
    const values = series.map(({ name }) => Number(row[name] ?? 0));
    return stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  return Math.max(0, ...heights);
}
