// Sends an email to the owner.
import { Textarea, TextInput } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import type { StepOf } from '../types.ts';
import type { FieldsProps, StepKind } from './kind.ts';

export const notify: StepKind<'notify'> = {
  icon: IconBell,
  blank: { subject: '', text: '' },
  words: (t, { subject }) => subject || t('says.noSubject'),
  Fields,
};

function Fields({ draft, onChange }: FieldsProps<StepOf<'notify'>>) {
  const t = useText('automations');
  return (
    <>
      <TextInput
        label={t('subject')}
        maxLength={200}
        value={draft.subject}
        onChange={(event) => onChange({ ...draft, subject: event.currentTarget.value })}
      />
      <Textarea
        label={t('text')}
        description={t('notifyAbout')}
        autosize
        minRows={3}
        maxLength={5_000}
        value={draft.text}
        onChange={(event) => onChange({ ...draft, text: event.currentTarget.value })}
      />
    </>
  );
}
