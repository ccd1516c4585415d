// Toasts: done, failed, or done with an undo button that counts down. The drawing is loaded with the first toast.

import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import type { Toast, UndoOptions } from './kinds.ts';

export const toast = {
  /** Confirms that something is done. */
  done: (text: string) => add({ id: nextId(), kind: 'done', text }),
  /** Shows an error that belongs to no field. */
  failed: (error: unknown) => add({ id: nextId(), kind: 'failed', error }),
  /** Offers to undo something. */
  undo: (options: UndoOptions) => add({ id: nextId(), kind: 'undo', ...options }),
};

const Drawn = lazy(() => import('./toasts.tsx'));

/** Where toasts are drawn; used once, around everything. */
export function ToastHost(): ReactNode {
  const waiting = useSyncExternalStore(listen, () => toasts);
  if (waiting.length === 0) return null;
  return (
    <Suspense>
      <Drawn toasts={waiting} />
    </Suspense>
  );
}

/** The latest toasts; each is drawn once. */
let toasts: readonly Toast[] = [];
let made = 0;
const listeners = new Set<() => void>();

const nextId = () => `toast ${++made}`;

function add(next: Toast) {
  toasts = [...toasts.slice(-20), next];
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
