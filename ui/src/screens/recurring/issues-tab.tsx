// The issues, the latest first: when each was due, what became of it and why, with a link to its campaign and report.

import { Button, Group, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Tagged, useTagless } from '../../parts/tagged/tagged.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { IssueStatus } from './chips.tsx';
import { RunNow } from './run-now.tsx';
import type { Info, Issue } from './types.ts';
import { useDecisions } from './use-decisions.ts';

const pageSize = 25;

export function IssuesTab({ info }: { info: Info }) {
  const t = useText('recurring');
  const search = useTableSearch();
  const { number, dateTime } = useFormats();
  const tagless = useTagless();
  const answer = useMethod(
    'recurringIssues',
    { id: info.id, start: search.page - 1, limit: pageSize },
    { keep: true, refetchInterval: 10_000 },
  );
  const columns: Column<Issue>[] = [
    {
      name: 'at',
      title: t('due'),
      width: '200px',
      cell: ({ at, by_hand }) => {
        const time = parseTime(at);
        return (
          <Group gap="xs">
            <span>{time ? dateTime(time) : ''}</span>
            {by_hand && <Tag>{t('byHand')}</Tag>}
          </Group>
        );
      },
    },
    { name: 'state', title: t('stateColumn'), width: '170px', cell: ({ state }) => <IssueStatus state={state} /> },
    {
      name: 'subject',
      title: t('issue'),
      cell: (issue) => <IssueCell issue={issue} latest={info.latest[0]?.campaign} />,
    },
    {
      name: 'items',
      title: t('items'),
      width: '90px',
      figure: true,
      cell: ({ items }) => (items === 0 ? '–' : number(items)),
    },
    {
      name: 'sent',
      title: t('sent'),
      width: '110px',
      figure: true,
      cell: ({ campaign, emails_sent }) => (campaign === '' ? '–' : number(emails_sent)),
    },
  ];
  return (
    <Rows
      label={t('issues')}
      columns={columns}
      rows={answer.data?.data}
      total={answer.data?.total}
      pageSize={pageSize}
      search={search}
      keyOf={({ at }) => at}
      nameOf={({ at, subject }) => tagless(subject) || at}
      query={answer}
      empty={
        <Empty
          icon={IconMail}
          title={t('noIssues')}
          text={t(info.status === 'active' ? 'noIssuesYet' : 'noIssuesPaused')}
          action={info.status === 'active' && <RunNow info={info} filled />}
        />
      }
    />
  );
}

/** Its subject with a link to the draft or the report, why it was not sent, and the decision if it is not the latest one. */
function IssueCell({ issue, latest }: { issue: Issue; latest: string | undefined }) {
  const t = useText('recurring');
  const maySend = useSession().may('campaigns:send');
  const decide = useDecisions();
  const { campaign, campaign_deleted, subject, title, delivery_status, reason, state } = issue;
  return (
    <div>
      {campaign !== '' && (
        <LinkAnchor
          to={delivery_status === 'draft' ? '/campaigns/$id/edit' : '/campaigns/$id'}
          params={{ id: campaign }}
          c="inherit"
          fw={500}
        >
          <Tagged>{subject || title}</Tagged>
        </LinkAnchor>
      )}
      {campaign_deleted && reason === '' && (
        <Text size="sm" c="dimmed">
          {t('campaignDeleted')}
        </Text>
      )}
      {reason !== '' && (
        <Text size={campaign === '' ? 'sm' : 'xs'} c="dimmed">
          {reason}
        </Text>
      )}
      {maySend &&
        campaign !== '' &&
        delivery_status === 'draft' &&
        (state === 'failed' || (state === 'waiting' && campaign !== latest)) && (
          <Group gap="xs" mt={6}>
            <Button size="compact-sm" variant="default" onClick={() => decide.approve(campaign, subject)}>
              {t('approveNow')}
            </Button>
            <Button size="compact-sm" variant="subtle" onClick={() => decide.skip(campaign)}>
              {t('skip')}
            </Button>
          </Group>
        )}
    </div>
  );
}
