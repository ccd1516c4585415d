// The trigger and the steps as a vertical flow: each step a card, an Add button between them, the arms of a condition next to each
// other (below each other on a phone).
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import classes from './automations.module.css';
import { AddStep } from './edit/add-step.tsx';
import { freeKey, type Place, replaced, topLevel, withStep } from './edit/edit-steps.ts';
import { StepCard } from './step-card.tsx';
import { newStep } from './steps/steps.ts';
import { TriggerCard } from './trigger-card.tsx';
import { type Armed, type Changes, hasArms, type Info, type Step } from './types.ts';

type Props = {
  info: Info;
  save(changes: Changes): Promise<unknown>;
  mayWrite: boolean;
  /** Shows the contacts on a step. */
  onShow(step: string): void;
};

/** What an arm needs of the flow. */
export type Editing = Props & {
  /** The key of the step that is edited; 'trigger' for the trigger. */
  open: string | undefined;
  setOpen(key: string | undefined): void;
};

export function Flow(props: Props) {
  const t = useText('automations');
  const { info } = props;
  const [open, setOpen] = useState<string>();
  const editing: Editing = { ...props, open, setOpen };
  const known = new Set(info.step_figures.map(({ step }) => step));
  const current = new Set(allKeys(info.steps));
  const older = info.step_figures.filter(({ step, waiting }) => known.has(step) && !current.has(step) && waiting > 0);
  return (
    <section aria-label={t('steps')}>
      <Stack gap={0} align="stretch" className={classes.flow ?? ''}>
        <TriggerCard {...editing} />
        <Arm {...editing} steps={info.steps} place={topLevel(0)} />
        <Text size="sm" c="dimmed" className={classes.end ?? ''}>
          {t('end')}
        </Text>
        {older.map(({ step, waiting }) => (
          <Button key={step} variant="subtle" size="xs" onClick={() => props.onShow(step)}>
            {t('older', { count: waiting, step })}
          </Button>
        ))}
      </Stack>
    </section>
  );
}

/** The steps of the list or of an arm. */
function Arm({ steps, place, ...editing }: Editing & { steps: readonly Step[]; place: Place }) {
  const { info, save, mayWrite, setOpen } = editing;
  const add = async (type: Step['type'], index: number) => {
    const key = freeKey(
      info.steps,
      info.step_figures.map(({ step }) => step),
    );
    await save({ steps: withStep(info.steps, { ...place, index }, newStep(type, key)) });
    setOpen(key);
  };
  return (
    <>
      {mayWrite ? <AddStep onAdd={(type) => add(type, 0)} /> : <div className={classes.line} />}
      {steps.map((step, i) => (
        <Stack key={step.key} gap={0}>
          <StepCard {...editing} step={step} onSave={(next) => save({ steps: replaced(info.steps, step.key, next) })} />
          {hasArms(step) && <Arms {...editing} step={step} />}
          {mayWrite ? <AddStep onAdd={(type) => add(type, i + 1)} /> : <div className={classes.line} />}
        </Stack>
      ))}
    </>
  );
}

function Arms({ step, ...editing }: Editing & { step: Armed }) {
  const t = useText('automations');
  return (
    <div className={classes.arms}>
      {(['yes', 'no'] as const).map((arm) => (
        <fieldset key={arm} className={classes.arm}>
          <legend>{t(`arm.${arm}`)}</legend>
          <Arm {...editing} steps={step[arm]} place={{ of: step.key, arm, index: 0 }} />
        </fieldset>
      ))}
    </div>
  );
}

const allKeys = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => [step.key, ...(hasArms(step) ? allKeys([...step.yes, ...step.no]) : [])]);
