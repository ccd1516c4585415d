// The table of recurring campaigns: when the next issue is due, and what became of the latest one.
import { Text } from '@mantine/core';
import { IconRss } from '@tabler/icons-react';
import { useMethod } from '../../api/use-method.ts';
import { CreateLink, ListScreen, NameCell } from '../../parts/table/list-screen.tsx';
import type { Column } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session/session.ts';
import { useLanguage, useText } from '../../text/use-text.tsx';
import { IssueStatus, RecurringStatus } from './chips.tsx';
import type { Listed } from './types.ts';
import { scheduleInWords } from './words.ts';

const pageSize = 25;

export function RecurringScreen() {
  const t = useText('recurring');
  const { language } = useLanguage();
  const search = useTableSearch();
  const mayWrite = useSession().may('campaigns:write');
  const answer = useMethod('recurringCampaigns', { start: search.page - 1, limit: pageSize }, { keep: true });
  const create = mayWrite && <CreateLink to="/recurring/new" label={t('create')} />;
  const columns: Column<Listed>[] = [
    {
      name: 'title',
      title: t('name'),
      cell: ({ id, title, list_name }) => (
        <NameCell to="/recurring/$id" params={{ id }} name={title} note={list_name} />
      ),
    },
    {
      name: 'status',
      title: t('stateColumn'),
      width: '130px',
      cell: (recurring) => <RecurringStatus recurring={recurring} />,
    },
    {
      name: 'schedule',
      title: t('schedule'),
      width: '260px',
      cell: ({ schedule }) => scheduleInWords(t, schedule, language),
    },
    { name: 'next', title: t('next'), width: '150px', cell: ({ next_at }) => <Time at={next_at} /> },
    {
      name: 'latest',
      title: t('latest'),
      width: '180px',
      cell: ({ latest, problem }) =>
        problem !== '' ? <Text size="sm">{problem}</Text> : latest[0] ? <IssueStatus state={latest[0].state} /> : '–',
    },
  ];
  return (
    <ListScreen
      title={t('title')}
      about={t('about')}
      query={answer}
      create={create}
      empty={{ icon: IconRss, title: t('emptyTitle'), text: t('emptyText') }}
      columns={columns}
      brief={(recurring) => (
        <>
          <RecurringStatus recurring={recurring} />
          <span>{scheduleInWords(t, recurring.schedule, language)}</span>
        </>
      )}
      rows={answer.data?.data}
      total={answer.data?.total}
      pageSize={pageSize}
      search={search}
      nameOf={({ title }) => title}
    />
  );
}
