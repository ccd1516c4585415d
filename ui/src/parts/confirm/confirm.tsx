// Asks for confirmation, with the consequences in numbers: `if (await confirm({ title, figures: [{ value: '12,408',
// label: 'people get this' }], action: 'Send' })) …`

import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import type { Asked, Question } from './question.ts';

/** Resolves to true when confirmed. */
export function confirm(question: Question): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  asked?.answer(false);
  const mine: Asked = {
    ...question,
    answer(yes) {
      resolve(yes);
      if (asked === mine) set(undefined);
    },
  };
  set(mine);
  return promise;
}

const Drawn = lazy(() => import('./dialog.tsx'));

/** Where the dialog is drawn; used once, around everything. */
export function ConfirmHost(): ReactNode {
  const current = useSyncExternalStore(listen, () => asked);
  const everAsked = useSyncExternalStore(listen, () => ever);
  if (!everAsked) return null;
  return (
    <Suspense>
      <Drawn asked={current} />
    </Suspense>
  );
}

let asked: Asked | undefined;
let ever = false;
const listeners = new Set<() => void>();

function set(next: Asked | undefined) {
  asked = next;
  ever = true;
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
