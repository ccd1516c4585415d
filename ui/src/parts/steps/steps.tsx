// The steps of a task in order: done ones with a tick, the current one marked, a line between them.
import { VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useText } from '../../text/use-text.tsx';
import classes from './steps.module.css';

type Props<S extends string> = {
  label: string;
  steps: readonly { name: S; title: string }[];
  now: S;
  /** The last step is done as well. */
  finished?: boolean;
};

export function Steps<S extends string>({ label, steps, now, finished = false }: Props<S>) {
  const t = useText('parts');
  const at = steps.findIndex(({ name }) => name === now);
  return (
    <ol className={classes.steps} aria-label={label}>
      {steps.map(({ name, title }, i) => {
        const done = i < at || (finished && i === at);
        return (
          <li key={name} aria-current={i === at ? 'step' : undefined} data-done={done || undefined}>
            <span className={classes.mark} aria-hidden>
              {done ? <IconCheck size={14} stroke={2.5} /> : i + 1}
            </span>
            {title}
            {done && <VisuallyHidden>{t('stepDone')}</VisuallyHidden>}
          </li>
        );
      })}
    </ol>
  );
}
