// The values typed into the composer, and saving them: each option is saved shortly after its last change.
// Guarantees that nothing typed is lost: a value that was refused or could not be sent stays with its fault, and is sent
// again when it changes or when the server is reachable again. How a value is sent is up to the caller.

/** Unfinished: all but what the user has not finished is saved. */
export type SaveState = 'saved' | 'saving' | 'failed' | 'unfinished';

/** The fault of a value that is not finished: it is kept, and waits for the user. */
export class Unfinished extends Error {}

export type DraftState<V extends object> = {
  values: V;
  /** Why the server refused a value, by the option's name. */
  faults: { [K in keyof V]?: unknown };
  saving: SaveState;
};

export type DraftStore<V extends object> = {
  state(): DraftState<V>;
  listen(listener: () => void): () => void;
  /** Sets values and saves them shortly after. */
  change(changes: Partial<V>): void;
  /** Sets values that the server already has. */
  adopt(changes: Partial<V>): void;
  /** Sends values again that were held for a decision of the user. */
  release(names: readonly (keyof V & string)[]): void;
  /** Saves pending changes now. @returns whether everything is saved */
  flush(): Promise<boolean>;
};

export type StoreOptions<V extends object> = {
  save(name: keyof V & string, value: V[keyof V]): Promise<unknown>;
  /** The order in which options must be saved: a segment after its list. */
  order: readonly (keyof V & string)[];
  /** After values have been saved. */
  onSaved?(names: readonly (keyof V & string)[]): void;
  /** Whether an error is temporary, such as an unreachable server. */
  isTemporary(error: unknown): boolean;
  /** Whether a refused value, and what is typed after it, waits for a decision of the user: release, or adopt another one. */
  needsDecision?(error: unknown): boolean;
  /** From the last change to saving it. */
  waitMs?: number;
  /** From a temporary error to the next attempt. */
  retryMs?: number;
};

export function createDraftStore<V extends object>(initial: V, options: StoreOptions<V>): DraftStore<V> {
  type Name = keyof V & string;
  const { save, order, onSaved, isTemporary, needsDecision = () => false } = options;
  const { waitMs = 700, retryMs = 5_000 } = options;
  let state: DraftState<V> = { values: initial, faults: {}, saving: 'saved' };
  /** Changed and not yet saved. */
  const unsaved = new Set<Name>();
  /** Those of them that were refused and wait for another value. */
  const refused = new Set<Name>();
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;

  const failure = (faults = state.faults): SaveState =>
    [...unsaved].every((name) => faults[name] instanceof Unfinished) ? 'unfinished' : 'failed';
  const set = (next: Partial<DraftState<V>>) => {
    const waiting = [...unsaved].some((name) => !refused.has(name));
    const settled = unsaved.size > 0 ? failure(next.faults) : 'saved';
    const saving = running !== undefined || waiting ? 'saving' : settled;
    state = { ...state, saving, ...next };
    for (const listener of listeners) listener();
  };
  const flushIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), ms);
  };
  const change = (changes: Partial<V>) => {
    const names = Object.keys(changes) as Name[];
    const free = names.filter((name) => !refused.has(name) || !needsDecision(state.faults[name]));
    for (const name of names) unsaved.add(name);
    for (const name of free) refused.delete(name);
    set({ values: { ...state.values, ...changes }, faults: without(state.faults, free) });
    flushIn(waitMs);
  };
  const release = (names: readonly Name[]) => {
    for (const name of names) refused.delete(name);
    set({ faults: without(state.faults, names) });
    flushIn(waitMs);
  };
  const adopt = (changes: Partial<V>) => {
    const names = Object.keys(changes) as Name[];
    for (const name of names) {
      unsaved.delete(name);
      refused.delete(name);
    }
    set({ values: { ...state.values, ...changes }, faults: without(state.faults, names) });
  };

  const saveAll = async () => {
    const saved: Name[] = [];
    for (;;) {
      const name = order.find((option) => unsaved.has(option) && !refused.has(option));
      if (name === undefined) break;
      const value = state.values[name];
      try {
        await save(name, value);
        saved.push(name);
        // If it was changed while it was being saved, the new value is saved in the next round.
        if (state.values[name] === value) unsaved.delete(name);
      } catch (error) {
        if (state.values[name] !== value) continue;
        if (isTemporary(error)) {
          set({ saving: 'failed', faults: { ...state.faults, [name]: error } });
          flushIn(retryMs);
          break;
        }
        refused.add(name);
        set({ faults: { ...state.faults, [name]: error } });
      }
    }
    if (saved.length > 0) onSaved?.(saved);
  };

  const flush = async (): Promise<boolean> => {
    clearTimeout(timer);
    while (running) await running;
    if (unsaved.size > 0) {
      let failed = false;
      running = saveAll().finally(() => {
        running = undefined;
      });
      set({});
      await running;
      failed = unsaved.size > 0;
      set(failed ? { saving: failure() } : { faults: {} });
    }
    return unsaved.size === 0;
  };
  return {
    state: () => state,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change,
    adopt,
    release,
    flush,
  };
}

/** The faults of the other values. */
function without<V extends object>(faults: DraftState<V>['faults'], names: readonly (keyof V)[]) {
  const left = { ...faults };
  for (const name of names) delete left[name];
  return left;
}
