// The day of a date field of the contact, or some time before or after it.
import { Checkbox, Group } from '@mantine/core';
import { Select } from '../../../parts/form/select.tsx';
import { useText } from '../../../text/use-text.tsx';
import { FieldSelect } from '../edit/field-select.tsx';
import { NumberField } from '../edit/number-field.tsx';
import { clock, type FieldsProps } from '../steps/kind.ts';
import type { TriggerKind, TriggerOf } from './kind.ts';

export const date: TriggerKind<'date'> = {
  blank: { type: 'date', field: '', repeat: 'yearly', amount: 0, unit: 'days', direction: 'after', hour: 9 },
  words(t, { amount, unit, direction, field, hour, repeat }) {
    const place = amount === 0 ? 'on' : direction;
    const span = t(`span.${unit}`, { count: amount });
    return t(`says.${repeat === 'yearly' ? 'yearly' : 'date'}.${place}`, {
      span,
      field: field || '…',
      time: clock(hour),
    });
  },
  Fields,
};

function Fields({ info, draft, onChange }: FieldsProps<TriggerOf<'date'>>) {
  const t = useText('automations');
  return (
    <>
      <FieldSelect list={info.list} datesOnly value={draft.field} onChange={(field) => onChange({ ...draft, field })} />
      <Group gap="sm" align="flex-end">
        <NumberField
          label={t('distance')}
          value={draft.amount}
          max={1_000}
          onChange={(amount) => onChange({ ...draft, amount })}
        />
        <Select
          aria-label={t('unit')}
          data={(['days', 'weeks', 'months'] as const).map((unit) => ({ value: unit, label: t(`unit.${unit}`) }))}
          allowDeselect={false}
          w={130}
          value={draft.unit}
          onChange={(unit) => onChange({ ...draft, unit: unit ?? 'days' })}
        />
        <Select
          aria-label={t('direction')}
          data={(['before', 'after'] as const).map((value) => ({ value, label: t(`direction.${value}`) }))}
          allowDeselect={false}
          w={130}
          value={draft.direction}
          onChange={(value) => onChange({ ...draft, direction: value === 'before' ? 'before' : 'after' })}
        />
        <NumberField label={t('hour')} value={draft.hour} max={23} onChange={(hour) => onChange({ ...draft, hour })} />
      </Group>
      <Checkbox
        label={t('everyYear')}
        checked={draft.repeat === 'yearly'}
        onChange={(event) => onChange({ ...draft, repeat: event.currentTarget.checked ? 'yearly' : 'once' })}
      />
      <Checkbox
        label={t('lateEnter')}
        description={t('lateEnterHint')}
        checked={draft.late === 'enter'}
        onChange={(event) => {
          const { late: _, ...rest } = draft;
          onChange(event.currentTarget.checked ? { ...rest, late: 'enter' } : rest);
        }}
      />
    </>
  );
}
