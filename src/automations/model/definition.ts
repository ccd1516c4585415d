// What an automation does: its trigger, whether contacts enter again, its goal and its steps. Reads it from a call and
// checks its shape, so that a draft may be incomplete but never contains anything that the engine does not know. What it
// refers to, and what is missing, is checked at the start (complete.ts).
import { z } from 'zod';
import { matches, type SegmentFilter } from '../../audience/model/segment.ts';
import { filter, match, storedFilter } from '../../audience/segments/read-filter.ts';
import { Fault, fault } from '../../base/faults.ts';
import { named } from '../../method/named.ts';
import { arrayOf, boolean, integer, line, params, struct } from '../../method/params.ts';
import { readValue } from '../../method/read-value.ts';
import { dataRecord, dataSetting, readData } from '../steps/data-conditions.ts';
import {
  type GivenStep,
  hasArms,
  maxSteps,
  readMembers,
  type Step,
  stepMembers,
  stepParameter,
} from '../steps/steps.ts';
import { type GivenTrigger, readTriggerMembers, type Trigger, triggerMembers } from '../triggers/triggers.ts';

const invalid = { fault: 'AUTOMATION_INVALID' } as const;

/** How many arms deep. */
const maxDepth = 5;

/** Contacts leave as soon as the event is reported, or before the next step when the conditions match. */
export const goalRecord = named(
  'AutomationGoal',
  z.object({ event: z.string(), data: dataRecord.optional(), match: z.enum(matches), filter: storedFilter }),
);
export type Goal = z.output<typeof goalRecord>;

export type Definition = {
  trigger: Trigger | null;
  /** Whether a contact may enter again, and how many days after it entered last. */
  reentry: { again: boolean; days: number };
  goal: Goal | null;
  steps: Step[];
};

export const emptyDefinition: Definition = {
  trigger: null,
  reentry: { again: false, days: 0 },
  goal: null,
  steps: [],
};

export const reentryParameter = struct(
  'Whether a contact that has left may enter again; without it, each contact enters once.',
  {
    again: boolean('Whether a contact may enter again.'),
    days: integer('The least number of days between two entries.', 0, 3_650).optional(),
  },
  invalid,
);

export const goalParameter = named(
  'AutomationGoalSettings',
  struct(
    'When a contact leaves before the last step: at an event, or before its next step when conditions match.',
    {
      event: line('The name of an event that eventSend reports.', 100).optional(),
      data: dataSetting,
      match: match.optional(),
      filter: filter.optional(),
    },
    invalid,
  ),
);

export const stepsParameter = arrayOf(
  `The steps in order, at most ${maxSteps} with those of the arms.`,
  stepParameter,
  maxSteps,
  invalid,
);

/** @throws Fault AUTOMATION_INVALID for a member of another type of trigger */
export function readTrigger(given: GivenTrigger): Trigger {
  needOnly(given, triggerMembers[given.type]!, 'trigger');
  return readTriggerMembers(given);
}

export const readReentry = (given: z.output<typeof reentryParameter>): Definition['reentry'] => ({
  again: given.again,
  days: given.again ? (given.days ?? 0) : 0,
});

/** An empty goal is none. */
export function readGoal(given: z.output<typeof goalParameter>): Goal | null {
  const event = (given.event ?? '').trim();
  const filter = (given.filter ?? []) as SegmentFilter;
  const data = event === '' ? {} : readData(given.data);
  return event === '' && filter.length === 0 ? null : { event, ...data, match: given.match ?? 'all', filter };
}

/** @throws Fault AUTOMATION_INVALID naming the step */
export function readSteps(given: readonly GivenStep[]): Step[] {
  const keys = new Set<string>();
  const read = readArm(given, 'steps', 1, { keys, steps: 0 });
  let next = 1;
  const name = (step: Step): Step => {
    while (step.key === '' && keys.has(`s${next}`)) next += 1;
    const key = step.key === '' ? `s${next++}` : step.key;
    const arms = hasArms(step) ? { yes: step.yes.map(name), no: step.no.map(name) } : {};
    return { ...step, ...arms, key } as Step;
  };
  return read.map(name);
}

/** Keys that are given are collected; the others are '' and named afterwards. */
function readArm(
  given: readonly unknown[],
  path: string,
  depth: number,
  seen: { keys: Set<string>; steps: number },
): Step[] {
  if (depth > maxDepth) throw fault('AUTOMATION_INVALID', 'automation.too_deep', { member: path, count: maxDepth });
  return given.map((item, i) => {
    const place = `${path}.${i}`;
    const own = readAt(item, place);
    const key = own.key ?? '';
    if (key !== '' && (!/^\w+$/.test(key) || seen.keys.has(key)))
      throw fault('AUTOMATION_INVALID', 'automation.step_key', { member: `${place}.key`, key });
    if (key !== '') seen.keys.add(key);
    seen.steps += 1;
    if (seen.steps > maxSteps)
      throw fault('AUTOMATION_INVALID', 'automation.too_many_steps', { member: path, count: maxSteps });
    needOnly(own, stepMembers[own.type]!, place);
    return { key, ...readMembers(own, (arm, name) => readArm(arm, `${place}.${name}`, depth + 1, seen)) } as Step;
  });
}

/** A step of an arm, which the parameters of the method do not describe. @throws Fault naming its place */
function readAt(item: unknown, place: string): GivenStep {
  try {
    return readValue(params({ step: stepParameter }), { step: item }).step;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const member = String(error.text.values['member'] ?? '').replace(/^step/, place);
    throw new Fault('AUTOMATION_INVALID', { ...error.text, values: { ...error.text.values, member } });
  }
}

/** A member of another type would be ignored silently. */
function needOnly(given: Record<string, unknown>, members: readonly string[], place: string): void {
  const other = Object.entries(given).find(
    ([name, value]) => value !== undefined && !['type', 'key', ...members].includes(name),
  );
  if (other)
    throw fault('AUTOMATION_INVALID', 'automation.member_of_other_type', {
      member: `${place}.${other[0]}`,
      type: String(given['type']),
      choices: members.length > 0 ? members.join(', ') : '–',
    });
}
