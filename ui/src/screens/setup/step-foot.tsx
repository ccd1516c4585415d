// The end of a setup step: back, and on to the next one. A step that is not done can be skipped, and the consequence is shown.
import { type ButtonProps, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinkButton, type Target } from '../../parts/link.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import classes from './setup.module.css';
import { useSkipped } from './skipped.ts';
import { isDone, type SetupInfo, type StepName, setupStep, stepsFor } from './steps.ts';

type Props = {
  step: StepName;
  info: SetupInfo;
  /** Nothing is left to do here but wait: the step is not skipped. */
  waits?: boolean;
  /** Instead of "Skip for now". */
  skip?: ReactNode;
};

export function StepFoot({ step, info, waits = false, skip }: Props) {
  const t = useText('setup');
  const { before, after } = useNeighbours(step);
  const done = isDone(info, step);
  const { note } = useSkipped();
  const isOpen = !done && !waits;
  const label = t(after.to === '/home' ? 'finish' : isOpen ? 'skip' : 'continue');
  return (
    <div className={classes.foot}>
      {before && <To to={before} label={t('back')} variant="subtle" color="gray" />}
      {isOpen && (
        <Text size="sm" c="dimmed" className={classes.until ?? ''}>
          {t(`until.${step}`)}
        </Text>
      )}
      <div className={classes.onward} onClickCapture={() => isOpen && note(step)}>
        {(isOpen && skip) || <To to={after} label={label} {...(isOpen ? { variant: 'default' } : {})} />}
      </div>
    </div>
  );
}

/** The addresses of the steps before and after. */
export function useNeighbours(step: StepName): { before: Target | undefined; after: Target } {
  const { operator } = useSession();
  const steps = stepsFor(operator);
  const place = steps.indexOf(step);
  const targetOf = (name: StepName | undefined) => (name === undefined ? undefined : setupStep(name));
  return { before: targetOf(steps[place - 1]), after: targetOf(steps[place + 1]) ?? { to: '/home' } };
}

const To = ({ to, label, ...props }: ButtonProps & { to: Target; label: string }) => (
  <LinkButton {...to} {...props}>
    {label}
  </LinkButton>
);
