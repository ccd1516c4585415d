// THE list of types of steps on the screen, in the order of the menu that adds one.
import type { Step, StepOf, StepType } from '../types.ts';
import { addToList, removeFromList } from './change-list.tsx';
import { condition } from './condition.tsx';
import type { Named, StepKind, Words } from './kind.ts';
import { notify } from './notify.tsx';
import { send } from './send.tsx';
import { setField } from './set-field.tsx';
import { wait } from './wait.tsx';
import { waitFor } from './wait-for.tsx';
import { waitUntil } from './wait-until.tsx';
import { webhook } from './webhook.tsx';

const kinds: { [Type in StepType]: StepKind<Type> } = {
  send,
  wait,
  wait_until: waitUntil,
  wait_for: waitFor,
  condition,
  set_field: setField,
  add_to_list: addToList,
  remove_from_list: removeFromList,
  webhook,
  notify,
};

/** What contacts go through, and what is done to them. */
const through: readonly StepType[] = ['send', 'wait', 'wait_until', 'wait_for', 'condition'];
export const stepGroups: readonly (readonly StepType[])[] = [
  through,
  (Object.keys(kinds) as StepType[]).filter((type) => !through.includes(type)),
];

/** The kind of any step, for code that does not care which it is. */
export const kindOf = <Type extends StepType>({ type }: { type: Type }): StepKind<Type> => kinds[type];

export const newStep = (type: StepType, key: string): Step =>
  ({ key, type, ...kindOf({ type }).blank }) as StepOf<typeof type>;

export const stepInWords = (t: Words, step: Step, named: Named): string => kindOf(step).words(t, step, named);
