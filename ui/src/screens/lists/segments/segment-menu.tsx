// What can be done with a segment: its members, its conditions, deleting it.
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconTrash, IconUsers } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { ListSearch } from '../../routes.ts';

type Props = { list: string; segment: { id: string; name: string; member_count: number } };

export function SegmentMenu({ list, segment }: Props) {
  const t = useText('lists');
  const { number } = useFormats();
  const navigate = useNavigate();
  const mayWrite = useSession().may('write');
  const remove = useMutate('listSegmentDelete', ['segment', 'list']);
  const destroy = async () => {
    const yes = await confirm({
      title: t('deleteSegmentTitle', { name: segment.name }),
      figures: [
        { value: number(segment.member_count), label: t('deleteSegmentCount', { count: segment.member_count }) },
      ],
      text: t('deleteSegmentText'),
      action: t('delete'),
      danger: true,
    });
    if (!yes) return;
    try {
      await remove.mutateAsync({ id: segment.id });
      toast.done(t('segmentDeleted', { name: segment.name }));
    } catch (error) {
      toast.failed(error);
    }
  };
  const open = (search: ListSearch) => void navigate({ to: '/lists/$id', params: { id: list }, search });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={28} aria-label={t('moreActionsFor', { name: segment.name })}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconUsers size={16} aria-hidden />}
          // Those that the segment counts: the subscribed ones.
          onClick={() => open({ tab: 'members', state: 'subscribed', segment: segment.id })}
        >
          {t('showMembers')}
        </Menu.Item>
        {mayWrite && (
          <>
            <Menu.Item
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => open({ tab: 'segments', edit: segment.id })}
            >
              {t('edit')}
            </Menu.Item>
            <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={destroy}>
              {t('delete')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
