// The log of a webhook: each request with its state, events, status, time and attempt; a panel shows all of it.
import { Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { ButtonPopover } from '../../../parts/button-popover.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Lines } from '../../../parts/loaded.tsx';
import { Tag } from '../../../parts/status/tag.tsx';
import { Neighbours } from '../../../parts/table/neighbours.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useTableSearch } from '../../../parts/table/table-search.ts';
import { Time } from '../../../parts/time.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { Webhook } from '../hook-status.tsx';
import { outcomes } from '../states.ts';
import { TestEvent } from '../test-event.tsx';
import { AttemptPanel } from './attempt-panel.tsx';
import { AttemptStatus } from './attempt-status.tsx';
import { typesOf } from './types-of.ts';

const ResendRange = lazy(() => import('./resend-range.tsx'));

type Attempt = ResultOf<'webhookAttempts'>[number];
const pageSize = 25;

export function Attempts({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const search = useTableSearch();
  const outcome = outcomes.find((name) => name === search.state);
  const answer = useMethod(
    'webhookAttempts',
    { wid: hook.id, start: search.page - 1, limit: pageSize, ...(outcome ? { outcome } : {}) },
    { keep: true, refetchInterval: 5_000 },
  );
  const columns = useColumns();
  return (
    <>
      <Rows
        label={t('tab.log')}
        compact
        columns={columns}
        rows={answer.data}
        keyOf={({ id }) => id}
        nameOf={({ id }) => t('attemptNamed', { id })}
        query={answer}
        search={search}
        chips={outcomes.map((name) => ({ name, label: t(`outcome.${name}`) }))}
        tools={
          <ButtonPopover
            variant="default"
            size="xs"
            layer={{ width: 340, shadow: 'md' }}
            content={(close) => (
              <Suspense fallback={<Lines />}>
                <ResendRange hook={hook} onDone={close} />
              </Suspense>
            )}
          >
            {t('resendRange')}
          </ButtonPopover>
        }
        peek={(attempt) => <AttemptPanel hook={hook} id={attempt.id} />}
        opensPanel
        empty={
          <Empty
            icon={IconRefresh}
            title={t('logEmptyTitle')}
            text={t('logEmptyText')}
            action={<TestEvent hook={hook} />}
          />
        }
      />
      <Neighbours search={search} more={answer.data?.length === pageSize} />
    </>
  );
}

function useColumns(): Column<Attempt>[] {
  const t = useText('webhooks');
  const { number } = useFormats();
  return [
    {
      name: 'state',
      title: t('state'),
      width: '200px',
      cell: (attempt) => <AttemptStatus attempt={attempt} />,
    },
    {
      name: 'events',
      title: t('events'),
      cell: (attempt) => (
        <Text size="sm" component="div">
          {typesOf(attempt.body).join(', ') || t('eventCount', { count: attempt.events.length })}{' '}
          {attempt.events.length > 1 && (
            <Text span c="dimmed" size="xs">
              × {number(attempt.events.length)}
            </Text>
          )}
          {attempt.kind === 'test' && <Tag>{t('test')}</Tag>}
        </Text>
      ),
    },
    {
      name: 'status',
      title: t('status'),
      width: '240px',
      // The panel has all of it.
      cell: ({ status, reason }) => (
        <Text component="span" lineClamp={1} title={reason}>
          {status ? `HTTP ${status}` : reason || '–'}
        </Text>
      ),
    },
    {
      name: 'ms',
      title: t('duration'),
      figure: true,
      wideOnly: true,
      width: '110px',
      cell: ({ ms }) => t('ms', { ms: number(ms) }),
    },
    {
      name: 'try',
      title: t('attempt'),
      figure: true,
      wideOnly: true,
      width: '90px',
      cell: (attempt) => number(attempt.try),
    },
    { name: 'at', title: t('time'), width: '140px', cell: ({ at }) => <Time at={at} /> },
  ];
}
