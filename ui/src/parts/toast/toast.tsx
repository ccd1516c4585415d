// Short words in the corner: done, failed, or done with a way back that counts down. What draws them is loaded with the
// first of them.

import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import type { Toast, UndoOptions } from './kinds.ts';

export const toast = {
  /** Says that something is done. */
  done: (text: string) => add({ id: nextId(), kind: 'done', text }),
  /** Tells a fault that belongs to no field. */
  failed: (error: unknown) => add({ id: nextId(), kind: 'failed', error }),
  /** Offers to take something back. */
  undo: (options: UndoOptions) => add({ id: nextId(), kind: 'undo', ...options }),
};

const Drawn = lazy(() => import('./toasts.tsx'));

/** The place of the toasts; once, around everything. */
export function ToastHost(): ReactNode {
  const waiting = useSyncExternalStore(listen, () => toasts);
  if (waiting.length === 0) return null;
  return (
    <Suspense>
      <Drawn toasts={waiting} />
    </Suspense>
  );
}

/** All toasts there were; each is drawn once. */
let toasts: readonly Toast[] = [];
let made = 0;
const listeners = new Set<() => void>();

const nextId = () => `toast ${++made}`;

function add(one: Toast) {
  toasts = [...toasts.slice(-20), one];
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
