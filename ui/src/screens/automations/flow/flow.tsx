// The trigger and the steps as a vertical flow: each step a card, a line with figures and the button Add step between them, the arms of a
// condition next to each other (on a phone below each other, as a list). What is opened is in a panel beside it.
import { Box, Button, Stack, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useFormats } from '../../../parts/formats.ts';
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

const EditPanel = lazy(() => import('./edit-panel.tsx'));

type Props = {
  info: Info;
  save(changes: Changes): Promise<unknown>;
  mayWrite: boolean;
  /** Saves the form that is open. @returns whether it may be left */
  leave: Leave;
  /** Shows the contacts on a step. */
  onShow(step: string): void;
  /** Shows the email of a step. */
  onEmail(step: string | undefined): void;
  /** The step whose email is shown, and its panel. */
  emailStep: string | undefined;
  email: ReactNode;
  /** The key of the step whose form is open; 'trigger' for the trigger. */
  open: string | undefined;
  onOpen(key: string | undefined): void;
};

/** What an arm needs of the flow. */
export type Editing = Props & {
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
  const { info, leave, open, emailStep, email, onOpen } = props;
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
      if (!(await leave())) return;
      onOpen(undefined);
      props.onEmail(step);
    },
    open: open ?? emailStep,
    show: async (key) => {
      if (!(await leave())) return;
      if (emailStep !== undefined) props.onEmail(undefined);
      onOpen(key);
    },
    close: () => {
      onOpen(undefined);
      if (open !== undefined) focusCard(open);
    },
    latest: () => steps.current,
  };
  const current = keysOf(info.steps);
  const older = info.step_figures.filter(({ step, waiting }) => !current.includes(step) && waiting > 0);
  const isFormShown = open === 'trigger' || (open !== undefined && current.includes(open));
  return (
    <section aria-label={t('steps')} className={classes.frame} data-panel={isFormShown || email ? true : undefined}>
      <div className={classes.steps}>
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
      </div>
      <Suspense>{isFormShown ? <EditPanel key={open} {...editing} /> : email}</Suspense>
    </section>
  );
}

/** What was opened from there is closed. */
const focusCard = (key: string) =>
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"] button`)?.focus({ preventScroll: true }),
  );

/** What is shown, and what was saved since it was read. */
function useLatest(shown: readonly Step[]) {
  const latest = useRef(shown);
  useEffect(() => {
    latest.current = shown;
  }, [shown]);
  return latest;
}

/** The steps of the list or of an arm. @param took how many contacts took it, unless it is no arm or nothing is known */
function Arm({ steps, place, took, ...editing }: Editing & { steps: readonly Step[]; place: Place; took?: number }) {
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
      <FlowLine {...editing} above={undefined} below={steps[0]?.key} said={took} onAdd={(type) => add(type, 0)} />
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
  const { number, shareOf } = useFormats();
  const figures = editing.info.step_figures.find((item) => item.step === step.key);
  const all = figures ? figures.yes + figures.no : 0;
  return (
    <Box className={classes.arms ?? ''} __vars={{ '--yes': `${across(step.yes)}fr`, '--no': `${across(step.no)}fr` }}>
      {(['yes', 'no'] as const).map((arm) => {
        const took = figures && all > 0 ? figures[arm] : undefined;
        return (
          <fieldset key={arm} className={classes.arm} aria-label={t(`arm.${arm}`)}>
            <legend>
              {t(`arm.${arm}`)}
              {took !== undefined && (
                <span className={classes.took} data-arm={arm}>
                  {t('armCount', { count: took, shown: number(took), share: shareOf(took, all) })}
                </span>
              )}
            </legend>
            <Arm
              {...editing}
              steps={step[arm]}
              place={{ of: step.key, arm, index: 0 }}
              {...(took !== undefined && { took })}
            />
          </fieldset>
        );
      })}
    </Box>
  );
}

/** How many cards are beside each other where it is widest. */
const across = (steps: readonly Step[]): number =>
  Math.max(1, ...steps.map((step) => (hasArms(step) ? across(step.yes) + across(step.no) : 1)));
