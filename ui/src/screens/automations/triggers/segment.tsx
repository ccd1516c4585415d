// A contact joins or leaves a segment.
import { Group } from '@mantine/core';
import { useMethod } from '../../../api/use-method.ts';
import { Select } from '../../../parts/form/select.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { FieldsProps } from '../steps/kind.ts';
import type { TriggerKind, TriggerOf } from './kind.ts';

export const segment: TriggerKind<'segment'> = {
  blank: { type: 'segment', segment: '', change: 'joined' },
  words: (t, { segment, change }, { names }) =>
    t(change === 'joined' ? 'says.joined' : 'says.left', { segment: names[segment] ?? '…' }),
  Fields,
};

function Fields({ info, draft, onChange }: FieldsProps<TriggerOf<'segment'>>) {
  const t = useText('automations');
  const { data = [] } = useMethod('listSegments', { id: info.list });
  return (
    <Group gap="sm" align="flex-end">
      <Select
        aria-label={t('segmentChange')}
        data={(['joined', 'left'] as const).map((value) => ({ value, label: t(`change.${value}`) }))}
        allowDeselect={false}
        value={draft.change}
        onChange={(change) => onChange({ ...draft, change: change === 'left' ? 'left' : 'joined' })}
      />
      <Select
        label={t('segment')}
        data={data.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        allowDeselect={false}
        flex={1}
        value={draft.segment === '' ? null : draft.segment}
        onChange={(segment) => onChange({ ...draft, segment: segment ?? '' })}
      />
    </Group>
  );
}
