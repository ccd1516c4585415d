// The bounces of a campaign: address, class and the response of the mail server.
import { Code, Text } from '@mantine/core';
import { IconMailX } from '@tabler/icons-react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { Section } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';

type Bounce = ResultOf<'campaignBounceMessages'>['data'][number];
const pageSize = 25;

export function Bounces({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const search = useTableSearch();
  const answer = useMethod(
    'campaignBounceMessages',
    { cid: campaign.id, start: search.page - 1, limit: pageSize },
    { keep: true },
  );
  const columns: Column<Bounce>[] = [
    { name: 'email', title: t('address'), cell: ({ email }) => <Text fw={500}>{email}</Text> },
    {
      name: 'bounce',
      title: t('class'),
      width: '140px',
      cell: ({ bounce }) => t.of('bounce', bounce),
    },
    {
      name: 'message',
      title: t('said'),
      cell: ({ code, message }) => (
        <Code style={{ overflowWrap: 'anywhere' }}>{`${code || ''} ${message}`.trim()}</Code>
      ),
    },
    { name: 'timestamp', title: t('at'), width: '160px', cell: ({ timestamp }) => <Time at={timestamp} /> },
  ];
  return (
    <Section title={t('tab.bounces')} description={t('bouncesAbout')}>
      <Rows
        label={t('tab.bounces')}
        columns={columns}
        rows={answer.data?.data}
        keyOf={({ email, timestamp }) => `${email} ${timestamp}`}
        nameOf={({ email }) => email}
        error={answer.error}
        onRetry={() => answer.refetch()}
        search={search}
        total={answer.data?.total}
        pageSize={pageSize}
        empty={<Empty icon={IconMailX} title={t('noBouncesTitle')} text={t('noBouncesText')} />}
      />
    </Section>
  );
}
