// The question of confirm() and the effect of its answer.
import type { ReactNode } from 'react';

export type Question = {
  title: string;
  text?: ReactNode;
  /** The consequences, in numbers. */
  figures?: { value: string; label: string }[];
  /** The label of the confirming button: a verb. */
  action: string;
  /** Red, for what cannot be undone. */
  danger?: boolean;
};

export type Asked = Question & { answer(yes: boolean): void };
