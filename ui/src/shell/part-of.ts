// The navigation entry that the shown page is part of, where its address says another: an autoresponder is a campaign by its
// address, and is listed with the automations.
import { useEffect, useSyncExternalStore } from 'react';

type Part = 'automations' | undefined;

let shown: Part;
const listeners = new Set<() => void>();

function show(part: Part) {
  shown = part;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function usePartOf(part: Part): void {
  useEffect(() => {
    show(part);
    return () => show(undefined);
  }, [part]);
}

export const useShownPart = (): Part => useSyncExternalStore(subscribe, () => shown);
