// An automation as the API returns it, and its parts as the server defines them.
import type { Definition, Goal, Step, Trigger } from '../../../../src/automations/model/definition.ts';
import type { ParamsOf, ResultOf } from '../../api/types.ts';

export type { Goal, Step, Trigger };
export type StepType = Step['type'];
export type StepOf<T extends StepType> = Extract<Step, { type: T }>;

export type Conditions = Pick<Goal, 'match' | 'filter'>;

export type Info = Omit<ResultOf<'automationGet'>, keyof Definition> & Definition;
export type Listed = ResultOf<'automations'>['data'][number];
export type Autoresponder = ResultOf<'automationAutoresponders'>['data'][number];

/** The methods describe steps with all members of all types; the server returns them by type, and {} for none. */
export const asInfo = (answer: ResultOf<'automationGet'>): Info => {
  const { trigger, goal } = answer;
  return {
    ...answer,
    trigger: 'type' in trigger ? trigger : null,
    goal: 'event' in goal ? goal : null,
  } as unknown as Info;
};
export type Changes = Partial<Pick<Definition, 'trigger' | 'steps' | 'reentry'>> & {
  goal?: { event: string; match: Goal['match']; filter?: Goal['filter'] };
  title?: string;
};
export const asParams = (id: string, changes: Changes) => ({ id, ...changes }) as ParamsOf<'automationUpdate'>;
