// Edits a list, sending only changed settings, one after the other; and deletes it, showing the consequences.
import { Button, Divider, Group, Stack, Text, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { invalidate, useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { useFormats } from '../../parts/formats.ts';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { ListFields, type ListValues } from './fields/list-fields.tsx';

type Info = ResultOf<'listGet'>;

export function Settings({ list }: { list: Info }) {
  const t = useText('lists');
  const client = useQueryClient();
  const { mayAll } = useSession();
  const { id, date_created: _created, member_count: _count, labels: _labels, hidden: _hidden, ...before } = list;
  const form = useMethodForm<ListValues, void>({
    initialValues: before,
    send: async (values) => {
      try {
        // The sender sets the default name and reply address, so it goes first.
        const names = Object.keys(before).sort((a, b) => Number(b === 'sender') - Number(a === 'sender'));
        for (const name of names as (keyof ListValues)[]) {
          if (values[name] !== before[name]) await call('listUpdate', { id, name, value: String(values[name]) });
        }
      } finally {
        await invalidate(client, ['list']);
      }
    },
    done: () => toast.done(t('saved')),
  });
  return (
    <Stack gap="xl" maw={720}>
      <MethodForm form={form} guard>
        <ListFields form={form} />
        <Group>
          <Submit form={form} disabled={!form.isDirty()}>
            {t('save')}
          </Submit>
        </Group>
      </MethodForm>
      {mayAll('contacts:write') && (
        <>
          <Divider />
          <DeleteList list={list} />
        </>
      )}
    </Stack>
  );
}

function DeleteList({ list }: { list: Info }) {
  const t = useText('lists');
  const { number } = useFormats();
  const navigate = useNavigate();
  const found = useMethod('memberSearch', { list: list.id, limit: 1 });
  const segments = useMethod('listSegments', { id: list.id });
  const destroy = useMutate('listDelete', ['member', 'contact', 'segment', 'import']);
  const remove = async () => {
    const total = found.data?.total ?? list.member_count;
    const yes = await confirm({
      title: t('deleteListTitle', { name: list.title }),
      figures: [
        { value: number(total), label: t('deleteListMembers', { count: total }) },
        {
          value: number(segments.data?.length ?? 0),
          label: t('deleteListSegments', { count: segments.data?.length ?? 0 }),
        },
      ],
      text: t('deleteListText'),
      action: t('deleteList'),
      danger: true,
    });
    if (!yes) return;
    try {
      await destroy.mutateAsync({ id: list.id });
      await navigate({ to: '/lists' });
      toast.done(t('listDeleted'));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Stack gap="sm" align="flex-start">
      <Title order={2} size="h3">
        {t('deleteList')}
      </Title>
      <Text c="dimmed">{t('deleteListText')}</Text>
      <Button
        variant="default"
        leftSection={<IconTrash size={16} aria-hidden />}
        loading={destroy.isPending}
        onClick={remove}
      >
        {t('deleteList')}
      </Button>
    </Stack>
  );
}
