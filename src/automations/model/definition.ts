// What an automation does: its trigger, whether contacts enter again, its goal and its steps. Reads it from a call and
// checks its shape, so that a draft may be incomplete but never contains anything that the engine does not know. What it
// refers to, and what is missing, is checked at the start (complete.ts).
import { z } from 'zod';
import type { SegmentFilter } from '../../audience/model/segment.ts';
import { filter, type Match, match, matches, storedFilter } from '../../audience/segments/read-filter.ts';
import { Fault, fault } from '../../base/faults.ts';
import { named } from '../../method/named.ts';
import { anything, arrayOf, boolean, id, integer, line, oneOf, params, struct, text } from '../../method/params.ts';
import { readValue } from '../../method/read-value.ts';

const invalid = { fault: 'AUTOMATION_INVALID' } as const;

/** THE list of triggers, with the members that each has. */
export const triggerMembers = {
  subscribed: ['imports'],
  confirmed: [],
  field: ['field', 'value'],
  segment: ['segment', 'change'],
  clicked: ['campaign'],
  date: ['field', 'repeat', 'amount', 'unit', 'direction', 'hour', 'late'],
  event: ['name'],
  webhook: ['member'],
} as const;
export type TriggerType = keyof typeof triggerMembers;
export const triggerTypes = Object.keys(triggerMembers) as TriggerType[];

/** THE list of steps, with the members that each has. */
export const stepMembers = {
  wait: ['amount', 'unit'],
  wait_until: ['weekdays', 'hour', 'minute'],
  condition: ['match', 'filter', 'yes', 'no'],
  send: ['campaign'],
  set_field: ['field', 'value'],
  add_to_list: ['list'],
  remove_from_list: ['list'],
  webhook: ['name'],
  notify: ['subject', 'text'],
} as const;
export type StepType = keyof typeof stepMembers;
export const stepTypes = Object.keys(stepMembers) as StepType[];

/** Limits of an automation. */
const maxSteps = 50;
const maxDepth = 5;

const date = {
  field: z.string(),
  repeat: z.enum(['once', 'yearly']),
  amount: z.int(),
  unit: z.enum(['days', 'weeks', 'months']),
  direction: z.enum(['before', 'after']),
  hour: z.int(),
  late: z
    .literal('enter')
    .optional()
    .meta({ description: 'Lets contacts in however late their date is found; otherwise not later than MAX_LATENESS.' }),
};

/** A trigger as it is stored, and as methods return it. */
export const triggerRecord = named(
  'AutomationTrigger',
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('subscribed'), imports: z.boolean() }),
    z.object({ type: z.literal('confirmed') }),
    z.object({ type: z.literal('field'), field: z.string(), value: z.string() }),
    z.object({ type: z.literal('segment'), segment: z.string(), change: z.enum(['joined', 'left']) }),
    z.object({ type: z.literal('clicked'), campaign: z.string() }),
    z.object({ type: z.literal('date'), ...date }),
    z.object({ type: z.literal('event'), name: z.string() }),
    z.object({ type: z.literal('webhook'), member: z.string() }),
  ]),
);
export type Trigger = z.output<typeof triggerRecord>;

const key = z.string().meta({ description: 'Names the step in figures and versions.' });
const steps = [
  z.object({ key, type: z.literal('wait'), amount: z.int(), unit: z.enum(['minutes', 'hours', 'days', 'weeks']) }),
  z.object({ key, type: z.literal('wait_until'), weekdays: z.array(z.int()), hour: z.int(), minute: z.int() }),
  z.object({ key, type: z.literal('send'), campaign: z.string() }),
  z.object({ key, type: z.literal('set_field'), field: z.string(), value: z.string() }),
  z.object({ key, type: z.literal('add_to_list'), list: z.string() }),
  z.object({ key, type: z.literal('remove_from_list'), list: z.string() }),
  z.object({ key, type: z.literal('webhook'), name: z.string() }),
  z.object({ key, type: z.literal('notify'), subject: z.string(), text: z.string() }),
] as const;
type Arms = { key: string; type: 'condition'; match: Match; filter: SegmentFilter; yes: Step[]; no: Step[] };
export type Step = z.output<(typeof steps)[number]> | Arms;

