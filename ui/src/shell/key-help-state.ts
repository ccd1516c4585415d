// Whether the overlay of keyboard shortcuts is open.
import { useSyncExternalStore } from 'react';

export const openKeyHelp = () => set(true);
export const closeKeyHelp = () => set(false);
export const useKeyHelpOpen = () => useSyncExternalStore(listen, () => open);

let open = false;
const listeners = new Set<() => void>();

function set(next: boolean) {
  open = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
