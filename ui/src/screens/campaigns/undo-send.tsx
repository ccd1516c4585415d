// A campaign whose start can still be undone: how long, and the button. The server knows the time, so that it is shown on every
// device and wherever the campaign is.
import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { invalidate, useMutate } from '../../api/use-method.ts';
import { Status } from '../../parts/status/status.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

type Props = {
  id: string;
  type: string;
  /** The seconds that were left when the server answered. */
  seconds: number;
  /** Only the time: the button is elsewhere on the screen. */
  timeOnly?: boolean | undefined;
  /** The state to show once they are over. */
  children: ReactNode;
};

export function UndoSend({ id, type, seconds, timeOnly = false, children }: Props) {
  const t = useText('campaigns');
  const { may } = useSession();
  const unschedule = useMutate('campaignUnschedule');
  const left = useCountdown(seconds);
  if (left === 0) return children;
  return (
    <Group gap={6} wrap="nowrap">
      <Status tone="busy">{t(type === 'auto' ? 'startingIn' : 'sendingIn', { seconds: left })}</Status>
      {!timeOnly && may('campaigns:send') && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t('undoSendLabel')}
          loading={unschedule.isPending}
          // Not as callbacks of mutate: the button is gone by then.
          onClick={() => unschedule.mutateAsync({ cid: id }).then(() => toast.done(t('takenBack')), toast.failed)}
        >
          {t('undoSend')}
        </Button>
      )}
    </Group>
  );
}

/** Counts down to 0, and then has the campaigns read again. */
function useCountdown(seconds: number): number {
  const client = useQueryClient();
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const endsAt = performance.now() + seconds * 1_000;
    const count = () => {
      const rest = Math.max(0, Math.ceil((endsAt - performance.now()) / 1_000));
      setLeft(rest);
      if (rest > 0) return;
      clearInterval(timer);
      void invalidate(client, ['campaign', 'home']);
    };
    const timer = setInterval(count, 250);
    setLeft(seconds);
    return () => clearInterval(timer);
  }, [seconds, client]);
  return left;
}
