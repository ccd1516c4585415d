// The table of webhooks: URL, state and last response.
import { Text } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { CreateLink, ListScreen, NameCell } from '../../parts/table/list-screen.tsx';
import type { Column } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { Directions } from './directions.tsx';
import { HookStatus, type Webhook } from './hook-status.tsx';
import { stateOf } from './states.ts';

export function WebhooksScreen() {
  const t = useText('webhooks');
  const { number } = useFormats();
  const mayChange = useSession().may('webhooks:write');
  const answer = useMethod('webhooks');
  const create = mayChange && <CreateLink to="/webhooks/new" label={t('create')} />;
  const columns: Column<Webhook>[] = [
    {
      name: 'title',
      title: t('name'),
      cell: (hook) => <NameCell to="/webhooks/$id" params={{ id: hook.id }} name={hook.title} note={hook.url} />,
    },
    {
      name: 'state',
      title: t('state'),
      width: '170px',
      cell: (hook) => (
        <>
          <HookStatus hook={hook} />
          {stateOf(hook) === 'failing' && (
            <Text size="xs" c="dimmed">
              {t('failingSince')} <Time at={hook.failing_since} />
            </Text>
          )}
        </>
      ),
    },
    ...(mayChange
      ? [
          { name: 'answer', title: t('lastResponse'), cell: (hook: Webhook) => <LastAnswer hook={hook} /> },
          {
            name: 'rate',
            title: t('successRate'),
            figure: true,
            width: '130px',
            cell: (hook: Webhook) => <SuccessRate hook={hook} />,
          },
        ]
      : []),
    {
      name: 'waiting',
      title: t('queued'),
      figure: true,
      width: '110px',
      cell: ({ waiting_events }) => number(waiting_events),
    },
    {
      name: 'total',
      title: t('events'),
      figure: true,
      width: '110px',
      cell: ({ total_events }) => number(total_events),
    },
  ];
  return (
    <ListScreen
      title={t('title')}
      about={t('about')}
      query={answer}
      create={create}
      empty={{ icon: IconWebhook, title: t('emptyTitle'), text: t('emptyText') }}
      columns={columns}
      brief={(hook) => (
        <>
          <HookStatus hook={hook} />
          {mayChange ? <LastAnswer hook={hook} /> : <span>{hook.url}</span>}
        </>
      )}
      rows={answer.data}
      nameOf={({ title }) => title}
      within={(table) => <Directions open="outgoing">{table}</Directions>}
    />
  );
}

/** Of the last 24 hours. */
function SuccessRate({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const { number, shareOf } = useFormats();
  const { data } = useMethod('webhookStats', { wid: hook.id });
  if (!data) return null;
  return (
    <div>
      {shareOf(data.delivered, data.attempts)}
      {data.attempts > 0 && (
        <Text size="xs" c="dimmed">
          {t('p95Short', { ms: number(data.p95_ms) })}
        </Text>
      )}
    </div>
  );
}

/** The response to the latest request, and when. */
function LastAnswer({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const { data } = useMethod('webhookAttempts', { wid: hook.id, limit: 1 });
  const last = data?.[0];
  if (!data) return null;
  if (!last)
    return (
      <Text size="sm" c="dimmed">
        {t('neverSent')}
      </Text>
    );
  return (
    <Text size="sm" component="span">
      {last.status ? `HTTP ${last.status}` : last.reason || t.of('outcome', last.outcome)}{' '}
      <Text span c="dimmed" inherit>
        · <Time at={last.at} />
      </Text>
    </Text>
  );
}
