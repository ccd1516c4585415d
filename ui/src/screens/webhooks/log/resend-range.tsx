// Resends the events since a moment, by default since requests began to fail: those that no attempt has delivered, or all. Loaded when its
// layer opens, with the picker of dates.
import '@mantine/dates/styles.layer.css';
import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useMemo, useState } from 'react';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { Select } from '../../../parts/form/select.tsx';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { Webhook } from '../hook-status.tsx';
import { isAtRest } from '../states.ts';

const hour = 3_600_000;
const spans = { hour, day: 24 * hour, week: 7 * 24 * hour };
type Start = 'failure' | keyof typeof spans | 'other';

export default function ResendRange({ hook, onDone }: { hook: Webhook; onDone(): void }) {
  const t = useText('webhooks');
  const { relative } = useFormats();
  const resend = useMutate('webhookResend');
  const failing = parseTime(hook.failing_since);
  const [start, setStart] = useState<Start>(failing ? 'failure' : 'day');
  const [since, setSince] = useState<string | null>(null);
  const [until, setUntil] = useState<string | null>(null);
  const [onlyFailed, setOnlyFailed] = useState(true);
  // Not at each rendering: the end of a span moves.
  const range = useMemo(
    () => rangeOf(start, hook.failing_since, since, until),
    [start, hook.failing_since, since, until],
  );
  const preview = useMethod(
    'webhookResendPreview',
    { wid: hook.id, since: '', ...range },
    { enabled: range !== undefined },
  );
  const counts = preview.data;
  // What waits for its next try is sent now.
  const count = counts && (onlyFailed ? counts.failed : counts.all) + counts.waiting;
  const send = () =>
    range &&
    resend.mutate(
      { wid: hook.id, ...range, only_failed: onlyFailed },
      {
        onSuccess: (done) => {
          toast.done(t('resent', { count: done }));
          onDone();
        },
        onError: toast.failed,
      },
    );
  return (
    <Stack gap="sm">
      <Select
        label={t('since')}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        data={[
          ...(failing ? [{ value: 'failure', label: t('sinceFailure', { when: relative(failing) }) }] : []),
          { value: 'hour', label: t('sinceHour') },
          { value: 'day', label: t('sinceDay') },
          { value: 'week', label: t('sinceWeek') },
          { value: 'other', label: t('sinceOther') },
        ]}
        value={start}
        onChange={(next) => setStart((next ?? 'day') as Start)}
      />
      {start === 'other' && (
        <>
          <DateTimePicker label={t('from')} value={since} onChange={setSince} popoverProps={{ withinPortal: false }} />
          <DateTimePicker
            label={t('until')}
            value={until}
            onChange={setUntil}
            clearable
            placeholder={t('untilNow')}
            popoverProps={{ withinPortal: false }}
          />
        </>
      )}
      <Switch
        label={t('onlyFailed')}
        checked={onlyFailed}
        onChange={({ currentTarget }) => setOnlyFailed(currentTarget.checked)}
      />
      <Text size="sm" c="dimmed" role="status">
        {count !== undefined && t(count === 0 ? 'resendNone' : 'resendCount', { count })}
        {counts && counts.waiting > 0 && !isAtRest(hook) && ` ${t('resendWaiting', { count: counts.waiting })}`}
      </Text>
      <Group justify="flex-end">
        <Button disabled={!range || count === 0} loading={resend.isPending} onClick={send}>
          {t(onlyFailed ? 'resendFailed' : 'resendAll')}
        </Button>
      </Group>
    </Stack>
  );
}

/** As methods take it; undefined until a start is chosen. */
function rangeOf(start: Start, failingSince: string, since: string | null, until: string | null) {
  if (start === 'failure') return { since: failingSince };
  if (start !== 'other') return { since: inGmt(new Date(Date.now() - spans[start])) };
  if (since === null) return undefined;
  return { since: inGmt(local(since)), ...(until ? { until: inGmt(local(until)) } : {}) };
}

/** The picker uses the browser's clock; methods take GMT. */
const local = (picked: string) => new Date(picked.replace(' ', 'T'));
const inGmt = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ');
