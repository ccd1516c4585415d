// The form of the trigger: its type, and the members of that type.

import { useState } from 'react';
import { Select } from '../../../parts/form/select.tsx';
import { useText } from '../../../text/use-text.tsx';
import { kindOf, triggerTypes } from '../triggers/triggers.ts';
import type { Info, Trigger } from '../types.ts';
import { EditForm } from './edit-form.tsx';

type Props = { info: Info; onSave(next: Trigger): Promise<unknown>; onCancel(): void; onDone(): void };

export function TriggerForm({ info, onSave, onCancel, onDone }: Props) {
  const t = useText('automations');
  const [given] = useState(info.trigger);
  const [draft, setDraft] = useState<Trigger>(given ?? kindOf({ type: 'subscribed' }).blank);
  const { Fields } = kindOf(draft);
  return (
    <EditForm isChanged={draft !== given} onSave={() => onSave(draft)} onCancel={onCancel} onDone={onDone}>
      <Select
        label={t('startsWhen')}
        data={triggerTypes.map((type) => ({ value: type, label: t(`trigger.${type}`) }))}
        allowDeselect={false}
        value={draft.type}
        onChange={(type) => setDraft(kindOf({ type: type ?? 'subscribed' }).blank)}
      />
      <Fields key={draft.type} info={info} draft={draft} onChange={setDraft} />
    </EditForm>
  );
}
