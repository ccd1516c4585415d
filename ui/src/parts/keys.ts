// Keyboard shortcuts: a screen registers its keys while it is shown; the help overlay lists the active ones. A
// shortcut is a key ('c', '/', '?'), a sequence of two ('g c'), or a key with Ctrl or Command ('mod+k'). Where a part has
// `data-letters-typed`, as the visual editor has, letters are typed and are no shortcuts, wherever the focus is.
import { useEffect, useRef, useSyncExternalStore } from 'react';

export type Shortcut = { keys: string; words: string };
type Entry = Shortcut & { run: (() => void) | undefined };

/**
 * Registers a shortcut while the component is shown and it is enabled. The latest registration of the same keys wins; one
 * without `run` is only listed in the help, because the component handles the key.
 */
export function useShortcut(keys: string, words: string, run: (() => void) | undefined, enabled = true) {
  const latest = useRef(run);
  latest.current = run;
  const listed = run === undefined;
  useEffect(() => {
    if (!enabled) return;
    const entry: Entry = { keys, words, run: listed ? undefined : () => latest.current?.() };
    entries = [...entries, entry];
    notify();
    return () => {
      entries = entries.filter((other) => other !== entry);
      notify();
    };
  }, [keys, words, enabled, listed]);
}

/** The active shortcuts. */
export function useShortcuts(): readonly Shortcut[] {
  const all = useSyncExternalStore(listen, () => entries);
  return lettersAreTyped() ? all.filter(({ keys }) => keys.startsWith('mod+')) : all;
}

const lettersAreTyped = () => document.querySelector('[data-letters-typed]')?.checkVisibility() === true;

/** Time allowed for the second key of a sequence, milliseconds. */
const secondKeyMs = 1_200;

let entries: readonly Entry[] = [];
const listeners = new Set<() => void>();
let first = { key: '', at: 0 };

function notify() {
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function pressed(event: KeyboardEvent) {
  if (event.defaultPrevented || event.altKey) return;
  const mod = event.ctrlKey || event.metaKey;
  // Letters go to the focused field, to the open dialog, or to the editor.
  if (!mod && (isTyping(event.target) || document.querySelector('[role="dialog"]') || lettersAreTyped())) return;
  const key = event.key.toLowerCase();
  const row = event.timeStamp - first.at < secondKeyMs ? `${first.key} ${key}` : key;
  const candidates = mod ? [`mod+${key}`] : [row, key];
  const entry = candidates.map((keys) => entries.findLast((shortcut) => shortcut.keys === keys)).find(Boolean);
  first = { key: mod || entry ? '' : key, at: event.timeStamp };
  if (!entry?.run) return;
  event.preventDefault();
  entry.run();
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // An editor in a frame forwards its key events.
  if (target instanceof HTMLIFrameElement) return true;
  if (target instanceof HTMLInputElement && ['checkbox', 'radio', 'button'].includes(target.type)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

window.addEventListener('keydown', pressed);
