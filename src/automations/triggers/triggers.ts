// THE list of types of triggers. The shape of a trigger, the parameters of methods and what is looked up are derived from it.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import type { Message } from '../../base/messages.ts';
import type { Tx } from '../../db/connect.ts';
import { named } from '../../method/named.ts';
import { oneOf, struct } from '../../method/params.ts';
import type { All, Draft, Given, Settings } from '../steps/kind.ts';
import { clicked } from './clicked.ts';
import { date } from './date.ts';
import { event } from './event.ts';
import { field } from './field.ts';
import type { TriggerKind, Watched } from './kind.ts';
import { segment } from './segment.ts';
import { confirmed, subscribed } from './subscribed.ts';
import { webhook } from './webhook.ts';

const kinds = [subscribed, confirmed, field, segment, clicked, date, event, webhook] as const;

type Kind = (typeof kinds)[number];
type MembersOf<K> =
  K extends TriggerKind<infer Type, infer Members, infer _S>
    ? z.output<z.ZodObject<{ type: z.ZodLiteral<Type> } & Members>>
    : never;
export type Trigger = MembersOf<Kind>;
export type TriggerOf<Type extends Trigger['type']> = Extract<Trigger, { type: Type }>;

export const triggerTypes = kinds.map(({ type }) => type);

const byType = new Map<string, TriggerKind>(kinds.map((kind) => [kind.type, kind as unknown as TriggerKind]));
const kindOf = ({ type }: Pick<Trigger, 'type'>): TriggerKind => byType.get(type)!;

/** A trigger as it is stored, and as methods return it. */
export const triggerRecord = named(
  'AutomationTrigger',
  z.discriminatedUnion(
    'type',
    kinds.map(({ type, members }) => z.object({ type: z.literal(type), ...members })) as never,
  ) as z.ZodType<Trigger, Trigger>,
);

const settings = Object.assign({}, ...kinds.map((kind) => kind.settings)) as All<Kind['settings']>;

/** Type → the members that it has. */
export const triggerMembers: Record<string, readonly string[]> = Object.fromEntries(
  kinds.map(({ type, settings }) => [type, Object.keys(settings)]),
);

export const triggerParameter = named(
  'AutomationTriggerSettings',
  struct(
    'What lets a contact of the list enter: {type} and the members of that type.',
    {
      type: oneOf(
        `${kinds.map(({ type, about }) => `${type} ${about}`).join(', ')}.`,
        kinds.map(({ type }) => type),
      ),
      ...settings,
    },
    { fault: 'AUTOMATION_INVALID', variants: triggerMembers },
  ),
);
export type GivenTrigger = z.output<typeof triggerParameter>;

/** The members of its type. */
export const readTriggerMembers = (given: GivenTrigger): Trigger =>
  ({ type: given.type, ...kindOf(given).read(given as Given<Settings>) }) as Trigger;

/** Why the trigger of a draft cannot run. */
export const problemOfTrigger = async (
  context: Context,
  draft: Draft,
  trigger: Trigger,
): Promise<Message | undefined> => kindOf(trigger).problem?.(context, draft, trigger);

/** What a change of a contact is compared with. */
export const columnsOf = (trigger: Trigger) => ({
  field: '',
  value: '',
  imports: false,
  ...kindOf(trigger).columns?.(trigger),
});

/** The conditions that are looked up for it. Undefined when they are deleted. */
export const watchedBy = async (
  tx: Tx,
  of: { account: number; list: number },
  trigger: Trigger,
): Promise<Watched | undefined> => kindOf(trigger).watched?.(tx, of, trigger);
