// A number with its name, linked to the rows behind it if there is a screen for them; with its change and its course.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinkAnchor, type Target } from '../link.tsx';
import classes from './stat.module.css';

type Props = {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  /** The rows behind the number. */
  to?: Target;
  /** The numbers up to now, drawn as a line without axes; `value` and `note` say what matters in words. */
  course?: readonly number[];
};

export function Stat({ label, value, note, to, course }: Props) {
  return (
    <div className={classes.stat}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <div className={classes.value}>
        {to ? (
          <LinkAnchor {...to} c="inherit" inherit aria-label={`${label}: ${value}`}>
            {value}
          </LinkAnchor>
        ) : (
          value
        )}
        {course && course.length > 1 && <Course points={course} className={classes.course} />}
      </div>
      {note && (
        <Text size="xs" c="dimmed" component="div">
          {note}
        </Text>
      )}
    </div>
  );
}

/** Several figures in a row, with a line between them where there is room. */
export function Stats({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <div className={classes.stats} {...(label ? { role: 'group', 'aria-label': label } : {})}>
      {children}
    </div>
  );
}

const width = 72;
const height = 24;

/** A line without axes, for the eye only: what it shows is said in words beside it. */
export function Course({ points, className }: { points: readonly number[]; className?: string | undefined }) {
  const [low, high] = [Math.min(...points), Math.max(...points)];
  const isFlat = low === high;
  const path = points
    .map((point, i) => {
      const x = (i / (points.length - 1)) * width;
      const y = isFlat ? height / 2 : height - 2 - ((point - low) / (high - low)) * (height - 4);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
  return (
    <svg className={className} viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden>
      <polyline points={path} fill="none" stroke="var(--plot-1)" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
