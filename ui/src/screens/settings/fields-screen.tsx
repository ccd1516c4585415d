// The fields of the account: which lists share each, and whether its values are joined.
import { Code, Text } from '@mantine/core';
import { IconArrowsSplit, IconForms } from '@tabler/icons-react';
import { Empty } from '../../parts/empty.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Status } from '../../parts/status/status.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type SharedField, useSeparate, useSharedFields } from '../lists/fields/use-shared-fields.ts';
import { SettingsFrame } from './frame.tsx';

export function FieldsScreen() {
  const t = useText('settings');
  const inLists = useText('lists');
  const mayWrite = useSession().may('contacts:write');
  const separate = useSeparate();
  const answer = useSharedFields();
  const columns: Column<SharedField>[] = [
    { name: 'name', title: t('fieldName'), cell: ({ name }) => <Text fw={500}>{name}</Text> },
    { name: 'tag', title: inLists('tag'), cell: ({ tag }) => <Code>{`*|${tag}|*`}</Code> },
    { name: 'type', title: inLists('type'), cell: ({ field_type }) => inLists(`type.${field_type}`) },
    {
      name: 'lists',
      title: t('fieldLists'),
      cell: ({ lists }) => <Text size="sm">{lists.map(({ name }) => name).join(', ')}</Text>,
    },
    {
      name: 'state',
      title: t('fieldState'),
      cell: ({ state }) => <Status tone={state === 'joined' ? 'good' : 'busy'}>{t(`fieldState.${state}`)}</Status>,
    },
    ...(mayWrite
      ? [
          {
            name: 'actions',
            title: inLists('change'),
            width: '64px',
            cell: (field: SharedField) => (
              <ObjectMenu
                of={field.name}
                inRow
                items={[{ label: inLists('separate'), icon: IconArrowsSplit, act: () => separate(field) }]}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <SettingsFrame section="fields" description={t('fieldsAbout')}>
      <Rows
        label={t('section.fields')}
        compact
        columns={columns}
        rows={answer.data}
        keyOf={({ tag }) => tag}
        nameOf={({ name }) => name}
        query={answer}
        empty={<Empty icon={IconForms} title={t('fieldsEmptyTitle')} text={t('fieldsEmptyText')} />}
      />
    </SettingsFrame>
  );
}
