// The send window of the account, where it is set: until when the campaign would wait, and the switch that exempts it.
import { Stack, Switch, Text } from '@mantine/core';
import { useSession } from '../../../session/session.ts';
import { useLanguage, useText } from '../../../text/use-text.tsx';

import { useDraft } from '../draft.tsx';
import { opensAtWall } from './send-window.ts';
import { fieldTime } from './zone-time.ts';

/** @param time the wall time for which it is scheduled; undefined for now */
export function WindowNote({ time, disabled }: { time: string | undefined; disabled: boolean }) {
  const t = useText('composer');
  const { language } = useLanguage();
  const { account } = useSession();
  const zone = account.time_zone || 'UTC';
  const { values, change } = useDraft();
  const window = String(account.settings.send_window ?? '');
  if (window === '') return null;
  const opens = opensAtWall(window, time ?? fieldTime(new Date(), zone));
  const format = new Intl.DateTimeFormat(language, {
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  });
  return (
    <Stack gap="xs">
      <Text role="status">
        {values.any_time
          ? t('windowOff')
          : opens
            ? t('windowWaits', { time: format.format(new Date(`${opens}Z`)) })
            : t('windowOpen')}
      </Text>
      <Switch
        label={t('anyTime')}
        description={t('anyTimeHint')}
        checked={values.any_time}
        onChange={(event) => change({ any_time: event.currentTarget.checked })}
        disabled={disabled}
      />
    </Stack>
  );
}
