// An automation as the API returns it, and its parts.
import type { ParamsOf, ResultOf } from '../../api/types.ts';

type Answer = ResultOf<'automationGet'>;
export type Step = Answer['steps'][number];
export type Trigger = Extract<Answer['trigger'], { type: string }>;
export type Goal = Extract<Answer['goal'], { event: string }>;
export type StepType = Step['type'];
export type StepOf<T extends StepType> = Extract<Step, { type: T }>;

/** Steps after which contacts take one of two arms. */
export type Armed = Extract<Step, { yes: readonly unknown[] }>;
export const hasArms = (step: Step): step is Armed => 'yes' in step;

/** Those of the arms too, in the order of the flow. */
export const everyStep = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => [step, ...(hasArms(step) ? everyStep([...step.yes, ...step.no]) : [])]);
export const isSend = (step: Step): step is StepOf<'send'> => step.type === 'send';

export type Conditions = Pick<Goal, 'match' | 'filter'>;

export type Info = Omit<Answer, 'trigger' | 'goal'> & { trigger: Trigger | null; goal: Goal | null };
export type Found = ResultOf<'automationSearch'>['data'][number];

/** {} is none. */
export const asInfo = ({ trigger, goal, ...answer }: Answer): Info => ({
  ...answer,
  trigger: trigger.type === undefined ? null : trigger,
  goal: goal.event === undefined ? null : goal,
});

export type Changes = Partial<Pick<Info, 'title' | 'trigger' | 'steps' | 'reentry'>> & {
  goal?: Pick<Goal, 'event' | 'match'> & Partial<Goal>;
};
export const asParams = (id: string, { trigger, ...changes }: Changes): ParamsOf<'automationUpdate'> => ({
  id,
  ...changes,
  ...(trigger && { trigger }),
});
