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
  const current = useSyncExternalStore(listen, () => shown);
  if (!current) return null;
  return (
    <Suspense>
      <Dialog session={current.session} answer={current.answer} />
    </Suspense>
  );
}

type Question = { session: Session; answered: Promise<boolean>; answer(isRenewed: boolean): void };

let question: Question | undefined;
let shown: Question | undefined;
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
  // A dialog that opens under the hands of someone who types would take the rest of the sentence.
  untilTypingPauses().then(changed);
  return promise;
}

/** No key was pressed for this long: someone who types looks up. */
const pauseMs = 1_500;

/** Resolves when no key has been pressed for a moment, in this page and in the frames in which emails are written. */
function untilTypingPauses(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      ended.abort();
      resolve();
    }, pauseMs);
  };
  const frames = [...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument);
  for (const place of [document, ...frames])
    place?.addEventListener('keydown', wait, { capture: true, signal: ended.signal });
  wait();
  return promise;
}

function changed() {
  shown = question;
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
