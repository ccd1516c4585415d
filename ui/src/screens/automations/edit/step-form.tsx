// The form of a step: the members of its type.
import { useState } from 'react';
import { kindOf } from '../steps/steps.ts';
import type { Info, Step } from '../types.ts';
import { EditForm } from './edit-form.tsx';

type Props = { info: Info; step: Step; onSave(next: Step): Promise<unknown>; onCancel(): void; onDone(): void };

export function StepForm({ info, step, onSave, onCancel, onDone }: Props) {
  const [given] = useState(step);
  const [draft, setDraft] = useState(given);
  const { Fields } = kindOf(draft);
  return (
    <EditForm isChanged={draft !== given} onSave={() => onSave(draft)} onCancel={onCancel} onDone={onDone}>
      <Fields info={info} draft={draft} onChange={setDraft} />
    </EditForm>
  );
}
