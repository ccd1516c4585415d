// The segments of a list: each described in words, with its number of members; create, edit and delete.
import { ActionIcon, Button, Group, Menu, Stack, Text, Title } from '@mantine/core';
import { IconDots, IconFilter, IconPencil, IconPlus, IconTrash, IconUsers } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../lists.module.css';
import type { Segment } from './segment.ts';
import { SegmentForm } from './segment-form.tsx';

export function Segments({ list }: { list: string }) {
  const t = useText('lists');
  const mayWrite = useSession().may('write');
  const [edited, setEdited] = useState<Segment | 'new'>();
  const segments = useMethod('listSegments', { id: list });
  const create = mayWrite && (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      {t('addSegment')}
    </Button>
  );
  if (edited !== undefined)
    return (
      <SegmentForm list={list} segment={edited === 'new' ? undefined : edited} onDone={() => setEdited(undefined)} />
    );
  return (
    <Loaded query={segments}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty icon={IconFilter} title={t('noSegmentsTitle')} text={t('noSegmentsText')} action={create} />
        ) : (
          <Section title={t('tab.segments')} description={t('segmentsAbout')} actions={create}>
            <Stack gap="sm" component="ul" m={0} p={0}>
              {rows.map((segment) => (
                <li key={segment.id} className={classes.card}>
                  <OneSegment list={list} segment={segment} onEdit={() => setEdited(segment)} />
                </li>
              ))}
            </Stack>
          </Section>
        )
      }
    </Loaded>
  );
}

function OneSegment({ list, segment, onEdit }: { list: string; segment: Segment; onEdit(): void }) {
  const t = useText('lists');
  const { number } = useFormats();
  const navigate = useNavigate();
  const mayWrite = useSession().may('write');
  const remove = useMutate('listSegmentDelete', ['segment']);
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
  const show = () =>
    navigate({
      to: `/lists/${list}` as string, // Those that the segment counts: the subscribed ones.
      search: { tab: 'members', state: 'subscribed', segment: segment.id } as never,
    });
  return (
    <Group justify="space-between" align="flex-start" gap="md" wrap="nowrap">
      <Stack gap={4} miw={0}>
        <Title order={3}>{segment.name}</Title>
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {segment.reading}
        </Text>
        <Text>{t('memberCount', { count: segment.member_count })}</Text>
      </Stack>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('moreActionsFor', { name: segment.name })}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconUsers size={16} aria-hidden />} onClick={show}>
            {t('showMembers')}
          </Menu.Item>
          {mayWrite && (
            <>
              <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={onEdit}>
                {t('edit')}
              </Menu.Item>
              <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={destroy}>
                {t('delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
