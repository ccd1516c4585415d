// The table of recurring campaigns: when the next issue is due, and what became of the latest one.
import { Text } from '@mantine/core';
import { IconPlus, IconRss } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { useShortcut } from '../../parts/keys.ts';
import { LinkAnchor, LinkButton } from '../../parts/link.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
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
  const mayWrite = useSession().may('write');
  const answer = useMethod('recurringCampaigns', { start: search.page - 1, limit: pageSize }, { keep: true });
  const create = mayWrite && <CreateButton />;
  const columns: Column<Listed>[] = [
    {
      name: 'title',
      title: t('name'),
      cell: ({ id, title, list_name }) => (
        <>
          <LinkAnchor to="/recurring/$id" params={{ id }} fw={500} c="inherit">
            {title}
          </LinkAnchor>
          <Text size="xs" c="dimmed">
            {list_name}
          </Text>
        </>
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
    <Page>
      <PageHeader title={t('title')} description={t('about')} actions={create} />
      <Rows
        label={t('title')}
        columns={columns}
        rows={answer.data?.data}
        total={answer.data?.total}
        pageSize={pageSize}
        search={search}
        keyOf={({ id }) => id}
        nameOf={({ title }) => title}
        error={answer.error}
        onRetry={() => answer.refetch()}
        empty={<Empty icon={IconRss} title={t('emptyTitle')} text={t('emptyText')} action={create} />}
      />
    </Page>
  );
}

function CreateButton() {
  const t = useText('recurring');
  const navigate = useNavigate();
  useShortcut('c', t('create'), () => navigate({ to: '/recurring/new' }));
  return (
    <LinkButton to="/recurring/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('create')}
    </LinkButton>
  );
}
