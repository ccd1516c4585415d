// The trigger and the steps as a vertical flow: each step a card, a line with figures and the button Add step between them, the arms of a
// condition next to each other (on a phone below each other, as a list).
import { Box, Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import { freeKey, keysOf, type Place, replaced, topLevel, withStep } from '../edit/edit-steps.ts';
import type { Leave } from '../edit/open-form.ts';
import { newStep } from '../steps/steps.ts';
import { type Armed, type Changes, hasArms, type Info, type Step } from '../types.ts';
import { FlowLine } from './flow-line.tsx';
import { StepCard } from './step-card.tsx';
import { TriggerCard } from './trigger-card.tsx';
import { useZoom, Zoom } from './zoom.tsx';

type Props = {
  info: Info;
  save(changes: Changes): Promise<unknown>;
  mayWrite: boolean;
  /** Saves the form that is open. @returns whether it may be left */
  leave: Leave;
  /** Shows the contacts on a step. */
  onShow(step: string): void;
  /** Shows the email of a step. */
  onEmail(step: string): void;
};

/** What an arm needs of the flow. */
export type Editing = Props & {
  /** The key of the step that is edited; 'trigger' for the trigger. */
  open: string | undefined;
  /** Opens another one; the one that is open is saved first. */
  show(key: string): Promise<void>;
  close(): void;
  /** The steps as they were saved last. */
  latest(): readonly Step[];
};

/** With fewer steps everything is seen anyway. */
const fewSteps = 4;

export function Flow(props: Props) {
  const t = useText('automations');
  const { info, leave } = props;
  const [open, setOpen] = useState<string>();
  const steps = useLatest(info.steps);
  const canvas = useRef<HTMLDivElement>(null);
  const zooming = useZoom(canvas);
  const editing: Editing = {
    ...props,
    save: async (changes) => {
      await props.save(changes);
      if (changes.steps) steps.current = changes.steps;
    },
    onEmail: async (step) => {
      if (await leave()) props.onEmail(step);
    },
    open,
    show: async (key) => {
      if (await leave()) setOpen(key);
    },
    close: () => setOpen(undefined),
    latest: () => steps.current,
  };
  const current = keysOf(info.steps);
  const older = info.step_figures.filter(({ step, waiting }) => !current.includes(step) && waiting > 0);
  return (
    <section aria-label={t('steps')} className={classes.steps}>
      {current.length >= fewSteps && <Zoom {...zooming} />}
      <div className={classes.canvas} ref={canvas}>
        <Box
          className={classes.flow ?? ''}
          __vars={{ '--zoom': String(zooming.zoom), '--across': String(across(info.steps)) }}
        >
          <TriggerCard {...editing} />
          <Arm {...editing} steps={info.steps} place={topLevel(0)} />
          <Text size="sm" c="dimmed" className={classes.end ?? ''}>
            {t('end')}
          </Text>
        </Box>
      </div>
      <Stack gap={0} align="center">
        {older.map(({ step, waiting }) => (
          <Button key={step} variant="subtle" size="xs" onClick={() => props.onShow(step)}>
            {t('older', { count: waiting, step })}
          </Button>
        ))}
      </Stack>
    </section>
  );
}

/** What is shown, and what was saved since it was read. */
function useLatest(shown: readonly Step[]) {
  const latest = useRef(shown);
  useEffect(() => {
    latest.current = shown;
  }, [shown]);
  return latest;
}

/** The steps of the list or of an arm. */
function Arm({ steps, place, ...editing }: Editing & { steps: readonly Step[]; place: Place }) {
  const { info, save, leave, show, onEmail, latest } = editing;
  const add = async (type: Step['type'], index: number) => {
    if (!(await leave())) return;
    const key = freeKey(
      latest(),
      info.step_figures.map(({ step }) => step),
    );
    await save({ steps: withStep(latest(), { ...place, index }, newStep(type, key)) });
    if (type === 'send') onEmail(key);
    else await show(key);
  };
  return (
    <>
      <FlowLine {...editing} above={undefined} below={steps[0]?.key} onAdd={(type) => add(type, 0)} />
      {steps.map((step, i) => (
        <Stack key={step.key} gap={0}>
          <StepCard {...editing} step={step} onSave={(next) => save({ steps: replaced(latest(), step.key, next) })} />
          {hasArms(step) && <Arms {...editing} step={step} />}
          <FlowLine {...editing} above={step.key} below={steps[i + 1]?.key} onAdd={(type) => add(type, i + 1)} />
        </Stack>
      ))}
    </>
  );
}

function Arms({ step, ...editing }: Editing & { step: Armed }) {
  const t = useText('automations');
  return (
    <Box className={classes.arms ?? ''} __vars={{ '--yes': `${across(step.yes)}fr`, '--no': `${across(step.no)}fr` }}>
      {(['yes', 'no'] as const).map((arm) => (
        <fieldset key={arm} className={classes.arm}>
          <legend>{t(`arm.${arm}`)}</legend>
          <Arm {...editing} steps={step[arm]} place={{ of: step.key, arm, index: 0 }} />
        </fieldset>
      ))}
    </Box>
  );
}

/** How many cards are beside each other where it is widest. */
const across = (steps: readonly Step[]): number =>
  Math.max(1, ...steps.map((step) => (hasArms(step) ? across(step.yes) + across(step.no) : 1)));
