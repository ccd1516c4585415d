// Shown in every screen while the operator acts in the account of another: whose it is, until when, and the way back.
import { Button, Text } from '@mantine/core';
import { IconUserShield } from '@tabler/icons-react';
import { parseTime, useFormats } from '../parts/formats.ts';
import { toast } from '../parts/toast/toast.tsx';
import { useSession, useSwitchAccount } from '../session/session.ts';
import { useText } from '../text/use-text.tsx';
import classes from './shell.module.css';

export default function ActingBanner() {
  const t = useText('shell');
  const { account, acting } = useSession();
  const { time } = useFormats();
  const change = useSwitchAccount();
  const until = parseTime(acting.until);
  if (!until) return null;
  return (
    <section className={classes.acting} aria-label={t('acting')}>
      <IconUserShield size={20} aria-hidden />
      <Text size="sm" flex="1 1 240px">
        {t('actingIn', { name: account.name, time: time(until) })}
      </Text>
      <Button size="xs" variant="default" onClick={() => change(acting.home).catch(toast.failed)}>
        {t('actingBack')}
      </Button>
    </section>
  );
}
