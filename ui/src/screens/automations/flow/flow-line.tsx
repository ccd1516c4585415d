// The line between two cards: how many wait on the card above it and left there, the button that adds a step, and how many entered the
// card below it.
import { UnstyledButton } from '@mantine/core';
import { Explained } from '../../../parts/explained.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import { AddStep } from '../edit/add-step.tsx';
import type { Info, Step } from '../types.ts';
import type { Editing } from './flow.tsx';

type Props = Editing & {
  /** The key of the step above it; '' for the trigger, undefined at the beginning of an arm. */
  above: string | undefined;
  /** The key of the step below it; undefined at the end of an arm or of the flow. */
  below: string | undefined;
  /** How many came this way, where it is said above: what is the same is not said twice. */
  said?: number | undefined;
  onAdd(type: Step['type']): Promise<void>;
};

export function FlowLine({ info, mayWrite, onShow, above, below, said, onAdd }: Props) {
  const t = useText('automations');
  const { number } = useFormats();
  const of = (key: string | undefined) => info.step_figures.find(({ step }) => step === key);
  const before = of(above);
  const entered = below === undefined ? undefined : of(below)?.entered;
  const left = before ? leftOf(before) : 0;
  const isRunning = info.version > 0;
  return (
    <div className={classes.line}>
      <div className={classes.lineBefore}>
        {isRunning && before !== undefined && before.waiting > 0 && (
          <UnstyledButton className={classes.figure ?? ''} data-kind="waiting" onClick={() => onShow(before.step)}>
            {t('waitingCount', { count: before.waiting, shown: number(before.waiting) })}
          </UnstyledButton>
        )}
        {isRunning && before !== undefined && left > 0 && (
          <Explained
            why={whyLeft(before)
              .map(([why, count]) => `${t(why)}: ${number(count)}`)
              .join(' · ')}
          >
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the reasons are in its tooltip */}
            <span className={classes.figure} data-kind="left" tabIndex={0}>
              {t('leftCount', { count: left, shown: number(left) })}
            </span>
          </Explained>
        )}
      </div>
      <div className={classes.lineMiddle}>{mayWrite && <AddStep onAdd={onAdd} isLast={below === undefined} />}</div>
      <div className={classes.lineAfter}>
        {isRunning && entered !== undefined && entered !== said && (
          <span className={classes.figure} data-kind="entered">
            {t('enteredCount', { count: entered, shown: number(entered) })}
          </span>
        )}
      </div>
    </div>
  );
}

type Figures = Info['step_figures'][number];

const leftOf = ({ unsubscribed, deleted, goal, removed }: Figures) => unsubscribed + deleted + goal + removed;

const whyLeft = ({ unsubscribed, deleted, goal, removed }: Figures) =>
  (
    [
      ['unsubscribed', unsubscribed + deleted],
      ['reachedGoal', goal],
      ['removed', removed],
    ] as const
  ).filter(([, count]) => count > 0);
