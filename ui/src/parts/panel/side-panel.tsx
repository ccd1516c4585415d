// The panel at the side: a closer look at one row without leaving the table. Loaded at its first use.
import { Drawer } from '@mantine/core';
import type { KeyboardEvent, ReactNode } from 'react';
import { useFocusBack } from '../form/focus-back.ts';

type Props = {
  title: string;
  onClose(): void;
  /** To the next row (1) or the one before (-1). */
  onStep?: (by: 1 | -1) => void;
  children: ReactNode;
};

export default function SidePanel({ title, onClose, onStep, children }: Props) {
  useFocusBack();
  const keys = (event: KeyboardEvent) => {
    const by = ({ j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 } as const)[event.key];
    if (by && onStep) onStep(by);
    else if (event.key === ' ' && event.target === event.currentTarget) onClose();
    else return;
    event.preventDefault();
  };
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={480}
      title={title}
      overlayProps={{ backgroundOpacity: 0.2 }}
      onKeyDown={keys}
    >
      {children}
    </Drawer>
  );
}
