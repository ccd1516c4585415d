// The table of lists: subscribers, unsubscribed members and creation date.
import { Box } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { ArrangeButtons } from '../../parts/labels/arranging.tsx';
import { LabelChips } from '../../parts/labels/label.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { CreateLink, ListScreen } from '../../parts/table/list-screen.tsx';
import type { Column } from '../../parts/table/rows.tsx';
import { sortRows } from '../../parts/table/sort-rows.ts';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

const LabelFilter = lazy(() => import('../../parts/labels/label-filter.tsx'));
const ListPeek = lazy(() => import('./list-peek.tsx'));

type List = ResultOf<'lists'>[number];

const pageSize = 25;

export function ListsScreen() {
  const t = useText('lists');
  const { number } = useFormats();
  const search = useTableSearch();
  const { may, mayAll } = useSession();
  const mayWrite = may('contacts:write');
  const create = mayAll('contacts:write') && <CreateLink to="/lists/new" label={t('create')} />;
  const answer = useMethod('lists', { limit: 1000 });
  const wanted = search.q.toLowerCase();
  const columns: Column<List>[] = [
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
      title: t('subscribed'),
      sortBy: ({ member_count }) => member_count,
      figure: true,
      width: '140px',
      cell: ({ member_count }) => number(member_count),
    },
    {
      name: 'left',
      title: t('unsubscribed'),
      sortBy: ({ unsubscribe_count }) => unsubscribe_count,
      figure: true,
      width: '140px',
      cell: ({ unsubscribe_count }) => number(unsubscribe_count),
    },
    {
      name: 'made',
      title: t('created'),
      width: '180px',
      sortBy: ({ date_created }) => date_created,
      cell: ({ date_created }) => <Time at={date_created} />,
    },
  ];
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
      brief={({ member_count, date_created }) => (
        <>
          <span>{t('memberCount', { count: member_count })}</span>
          <Time at={date_created} />
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
