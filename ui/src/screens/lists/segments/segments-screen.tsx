// The segments of all lists, in one table; one is built on a page of its own.
import { Button, Text } from '@mantine/core';
import { IconFilter, IconPlus } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { queryKey, useMethod } from '../../../api/use-method.ts';
import { ButtonMenu } from '../../../parts/button-menu.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { LinkAnchor, LinkButton } from '../../../parts/link.tsx';
import { ListScreen } from '../../../parts/table/list-screen.tsx';
import type { Column } from '../../../parts/table/rows.tsx';
import { sortRows } from '../../../parts/table/sort-rows.ts';
import { useTableSearch } from '../../../parts/table/table-search.ts';
import { Time } from '../../../parts/time.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { SegmentMenu } from './segment-menu.tsx';

type Segment = ResultOf<'segments'>[number];

const pageSize = 25;

export function SegmentsScreen() {
  const t = useText('lists');
  const { number } = useFormats();
  const search = useTableSearch();
  const answer = useMethod('segments');
  const { counts, uncounted } = useCounts(answer.data);
  const create = useSession().may('contacts:write') && <CreateSegment />;
  const columns: Column<Segment>[] = [
    {
      name: 'name',
      title: t('name'),
      sortBy: ({ name }) => name,
      cell: ({ id, name, list, reading }) => (
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
          <Text data-note size="xs" c="dimmed" lineClamp={2}>
            {reading}
          </Text>
        </>
      ),
    },
    {
      name: 'list',
      title: t('list'),
      width: '200px',
      sortBy: ({ list_name }) => list_name,
      cell: ({ list_name }) => list_name,
    },
    {
      name: 'members',
      title: t('tab.members'),
      figure: true,
      width: '120px',
      sortBy: ({ id }) => counts.get(id) ?? 0,
      cell: ({ id }) => (counts.has(id) ? number(counts.get(id)!) : '–'),
    },
    {
      name: 'changed',
      title: t('changed'),
      width: '150px',
      wideOnly: true,
      sortBy: ({ date_changed }) => date_changed,
      cell: ({ date_changed }) => <Time at={date_changed} />,
    },
    {
      name: 'actions',
      title: t('actions'),
      untitled: true,
      width: '56px',
      cell: (segment) => (
        <SegmentMenu list={segment.list} segment={{ ...segment, member_count: counts.get(segment.id) ?? 0 }} />
      ),
    },
  ];
  const wanted = search.q.toLowerCase();
  const named = answer.data?.filter(({ name, list_name }) => `${name} ${list_name}`.toLowerCase().includes(wanted));
  const found = named && sortRows(named, columns, search.sort);
  return (
    <ListScreen
      title={t('tab.segments')}
      about={t('segmentsAbout')}
      query={answer}
      create={create}
      empty={{ icon: IconFilter, title: t('noSegmentsTitle'), text: t('noSegmentsText') }}
      columns={columns}
      brief={({ id, list_name }) => (
        <>
          {counts.has(id) && <span>{t('memberCount', { count: counts.get(id)! })}</span>}
          <span>{list_name}</span>
        </>
      )}
      rows={found?.slice((search.page - 1) * pageSize, search.page * pageSize)}
      nameOf={({ name }) => name}
      search={search}
      searchLabel={t('searchSegments')}
      total={found?.length}
      pageSize={pageSize}
    >
      {uncounted && (
        <Text size="xs" c="dimmed">
          {t('segmentsUncounted', { count: maxCounted })}
        </Text>
      )}
    </ListScreen>
  );
}

/** The members of each segment; a pass through each list that has segments, so they come after the table. */
function useCounts(segments: readonly Segment[] | undefined) {
  const lists = [...new Set((segments ?? []).map(({ list }) => list))];
  const counts = useQueries({
    queries: lists.slice(0, maxCounted).map((id) => ({
      queryKey: queryKey('listSegments', { id }),
      queryFn: () => call('listSegments', { id }),
    })),
    combine: (answers) =>
      new Map(answers.flatMap(({ data }) => (data ?? []).map(({ id, member_count }) => [id, member_count] as const))),
  });
  return { counts, uncounted: lists.length > maxCounted };
}

const maxCounted = 20;

/** A segment belongs to a list: with several, the list is chosen first. */
function CreateSegment() {
  const t = useText('lists');
  const navigate = useNavigate();
  const { data: lists = [], isPending } = useMethod('lists', { limit: 1000 });
  const icon = <IconPlus size={16} aria-hidden />;
  const [only] = lists;
  // The button keeps its room until it is known where it leads.
  if (isPending)
    return (
      <Button leftSection={icon} loading>
        {t('addSegment')}
      </Button>
    );
  if (only === undefined) return null;
  if (lists.length === 1)
    return (
      <LinkButton to="/lists/$id/segments/$segment" params={{ id: only.id, segment: 'new' }} leftSection={icon}>
        {t('addSegment')}
      </LinkButton>
    );
  return (
    <ButtonMenu
      leftSection={icon}
      title={t('ofList')}
      items={lists.map(({ id, name }) => ({
        key: id,
        label: name,
        act: () => navigate({ to: '/lists/$id/segments/$segment', params: { id, segment: 'new' } }),
      }))}
    >
      {t('addSegment')}
    </ButtonMenu>
  );
}
