// The account's own program reports an event about the contact.
import { TextInput } from '@mantine/core';
import { useText } from '../../../text/use-text.tsx';
import { DataFields, eventInWords } from '../steps/data-fields.tsx';
import type { FieldsProps } from '../steps/kind.ts';
import type { TriggerKind, TriggerOf } from './kind.ts';

export const event: TriggerKind<'event'> = {
  blank: { type: 'event', name: '' },
  words: (t, { name, data }) => eventInWords(t, name, data, 'says.whenEvent'),
  Fields,
};

function Fields({ draft, onChange }: FieldsProps<TriggerOf<'event'>>) {
  const t = useText('automations');
  return (
    <>
      <TextInput
        label={t('eventName')}
        description={t('eventNameAbout')}
        maxLength={100}
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
      />
      <DataFields conditions={draft.data ?? []} onChange={(data) => onChange({ ...draft, data })} />
    </>
  );
}
