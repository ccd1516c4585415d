// The setup steps in order, and which of them a person sees and has done. Pure.
import type { ResultOf } from '../../api/types.ts';
import type { Target } from '../../parts/link.tsx';

export const stepNames = ['address', 'organisation', 'relay', 'domain', 'test'] as const;
export type StepName = (typeof stepNames)[number];
export type SetupInfo = ResultOf<'setupGet'>;

export const isStep = (text: string): text is StepName => (stepNames as readonly string[]).includes(text);

export const setupStep = (step: StepName): Target => ({ to: '/setup/{-$step}', params: { step } });

/** The public address and the relays belong to the operator. */
export const stepsFor = (operator: boolean): StepName[] =>
  stepNames.filter((name) => operator || (name !== 'address' && name !== 'relay'));

export const isDone = ({ steps }: SetupInfo, step: StepName): boolean =>
  step === 'organisation' ? steps.organisation && steps.sender : steps[step];
