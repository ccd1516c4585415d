// What other windows do with the same draft: who has it open, taking what they have saved, and the decision when both have changed
// the same part. Guarantees that nothing typed here is replaced without a decision of its author.
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useState } from 'react';
import { presenceMs } from '../../../../../src/campaigns/draft/editors/presence-ms.ts';
import { ApiFault, call } from '../../../api/call.ts';
import { faultCodes } from '../../../api/fault-codes.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import type { DraftName, DraftValues } from '../draft.tsx';
import type { DraftState, DraftStore } from '../draft-store.ts';
import type { LanguageSaver } from '../languages/language-values.ts';
import { keepParts } from './keep-parts.ts';
import { partOf, readDraft, type Versions } from './read-draft.ts';

export type OtherEditors = ResultOf<'campaignEditing'>['others'];

/** A value that was not saved, and the change that it would have replaced. */
export type Conflict = { name: DraftName; version: number; who: string; self: boolean; at: string };

const pollMs = 5_000;

/** Whether a change was refused because another editor has changed the part since. */
export const isConflict = (error: unknown): error is ApiFault =>
  error instanceof ApiFault && error.code === faultCodes.CAMPAIGN_CHANGED;

export function conflictsOf(faults: DraftState<DraftValues>['faults']): Conflict[] {
  return (Object.entries(faults) as [DraftName, unknown][]).flatMap(([name, error]) => {
    if (!isConflict(error)) return [];
    const { key, values } = error.text!;
    const [who, at, version] = [String(values['who'] ?? ''), String(values['at']), Number(values['version'])];
    return [{ name, version, who, at, self: key === 'campaign.changed_by_you' }];
  });
}

type Props = {
  cid: string;
  editor: string;
  store: DraftStore<DraftValues>;
  languages: LanguageSaver;
  /** The versions that the values of this window are based on. */
  versions: RefObject<Versions>;
  conflicts: readonly Conflict[];
  enabled: boolean;
};

export function useOthers({ cid, editor, store, languages, versions, conflicts, enabled }: Props) {
  const client = useQueryClient();
  const [openedAt] = useState(() => Date.now());
  const { data, dataUpdatedAt } = useMethod('campaignEditing', { cid, editor }, { enabled, refetchInterval: pollMs });

  /** Takes the present version of everything, unless something is typed meanwhile. @param wanted the user asked for it */
  const takeNewer = async (wanted: boolean): Promise<void> => {
    const isIdle = () => store.state().saving === 'saved' && (wanted || !isTyping());
    const { values } = store.state();
    if (!isIdle()) return;
    const latest = await readDraft(cid);
    if (store.state().values !== values || !isIdle()) return;
    versions.current = latest.versions;
    languages.adopt(latest.values.languages);
    store.adopt(latest.values);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: for each answer, also one that is equal to the last
  useEffect(() => {
    const isNewer = data?.edits.some(({ part, version, own }) => !own && version > (versions.current[part] ?? 0));
    // When the server cannot be reached, the next answer tries again.
    if (isNewer) takeNewer(false).catch(() => {});
  }, [dataUpdatedAt]);

  const keepMine = async (): Promise<void> => {
    await keepParts({ cid, conflicts, languages, mine: store.state().values, kept: 'theirs' });
    for (const { name, version } of conflicts) versions.current = { ...versions.current, [partOf(name)]: version };
    store.release(conflicts.map(({ name }) => name));
    // The other values of the part, such as the plain text beside the HTML.
    if (await store.flush()) await takeNewer(true);
  };

  const loadOther = async (): Promise<void> => {
    const { values } = store.state();
    const parts = new Set(conflicts.map(({ name }) => partOf(name)));
    if (parts.has('content')) {
      const { html, plain, written } = values;
      await call('campaignVersionKeep', {
        cid,
        html,
        plain,
        source: written.source,
        source_format: written.format,
      });
    }
    await keepParts({ cid, conflicts, languages, mine: values, kept: 'mine' });
    const latest = await readDraft(cid);
    const names = (Object.keys(latest.values) as DraftName[]).filter((name) => parts.has(partOf(name)));
    versions.current = {
      ...versions.current,
      ...Object.fromEntries([...parts].map((part) => [part, latest.versions[part] ?? 0])),
    };
    if (parts.has('languages')) languages.adopt(latest.values.languages);
    store.adopt(Object.fromEntries(names.map((name) => [name, latest.values[name]])));
    await store.flush();
    await invalidate(client, ['campaign']);
  };
  const takeRestored = async (): Promise<void> => {
    const latest = await readDraft(cid);
    versions.current = latest.versions;
    languages.adopt(latest.values.languages);
    const { html, plain, written, languages: texts, test } = latest.values;
    store.adopt({ html, plain, written, languages: texts, test });
  };
  // Until then, another window of the user may be this one before it was loaded again.
  const isSettled = dataUpdatedAt - openedAt > presenceMs;
  const open = data?.others.filter(({ self }) => !self || isSettled) ?? [];
  return { open, keepMine, loadOther, takeRestored };
}

/** Whether a text block of the visual editor has the cursor: it reports what is typed a moment later. */
function isTyping(): boolean {
  const frame = document.hasFocus() ? document.activeElement : null;
  if (!(frame instanceof HTMLIFrameElement)) return false;
  return (frame.contentDocument?.activeElement as HTMLElement | null)?.isContentEditable === true;
}
