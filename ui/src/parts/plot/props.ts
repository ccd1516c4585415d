// The content of a plot: rows of numbers and the series in them.

export type Series = { name: string; label: string; color?: string };
export type PlotProps = {
  /** The accessible name: a sentence. */
  title: string;
  /** Rows with the member `x` and a number for each series. */
  rows: ({ x: string } & Record<string, string | number>)[];
  series: readonly Series[];
  height?: number;
  /** Stacks the series. */
  stacked?: boolean;
};