/** A step as it is stored, and as methods return it. */
export const stepRecord: z.ZodType<Step, Step> = named(
  'AutomationStep',
  z.lazy(() => {
    const arm = z.array(stepRecord);
    const arms = { match: z.enum(matches), filter: storedFilter, yes: arm, no: arm };
    return z.discriminatedUnion('type', [...steps, z.object({ key, type: z.literal('condition'), ...arms })]);
  }),
);

/** Contacts leave as soon as the event is reported, or before the next step when the conditions match. */
export const goalRecord = named(
  'AutomationGoal',
  z.object({ event: z.string(), match: z.enum(matches), filter: storedFilter }),
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

export const triggerParameter = named(
  'AutomationTriggerSettings',
  struct(
    'What lets a contact of the list enter: {type} and the members of that type.',
    {
      type: oneOf(
        'subscribed (becomes a subscribed member), confirmed (confirms its address), field (a field changes), segment (joins or leaves a segment), clicked (clicks in a campaign), date (a date field), event (eventSend), webhook (a request to the URL of automationWebhookUrl).',
        triggerTypes,
      ),
      imports: boolean('subscribed: whether contacts that an import adds enter too.').optional(),
      field: text('field, date: the merge tag.', 100).optional(),
      value: text('field: the value that the field must get; any when left out.', 255).optional(),
      segment: id('segment: a segment of the list.').optional(),
      change: oneOf('segment: joined or left.', ['joined', 'left']).optional(),
      campaign: id('clicked: the campaign.').optional(),
      repeat: oneOf('date: once, or every year on that day and month.', ['once', 'yearly']).optional(),
      amount: integer('date: how many units before or after the date; 0 for the day itself.', 0, 1_000).optional(),
      unit: oneOf('date: days, weeks or months.', ['days', 'weeks', 'months']).optional(),
      direction: oneOf('date: before or after the date.', ['before', 'after']).optional(),
      hour: integer("date: the hour of the day in the contact's time zone, 9 when left out.", 0, 23).optional(),
      late: oneOf(
        'date: what happens to a contact whose date is found more than MAX_LATENESS late, after downtime: skip (when left out; automationGet counts it in late) or enter.',
        ['skip', 'enter'],
      ).optional(),
      name: line('event: the name of the event.', 100).optional(),
      member: line(
        'webhook: the member of a request that has the email address, such as customer.email; email when left out.',
        100,
      ).optional(),
    },
    { ...invalid, variants: triggerMembers },
  ),
);

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
      match: match.optional(),
      filter: filter.optional(),
    },
    invalid,
  ),
);

const stepSettings = 'AutomationStepSettings';
/** What an arm contains: read step by step, so that a fault names its place. */
const inArm = { items: { $ref: `#/$defs/${stepSettings}` } };
const stepParameter = named(
  stepSettings,
  struct(
    'A step: {type} and the members of that type.',
    {
      key: text('Names the step in figures and versions; given by the server when left out.', 20).optional(),
      type: oneOf(
        'wait, wait_until, condition (two arms), send (an email), set_field, add_to_list, remove_from_list, webhook (the event automation.step), notify (an email to the owner).',
        stepTypes,
      ),
      amount: integer('wait: how many units.', 1, 1_000).optional(),
      unit: oneOf('wait: minutes, hours, days or weeks.', ['minutes', 'hours', 'days', 'weeks']).optional(),
      weekdays: arrayOf('wait_until: 1 (Monday) to 7; any day when left out.', integer('A day.', 1, 7), 7).optional(),
      hour: integer("wait_until: the hour in the contact's time zone.", 0, 23).optional(),
      minute: integer('wait_until: the minute.', 0, 59).optional(),
      match: match.optional(),
      filter: filter.optional(),
      yes: arrayOf('condition: the steps for contacts that match.', anything('A step.'), maxSteps, inArm).optional(),
      no: arrayOf('condition: the steps for the others.', anything('A step.'), maxSteps, inArm).optional(),
      campaign: id('send: a draft, which the start turns into an email of the automation.').optional(),
      field: text('set_field: the merge tag.', 100).optional(),
      value: text('set_field: the value.', 255).optional(),
      list: id('add_to_list, remove_from_list: the list.').optional(),
      name: line('webhook: a name that the receiver gets.', 100).optional(),
      subject: line('notify: the subject.', 200).optional(),
      text: text('notify: the text; the addresses of the contacts follow it.', 5_000).optional(),
    },
    { ...invalid, variants: stepMembers },
  ),
);

