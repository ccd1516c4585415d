// A select of the merge fields of a list; not the address.
import { useMethod } from '../../../api/use-method.ts';
import { Select } from '../../../parts/form/select.tsx';
import { useText } from '../../../text/use-text.tsx';

type Props = { list: string; value: string; onChange(tag: string): void; datesOnly?: boolean };

export function FieldSelect({ list, value, onChange, datesOnly = false }: Props) {
  const t = useText('automations');
  const { data } = useMethod('listMergeVars', { id: list });
  const fields = (data ?? []).filter(({ tag, field_type }) => tag !== 'EMAIL' && (!datesOnly || field_type === 'date'));
  return (
    <Select
      label={t('field')}
      data={fields.map(({ tag, name }) => ({ value: tag, label: name }))}
      allowDeselect={false}
      placeholder={data && fields.length === 0 ? t(datesOnly ? 'noDateField' : 'noField') : ''}
      value={value === '' ? null : value}
      onChange={(tag) => onChange(tag ?? '')}
    />
  );
}
