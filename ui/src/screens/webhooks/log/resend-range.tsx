// Resends the events of a time range: all of them, or those that no attempt has delivered.
import '@mantine/dates/styles.layer.css';
import { Button, Group } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useState } from 'react';
import { useMutate } from '../../../api/use-method.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { Webhook } from '../webhooks-screen.tsx';

export function ResendRange({ hook }: { hook: Webhook }) {
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
