// Keyboard shortcuts: a screen names its keys while it is shown, the help overlay lists what holds just now.
// A shortcut is a key ('c', '/', '?'), two keys in a row ('g c'), or one with Ctrl or Command ('mod+k').
import { useEffect, useRef, useSyncExternalStore } from 'react';

export type Shortcut = { keys: string; words: string };
type Entry = Shortcut & { run(): void };

/** Holds a shortcut while the component is shown. The newest of several for the same keys wins. */
export function useShortcut(keys: string, words: string, run: () => void) {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const entry: Entry = { keys, words, run: () => latest.current() };
    entries = [...entries, entry];
    tell();
    return () => {
      entries = entries.filter((one) => one !== entry);
      tell();
    };
  }, [keys, words]);
}

/** The shortcuts that hold at the moment. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(listen, () => entries);
}

/** How long the second key of two may take. */
const secondKeyMs = 1_200;

let entries: readonly Entry[] = [];
const listeners = new Set<() => void>();
let first = { key: '', at: 0 };

function tell() {
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function pressed(event: KeyboardEvent) {
  if (event.defaultPrevented || event.altKey) return;
  const mod = event.ctrlKey || event.metaKey;
  // Letters belong to the field that is being typed in, and to the dialogue that is open.
  if (!mod && (isTyping(event.target) || document.querySelector('[role="dialog"]'))) return;
  const key = event.key.toLowerCase();
  const row = event.timeStamp - first.at < secondKeyMs ? `${first.key} ${key}` : key;
  const wanted = mod ? [`mod+${key}`] : [row, key];
  const entry = wanted.map((keys) => entries.findLast((one) => one.keys === keys)).find(Boolean);
  first = { key: mod || entry ? '' : key, at: event.timeStamp };
  if (!entry) return;
  event.preventDefault();
  entry.run();
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // An editor in a frame passes on what is typed in it.
  if (target instanceof HTMLIFrameElement) return true;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

window.addEventListener('keydown', pressed);
