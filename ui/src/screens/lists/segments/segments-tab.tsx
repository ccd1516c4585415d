// The segments of a list: each described in words, with its number of members; create, edit and delete.
import { Button, Text } from '@mantine/core';
import { IconFilter, IconPlus } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMethod } from '../../../api/use-method.ts';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { LinkAnchor } from '../../../parts/link.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { Segment } from './segment.ts';
import { SegmentForm } from './segment-form.tsx';
import { SegmentMenu } from './segment-menu.tsx';

export function Segments({ list }: { list: string }) {
  const t = useText('lists');
  const { number } = useFormats();
  const mayWrite = useSession().may('contacts:write');
  const navigate = useNavigate();
  const { edit } = useSearch({ strict: false }) as { edit?: string };
  const segments = useMethod('listSegments', { id: list });
  // After a segment, its form is not what the browser goes back to.
  const show = (id: string | undefined) =>
    void navigate({
      to: '.',
      resetScroll: false,
      replace: id === undefined,
      search: { tab: 'segments', edit: id },
    });
  const create = mayWrite && (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => show('new')}>
      {t('addSegment')}
    </Button>
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
        const edited = rows.find(({ id }) => id === edit);
        if (mayWrite && (edited || edit === 'new'))
          return <SegmentForm key={edit} list={list} segment={edited} onDone={() => show(undefined)} />;
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
