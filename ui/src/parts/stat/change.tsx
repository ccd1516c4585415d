// A rate beside what is usual: an arrow and percentage points, green or red by which direction is better.
import { VisuallyHidden } from '@mantine/core';
import { useText } from '../../text/use-text.tsx';
import { useFormats } from '../formats.ts';
import classes from './stat.module.css';

type Props = {
  /** Both from 0 to 1. */
  rate: number;
  usual: number;
  better: 'higher' | 'lower';
};

export function Change({ rate, usual, better }: Props) {
  const t = useText('parts');
  const { points } = useFormats();
  const by = points(Math.abs(rate - usual));
  if (by === points(0)) return <span>{t('asUsual')}</span>;
  const up = rate > usual;
  return (
    <span className={classes.change} data-good={up === (better === 'higher')}>
      <span aria-hidden>{`${up ? '▲' : '▼'} ${by}`}</span>
      <VisuallyHidden>{t(up ? 'pointsAbove' : 'pointsBelow', { by })}</VisuallyHidden>
    </span>
  );
}
