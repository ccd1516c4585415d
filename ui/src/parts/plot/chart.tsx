// Draws the plots. Apart from plot.tsx, so that the charting library is loaded only when needed.
import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import { useFormats } from '../formats.ts';
import type { PlotProps, Series } from './props.ts';

const colors = ['var(--plot-1)', 'var(--plot-2)', 'orange.7', 'grape.7', 'gray.6'];

export function DrawnLines({ rows, series, height }: PlotProps) {
  const { number, compact } = useFormats();
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
      yAxisProps={{ width: 48, tickFormatter: compact, allowDecimals: false }}
      lineProps={{ isAnimationActive: false }}
      // The table next to the drawing has the numbers; nothing in the drawing takes the focus.
      lineChartProps={{ accessibilityLayer: false }}
    />
  );
}

export function DrawnBars({ rows, series, height, stacked }: PlotProps) {
  const { number, compact } = useFormats();
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
      yAxisProps={{ width: 48, tickFormatter: compact, allowDecimals: false }}
      barProps={{ isAnimationActive: false }}
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}

/** As many labels as have room, the first and the last among them. */
const xAxis = { interval: 'preserveStartEnd', minTickGap: 24 } as const;

const drawn = ({ name, label, color }: Series, i: number) => ({
  name,
  label,
  color: color ?? colors[i % colors.length]!,
});
