// A few numbers over time as one line, drawn without the charting library: for a screen that shows no other plot.
import { Box, Text } from '@mantine/core';
import { useFormats } from '../formats.ts';
import { Numbers } from './numbers.tsx';
import classes from './trend.module.css';

type Props = {
  /** The accessible name: a sentence. */
  title: string;
  /** The name of the numbers. */
  label: string;
  rows: readonly { x: string; value: number }[];
};

const height = 160;

export function Trend({ title, label, rows }: Props) {
  const { compact } = useFormats();
  const top = ceiling(Math.max(...rows.map(({ value }) => value)));
  const y = (value: number) => height - (value / top) * height;
  const line = rows.map(({ value }, i) => `${(i / Math.max(1, rows.length - 1)) * 100},${y(value)}`).join(' ');
  return (
    <Box component="figure" m={0}>
      <div className={classes.plot} aria-hidden>
        <div className={classes.values}>
          {[1, 0.5, 0].map((part) => (
            <Text key={part} span size="xs" c="dimmed">
              {compact(top * part)}
            </Text>
          ))}
        </div>
        <svg
          className={classes.lines}
          viewBox={`0 0 100 ${height}`}
          height={height}
          preserveAspectRatio="none"
          aria-hidden
        >
          {[1, 0.5, 0].map((part) => (
            <path key={part} className={classes.grid} d={`M0 ${y(top * part)}H100`} />
          ))}
          <polygon className={classes.area} points={`0,${height} ${line} 100,${height}`} />
          <polyline className={classes.line} points={line} />
        </svg>
        <div className={classes.times}>
          {rows.map(({ x }) => (
            <Text key={x} span size="xs" c="dimmed">
              {x}
            </Text>
          ))}
        </div>
      </div>
      <Numbers title={title} rows={rows.map(({ x, value }) => ({ x, value }))} series={[{ name: 'value', label }]} />
    </Box>
  );
}

/** The next round number: 1, 2 or 5 with zeros. */
function ceiling(value: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(2, value)));
  return [1, 2, 5, 10].map((step) => step * size).find((round) => round >= value)!;
}
