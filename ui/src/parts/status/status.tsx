// A state: a tinted chip with a dot and a word. Colour is never the only signal. The one chip for states everywhere.
import classes from './status.module.css';

/** still: nothing happens; planned: it will happen; busy: in progress; waiting: it needs a person or time; good: done; bad: failed. */
export type Tone = 'still' | 'planned' | 'busy' | 'waiting' | 'good' | 'bad';

export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classes.chip} data-tone={tone}>
      <span className={classes.point} aria-hidden />
      {children}
    </span>
  );
}
