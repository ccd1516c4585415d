// THE list of types of steps. The shape of a step, the parameters of methods and what the engine does are derived from it.
import { z } from 'zod';
import type { Match, SegmentFilter } from '../../audience/model/segment.ts';
import type { Context } from '../../base/context.ts';
import type { Message } from '../../base/messages.ts';
import { named } from '../../method/named.ts';
import { anything, arrayOf, oneOf, struct, text } from '../../method/params.ts';
import { addToList, removeFromList } from './change-list.ts';
import { condition } from './condition.ts';
import {
  type All,
  type Draft,
  type Due,
  done,
  type Effect,
  type Given,
  type Settings,
  type StepKind,
  type StepOf,
} from './kind.ts';
import { notify } from './notify.ts';
import { send } from './send.ts';
import { setField } from './set-field.ts';
import { wait } from './wait.ts';
import { waitFor } from './wait-for.ts';
import { waitUntil } from './wait-until.ts';
import { webhook } from './webhook.ts';

const kinds = [
  wait,
  waitUntil,
  waitFor,
  condition,
  send,
  setField,
  addToList,
  removeFromList,
  webhook,
  notify,
] as const;

type Kind = (typeof kinds)[number];
type MembersOf<K> =
  K extends StepKind<infer Type, infer Members, infer _S>
    ? z.output<z.ZodObject<{ key: z.ZodString; type: z.ZodLiteral<Type> } & Members>>
    : never;
type Arms = { yes: Step[]; no: Step[] };
type Armed =
  | ({ key: string; type: 'condition'; match: Match; filter: SegmentFilter } & Arms)
  | (MembersOf<typeof waitFor> & Arms);

export type Step = MembersOf<Exclude<Kind, typeof condition | typeof waitFor>> | Armed;

const withArms: ReadonlySet<string> = new Set(['condition', 'wait_for'] satisfies Armed['type'][]);
/** Whether contacts take one of two arms after the step. */
export const hasArms = (step: Step): step is Armed => withArms.has(step.type);

const byType = new Map<string, StepKind>(kinds.map((kind) => [kind.type, kind as unknown as StepKind]));
const kindOf = ({ type }: Pick<Step, 'type'>): StepKind => byType.get(type)!;

export const stepTypes = kinds.map(({ type }) => type);

/** Of an automation, with those of all arms. */
export const maxSteps = 50;
const stepSettings = 'AutomationStepSettings';

/** A step as it is stored, and as methods return it. */
export const stepRecord: z.ZodType<Step, Step> = named(
  'AutomationStep',
  z.lazy(() => {
    const key = z.string().meta({ description: 'Names the step in figures and versions.' });
    const arms = { yes: z.array(stepRecord), no: z.array(stepRecord) };
    const shapes = kinds.map(({ type, members }) =>
      z.object({ key, type: z.literal(type), ...members, ...(withArms.has(type) && arms) }),
    );
    return z.discriminatedUnion('type', shapes as never) as z.ZodType<Step, Step>;
  }),
);

/** What an arm contains: read step by step, so that a fault names its place. */
const arm = (who: string) =>
  arrayOf(`condition, wait_for: the steps for ${who}.`, anything('A step.'), maxSteps, {
    items: { $ref: `#/$defs/${stepSettings}` },
  }).optional();
const arms = { yes: arm('contacts that match, or for which the event came'), no: arm('the others') };

const settings = Object.assign({}, ...kinds.map((kind) => kind.settings)) as All<Kind['settings']>;

/** Type → the members that it has. */
export const stepMembers: Record<string, readonly string[]> = Object.fromEntries(
  kinds.map(({ type, settings }) => [type, [...Object.keys(settings), ...(withArms.has(type) ? ['yes', 'no'] : [])]]),
);

export const stepParameter = named(
  stepSettings,
  struct(
    'A step: {type} and the members of that type.',
    {
      key: text('Names the step in figures and versions; given by the server when left out.', 20).optional(),
      type: oneOf(
        `${kinds.map(({ type, about }) => (about === '' ? type : `${type} ${about}`)).join(', ')}.`,
        kinds.map(({ type }) => type),
      ),
      ...settings,
      ...arms,
    },
    { fault: 'AUTOMATION_INVALID', variants: stepMembers },
  ),
);
export type GivenStep = z.output<typeof stepParameter>;

/** The members of the step's type. @param readArm reads the steps of an arm */
export function readMembers(
  given: GivenStep,
  readArm: (steps: readonly unknown[], name: 'yes' | 'no') => Step[],
): Omit<Step, 'key'> {
  const members = kindOf(given).read(given as Given<Settings>);
  const read = withArms.has(given.type) && {
    yes: readArm(given.yes ?? [], 'yes'),
    no: readArm(given.no ?? [], 'no'),
  };
  return { type: given.type, ...members, ...read } as Omit<Step, 'key'>;
}

/** Why a step of a draft cannot run. */
export const problemOfStep = async (context: Context, draft: Draft, step: Step): Promise<Message | undefined> =>
  kindOf(step).problem?.(context, draft, step);

/** When a step is carried out for a contact that arrives on it: at once, or at the end of a wait. @param zone of the contact */
export const dueOf = (step: Step, arrivedAt: Date, zone: string): Date =>
  kindOf(step).dueAt?.(step, arrivedAt, zone) ?? arrivedAt;

/** Whether the contact is only kept on it: the step does nothing to it and chooses no arm. */
export const onlyWaits = (step: Step): boolean => kindOf(step).carryOut === undefined;

export const isContactwise = (step: Step): boolean => kindOf(step).isContactwise === true;

/** Carries out a step for contacts that are subscribed to the list, in the transaction that moves them on. */
export async function carryOut(context: Context, of: StepOf, step: Step, due: readonly Due[]): Promise<Effect> {
  const { carryOut } = kindOf(step);
  return carryOut && due.length > 0 ? carryOut(context, of, step, due) : done;
}
