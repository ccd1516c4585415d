// The labels of an object, as chips of their colours. The name says what the colour does not.
import type { CSSProperties } from 'react';
import type { ResultOf } from '../../api/types.ts';
import classes from './labels.module.css';

export type Label = ResultOf<'labels'>[number];

const hue = (colour: Label['colour']) => ({ '--hue': `var(--label-${colour})` }) as CSSProperties;

export function LabelChip({ label: { name, colour } }: { label: Label }) {
  return (
    <span className={classes.label} style={hue(colour)} title={name}>
      {name}
    </span>
  );
}

export function LabelChips({ labels, inRow = false }: { labels: readonly Label[]; inRow?: boolean }) {
  if (labels.length === 0) return null;
  return (
    <div data-note={inRow || undefined} className={`${classes.labels} ${inRow ? classes.inRow : ''}`}>
      {labels.map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
    </div>
  );
}

/** The colour alone, beside its name. */
export function Swatch({ colour }: { colour: Label['colour'] }) {
  return <span className={classes.swatch} style={hue(colour)} aria-hidden />;
}
