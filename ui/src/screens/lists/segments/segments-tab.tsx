// The segments of a list: each described in words, with its number of members.
import { Text } from '@mantine/core';
import { IconFilter, IconPlus } from '@tabler/icons-react';
import { useMethod } from '../../../api/use-method.ts';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { LinkAnchor, LinkButton } from '../../../parts/link.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { Segment } from './segment.ts';
import { SegmentMenu } from './segment-menu.tsx';

export function Segments({ list }: { list: string }) {
  const t = useText('lists');
  const { number } = useFormats();
  const mayWrite = useSession().may('contacts:write');
  const segments = useMethod('listSegments', { id: list });
  const create = mayWrite && (
    <LinkButton
      to="/lists/$id/segments/$segment"
      params={{ id: list, segment: 'new' }}
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      {t('addSegment')}
    </LinkButton>
  );
  const columns: Column<Segment>[] = [
    {
      name: 'name',
      title: t('name'),
      cell: ({ id, name, reading }) => (
        <>
          <LinkAnchor
            to="/lists/$id"
            params={{ id: list }}
            search={{ tab: 'members', state: 'subscribed', segment: id }}
            fw={500}
            c="inherit"
          >
            {name}
          </LinkAnchor>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {reading}
          </Text>
        </>
      ),
    },
    {
      name: 'members',
      title: t('tab.members'),
      figure: true,
      width: '140px',
      cell: ({ member_count }) => number(member_count),
    },
    { name: 'made', title: t('created'), width: '150px', cell: ({ date_created }) => <Time at={date_created} /> },
    {
      name: 'actions',
      title: t('actions'),
      untitled: true,
      width: '56px',
      cell: (segment) => <SegmentMenu list={list} segment={segment} />,
    },
  ];
  return (
    <Loaded query={segments}>
      {(rows) => {
        if (rows.length === 0)
          return <Empty icon={IconFilter} title={t('noSegmentsTitle')} text={t('noSegmentsText')} action={create} />;
        return (
          <Section title={t('tab.segments')} description={t('segmentsAbout')} actions={create}>
            <Rows
              label={t('tab.segments')}
              compact
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              nameOf={({ name }) => name}
              empty={null}
            />
          </Section>
        );
      }}
    </Loaded>
  );
}
