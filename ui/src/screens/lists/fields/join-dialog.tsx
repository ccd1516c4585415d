// Joins the fields that all lists have with a tag: which value stays, what that changes, and the button that does it.
import { Alert, Button, Group, Modal, NativeSelect, Radio, ScrollArea, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import { useShownValue } from './use-shown-value.ts';
import type { ListField } from './value-input.tsx';

type Preview = ResultOf<'accountFieldPreview'>;
type Example = Preview['examples'][number];
type Props = { list: string; field: ListField; onClose(): void };

export function JoinDialog({ list, field, onClose }: Props) {
  const t = useText('lists');
  const [rule, setRule] = useState<'newest' | 'list'>('newest');
  const [preferred, setPreferred] = useState(list);
  const choice = { tag: field.tag, rule, ...(rule === 'list' ? { list: preferred } : {}) };
  const answer = useMethod('accountFieldPreview', choice, { keep: true });
  const join = useMutate('accountFieldJoin', ['list', 'member', 'contact']);
  const onJoin = async (conflicts: number) => {
    try {
      await join.mutateAsync({ ...choice, conflicts });
      toast.done(t('joinBegun', { name: field.name }));
      onClose();
    } catch (error) {
      toast.failed(error);
      await answer.refetch();
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('joinTitle', { name: field.name })}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack>
        <Text size="sm">{t('joinAbout')}</Text>
        <Loaded query={answer}>
          {(preview) => (
            <Stack>
              <Text size="sm">{t('joinLists', { lists: preview.lists.map(({ name }) => name).join(', ') })}</Text>
              <Radio.Group
                label={t('joinRule')}
                value={rule}
                onChange={(value) => setRule(value === 'list' ? 'list' : 'newest')}
              >
                <Stack gap="xs" mt={4}>
                  <Radio value="newest" label={t('joinNewest')} />
                  <Radio value="list" label={t('joinPreferred')} />
                </Stack>
              </Radio.Group>
              {rule === 'list' && (
                <NativeSelect
                  label={t('joinList')}
                  data={preview.lists.map(({ id, name }) => ({ value: id, label: name }))}
                  value={preferred}
                  onChange={({ currentTarget: { value } }) => setPreferred(value)}
                />
              )}
              <Conflicts preview={preview} field={field} />
              <Alert color="yellow" variant="outline" icon={<IconAlertTriangle aria-hidden />}>
                <Text size="sm">{t('joinFinal')}</Text>
              </Alert>
              <Group justify="flex-end">
                <Button variant="default" onClick={onClose}>
                  {t('cancel')}
                </Button>
                <Button
                  loading={join.isPending}
                  disabled={answer.isPlaceholderData}
                  onClick={() => onJoin(preview.conflicts)}
                >
                  {t('join')}
                </Button>
              </Group>
            </Stack>
          )}
        </Loaded>
      </Stack>
    </Modal>
  );
}

/** How many contacts have different values, and the first of them. */
function Conflicts({ preview, field }: { preview: Preview; field: ListField }) {
  const t = useText('lists');
  const { number } = useFormats();
  const shownValue = useShownValue();
  const { conflicts, filled, examples } = preview;
  const columns: Column<Example>[] = [
    { name: 'email', title: t('email'), cell: ({ email }) => email },
    {
      name: 'values',
      title: t('joinValues'),
      cell: ({ values }) => (
        <>
          {values.map(({ list, value }) => (
            <Text key={list} size="sm">{`${list}: ${shownValue(field, value) || '–'}`}</Text>
          ))}
        </>
      ),
    },
    { name: 'kept', title: t('joinKept'), cell: ({ kept }) => <Text fw={500}>{shownValue(field, kept)}</Text> },
  ];
  return (
    <Stack gap="xs">
      <Text fw={600}>
        {conflicts === 0 ? t('joinNoConflicts') : t('joinConflicts', { count: conflicts, number: number(conflicts) })}
        {conflicts > examples.length && ` ${t('joinFirst', { count: number(examples.length) })}`}
      </Text>
      {filled > 0 && <Text size="sm">{t('joinFilled', { count: filled, number: number(filled) })}</Text>}
      {examples.length > 0 && (
        <ScrollArea.Autosize mah={300} viewportProps={{ tabIndex: 0, 'aria-label': t('joinExamples'), role: 'region' }}>
          <Rows
            label={t('joinExamples')}
            columns={columns}
            rows={examples}
            keyOf={({ email }) => email}
            nameOf={({ email }) => email}
            empty={null}
          />
        </ScrollArea.Autosize>
      )}
    </Stack>
  );
}
