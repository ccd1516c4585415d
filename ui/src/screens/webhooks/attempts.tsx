// The log of a webhook: each request with its signature, response and duration; resend one or a time range.
import '@mantine/dates/styles.layer.css';
import { Badge, Button, Code, Collapse, Group, Pagination, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { IconRefresh } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Status } from '../../parts/status/status.tsx';
import { FilterChips } from '../../parts/table/filter-bar.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { type AttemptOutcome, outcomes, outcomeTones } from './states.ts';
import type { Webhook } from './webhooks-screen.tsx';

type Attempt = ResultOf<'webhookAttempts'>[number];
const pageSize = 25;

export function Attempts({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { outcome?: string; page?: number };
  const outcome = outcomes.find((name) => name === search.outcome);
  const page = search.page ?? 1;
  const answer = useMethod(
    'webhookAttempts',
    { wid: hook.id, start: page - 1, limit: pageSize, ...(outcome ? { outcome } : {}) },
    { keep: true, refetchInterval: 5_000 },
  );
  const go = (next: { outcome?: string | undefined; page?: number }) =>
    navigate({ to: '.', replace: true, resetScroll: false, search: { tab: 'log', ...next } as never });
  const rows = answer.data;
  if (!rows) return answer.error ? <FaultNote error={answer.error} onRetry={() => answer.refetch()} /> : <Lines />;
  if (rows.length === 0 && !outcome && page === 1)
    return <Empty icon={IconRefresh} title={t('logEmptyTitle')} text={t('logEmptyText')} />;
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <FilterChips
          label={t('outcome')}
          chips={outcomes.map((name) => ({ name, label: t(`outcome.${name}`) }))}
          chosen={outcome}
          onChoose={(next) => go({ outcome: next })}
        />
        <ResendRange hook={hook} />
      </Group>
      {rows.length === 0 ? (
        <Text c="dimmed">{t('noneWithOutcome')}</Text>
      ) : (
        <Stack gap={0} component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
          {rows.map((attempt) => (
            <OneAttempt key={attempt.id} hook={hook} attempt={attempt} />
          ))}
        </Stack>
      )}
      {(page > 1 || rows.length === pageSize) && (
        <Pagination
          total={rows.length === pageSize ? page + 1 : page}
          value={page}
          onChange={(next) => go({ outcome, page: next })}
          getControlProps={(control) => ({ 'aria-label': t(control === 'next' ? 'next' : 'previous') })}
        />
      )}
    </Stack>
  );
}

function OneAttempt({ hook, attempt }: { hook: Webhook; attempt: Attempt }) {
  const t = useText('webhooks');
  const [open, setOpen] = useState(false);
  const outcome = attempt.outcome as AttemptOutcome;
  return (
    <li style={{ borderBottom: '1px solid var(--line)' }}>
      <Group justify="space-between" py="sm" gap="sm">
        <Group gap="md">
          <Status tone={outcomeTones[outcome] ?? 'still'}>{t(`outcome.${outcome}`)}</Status>
          <Text size="sm">
            {attempt.status ? `HTTP ${attempt.status}` : attempt.reason} · {t('ms', { ms: attempt.ms })}
          </Text>
          <Text size="sm" c="dimmed">
            <Time at={attempt.at} /> · {t('eventCount', { count: attempt.events.length })} ·{' '}
            {t('attemptNumber', { no: attempt.try })}
          </Text>
          {attempt.kind === 'test' && (
            <Badge variant="default" size="sm" tt="none">
              {t('test')}
            </Badge>
          )}
        </Group>
        <Button variant="subtle" size="xs" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t('hide') : t('details')}
          <VisuallyHidden>&nbsp;{t('ofAttempt', { id: attempt.id })}</VisuallyHidden>
        </Button>
      </Group>
      <Collapse expanded={open}>{open && <Detail hook={hook} id={attempt.id} />}</Collapse>
    </li>
  );
}

/** The complete attempt, fetched when opened, since bodies may be long. */
function Detail({ hook, id }: { hook: Webhook; id: string }) {
  const t = useText('webhooks');
  const answer = useMethod('webhookAttempts', { wid: hook.id, attempt: id });
  const resend = useMutate('webhookResend');
  const attempt = answer.data?.[0];
  if (!attempt) return answer.error ? <FaultNote error={answer.error} /> : <Lines count={3} />;
  return (
    <Stack gap="sm" pb="md">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        POST {attempt.url}
      </Text>
      {attempt.reason && <Text size="sm">{attempt.reason}</Text>}
      <Table aria-label={t('requestHeaders')} layout="fixed">
        <Table.Tbody>
          {Object.entries(attempt.headers).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w="35%" style={{ overflowWrap: 'anywhere' }}>
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Text ff="monospace" size="xs">
                  {value}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Block title={t('requestBody')} text={attempt.body} />
      <Block title={t('response')} text={attempt.answer || t('noResponse')} />
      {attempt.kind !== 'test' && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={resend.isPending}
            onClick={() =>
              resend.mutate(
                { wid: hook.id, attempt: id },
                { onSuccess: (count) => toast.done(t('resent', { count })), onError: toast.failed },
              )
            }
          >
            {t('resend')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Block({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {title}
      </Text>
      <Code block tabIndex={0} aria-label={title} mah={280} style={{ overflow: 'auto' }}>
        {text}
      </Code>
    </div>
  );
}

function ResendRange({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const resend = useMutate('webhookResend');
  const [open, setOpen] = useState(false);
  const [since, setSince] = useState<string | null>(null);
  const [until, setUntil] = useState<string | null>(null);
  if (!open)
    return (
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {t('resendRange')}
      </Button>
    );
  const send = (only_failed: boolean) =>
    since &&
    resend.mutate(
      { wid: hook.id, since: inGmt(since), ...(until ? { until: inGmt(until) } : {}), only_failed },
      {
        onSuccess: (count) => {
          toast.done(t('resent', { count }));
          setOpen(false);
        },
        onError: toast.failed,
      },
    );
  return (
    <Group align="flex-end" gap="sm">
      <DateTimePicker label={t('since')} value={since} onChange={setSince} w={190} clearable />
      <DateTimePicker label={t('until')} value={until} onChange={setUntil} w={190} clearable />
      <Button variant="default" disabled={!since} loading={resend.isPending} onClick={() => send(true)}>
        {t('resendFailed')}
      </Button>
      <Button variant="default" disabled={!since} loading={resend.isPending} onClick={() => send(false)}>
        {t('resendAll')}
      </Button>
    </Group>
  );
}

/** The picker uses the browser's clock; methods take GMT. */
const inGmt = (local: string) => new Date(local.replace(' ', 'T')).toISOString().slice(0, 19).replace('T', ' ');
