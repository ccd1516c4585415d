// Names and their values, one a line, such as the headers of a request.
import type { ReactNode } from 'react';
import classes from './facts.module.css';

type Props = {
  /** The accessible name: "Request headers". */
  label: string;
  facts: readonly (readonly [name: ReactNode, value: ReactNode])[];
  /** For values that are code. */
  mono?: boolean;
};

export function Facts({ label, facts, mono = false }: Props) {
  return (
    <dl className={classes.facts} aria-label={label} data-mono={mono || undefined}>
      {facts.map(([name, value], i) => (
        // A header may come several times.
        // biome-ignore lint/suspicious/noArrayIndexKey: the order does not change
        <div key={i} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
