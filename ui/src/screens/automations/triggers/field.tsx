// A field of the contact changes.
import { TextInput } from '@mantine/core';
import { useText } from '../../../text/use-text.tsx';
import { FieldSelect } from '../edit/field-select.tsx';
import type { FieldsProps } from '../steps/kind.ts';
import type { TriggerKind, TriggerOf } from './kind.ts';

export const field: TriggerKind<'field'> = {
  blank: { type: 'field', field: '', value: '' },
  words: (t, { field, value }) =>
    value === '' ? t('says.field', { field: field || '…' }) : t('says.fieldValue', { field: field || '…', value }),
  Fields,
};

function Fields({ info, draft, onChange }: FieldsProps<TriggerOf<'field'>>) {
  const t = useText('automations');
  return (
    <>
      <FieldSelect list={info.list} value={draft.field} onChange={(field) => onChange({ ...draft, field })} />
      <TextInput
        label={t('newValue')}
        description={t('newValueAbout')}
        maxLength={255}
        value={draft.value}
        onChange={(event) => onChange({ ...draft, value: event.currentTarget.value })}
      />
    </>
  );
}
