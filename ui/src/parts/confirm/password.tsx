// Asks for the password again when a method needs the session to be confirmed (call.ts), and repeats the call.
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import { onConfirmationNeeded } from '../../api/call.ts';

/** Resolves to whether the session was confirmed. Calls that fail at the same time wait for one dialog. */
function askForPassword(): Promise<boolean> {
  asked ??= newQuestion();
  return asked.answered;
}

onConfirmationNeeded(askForPassword);

const Dialog = lazy(() => import('./password-dialog.tsx'));

/** Where the dialog is drawn; used once, around everything. */
export function PasswordHost(): ReactNode {
  const current = useSyncExternalStore(listen, () => asked);
  if (!current) return null;
  return (
    <Suspense>
      <Dialog answer={current.answer} />
    </Suspense>
  );
}

type Question = { answered: Promise<boolean>; answer(confirmed: boolean): void };

let asked: Question | undefined;
const listeners = new Set<() => void>();

function newQuestion(): Question {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  queueMicrotask(changed);
  return {
    answered: promise,
    answer(confirmed) {
      asked = undefined;
      changed();
      resolve(confirmed);
    },
  };
}

function changed() {
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
