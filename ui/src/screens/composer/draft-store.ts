// What is typed into the composer, and its way to the program: each option is saved by itself, a moment after it was
// last changed. Promises that nothing typed is lost: a value that was refused, or could not be sent, stays as it is with
// the fault beside it, and is sent again when it changes or when the program can be reached again.
// Leaves to whom makes it how a value is sent.

export type SaveState = 'saved' | 'saving' | 'failed';

export type DraftState<V extends object> = {
  values: V;
  /** What the program said against a value, by the option's name. */
  faults: { [K in keyof V]?: unknown };
  saving: SaveState;
};

export type DraftStore<V extends object> = {
  state(): DraftState<V>;
  listen(hear: () => void): () => void;
  /** Takes values in and saves them a moment later. */
  change(changes: Partial<V>): void;
  /** Takes values in that the program has already. */
  adopt(changes: Partial<V>): void;
  /** Saves what waits, now. True when nothing is left unsaved. */
  flush(): Promise<boolean>;
};

export type StoreOptions<V extends object> = {
  save(name: keyof V & string, value: V[keyof V]): Promise<unknown>;
  /** The options in the order they must be saved in: a segment after its list. */
  order: readonly (keyof V & string)[];
  /** After values have been saved. */
  onSaved?(names: readonly (keyof V & string)[]): void;
  /** True for errors that pass by themselves: the program is out of reach. */
  passes(error: unknown): boolean;
  /** How long after the last change it is saved. */
  waitMs?: number;
  /** How long after the program was out of reach it is tried again. */
  againMs?: number;
};

export function createDraftStore<V extends object>(initial: V, options: StoreOptions<V>): DraftStore<V> {
  type Name = keyof V & string;
  const { save, order, onSaved, passes, waitMs = 700, againMs = 5_000 } = options;
  let state: DraftState<V> = { values: initial, faults: {}, saving: 'saved' };
  /** Changed and not yet with the program. */
  const unsaved = new Set<Name>();
  /** Those of them that wait for another value. */
  const refused = new Set<Name>();
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;

  const set = (next: Partial<DraftState<V>>) => {
    const waiting = [...unsaved].some((name) => !refused.has(name));
    const saving = running !== undefined || waiting ? 'saving' : unsaved.size > 0 ? 'failed' : 'saved';
    state = { ...state, saving, ...next };
    for (const hear of listeners) hear();
  };
  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), ms);
  };
  const without = (names: readonly Name[]) => {
    const faults = { ...state.faults };
    for (const name of names) delete faults[name];
    return faults;
  };

  const change = (changes: Partial<V>) => {
    const names = Object.keys(changes) as Name[];
    for (const name of names) {
      unsaved.add(name);
      refused.delete(name);
    }
    set({ values: { ...state.values, ...changes }, faults: without(names) });
    later(waitMs);
  };
  const adopt = (changes: Partial<V>) => {
    const names = Object.keys(changes) as Name[];
    for (const name of names) {
      unsaved.delete(name);
      refused.delete(name);
    }
    set({ values: { ...state.values, ...changes }, faults: without(names) });
  };

  const saveAll = async () => {
    const saved: Name[] = [];
    for (;;) {
      const name = order.find((one) => unsaved.has(one) && !refused.has(one));
      if (name === undefined) break;
      const value = state.values[name];
      try {
        await save(name, value);
        saved.push(name);
        // What was typed meanwhile is another value, and is saved in the next turn.
        if (state.values[name] === value) unsaved.delete(name);
      } catch (error) {
        if (state.values[name] !== value) continue;
        if (passes(error)) {
          set({ saving: 'failed', faults: { ...state.faults, [name]: error } });
          later(againMs);
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
      set(failed ? { saving: 'failed' } : { faults: {} });
    }
    return unsaved.size === 0;
  };
  return {
    state: () => state,
    listen(hear) {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
    change,
    adopt,
    flush,
  };
}
