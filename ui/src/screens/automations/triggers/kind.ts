// What the screen knows of a type of trigger. THE list of types is in triggers.ts.
import type { ReactNode } from 'react';
import type { FieldsProps, Named, Words } from '../steps/kind.ts';
import type { Trigger } from '../types.ts';

export type TriggerOf<Type extends Trigger['type']> = Extract<Trigger, { type: Type }>;

export type TriggerKind<Type extends Trigger['type'] = Trigger['type']> = {
  /** What a new one begins with. */
  blank: TriggerOf<Type>;
  /** When contacts enter, as the card says it. */
  words(t: Words, trigger: TriggerOf<Type>, named: Named): string;
  /** The form of its members. */
  Fields(props: FieldsProps<TriggerOf<Type>>): ReactNode;
};
