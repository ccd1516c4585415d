// The fields of a list: order, names, tags, types and defaults; create, edit and delete.
import { ActionIcon, Button, Code, Group, Text } from '@mantine/core';
import { IconArrowDown, IconArrowsJoin, IconArrowsSplit, IconArrowUp, IconPencil, IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { call } from '../../../api/call.ts';
import { invalidate, useMethod, useMutate } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Modal } from '../../../parts/modal.tsx';
import { ObjectMenu } from '../../../parts/object-menu.tsx';
import { Section } from '../../../parts/page.tsx';
import { Tag } from '../../../parts/status/tag.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { FieldForm } from './field-form.tsx';
import { IgnoredNames } from './ignored-names.tsx';
import { useSeparate, useSharedByTag } from './use-shared-fields.ts';
import { useShownValue } from './use-shown-value.ts';
import type { ListField } from './value-input.tsx';

const JoinDialog = lazy(async () => ({ default: (await import('./join-dialog.tsx')).JoinDialog }));

export function Fields({ list }: { list: string }) {
  const t = useText('lists');
  const mayWrite = useSession().may('contacts:write');
  const shownValue = useShownValue();
  const answer = useMethod('listMergeVars', { id: list });
  // A new field may have the name that programs send.
  const [joined, setJoined] = useState<ListField>();
  const shared = useSharedByTag();
  const [edited, setEdited] = useState<ListField | 'new' | { from: string }>();
  const fields = answer.data ?? [];
  const columns: Column<ListField>[] = [
    {
      name: 'name',
      title: t('name'),
      cell: (field) => <Name field={field} state={shared.get(field.tag)?.state} />,
    },
    { name: 'tag', title: t('tag'), cell: ({ tag }) => <Code>{`*|${tag}|*`}</Code> },
    {
      name: 'type',
      title: t('type'),
      cell: (field) => <Type field={field} />,
    },
    {
      name: 'default',
      title: t('default'),
      wideOnly: true,
      cell: (field) => shownValue(field, field.default) || <Text c="dimmed">–</Text>,
    },
    ...(mayWrite
      ? [
          {
            name: 'actions',
            title: t('change'),
            untitled: true,
            width: '140px',
            cell: (field: ListField) => (
              <RowActions
                list={list}
                fields={fields}
                field={field}
                isShared={shared.has(field.tag)}
                onEdit={() => setEdited(field)}
                onJoin={() => setJoined(field)}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <Section
      title={t('tab.fields')}
      description={t('fieldsAbout')}
      actions={
        mayWrite && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} variant="default" onClick={() => setEdited('new')}>
            {t('addField')}
          </Button>
        )
      }
    >
      <Rows
        label={t('tab.fields')}
        compact
        columns={columns}
        rows={answer.data}
        keyOf={({ tag }) => tag}
        nameOf={({ name }) => name}
        query={answer}
        empty={null}
      />
      <IgnoredNames list={list} onCreate={(from) => setEdited({ from })} />
      <Modal
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={isField(edited) ? t('editField', { name: edited.name }) : t('addField')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {edited !== undefined && (
          <FieldForm
            list={list}
            field={isField(edited) ? edited : undefined}
            suggested={typeof edited === 'object' && 'from' in edited ? edited.from : undefined}
            position={Math.max(0, ...fields.map(({ order }) => order)) + 1}
            onDone={() => setEdited(undefined)}
          />
        )}
      </Modal>
      {joined && (
        <Suspense>
          <JoinDialog list={list} field={joined} onClose={() => setJoined(undefined)} />
        </Suspense>
      )}
    </Section>
  );
}

function Type({ field: { field_type, predefined_values } }: { field: ListField }) {
  const t = useText('lists');
  return (
    <>
      <Text>{t(`type.${field_type}`)}</Text>
      {predefined_values.length > 0 && (
        <Text size="xs" c="dimmed">
          {predefined_values.slice(0, 6).join(', ')}
          {predefined_values.length > 6 && ' …'}
        </Text>
      )}
    </>
  );
}

/** @param state of a field of the account */
function Name({ field, state }: { field: ListField; state: 'joining' | 'joined' | undefined }) {
  const t = useText('lists');
  return (
    <Group gap="sm">
      <Text fw={500}>{field.name}</Text>
      {field.req && <Tag>{t('required')}</Tag>}
      {!field.show && <Tag>{t('hidden')}</Tag>}
      {state && <Tag>{t(`ofAccount.${state}`)}</Tag>}
    </Group>
  );
}

const isField = (edited: ListField | 'new' | { from: string } | undefined): edited is ListField =>
  typeof edited === 'object' && 'tag' in edited;

type RowProps = {
  list: string;
  fields: readonly ListField[];
  field: ListField;
  isShared: boolean;
  onEdit(): void;
  onJoin(): void;
};

function RowActions({ list, fields, field, isShared, onEdit, onJoin }: RowProps) {
  const t = useText('lists');
  const client = useQueryClient();
  const { number } = useFormats();
  const members = useMethod('memberSearch', { list, limit: 1 }).data?.total ?? 0;
  const remove = useMutate('listMergeVarDel', ['member', 'contact', 'segment']);
  const separate = useSeparate();
  const mayAll = useSession().mayAll('contacts:write');
  const at = fields.indexOf(field);

  /** Renumbers all fields, since fields created by an import may share a position. */
  const move = async (by: -1 | 1) => {
    const order = fields.filter((other) => other !== field);
    order.splice(at + by, 0, field);
    try {
      for (const [i, item] of order.entries())
        if (item.order !== i + 1)
          await call('listMergeVarUpdate', { id: list, tag: item.tag, options: { order: i + 1 } });
    } catch (error) {
      toast.failed(error);
    }
    await invalidate(client, ['list']);
  };
  const arrow = { variant: 'subtle', color: 'gray', size: 'md' } as const;
  return (
    <Group gap={2} wrap="nowrap">
      <ActionIcon
        {...arrow}
        aria-label={t('moveUp', { name: field.name })}
        disabled={at === 0}
        onClick={() => move(-1)}
      >
        <IconArrowUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        {...arrow}
        aria-label={t('moveDown', { name: field.name })}
        disabled={at === fields.length - 1}
        onClick={() => move(1)}
      >
        <IconArrowDown size={16} aria-hidden />
      </ActionIcon>
      <ObjectMenu
        of={field.name}
        inRow
        items={[
          { label: t('edit'), icon: IconPencil, act: onEdit },
          field.tag !== 'EMAIL' && !isShared && mayAll && { label: t('joinAction'), icon: IconArrowsJoin, act: onJoin },
          isShared && mayAll && { label: t('separate'), icon: IconArrowsSplit, act: () => separate(field) },
        ]}
        removal={
          field.tag !== 'EMAIL' && {
            title: t('deleteFieldTitle', { name: field.name }),
            figures: [{ value: number(members), label: t('deleteFieldCount', { count: members }) }],
            text: isShared ? t('deleteSharedText') : t('deleteFieldText'),
            action: t('delete'),
            remove: () => remove.mutateAsync({ id: list, tag: field.tag }),
            done: t('fieldDeleted', { name: field.name }),
          }
        }
      />
    </Group>
  );
}
