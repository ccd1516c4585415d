// The state of an attempt as a chip, with the time of the next one if its events wait for that.
import { Text } from '@mantine/core';
import type { ResultOf } from '../../../api/types.ts';
import { Status } from '../../../parts/status/status.tsx';
import { useText } from '../../../text/use-text.tsx';
import { outcomeKey, toneOfAttempt } from '../states.ts';
import { useClock } from '../use-clock.ts';

export function AttemptStatus({ attempt }: { attempt: ResultOf<'webhookAttempts'>[number] }) {
  const t = useText('webhooks');
  const clock = useClock();
  return (
    <>
      <Status tone={toneOfAttempt(attempt)}>{t(outcomeKey(attempt))}</Status>
      {attempt.next_try !== '' && (
        <Text span size="xs" c="dimmed">
          {` · ${t('nextTry', { time: clock(attempt.next_try) })}`}
        </Text>
      )}
    </>
  );
}
