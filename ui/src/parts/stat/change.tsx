// A figure beside an earlier one: an arrow and by how much. A rate changes by percentage points, green or red by which direction is
// better; a number changes by percent, and more of it is neither.
import { VisuallyHidden } from '@mantine/core';
import { useText } from '../../text/use-text.tsx';
import { useFormats } from '../formats.ts';
import classes from './stat.module.css';

type Props = {
  /** Both from 0 to 1. */
  rate: number;
  usual: number;
  better: 'higher' | 'lower';
  /** What it is compared with: the average, or the time before. */
  than?: 'usual' | 'before';
};

export function Change({ rate, usual, better, than = 'usual' }: Props) {
  const t = useText('parts');
  const { points } = useFormats();
  const by = points(Math.abs(rate - usual));
  if (by === points(0)) return <span>{t(than === 'usual' ? 'asUsual' : 'asBefore')}</span>;
  const up = rate > usual;
  const words = than === 'usual' ? (up ? 'pointsAbove' : 'pointsBelow') : up ? 'pointsMore' : 'pointsLess';
  return <Arrow up={up} good={up === (better === 'higher')} by={by} words={t(words, { by })} />;
}

/** @param now the number of a time @param before that of the time before; no change is shown against nothing */
export function Growing({ now, before }: { now: number; before: number }) {
  const t = useText('parts');
  const { wholePercent } = useFormats();
  if (before <= 0) return null;
  const by = wholePercent(Math.abs(now - before) / before);
  if (by === wholePercent(0)) return <span>{t('asBefore')}</span>;
  const up = now > before;
  return <Arrow up={up} by={by} words={t(up ? 'moreThanBefore' : 'lessThanBefore', { by })} />;
}

function Arrow({ up, good, by, words }: { up: boolean; good?: boolean; by: string; words: string }) {
  return (
    <span className={classes.change} data-good={good} title={words}>
      <span aria-hidden>{`${up ? '▲' : '▼'} ${by}`}</span>
      <VisuallyHidden>{words}</VisuallyHidden>
    </span>
  );
}
