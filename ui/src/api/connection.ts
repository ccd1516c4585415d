// Whether the server answers: as the last request found, and what the browser knows of its network.
import { useSyncExternalStore } from 'react';

let isAnswering = true;
const listeners = new Set<() => void>();

/** What a request has found. */
export function noteAnswer(answered: boolean): void {
  if (isAnswering === answered) return;
  isAnswering = answered;
  for (const listener of listeners) listener();
}

/** Whether the server can be reached. */
export const useConnection = (): boolean => useSyncExternalStore(listen, () => isAnswering && navigator.onLine);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
