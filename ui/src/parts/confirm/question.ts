// A question that is asked before something that matters, and what its answer does.
import type { ReactNode } from 'react';

export type Question = {
  title: string;
  text?: ReactNode;
  /** What will happen, in numbers. */
  figures?: { value: string; label: string }[];
  /** The word on the button that does it: a verb. */
  action: string;
  /** What cannot be undone is red. */
  danger?: boolean;
};

export type Asked = Question & { answer(yes: boolean): void };
