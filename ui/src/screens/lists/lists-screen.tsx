// The table of lists: subscribers with their course, unsubscribed members, how the last campaigns did, and which was the last. The results come from a
// second request, so that the table is there before them.
import { Box, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { ArrangeButtons } from '../../parts/labels/arranging.tsx';
import { LabelChips } from '../../parts/labels/label.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Course } from '../../parts/stat/stat.tsx';
import { CreateLink, ListScreen } from '../../parts/table/list-screen.tsx';
import type { Column } from '../../parts/table/rows.tsx';
import { sortRows } from '../../parts/table/sort-rows.ts';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import classes from './lists.module.css';

const LabelFilter = lazy(() => import('../../parts/labels/label-filter.tsx'));
const ListPeek = lazy(() => import('./list-peek.tsx'));

type List = ResultOf<'lists'>[number];

const pageSize = 25;

export function ListsScreen() {
  const t = useText('lists');
  const search = useTableSearch();
  const { may, mayAll } = useSession();
  const mayWrite = may('contacts:write');
  const create = mayAll('contacts:write') && <CreateLink to="/lists/new" label={t('create')} />;
  const answer = useMethod('lists', { limit: 1000 });
  const wanted = search.q.toLowerCase();
  const results = useResults(answer.data);
  const columns = useColumns(answer.data, results.columns);
  const hidden = search.state === 'hidden';
  const named = answer.data?.filter(
    ({ name, labels }) =>
      name.toLowerCase().includes(wanted) &&
      (search.label === undefined || labels.some(({ id }) => id === search.label)),
  );
  const hiddenCount = named?.filter((list) => list.hidden).length ?? 0;
  const inLabels = useText('labels');
  const found =
    named &&
    sortRows(
      named.filter((list) => list.hidden === hidden),
      columns,
      search.sort,
    );
  return (
    <ListScreen
      title={t('title')}
      query={answer}
      create={create}
      empty={{ icon: IconUsers, title: t('emptyTitle'), text: t('emptyText') }}
      columns={columns}
      brief={({ id, member_count }) => (
        <>
          <span>{t('memberCount', { count: member_count })}</span>
          {results.brief(id)}
        </>
      )}
      rows={found?.slice((search.page - 1) * pageSize, search.page * pageSize)}
      nameOf={({ name }) => name}
      search={search}
      searchLabel={t('searchLists')}
      chips={
        hidden || hiddenCount > 0 ? [{ name: 'hidden', label: inLabels('hidden'), count: hiddenCount }] : undefined
      }
      tools={
        <Suspense fallback={<Box w={110} h={36} />}>
          <LabelFilter search={search} />
        </Suspense>
      }
      narrowed={hiddenCount > 0}
      bulk={mayWrite ? (chosen, clear) => <ArrangeButtons kind="list" chosen={chosen} clear={clear} /> : undefined}
      total={found?.length}
      pageSize={pageSize}
      peek={(list) => (
        <Suspense fallback={<Lines />}>
          <ListPeek list={list} />
        </Suspense>
      )}
    />
  );
}

/** @param results the columns about campaigns */
function useColumns(lists: readonly List[] | undefined, results: readonly Column<List>[]): Column<List>[] {
  const t = useText('lists');
  const { number } = useFormats();
  const trendOf = useTrends(lists);
  return [
    {
      name: 'name',
      title: t('name'),
      sortBy: ({ name }) => name,
      cell: (list) => (
        <>
          <LinkAnchor to="/lists/$id" params={{ id: list.id }} fw={500} c="inherit">
            {list.name}
          </LinkAnchor>
          <LabelChips labels={list.labels} inRow />
        </>
      ),
    },
    {
      name: 'members',
      title: t('subscribedCourse'),
      sortBy: ({ member_count }) => member_count,
      figure: true,
      width: '190px',
      cell: ({ id, member_count }) => <Members count={member_count} trend={trendOf(id)} />,
    },
    {
      name: 'left',
      title: t('unsubscribed'),
      sortBy: ({ unsubscribe_count }) => unsubscribe_count,
      figure: true,
      width: '120px',
      cell: ({ unsubscribe_count }) => number(unsubscribe_count),
    },
    ...results,
    {
      name: 'made',
      title: t('created'),
      width: '130px',
      sortBy: ({ date_created }) => date_created,
      cell: ({ date_created }) => <Time at={date_created} />,
    },
  ];
}

type TrendOfList = ResultOf<'listTrends'>[number];

/** How the lists grew, by id, as soon as it is known. */
function useTrends(lists: readonly List[] | undefined): (id: string) => TrendOfList | undefined {
  const ids = lists?.slice(0, maxAsked).map(({ id }) => id) ?? [];
  const { data } = useMethod('listTrends', { ids }, { enabled: ids.length > 0, keep: true });
  return (id) => data?.find((trend) => trend.id === id);
}

/** The members now, after a line of how they came to be that many. */
function Members({ count, trend }: { count: number; trend: TrendOfList | undefined }) {
  const t = useText('lists');
  const { number } = useFormats();
  const said = trend && t('trend', { joined: number(trend.joined), left: number(trend.left) });
  return (
    <span className={classes.members} title={said}>
      {trend?.members.some((members) => members > 0) ? <Course points={trend.members} /> : <span />}
      <span>{number(count)}</span>
      {said && <VisuallyHidden>{said}</VisuallyHidden>}
    </span>
  );
}

/** Beyond this, a table is searched, not read. */
const maxAsked = 100;

/** The columns about campaigns: how the last ones did, and which was the last. Without the right to read reports there are none. */
function useResults(lists: readonly List[] | undefined) {
  const t = useText('lists');
  const { percent } = useFormats();
  const mayRead = useSession().may('reports:read');
  const ids = lists?.slice(0, maxAsked).map(({ id }) => id) ?? [];
  const answer = useMethod('listResults', { ids }, { enabled: mayRead && ids.length > 0, keep: true });
  const isLoading = answer.isPending || answer.isPlaceholderData;
  const of = (id: string) => answer.data?.find((row) => row.id === id);
  const opened = (id: string) => {
    const own = of(id);
    return own && own.campaigns > 0 ? percent(own.open_rate) : undefined;
  };
  const columns: Column<List>[] = [
    {
      name: 'opened',
      title: t('opened'),
      figure: true,
      width: '100px',
      sortBy: ({ id }) => of(id)?.open_rate ?? -1,
      cell: ({ id }) => opened(id) ?? (isLoading ? <Skeleton height={14} width={44} ms="auto" /> : '–'),
    },
    {
      name: 'last',
      title: t('lastCampaign'),
      width: '260px',
      sortBy: ({ id }) => of(id)?.send_time ?? '',
      cell: ({ id }) => {
        const own = of(id);
        if (!own && isLoading) return <Skeleton height={14} width={160} />;
        if (!own) return <Text c="dimmed">–</Text>;
        return (
          <>
            <LinkAnchor to="/campaigns/$id" params={{ id: own.campaign }} c="inherit" lineClamp={1}>
              <Tagged>{own.title}</Tagged>
            </LinkAnchor>
            <Text size="xs" c="dimmed">
              <Time at={own.send_time} />
            </Text>
          </>
        );
      },
    },
  ];
  const brief = (id: string) => (
    <>
      {opened(id) && <span>{t('openedShare', { share: opened(id)! })}</span>}
      {of(id) && <Time at={of(id)!.send_time} />}
    </>
  );
  return { columns: mayRead ? columns : [], brief };
}
