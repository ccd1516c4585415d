// The draft that all sections of the composer edit: its values, their faults, and how it is saved. Sections use
// `useDraft()` and never save anything themselves.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ApiFault, call } from '../../api/call.ts';
import { useConnection } from '../../api/connection.ts';
import type { ResultOf } from '../../api/types.ts';
import { invalidate } from '../../api/use-method.ts';
import { useFaultText } from '../../parts/fault.tsx';
import { besideField } from '../../parts/form/fault-field.ts';
import { useText } from '../../text/use-text.tsx';
import { isUnfinished, settingOf, type TestDraft } from './ab-test/test-values.ts';
import { TagEmail, TagLists } from './content/merge-tags.tsx';
import type { Written } from './content/written.ts';
import { createDraftStore, type DraftStore, type SaveState, Unfinished } from './draft-store.ts';
import { type DraftName, type DraftValues, order } from './draft-values.ts';
import { type LanguageDraft, languageSaver } from './languages/language-values.ts';
import { type Conflict, conflictsOf, isConflict, type OtherEditors, useOthers } from './others/others.ts';
import { partOf, type ReadDraft } from './others/read-draft.ts';

export type { DraftName, DraftValues };

export type Draft = {
  cid: string;
  values: DraftValues;
  type: ResultOf<'campaignGet'>['type'];
  /** Read-only: the campaign has been sent to someone, or the user may not write. */
  fixed: boolean;
  saving: SaveState;
  /** When something was last saved in this window. */
  savedAt: Date | undefined;
  /** Whether the server can be reached. */
  isConnected: boolean;
  change(changes: Partial<DraftValues>): void;
  adopt(changes: Partial<DraftValues>): void;
  flush(): Promise<boolean>;
  /** This window, as the server knows it. */
  editor: string;
  /** Who else has the draft open. */
  others: OtherEditors;
  /** What was typed here and is not saved, because another editor has changed it since. */
  conflicts: readonly Conflict[];
  /** Saves what was typed here over the other version; the server keeps that one in the history. */
  keepMine(): Promise<void>;
  /** Reads the draft again after something was restored. */
  takeRestored(): Promise<void>;
  /** Keeps what was typed here in the history, and takes the other version. */
  loadOther(): Promise<void>;
  /** The error text for a value. */
  fault(name: DraftName): string | undefined;
};

const DraftContext = createContext<Draft | undefined>(undefined);

export function useDraft(): Draft {
  const draft = useContext(DraftContext);
  if (!draft) throw new Error('useDraft needs a DraftProvider above it');
  return draft;
}

type Props = {
  cid: string;
  initial: ReadDraft;
  type: Draft['type'];
  fixed: boolean;
  children: ReactNode;
};

export function DraftProvider({ cid, initial, type, fixed, children }: Props) {
  const client = useQueryClient();
  const faultText = useFaultText();
  const t = useText('composer');
  const [editor] = useState(windowName);
  const versions = useRef(initial.versions);
  const known = (name: DraftName) => ({ base_version: versions.current[partOf(name)] ?? 0, editor });
  const [savedAt, setSavedAt] = useState<Date>();
  const [languages] = useState(() => languageSaver(cid, initial.values.languages, type === 'plain text'));
  const [store] = useState<DraftStore<DraftValues>>(() =>
    createDraftStore<DraftValues>(initial.values, {
      order,
      save: (name, value) => {
        if (name === 'written') return saveWritten(value as Written);
        if (name === 'languages') return languages.save(value as LanguageDraft[], known(name));
        if (name !== 'test') return call('campaignUpdate', { cid, name, value, ...known(name) });
        const test = value as TestDraft;
        if (isUnfinished(test)) return Promise.reject(new Unfinished());
        return test.on
          ? call('campaignTestUpdate', { ...settingOf(cid, test, type === 'plain text'), ...known(name) })
          : call('campaignTestDelete', { cid, ...known(name) });
      },
      needsDecision: isConflict,
      onSaved: () => {
        setSavedAt(new Date());
        void invalidate(client, ['campaign']);
      },
      isTemporary: (error) =>
        error instanceof ApiFault && (error.status === 0 || error.status === 503 || error.status === 429),
    }),
  );
  const saveWritten = async ({ format, source }: Written) => {
    // The HTML, saved before, is then its own source.
    if (format === 'html') return;
    await call('campaignUpdate', { cid, name: format, value: source, ...known('written') });
    const { html } = await call('campaignContent', { cid });
    store.adopt({ html });
  };
  const state = useSyncExternalStore(store.listen, store.state);
  const conflicts = conflictsOf(state.faults);
  const others = useOthers({ cid, editor, store, languages, versions, conflicts, enabled: !fixed });
  const isConnected = useConnection();
  useEffect(() => {
    if (isConnected) void store.flush();
  }, [isConnected, store]);
  // Saves on leaving by a link; before closing the window the browser asks (composer-screen.tsx).
  useEffect(() => () => void store.flush(), [store]);
  const draft: Draft = {
    cid,
    values: state.values,
    type,
    fixed,
    saving: state.saving,
    savedAt,
    isConnected,
    change: store.change,
    adopt: store.adopt,
    flush: store.flush,
    editor,
    others: others.open,
    conflicts,
    keepMine: others.keepMine,
    loadOther: others.loadOther,
    takeRestored: others.takeRestored,
    fault: (name) => {
      const error = state.faults[name];
      if (error === undefined || conflicts.some((conflict) => conflict.name === name)) return undefined;
      if (error instanceof Unfinished) return t('testUnfinished');
      return besideField(faultText(error), error instanceof ApiFault ? error.member : undefined);
    },
  };
  return (
    <DraftContext value={draft}>
      <TagLists value={state.values.list_id}>
        <TagEmail value={cid}>{children}</TagEmail>
      </TagLists>
    </DraftContext>
  );
}

/** Shows what is in it read-only: what cannot be corrected after some have received the campaign. */
export function Fixed({ on, children }: { on: boolean; children: ReactNode }) {
  const draft = useDraft();
  return <DraftContext value={on ? { ...draft, fixed: true } : draft}>{children}</DraftContext>;
}

/** A name that no other window has. Not randomUUID, which pages without HTTPS do not have. */
const windowName = () =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
