// The table of webhooks: URL, state and last response.
import { Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { useFormats } from '../../parts/formats.ts';
import { useShortcut } from '../../parts/keys.ts';
import { LinkAnchor, LinkButton } from '../../parts/link.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { stateOf, stateTones } from './states.ts';

export type Webhook = ResultOf<'webhooks'>[number];

export function WebhooksScreen() {
  const t = useText('webhooks');
  const { number } = useFormats();
  const mayChange = useSession().may('admin');
  const answer = useMethod('webhooks');
  const create = mayChange && <CreateButton />;
  const columns: Column<Webhook>[] = [
    {
      name: 'title',
      title: t('name'),
      cell: (hook) => (
        <>
          <LinkAnchor to="/webhooks/$id" params={{ id: hook.id }} fw={500} c="inherit">
            {hook.title}
          </LinkAnchor>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {hook.url}
          </Text>
        </>
      ),
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
    <Page>
      <PageHeader title={t('title')} description={t('about')} actions={create} />
      <Rows
        label={t('title')}
        columns={columns}
        rows={answer.data}
        keyOf={({ id }) => id}
        nameOf={({ title }) => title}
        error={answer.error}
        onRetry={() => answer.refetch()}
        empty={<Empty icon={IconWebhook} title={t('emptyTitle')} text={t('emptyText')} action={create} />}
      />
    </Page>
  );
}

function CreateButton() {
  const t = useText('webhooks');
  const navigate = useNavigate();
  useShortcut('c', t('create'), () => navigate({ to: '/webhooks/new' }));
  return (
    <LinkButton to="/webhooks/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('create')}
    </LinkButton>
  );
}

export function HookStatus({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const state = stateOf(hook);
  return <Status tone={stateTones[state]}>{t(`state.${state}`)}</Status>;
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
