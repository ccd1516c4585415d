// What a plot shows: rows of figures and the series in them.

export type Series = { name: string; label: string; color?: string };
export type PlotProps = {
  /** What the plot shows, in a sentence. */
  title: string;
  /** Rows with the member `x` and one number for each series. */
  rows: ({ x: string } & Record<string, string | number>)[];
  series: readonly Series[];
  height?: number;
  /** Figures of several series on top of each other. */
  stacked?: boolean;
};
