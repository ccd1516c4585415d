// What the screen knows of a type of step. THE list of types is in steps.ts.
import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Translate } from '../../../text/use-text.tsx';
import type { Info, StepOf, StepType } from '../types.ts';

export type Words = Translate<'automations'>;
/** What is named by an id, and conditions in words. */
export type Named = Pick<Info, 'names' | 'readings'>;

export type FieldsProps<Draft> = { info: Info; draft: Draft; onChange(next: Draft): void };

export type StepKind<Type extends StepType = StepType> = {
  icon: TablerIcon;
  /** What a new one begins with. */
  blank: Omit<StepOf<Type>, 'key' | 'type'>;
  /** What it does, as its card says it. */
  words(t: Words, step: StepOf<Type>, named: Named): string;
  /** The form of its members. */
  Fields(props: FieldsProps<StepOf<Type>>): ReactNode;
};

export const clock = (hour: number, minute = 0) =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
