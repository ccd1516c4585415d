// Draws the plots. Apart from plot.tsx, so that the charting library is loaded only when needed.
import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import { useFormats } from '../formats.ts';
import type { PlotProps, Series } from './props.ts';
import { ticksUpTo, topOf } from './ticks.ts';

const colors = ['var(--plot-1)', 'var(--plot-2)', 'orange.7', 'grape.7', 'gray.6'];

export function DrawnLines({ rows, series, height }: PlotProps) {
  const { number } = useFormats();
  const yAxis = useYAxis({ rows, series });
  return (
    <LineChart
      h={height ?? 240}
      data={rows}
      dataKey="x"
      series={series.map(drawn)}
      withDots={rows.length < 40}
      withLegend={series.length > 1}
      curveType="linear"
      strokeWidth={2}
      valueFormatter={number}
      xAxisProps={xAxis}
      yAxisProps={yAxis}
      lineProps={{ isAnimationActive: false }}
      // The table next to the drawing has the numbers; nothing in the drawing takes the focus.
      lineChartProps={{ accessibilityLayer: false }}
    />
  );
}

export function DrawnBars({ rows, series, height, stacked = false }: PlotProps) {
  const { number } = useFormats();
  const yAxis = useYAxis({ rows, series, stacked });
  return (
    <BarChart
      h={height ?? 240}
      data={rows}
      dataKey="x"
      series={series.map(drawn)}
      type={stacked ? 'stacked' : 'default'}
      withLegend={series.length > 1}
      valueFormatter={number}
      xAxisProps={xAxis}
      yAxisProps={yAxis}
      barProps={{ isAnimationActive: false }}
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}

/** As many labels as have room, at a regular interval. */
const xAxis = { interval: 'equidistantPreserveStart', minTickGap: 24 } as const;

function useYAxis(plot: Parameters<typeof topOf>[0]) {
  const { compact } = useFormats();
  const ticks = ticksUpTo(topOf(plot));
  // The ticks as they are: the library would leave some out, or choose its own.
  return { width: 48, tickFormatter: compact, ticks, domain: [0, ticks.at(-1)!], interval: 0 as const };
}

const drawn = ({ name, label, color }: Series, i: number) => ({
  name,
  label,
  color: color ?? colors[i % colors.length]!,
});
