// What happens when an answer shows that the session has ended: the user signs in again in place, and the call is repeated
// (call.ts), so that nothing typed is lost. Calls that fail at the same time wait for one dialog.
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import { onSessionEnded } from '../api/call.ts';
import type { Session } from '../session/session.ts';

type Places = {
  /** Who was signed in on this page; undefined on pages that need no session. */
  session(): Session | undefined;
  /** Goes to the sign-in page. */
  leave(): void;
};

export function renewEndedSessions({ session, leave }: Places): void {
  onSessionEnded(async () => {
    const before = question ? question.session : session();
    if (before && (await ask(before))) return true;
    leave();
    return false;
  });
}

const Dialog = lazy(() => import('./renewal-dialog.tsx'));

/** Where the dialog is drawn; used once, around everything. */
export function RenewalHost(): ReactNode {
  const current = useSyncExternalStore(listen, () => question);
  if (!current) return null;
  return (
    <Suspense>
      <Dialog session={current.session} answer={current.answer} />
    </Suspense>
  );
}

type Question = { session: Session; answered: Promise<boolean>; answer(isRenewed: boolean): void };

let question: Question | undefined;
const listeners = new Set<() => void>();

function ask(session: Session): Promise<boolean> {
  if (question) return question.answered;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  question = {
    session,
    answered: promise,
    answer(isRenewed) {
      question = undefined;
      changed();
      resolve(isRenewed);
    },
  };
  queueMicrotask(changed);
  return promise;
}

function changed() {
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
