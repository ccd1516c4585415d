// The bounces of a campaign, by class: address and the response of the mail server.

import { Code, Text } from '@mantine/core';
import { IconMailX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { shownDomains } from '../../parts/domain-name.ts';
import { Empty } from '../../parts/empty.tsx';
import { Section } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';

type Bounce = ResultOf<'campaignBounceMessages'>['data'][number];
const pageSize = 25;

/** The method that lists the bounces of each class. */
const methodOf = {
  hard: 'campaignHardBounces',
  soft: 'campaignSoftBounces',
  blocked: 'campaignBlockedBounces',
  temporary: 'campaignTemporaryBounces',
  generic: 'campaignGenericBounces',
} as const;
type Class = keyof typeof methodOf;
const classes = Object.keys(methodOf) as Class[];

type Page = { cid: string; start: number; limit: number };

async function readPage(chosen: Class | undefined, page: Page): Promise<{ total: number; data: Bounce[] }> {
  if (!chosen) return call('campaignBounceMessages', page);
  const { total, data } = await call(methodOf[chosen], page);
  return { total, data: data.map((row) => ({ ...row, bounce: chosen })) };
}

export function Bounces({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const search = useTableSearch();
  const { id: cid } = campaign;
  const chosen = classes.find((name) => name === search.state);
  const stats = useMethod('campaignStats', { cid });
  const answer = useQuery({
    queryKey: ['campaign', 'bounces', { cid, chosen, page: search.page }],
    queryFn: () => readPage(chosen, { cid, start: search.page - 1, limit: pageSize }),
    placeholderData: keepPreviousData,
  });
  const chips = classes
    .map((name) => ({ name, label: t(`bounce.${name}`), count: stats.data?.[`${name}_bounces`] ?? 0 }))
    .filter(({ name, count }) => count > 0 || name === chosen);
  const columns: Column<Bounce>[] = [
    { name: 'email', title: t('address'), cell: ({ email }) => <Text fw={500}>{shownDomains(email)}</Text> },
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
        rows={stats.isPending ? undefined : answer.data?.data}
        keyOf={({ email, timestamp }) => `${email} ${timestamp}`}
        nameOf={({ email }) => email}
        query={answer}
        search={search}
        chips={chips}
        total={answer.data?.total}
        pageSize={pageSize}
        empty={<Empty icon={IconMailX} title={t('noBouncesTitle')} text={t('noBouncesText')} />}
      />
    </Section>
  );
}
