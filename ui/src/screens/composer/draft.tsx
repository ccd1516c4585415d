// The draft that is being written, for all sections of the composer: its values, the faults beside them, and how it is
// saved. Sections read it by `useDraft()` and never save by themselves.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { ApiFault, call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { invalidate } from '../../api/use-method.ts';
import { useFaultText } from '../../parts/fault.tsx';
import { createDraftStore, type DraftStore, type SaveState } from './draft-store.ts';
import { TagLists } from './merge-tags.tsx';

type Options = ResultOf<'campaignOptions'>;

/** What can be changed, named as campaignUpdate names it. */
export type DraftValues = Pick<
  Options,
  | 'list_id'
  | 'segment_id'
  | 'exclude_list_id'
  | 'exclude_segment_id'
  | 'title'
  | 'subject'
  | 'from_name'
  | 'from_email'
  | 'sender'
  | 'to_email'
  | 'tracking'
  | 'analytics'
  | 'generate_text'
  | 'auto_footer'
  | 'authenticate'
  | 'inline_img'
  | 'time_match'
  | 'ln'
  | 'type_opts'
> & { html: string; plain: string };

export type DraftName = keyof DraftValues;

/** A segment after its list, settings that name a field after the list that has it. */
const order: readonly DraftName[] = [
  'list_id',
  'segment_id',
  'exclude_list_id',
  'exclude_segment_id',
  'title',
  'subject',
  'from_name',
  'from_email',
  'sender',
  'to_email',
  'type_opts',
  'generate_text',
  'html',
  'plain',
  'tracking',
  'analytics',
  'auto_footer',
  'authenticate',
  'inline_img',
  'time_match',
  'ln',
];

export type Draft = {
  cid: string;
  values: DraftValues;
  type: 'HTML' | 'plain text' | 'auto';
  /** The draft cannot be changed: it is scheduled or on its way, or the person may not write. */
  fixed: boolean;
  saving: SaveState;
  change(changes: Partial<DraftValues>): void;
  adopt(changes: Partial<DraftValues>): void;
  flush(): Promise<boolean>;
  /** What the program said against a value, in words. */
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
  initial: DraftValues;
  type: Draft['type'];
  fixed: boolean;
  children: ReactNode;
};

export function DraftProvider({ cid, initial, type, fixed, children }: Props) {
  const client = useQueryClient();
  const words = useFaultText();
  const [store] = useState<DraftStore<DraftValues>>(() =>
    createDraftStore<DraftValues>(initial, {
      order,
      save: (name, value) => call('campaignUpdate', { cid, name, value }),
      onSaved: () => void invalidate(client, ['campaign']),
      passes: (error) =>
        error instanceof ApiFault && (error.status === 0 || error.status === 503 || error.status === 429),
    }),
  );
  const state = useSyncExternalStore(store.listen, store.state);
  // Whoever leaves by a link takes nothing unsaved along; closing the window asks first (composer-screen.tsx).
  useEffect(() => () => void store.flush(), [store]);
  const draft: Draft = {
    cid,
    values: state.values,
    type,
    fixed,
    saving: state.saving,
    change: store.change,
    adopt: store.adopt,
    flush: store.flush,
    fault: (name) => {
      const error = state.faults[name];
      return error === undefined ? undefined : sentence(words(error));
    },
  };
  return (
    <DraftContext value={draft}>
      <TagLists value={state.values.list_id}>{children}</TagLists>
    </DraftContext>
  );
}

/** A fault of campaignUpdate speaks of its parameter: "value is empty". Beside the field the value is the field. */
function sentence(text: string): string {
  const rest = text.replace(/^value(?::|\b)\s*/, '');
  return rest === text ? text : rest.charAt(0).toUpperCase() + rest.slice(1);
}
