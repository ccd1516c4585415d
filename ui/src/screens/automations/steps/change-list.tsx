// Adds contacts to another list, or unsubscribes them from one.

import { IconPlaylistAdd, IconPlaylistX } from '@tabler/icons-react';
import { useMethod } from '../../../api/use-method.ts';
import { Select } from '../../../parts/form/select.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { StepOf } from '../types.ts';
import type { FieldsProps, Named, StepKind, Words } from './kind.ts';

type ChangesList = StepOf<'add_to_list' | 'remove_from_list'>;

const common = {
  blank: { list: '' },
  words: (t: Words, { list }: ChangesList, { names }: Named) => names[list] ?? t('says.noList'),
  Fields,
};
export const addToList: StepKind<'add_to_list'> = { icon: IconPlaylistAdd, ...common };
export const removeFromList: StepKind<'remove_from_list'> = { icon: IconPlaylistX, ...common };

function Fields<Draft extends ChangesList>({ draft, onChange }: FieldsProps<Draft>) {
  const t = useText('automations');
  const { data = [] } = useMethod('lists', { limit: 1_000 });
  return (
    <Select
      label={t('list')}
      description={draft.type === 'add_to_list' ? t('addToListAbout') : undefined}
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      searchable
      allowDeselect={false}
      value={draft.list === '' ? null : draft.list}
      onChange={(list) => onChange({ ...draft, list: list ?? '' })}
    />
  );
}
