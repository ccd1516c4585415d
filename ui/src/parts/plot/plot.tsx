// Plots, loaded at their first use. Each has an accessible name, and its numbers as a table.

import { Box, Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Numbers } from './numbers.tsx';
import type { PlotProps } from './props.ts';

const Drawn = {
  line: lazy(() => import('./chart.tsx').then(({ DrawnLines }) => ({ default: DrawnLines }))),
  bar: lazy(() => import('./chart.tsx').then(({ DrawnBars }) => ({ default: DrawnBars }))),
};

/** Numbers over time, as lines. */
export const LinePlot = (props: PlotProps) => <Plot kind="line" {...props} />;
/** Numbers side by side, as bars. */
export const BarPlot = (props: PlotProps) => <Plot kind="bar" {...props} />;

function Plot({ kind, ...props }: PlotProps & { kind: keyof typeof Drawn }) {
  const { title, rows, series, height = 240 } = props;
  const Kind = Drawn[kind];
  return (
    <Box component="figure" m={0}>
      <div aria-hidden>
        <Suspense fallback={<Skeleton height={height} />}>
          <Kind {...props} height={height} />
        </Suspense>
      </div>
      <Numbers title={title} rows={rows} series={series} />
    </Box>
  );
}
