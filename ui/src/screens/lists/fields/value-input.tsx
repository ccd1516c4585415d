// The input for the value of a field, by the type of the field.
import { Textarea, TextInput } from '@mantine/core';
import { chosenIn, joinedNames } from '../../../../../src/audience/model/choice-names.ts';
import type { ResultOf } from '../../../api/types.ts';
import { DayField } from '../../../parts/form/day-field.tsx';
import { MultiSelect } from '../../../parts/form/multi-select.tsx';
import { NumberField } from '../../../parts/form/number-field.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { useText } from '../../../text/use-text.tsx';

export type ListField = ResultOf<'listMergeVars'>[number];

type Props = {
  field: Pick<ListField, 'field_type' | 'predefined_values'>;
  label?: string;
  'aria-label'?: string;
  description?: string;
  required?: boolean;
  value?: string;
  onChange(value: string): void;
  error?: React.ReactNode;
};

const inputTypes: Record<string, string> = { email: 'email', phone: 'tel', website: 'url', image: 'url' };

export function ValueInput({ field, value = '', onChange, ...props }: Props) {
  const t = useText('lists');
  if (field.field_type === 'dropdown')
    return (
      <Select
        {...props}
        data={field.predefined_values.map((choice) => ({ value: choice, label: choice }))}
        value={value || null}
        onChange={(chosen) => onChange(chosen ?? '')}
        clearable
        clearButtonProps={{ 'aria-label': t('clearValue') }}
        searchable={field.predefined_values.length > 10}
      />
    );
  if (field.field_type === 'yes_no')
    return (
      <Select
        {...props}
        data={[
          { value: 'yes', label: t('valueYes') },
          { value: 'no', label: t('valueNo') },
        ]}
        value={value || null}
        onChange={(chosen) => onChange(chosen ?? '')}
        clearable
        clearButtonProps={{ 'aria-label': t('clearValue') }}
      />
    );
  if (field.field_type === 'multiple_choice')
    return (
      <MultiSelect
        {...props}
        data={field.predefined_values}
        value={chosenIn(value).filter((name) => field.predefined_values.includes(name))}
        onChange={(chosen) => onChange(joinedNames(field.predefined_values.filter((name) => chosen.includes(name))))}
        clearable
        clearButtonProps={{ 'aria-label': t('clearValue') }}
        searchable
      />
    );
  if (field.field_type === 'number')
    return <NumberField {...props} value={value} decimals={10} onChange={(_, text) => onChange(text)} />;
  const typed = {
    ...props,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    maxLength: 2000,
  };
  if (field.field_type === 'address') return <Textarea {...typed} autosize minRows={2} />;
  if (field.field_type === 'date') return <DayField {...props} value={value} onChange={onChange} />;
  return <TextInput {...typed} type={inputTypes[field.field_type] ?? 'text'} />;
}
