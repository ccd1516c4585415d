// What can be done with a segment: its members, its conditions, deleting it.
import { IconPencil, IconUsers } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useMutate } from '../../../api/use-method.ts';
import { useCopyTo } from '../../../parts/copy-to/use-copy-to.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { ObjectMenu } from '../../../parts/object-menu.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';

type Props = { list: string; segment: { id: string; name: string; member_count: number } };

export function SegmentMenu({ list, segment }: Props) {
  const t = useText('lists');
  const { number } = useFormats();
  const navigate = useNavigate();
  const mayWrite = useSession().may('contacts:write');
  const remove = useMutate('listSegmentDelete', ['segment', 'list']);
  const toAccount = useCopyTo({ kind: 'segment', id: segment.id, name: segment.name });
  return (
    <>
      <ObjectMenu
        of={segment.name}
        inRow
        items={[
          {
            label: t('showMembers'),
            icon: IconUsers,
            // Those that the segment counts: the subscribed ones.
            act: () =>
              void navigate({
                to: '/lists/$id',
                params: { id: list },
                search: { tab: 'members', state: 'subscribed', segment: segment.id },
              }),
          },
          mayWrite && {
            label: t('edit'),
            icon: IconPencil,
            act: () => void navigate({ to: '/lists/$id/segments/$segment', params: { id: list, segment: segment.id } }),
          },
          toAccount.item,
        ]}
        removal={
          mayWrite && {
            title: t('deleteSegmentTitle', { name: segment.name }),
            figures: [
              { value: number(segment.member_count), label: t('deleteSegmentCount', { count: segment.member_count }) },
            ],
            text: t('deleteSegmentText'),
            action: t('delete'),
            remove: () => remove.mutateAsync({ id: segment.id }),
            done: t('segmentDeleted', { name: segment.name }),
          }
        }
      />
      {toAccount.dialog}
    </>
  );
}
