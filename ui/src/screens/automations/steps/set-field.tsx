// Sets a field of the contact.
import { TextInput } from '@mantine/core';
import { IconForms } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import { FieldSelect } from '../edit/field-select.tsx';
import type { StepOf } from '../types.ts';
import type { FieldsProps, StepKind } from './kind.ts';

export const setField: StepKind<'set_field'> = {
  icon: IconForms,
  blank: { field: '', value: '' },
  words: (t, { field, value }) => t('says.setField', { field: field || '…', value }),
  Fields,
};

function Fields({ info, draft, onChange }: FieldsProps<StepOf<'set_field'>>) {
  const t = useText('automations');
  return (
    <>
      <FieldSelect list={info.list} value={draft.field} onChange={(field) => onChange({ ...draft, field })} />
      <TextInput
        label={t('value')}
        maxLength={255}
        value={draft.value}
        onChange={(event) => onChange({ ...draft, value: event.currentTarget.value })}
      />
    </>
  );
}
