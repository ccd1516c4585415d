// A state: a tinted chip with a dot and a word. Colour is never the only signal. The one chip for states everywhere.
import classes from './status.module.css';

/** still: nothing happens; busy: in progress; waiting: paused or scheduled; good: done; bad: failed. */
export type Tone = 'still' | 'busy' | 'waiting' | 'good' | 'bad';

export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classes.chip} data-tone={tone}>
      <span className={classes.point} aria-hidden />
      {children}
    </span>
  );
}