export const stepsParameter = arrayOf(
  `The steps in order, at most ${maxSteps} with those of the arms.`,
  stepParameter,
  maxSteps,
  invalid,
);

type GivenTrigger = z.output<typeof triggerParameter>;
type GivenStep = z.output<typeof stepParameter>;

/** @throws Fault AUTOMATION_INVALID for a member of another type of trigger */
export function readTrigger(given: GivenTrigger): Trigger {
  needOnly(given, triggerMembers[given.type], 'trigger');
  const { type } = given;
  const field = (given.field ?? '').trim().toUpperCase();
  switch (type) {
    case 'subscribed':
      return { type, imports: given.imports ?? false };
    case 'confirmed':
      return { type };
    case 'field':
      return { type, field, value: given.value ?? '' };
    case 'segment':
      return { type, segment: given.segment ?? '', change: given.change ?? 'joined' };
    case 'clicked':
      return { type, campaign: given.campaign ?? '' };
    case 'date': {
      const { repeat = 'once', amount = 0, unit = 'days', direction = 'after', hour = 9 } = given;
      return { type, field, repeat, amount, unit, direction, hour, ...(given.late === 'enter' && { late: 'enter' }) };
    }
    case 'event':
      return { type, name: (given.name ?? '').trim() };
    case 'webhook':
      return { type, member: (given.member ?? '').trim() };
  }
}

export const readReentry = (given: z.output<typeof reentryParameter>): Definition['reentry'] => ({
  again: given.again,
  days: given.again ? (given.days ?? 0) : 0,
});

/** An empty goal is none. */
export function readGoal(given: z.output<typeof goalParameter>): Goal | null {
  const event = (given.event ?? '').trim();
  const filter = (given.filter ?? []) as SegmentFilter;
  return event === '' && filter.length === 0 ? null : { event, match: given.match ?? 'all', filter };
}

/** @throws Fault AUTOMATION_INVALID naming the step */
export function readSteps(given: readonly GivenStep[]): Step[] {
  const keys = new Set<string>();
  const read = readArm(given, 'steps', 1, { keys, steps: 0 });
  let next = 1;
  const name = (step: Step): Step => {
    while (step.key === '' && keys.has(`s${next}`)) next += 1;
    const key = step.key === '' ? `s${next++}` : step.key;
    const arms = step.type === 'condition' ? { yes: step.yes.map(name), no: step.no.map(name) } : {};
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
    needOnly(own, stepMembers[own.type], place);
    return { key, ...membersOf(own, (arm, name) => readArm(arm, `${place}.${name}`, depth + 1, seen)) };
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

type WithoutKey<T> = T extends unknown ? Omit<T, 'key'> : never;

function membersOf(given: GivenStep, arm: (steps: readonly unknown[], name: string) => Step[]): WithoutKey<Step> {
  const { type } = given;
  switch (type) {
    case 'wait':
      return { type, amount: given.amount ?? 1, unit: given.unit ?? 'days' };
    case 'wait_until': {
      const weekdays = [...new Set(given.weekdays ?? [])].sort();
      return { type, weekdays, hour: given.hour ?? 9, minute: given.minute ?? 0 };
    }
    case 'condition': {
      const filter = (given.filter ?? []) as SegmentFilter;
      const { match = 'all', yes = [], no = [] } = given;
      return { type, match, filter, yes: arm(yes, 'yes'), no: arm(no, 'no') };
    }
    case 'send':
      return { type, campaign: given.campaign ?? '' };
    case 'set_field':
      return { type, field: (given.field ?? '').trim().toUpperCase(), value: given.value ?? '' };
    case 'add_to_list':
    case 'remove_from_list':
      return { type, list: given.list ?? '' };
    case 'webhook':
      return { type, name: (given.name ?? '').trim() };
    case 'notify':
      return { type, subject: (given.subject ?? '').trim(), text: given.text ?? '' };
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
