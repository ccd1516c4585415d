// The lists that a person or a key is limited to: all, or only some, which may be none.
import { Radio, Stack } from '@mantine/core';
import { useMethod } from '../../api/use-method.ts';
import type { MethodFormState } from '../../parts/form/form.tsx';
import { MultiSelect } from '../../parts/form/multi-select.tsx';
import { useText } from '../../text/use-text.tsx';

export type ListsValues = { allLists: boolean; lists: string[] };

export const everyList: ListsValues = { allLists: true, lists: [] };

/** What the methods take. */
export const listsGiven = ({ allLists, lists }: ListsValues) => (allLists ? { all_lists: true } : { lists });

export function ListsChoice<V extends ListsValues>({ form }: { form: MethodFormState<V> }) {
  const t = useText('settings');
  const names = useMethod('lists', { limit: 1000 }).data ?? [];
  const { allLists } = form.values;
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('lists')}
        value={allLists ? 'all' : 'some'}
        onChange={(which) => form.setFieldValue('allLists', (which === 'all') as never)}
      >
        <Stack gap="sm" mt="xs">
          <Radio value="all" label={t('allLists')} description={t('allListsAbout')} />
          <Radio value="some" label={t('onlyTheseLists')} description={t('onlyTheseListsAbout')} />
        </Stack>
      </Radio.Group>
      {!allLists && (
        <MultiSelect
          label={t('onlyTheseLists')}
          placeholder={form.values.lists.length === 0 ? t('noList') : undefined}
          data={names.map(({ id, name }) => ({ value: id, label: name }))}
          searchable
          hidePickedOptions
          {...form.getInputProps('lists')}
        />
      )}
    </Stack>
  );
}
