// Making an issue now, besides the schedule: the button, and the question that says how many get it and what becomes of the next
// regular issue.
import { Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { toast } from '../../parts/toast/toast.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import type { Info } from './types.ts';

export function RunNow({ info, filled = false }: { info: Info; filled?: boolean }) {
  const t = useText('recurring');
  const { number, dateTime } = useFormats();
  const maySend = useSession().may('campaigns:send');
  const navigate = useNavigate();
  const make = useMutate('recurringRunNow', ['campaign']);
  const { busy, run } = useAction();
  if (!maySend || info.campaign === '') return null;
  const ask = async () => {
    const { recipients } = await call('campaignAudience', { cid: info.campaign });
    const next = parseTime(info.next_at);
    const agreed = await confirm({
      title: t('confirmRun'),
      figures: [{ value: number(recipients), label: t('runRecipients', { count: recipients }) }],
      text: [
        t(info.approve ? 'confirmRunWaits' : 'confirmRunSends', { list: info.list_name }),
        next ? t('afterRun', { time: dateTime(next) }) : t('afterRunPaused'),
      ].join(' '),
      action: t('runNow'),
    });
    if (!agreed) return;
    const { state, reason } = await make.mutateAsync({ id: info.id });
    toast.done(reason === '' ? t(`ran.${state}`) : t('ranReason', { reason }));
    await navigate({ to: '.', search: { tab: 'issues' }, replace: true });
  };
  return (
    <Button
      variant={filled ? 'filled' : 'default'}
      leftSection={<IconSend size={16} aria-hidden />}
      loading={busy}
      onClick={() => run(ask)}
    >
      {t('runNow')}
    </Button>
  );
}
