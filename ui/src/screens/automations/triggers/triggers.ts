// THE list of types of triggers on the screen, in the order of the form.
import type { Named, Words } from '../steps/kind.ts';
import type { Trigger } from '../types.ts';
import { clicked } from './clicked.tsx';
import { date } from './date.tsx';
import { event } from './event.tsx';
import { field } from './field.tsx';
import type { TriggerKind } from './kind.ts';
import { segment } from './segment.tsx';
import { confirmed, subscribed } from './subscribed.tsx';
import { webhook } from './webhook.tsx';

const kinds: { [Type in Trigger['type']]: TriggerKind<Type> } = {
  subscribed,
  confirmed,
  field,
  segment,
  clicked,
  date,
  event,
  webhook,
};
export const triggerTypes = Object.keys(kinds) as Trigger['type'][];

/** The kind of any trigger, for code that does not care which it is. */
export const kindOf = <Type extends Trigger['type']>({ type }: { type: Type }): TriggerKind<Type> => kinds[type];

export const triggerInWords = (t: Words, trigger: Trigger, named: Named): string =>
  kindOf(trigger).words(t, trigger, named);
