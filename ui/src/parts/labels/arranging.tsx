// Labels and hiding, for the screens of campaigns, lists, templates and automations: the items of an object's menu, the buttons
// for selected rows, the dialog that both open, and the marks in the header of an object.
import { Button } from '@mantine/core';
import { IconEye, IconEyeOff, IconTag } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/use-method.ts';
import { useText } from '../../text/use-text.tsx';
import type { Item } from '../object-menu.tsx';
import { Tag } from '../status/tag.tsx';
import { toast } from '../toast/toast.tsx';
import { type Label, LabelChips } from './label.tsx';

const LabelsDialog = lazy(() => import('./labels-dialog.tsx'));

export type Kind = 'campaign' | 'list' | 'template' | 'automation';
export type Arranged = { id: string; name: string; labels: readonly Label[]; hidden: boolean };
type Change = 'hidden' | 'add_label' | 'remove_label';

const update: Record<Kind, (id: string, name: Change, value: string | boolean) => Promise<unknown>> = {
  campaign: (cid, name, value) => call('campaignUpdate', { cid, name, value }),
  list: (id, name, value) => call('listUpdate', { id, name, value: String(value) }),
  template: (template_id, name, value) => call('templateUpdate', { template_id, name, value: String(value) }),
  automation: (id, name, value) => call('automationUpdate', { id, [name]: value }),
};

/** Changes objects one after the other. A refused one does not prevent the others; the first refusal is shown. */
export function useArrange(kind: Kind) {
  const client = useQueryClient();
  return async (changes: readonly { id: string; name: Change; value: string | boolean }[]) => {
    let refusal: unknown;
    let count = 0;
    for (const { id, name, value } of changes) {
      try {
        await update[kind](id, name, value);
        count++;
      } catch (error) {
        refusal ??= error;
      }
    }
    if (refusal !== undefined) toast.failed(refusal);
    // Templates are read by campaignTemplates.
    await invalidate(client, [kind, 'home', ...(kind === 'template' ? ['campaign'] : [])]);
    return count;
  };
}

function useHide(kind: Kind) {
  const t = useText('labels');
  const arrange = useArrange(kind);
  return async (objects: readonly Arranged[], hidden: boolean) => {
    const count = await arrange(objects.map(({ id }) => ({ id, name: 'hidden', value: hidden })));
    if (count > 0) toast.done(t(hidden ? 'hiddenDone' : 'shownDone', { count }));
    return count;
  };
}

/** The items of the menu of an object, and the dialog that the first one opens. */
export function useArrangeItems(kind: Kind) {
  const t = useText('labels');
  const hide = useHide(kind);
  const [labelled, setLabelled] = useState<Arranged>();
  const items = (object: Arranged): Item[] => [
    { label: t('labels'), icon: IconTag, act: () => setLabelled(object) },
    object.hidden
      ? { label: t('unhide'), icon: IconEye, act: () => hide([object], false) }
      : { label: t('hide'), icon: IconEyeOff, act: () => hide([object], true) },
  ];
  const dialog = labelled && (
    <Suspense>
      <LabelsDialog kind={kind} objects={[labelled]} onClose={() => setLabelled(undefined)} />
    </Suspense>
  );
  return { items, dialog };
}

type ButtonsProps = { kind: Kind; chosen: readonly Arranged[]; clear(): void };

/** For the bar above selected rows. */
export function ArrangeButtons({ kind, chosen, clear }: ButtonsProps) {
  const t = useText('labels');
  const hide = useHide(kind);
  const [labelled, setLabelled] = useState<readonly Arranged[]>();
  const isHidden = chosen.every(({ hidden }) => hidden);
  const Icon = isHidden ? IconEye : IconEyeOff;
  const act = async () => {
    if ((await hide(chosen, !isHidden)) > 0) clear();
  };
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconTag size={14} aria-hidden />}
        onClick={() => setLabelled(chosen)}
      >
        {t('labels')}
      </Button>
      <Button variant="default" size="xs" leftSection={<Icon size={14} aria-hidden />} onClick={act}>
        {t(isHidden ? 'unhide' : 'hide')}
      </Button>
      {labelled && (
        <Suspense>
          <LabelsDialog kind={kind} objects={labelled} onClose={() => setLabelled(undefined)} />
        </Suspense>
      )}
    </>
  );
}

/** What the header of an object says beside its state: whether it is hidden, and its labels. */
export function Marks({ of }: { of: { labels: readonly Label[]; hidden: boolean } }) {
  const t = useText('labels');
  return (
    <>
      {of.hidden && <Tag>{t('hidden')}</Tag>}
      <LabelChips labels={of.labels} />
    </>
  );
}
